// SPDX-License-Identifier: Apache-2.0
// The way out of a switch: admission, queues, transmission, and the flow control that ties both ends of the
// way together.
#include "core/checksum.h"
#include "core/telemetry.h"
#include "fabric/switch_port.h"

#include <algorithm>

namespace vg810::fabric {

namespace {

// A UDP checksum over a telemetry block has to follow its changes; RoCEv2 senders leave it 0.
void stamp_telemetry(frame& f, std::uint16_t id, std::uint8_t rate_code, picoseconds at, bytes tx_octets,
                     bytes queued) {
    const auto s = f.stored();
    const std::size_t offset = f.labels.telemetry_offset;
    if (offset < udp_header_bytes || offset + telemetry_bytes > s.size())
        return;
    const std::span<std::byte> block = s.subspan(offset, telemetry_bytes);
    const udp_view<std::byte> udp(s.data() + offset - udp_header_bytes);
    const std::uint16_t before = udp.checksum() ? checksum_sum().add(block).folded() : std::uint16_t{0};
    telemetry_view<std::byte>(block.data()).stamp(id, rate_code, at, tx_octets, queued);
    if (udp.checksum() == 0)
        return;
    const std::uint16_t sum = checksum_update(udp.checksum(), before, checksum_sum().add(block).folded());
    udp.set_checksum(sum ? sum : 0xffff);
}

} // namespace

void ethernet_switch::drop(port& at, const frame& f, drop_reason why) {
    at.drop(why);
    ++at.rare.priority[f.labels.priority].drops[static_cast<std::size_t>(why)];
}

// The frame is here. It goes out at once if nothing is in its way, and joins its queue otherwise.
void ethernet_switch::enqueue(port& out, frame_ptr f) {
    const priority q = f->labels.priority;
    if (!out.up)
        return drop(out, *f, drop_reason::link_down);
    if (out.watched && out.dog.storms() >> q & 1 && out.dog.action() == storm_action::drop)
        return drop(out, *f, drop_reason::storm);
    if (out.free_at <= now() && out.nonempty == 0 && out.to_tell == 0 && !(out.stopped(now()) >> q & 1))
        return send(out, std::move(f));
    if (parameters_.mark_at == marking_point::enqueue || markers_[q].drops_others())
        if (!wred_lets_pass(out, *f))
            return;
    if (!buffer_has_room(out, *f))
        return;
    const bytes n = f->length();
    out.lanes[q].queue.push(std::move(f));
    out.queued += n;
    if (!(lossless_ >> q & 1))
        out.lossy_queued += n;
    out.nonempty |= static_cast<priority_set>(1u << q);
    out.deepest_queue = std::max(out.deepest_queue, out.queued);
    bytes& deepest = out.lanes[q].deepest;
    deepest = std::max(deepest, out.lanes[q].queue.octets());
    wake(out);
    if (out.watched)
        watch(out);
}

bool ethernet_switch::wred_lets_pass(port& out, frame& f) {
    const priority q = f.labels.priority;
    const bool at_enqueue = parameters_.mark_at == marking_point::enqueue;
    if (f.labels.ecn_capable ? !at_enqueue : !markers_[q].drops_others())
        return true;
    if (!markers_[q].marks(out.depth(q), out.random))
        return true;
    if (!f.labels.ecn_capable) {
        drop(out, f, drop_reason::early);
        return false;
    }
    out.lanes[q].marked += mark_congestion(f);
    return true;
}

// queue_limit bounds lossy queues in any case, the shared buffer all of them if there is one.
bool ethernet_switch::buffer_has_room(port& out, const frame& f) {
    const priority q = f.labels.priority;
    if (!(lossless_ >> q & 1) && out.lossy_queued + f.length() > parameters_.queue_limit) {
        drop(out, f, drop_reason::queue_full);
        return false;
    }
    if (!buffer_.enabled())
        return true;
    port& in = *ports_[f.labels.ingress];
    switch (buffer_.admit(in.index, q, parameters_.buffer.counted(f.length()), out.depth(q))) {
    case admission::admitted:
        return true;
    case admission::admitted_xoff:
        in.asked |= static_cast<priority_set>(1u << q);
        ask(in, static_cast<priority_set>(1u << q));
        return true;
    case admission::shared_full:
        drop(in, f, drop_reason::shared_full);
        return false;
    case admission::egress_full:
        drop(out, f, drop_reason::egress_full);
        return false;
    case admission::headroom_full:
        drop(in, f, drop_reason::headroom_full);
        return false;
    }
    return false;
}

void ethernet_switch::release(port_index ingress, priority q, bytes frame_bytes) {
    if (!buffer_.enabled() || !buffer_.release(ingress, q, parameters_.buffer.counted(frame_bytes)))
        return;
    port& in = *ports_[ingress];
    in.asked &= static_cast<priority_set>(~(1u << q));
    ask(in, static_cast<priority_set>(1u << q));
}

void ethernet_switch::empty(port& out, priority q, drop_reason why) {
    while (!out.lanes[q].queue.empty()) {
        const frame_ptr f = out.lanes[q].queue.pop();
        out.queued -= f->length();
        if (!(lossless_ >> q & 1))
            out.lossy_queued -= f->length();
        drop(out, *f, why);
        release(f->labels.ingress, q, f->length());
    }
    out.nonempty &= static_cast<priority_set>(~(1u << q));
    out.ets.emptied(q);
    out.dog.moved(q);
}

// Makes sure that there is an event when the port can send next, if it has something to send.
void ethernet_switch::wake(port& out) {
    picoseconds at = never;
    if (out.to_tell != 0) {
        at = out.free_at;
    } else if (out.nonempty != 0) {
        const picoseconds then = std::max(out.free_at, now());
        const priority_set stopped = out.stopped(then);
        if (out.nonempty & ~stopped)
            at = then;
        else
            for (priority q = 0; q < priorities; ++q)
                if (out.nonempty >> q & 1)
                    at = std::min(at, out.timers.until(q));
    }
    if (at == never || at >= out.wake_at)
        return;
    out.wake_at = std::max(at, now());
    schedule<&ethernet_switch::transmit>(out.wake_at, this, out.index);
}

void ethernet_switch::transmit(std::uint64_t index) {
    port& out = *ports_[index];
    if (out.wake_at != now()) // an earlier event has taken its place
        return;
    out.wake_at = never;
    serve(out);
}

// One frame, pauses first, then as strict priority and ETS say.
void ethernet_switch::serve(port& out) {
    if (out.free_at <= now() && out.up) {
        const auto eligible = static_cast<priority_set>(out.nonempty & ~out.stopped(now()));
        if (out.to_tell != 0) {
            send_pause(out);
        } else if (eligible != 0) {
            const priority q = out.ets.choose(
                eligible, [&out](priority p) { return out.lanes[p].queue.front().slot_bytes(); });
            frame_ptr f = out.lanes[q].queue.pop();
            out.queued -= f->length();
            if (!(lossless_ >> q & 1))
                out.lossy_queued -= f->length();
            out.ets.sent(q, f->slot_bytes());
            if (out.lanes[q].queue.empty()) {
                out.nonempty &= static_cast<priority_set>(~(1u << q));
                out.ets.emptied(q);
            }
            if (out.watched)
                out.dog.moved(q);
            const port_index ingress = f->labels.ingress;
            const bytes length = f->length();
            send(out, std::move(f));
            release(ingress, q, length);
        }
    }
    wake(out);
}

// The first bit of a frame leaves now.
void ethernet_switch::send(port& out, frame_ptr f) {
    account(out, *f);
    const picoseconds last_bit = now() + out.time_for(f->wire_bytes());
    out.free_at = now() + out.time_for(f->slot_bytes());
    out.end.send(std::move(f), now(), last_bit);
}

void ethernet_switch::account(port& out, frame& f) {
    const priority q = f.labels.priority;
    port::lane& c = out.lanes[q];
    if (f.labels.ecn_capable && parameters_.mark_at == marking_point::dequeue &&
        markers_[q].marks(out.depth(q), out.random))
        c.marked += mark_congestion(f);
    // Octets with preamble, FCS and gap: what fills the link's rate.
    if (f.labels.telemetry_offset != 0 && parameters_.telemetry)
        stamp_telemetry(f, telemetry_id_, out.rate_code, now(),
                        out.tx_octets + out.tx_frames * (preamble_bytes + fcs_bytes + gap_bytes), out.queued);
    ++out.tx_frames;
    out.tx_octets += f.length();
    ++c.tx_frames;
    c.tx_octets += f.length();
}

// The neighbour at a port is to hear about these priorities, before any other frame.
void ethernet_switch::ask(port& at, priority_set which) {
    if (which == 0 || !at.up)
        return;
    at.to_tell |= which;
    if (at.free_at <= now())
        send_pause(at);
    else
        wake(at);
}

void ethernet_switch::send_pause(port& out) {
    pfc_request r;
    r.enabled = std::exchange(out.to_tell, priority_set{0});
    for (priority q = 0; q < priorities; ++q) {
        if (!(r.enabled >> q & 1))
            continue;
        const bool stop = out.asked >> q & 1;
        r.time[q] = stop ? static_cast<std::uint16_t>(parameters_.pfc.pause_quanta) : std::uint16_t{0};
        out.rare.priority[q].tx_pause += stop;
        if (observer_)
            observer_->pause_sent(*this, out.index, q, stop, now());
    }
    const auto own = mac_address::from_u64(0x0200'0000'0000 | (id() & 0xff'ffff'ffff));
    frame_ptr f = make_pfc_frame(pool_, own, r);
    const picoseconds last_bit = now() + out.time_for(f->wire_bytes());
    out.free_at = now() + out.time_for(f->slot_bytes());
    out.told_at = now();
    out.end.send(std::move(f), now(), last_bit);
    if (out.asked != 0 && !out.refreshing) {
        out.refreshing = true;
        schedule<&ethernet_switch::refresh>(now() + out.timers.quantum() * parameters_.pfc.refresh_quanta,
                                            this, out.index);
    }
    wake(out);
}

void ethernet_switch::refresh(std::uint64_t index) {
    port& out = *ports_[index];
    const picoseconds due = out.told_at + out.timers.quantum() * parameters_.pfc.refresh_quanta;
    out.refreshing = out.asked != 0 && out.up && due > now();
    if (out.refreshing)
        schedule<&ethernet_switch::refresh>(due, this, index);
    else
        ask(out, out.asked);
}

// A PFC frame has come in by `out`: it rules what may leave there.
void ethernet_switch::obey(port& out, const frame& f) {
    auto request = read_pause_frame(f);
    if (!request)
        return out.drop(drop_reason::link_local);
    request->enabled &= lossless_;
    priority_set over = 0;
    for (priority q = 0; q < priorities; ++q) {
        const bool named = request->enabled >> q & 1;
        out.rare.priority[q].rx_pause += named;
        if (named && (request->time[q] == 0 || out.timers.until(q) <= now()))
            over |= static_cast<priority_set>(1u << q);
    }
    end_pauses(out, over);
    out.timers.apply(*request, now());
    const auto stopped = static_cast<priority_set>(out.timers.paused(now()) & request->enabled);
    for (priority q = 0; q < priorities; ++q)
        if ((stopped & ~out.running) >> q & 1)
            out.paused_since[q] = now();
    out.running |= stopped;
    if (out.free_at <= now() && out.wake_at != now())
        serve(out);
    else
        wake(out);
    if (out.watched)
        watch(out);
}

// Adds up pauses that are over by now or end now; one that is refreshed goes on.
void ethernet_switch::end_pauses(port& out, priority_set which) {
    for (priority q = 0; q < priorities; ++q) {
        if (!((which & out.running) >> q & 1))
            continue;
        const picoseconds until = std::min(out.timers.until(q), now());
        out.paused_time[q] += until - out.paused_since[q];
        if (observer_)
            observer_->paused(*this, out.index, q, out.paused_since[q], until);
        out.running &= static_cast<priority_set>(~(1u << q));
    }
}

void ethernet_switch::watch(port& out) {
    const picoseconds at = out.dog.look(out.nonempty & out.timers.paused(now()), now());
    if (at != never)
        schedule<&ethernet_switch::check_storms>(at, this, out.index);
}

void ethernet_switch::check_storms(std::uint64_t index) {
    port& out = *ports_[index];
    const pause_watchdog::verdict v = out.dog.check(out.timers, now());
    for (priority q = 0; q < priorities; ++q) {
        const bool began = v.began >> q & 1, ended = v.ended >> q & 1;
        if (!began && !ended)
            continue;
        ++(began ? out.rare.priority[q].storms : out.rare.priority[q].restored);
        if (observer_)
            observer_->storm(*this, out.index, q, began, now());
        if (began && out.dog.action() == storm_action::drop)
            empty(out, q, drop_reason::storm);
    }
    if (v.began != 0)
        serve(out);
    if (v.again != never)
        schedule<&ethernet_switch::check_storms>(v.again, this, index);
}

} // namespace vg810::fabric
