// SPDX-License-Identifier: Apache-2.0
// Connections, the choice of who sends, and timers; what arrives is in engine_receive.cpp.
#include "model/rdma/engine.h"

#include <bit>
#include <stdexcept>

namespace vg810::rdma {

engine::engine(const configuration& c, frame_pool& frames, engine_client& client)
    : c_(c), frames_(frames), client_(client), line_(c.line_rate) {
    c.transport.check();
}

engine::~engine() = default;

qp_number engine::connect(const path_address& a, cc::algorithm& algorithm, const cc::flow_facts& facts,
                          picoseconds now) {
    const qp_number number = next_number();
    pairs_.push_back(std::make_unique<queue_pair>(*this, number, c_.transport, work_, count_));
    queue_pair& q = *pairs_.back();
    q.traffic_class = c_.class_of_dscp[a.dscp & 63];
    q.packets = packet_builder(a);
    q.flow.emplace(algorithm, facts, now);
    q.telemetry = q.flow->wants_telemetry();
    if (q.flow->wants(VG810_CC_ACK))
        q.departures = std::make_unique<departure_times>();
    if (q.telemetry)
        q.telemetry_in = std::make_unique<telemetry_reader>();
    adopt_rate(q, now);
    rearm(q);
    return number;
}

void engine::post(qp_number q, const work_request& r, picoseconds now) {
    queue_pair& p = pair(q);
    p.sends.post(r, now, p);
    activate(p);
}

void engine::request_ended(queue_pair& q, const work_entry& e, work_status s) {
    client_.work_ended(q.number, e, s);
}

void engine::message_complete(queue_pair& q, opcode, bytes length) {
    client_.message_complete(q.number, (q.receives.msn() - 1) & psn_mask, length);
}

// ------------------------------------------------------------------------------ who sends

void engine::ring::push(queue_pair& q) {
    q.next_ready = last ? last->next_ready : &q;
    if (last)
        last->next_ready = &q;
    last = &q;
}

queue_pair& engine::ring::pop() {
    queue_pair& q = first();
    if (&q == last)
        last = nullptr;
    else
        last->next_ready = q.next_ready;
    return q;
}

/// Puts a connection where it belongs after anything changed: among those that may send now, or those that
/// wait for their rate.
void engine::activate(queue_pair& q) {
    if (q.ready || q.paced || !q.sendable())
        return;
    q.paced = true;
    if (q.next_start < q.pacing_entry) {
        q.pacing_entry = q.next_start;
        pacing_.push(q.next_start, q.number - first_qp);
    }
}

priority_set engine::ready(picoseconds now) {
    while (pacing_.next() <= now) {
        const deadline_heap::entry e = pacing_.pop();
        queue_pair& q = *pairs_[e.owner];
        if (e.at != q.pacing_entry)
            continue;
        q.pacing_entry = never;
        if (!q.paced)
            continue;
        if (q.next_start > now) { // its rate was lowered meanwhile
            q.pacing_entry = q.next_start;
            pacing_.push(q.next_start, e.owner);
            continue;
        }
        q.paced = false;
        if (!q.sendable())
            continue;
        q.ready = true;
        rings_[q.traffic_class].push(q);
        data_ready_ |= static_cast<priority_set>(1u << q.traffic_class);
    }
    // Whoever lost its work while it stood in a ring leaves it here.
    for (priority_set left = data_ready_; left != 0; left = static_cast<priority_set>(left & (left - 1))) {
        const auto p = static_cast<priority>(std::countr_zero(left));
        ring& r = rings_[p];
        while (r.last && !r.first().sendable())
            r.pop().ready = false;
        if (!r.last)
            data_ready_ &= static_cast<priority_set>(~(1u << p));
    }
    return data_ready_ | control_ready_;
}

bytes engine::head_slot(priority p) const {
    constexpr bytes around = preamble_bytes + fcs_bytes + gap_bytes;
    if (control_ready_ >> p & 1)
        return control_[p].front().slot_bytes();
    const queue_pair& q = rings_[p].first();
    const bytes payload = q.receives.has_response() ? q.receives.response_payload() : q.sends.next_payload();
    return packet_builder::frame_bytes(opcode::write_middle, payload, q.telemetry) + around;
}

frame_ptr engine::take(priority p, picoseconds now) {
    if (control_ready_ >> p & 1) {
        frame_ptr f = control_[p].pop();
        if (control_[p].empty())
            control_ready_ &= static_cast<priority_set>(~(1u << p));
        return f;
    }
    queue_pair& q = rings_[p].pop();
    q.ready = false;
    if (!rings_[p].last)
        data_ready_ &= static_cast<priority_set>(~(1u << p));
    frame_ptr f;
    if (q.receives.has_response()) {
        f = q.packets.data(frames_, q.receives.send_response(), q.receives.msn(), q.telemetry);
        if (const auto waiting = q.receives.take_held_back())
            send_answer(q, *waiting, nullptr);
    } else {
        const packet_plan plan = q.sends.send(q.flow->window());
        f = q.packets.data(frames_, plan, 0, q.telemetry);
        if (q.departures)
            q.departures->note(plan.number, now + line_.of(f->wire_bytes()), plan.again);
        if (q.retransmit_at == never) {
            q.retransmit_at = now + timeout_of(q);
            rearm(q);
        }
    }
    sent(q, *f, now);
    return f;
}

void engine::sent(queue_pair& q, const frame& f, picoseconds now) {
    q.last_start = now;
    q.last_slot = f.slot_bytes();
    if (q.flow->wants(VG810_CC_SENT)) {
        vg810_cc_event e{};
        e.kind = VG810_CC_SENT;
        e.bytes = q.last_slot;
        tell(q, e, now);
    }
    q.next_start = now + q.pace.of(q.last_slot);
    if (!q.sendable())
        return;
    // At line rate its turn comes when the port is free again: no need to wait for it in the heap.
    if (q.next_start <= now + line_.of(q.last_slot)) {
        q.ready = true;
        rings_[q.traffic_class].push(q);
        data_ready_ |= static_cast<priority_set>(1u << q.traffic_class);
    } else {
        activate(q);
    }
}

// ------------------------------------------------------------------------------ rate and timers

std::uint64_t engine::allowed_rate() const {
    std::uint64_t sum = 0;
    for (const auto& q : pairs_)
        if (!q->sends.idle())
            sum += q->rate;
    return sum;
}

void engine::tell(queue_pair& q, vg810_cc_event& e, picoseconds now) {
    e.now = static_cast<std::uint64_t>(now.count());
    e.acknowledged = q.sends.acknowledged_total();
    e.sent = q.sends.sent_total();
    q.flow->tell(e);
    adopt_rate(q, now);
    rearm(q);
}

void engine::adopt_rate(queue_pair& q, picoseconds) {
    if (q.flow->rate() == q.rate)
        return;
    q.rate = q.flow->rate();
    q.pace.set(static_cast<std::int64_t>(q.rate));
    if (q.last_slot == 0)
        return;
    // The new rate holds from the last packet on.
    q.next_start = q.last_start + q.pace.of(q.last_slot);
    if (q.paced && q.next_start < q.pacing_entry) {
        q.pacing_entry = q.next_start;
        pacing_.push(q.next_start, q.number - first_qp);
    }
}

picoseconds engine::timeout_of(const queue_pair& q) const {
    if (c_.transport.timeout == 0)
        return never;
    constexpr unsigned quickest = 4; // 65.5 us
    const auto code = static_cast<unsigned>(c_.transport.timeout);
    if (!c_.transport.adaptive_retransmission)
        return ack_timeout(code);
    return ack_timeout(std::min(code, quickest + 2 * q.first_timeouts));
}

/// Makes sure that the engine is called when something of the connection is due.
void engine::rearm(queue_pair& q) {
    picoseconds due = std::min(q.retransmit_at, q.flow->next_deadline());
    if (q.waits_until != picoseconds{})
        due = std::min(due, q.waits_until);
    if (due < q.timer_entry) {
        q.timer_entry = due;
        timers_.push(due, q.number - first_qp);
    }
}

void engine::run_timers(picoseconds now) {
    while (timers_.next() <= now) {
        const deadline_heap::entry entry = timers_.pop();
        queue_pair& q = *pairs_[entry.owner];
        if (entry.at != q.timer_entry)
            continue;
        q.timer_entry = never;
        if (q.waits_until != picoseconds{} && q.waits_until <= now)
            q.waits_until = {};
        if (q.flow->next_deadline() <= now) {
            q.flow->run_timers(now);
            adopt_rate(q, now);
        }
        if (q.retransmit_at <= now) {
            q.retransmit_at = never;
            if (q.sends.outstanding()) {
                ++q.first_timeouts;
                after(q, q.sends.timed_out(q), now);
                vg810_cc_event e{};
                e.kind = VG810_CC_TIMEOUT;
                tell(q, e, now);
            }
        }
        rearm(q);
        activate(q);
    }
}

/// What an acknowledgement, or its absence, leads to.
void engine::after(queue_pair& q, const requester::progress& p, picoseconds now) {
    progress_ += p.acknowledged;
    if (p.any)
        q.first_timeouts = 0;
    if (!q.sends.outstanding())
        q.retransmit_at = never;
    else if (p.any || p.rewound)
        q.retransmit_at = now + timeout_of(q) + p.wait;
    if (p.wait != picoseconds{})
        q.waits_until = now + p.wait;
    rearm(q);
    activate(q);
}

} // namespace vg810::rdma
