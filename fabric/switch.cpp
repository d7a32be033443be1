// SPDX-License-Identifier: Apache-2.0
#include "fabric/switch.h"

#include "core/checksum.h"
#include "core/ethernet.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace vg810::fabric {

std::uint64_t port_counters::dropped() const {
    return std::accumulate(drops.begin(), drops.end(), std::uint64_t{0});
}

struct ethernet_switch::port final : public wire_receiver {
    port(ethernet_switch& owner, port_index i, cable_end& e, bits_per_second r)
        : sw(owner), index(i), end(e), rate(r) {}

    void frame_arrived(frame_ptr f) override { sw.receive(*this, std::move(f)); }
    void signal_changed(bool present, bits_per_second far_rate) override {
        sw.link_changed(*this, present && far_rate == rate);
    }
    void drop(drop_reason r) { ++count.drops[static_cast<std::size_t>(r)]; }

    ethernet_switch& sw;
    port_index index;
    cable_end& end;
    bits_per_second rate;
    bool up = false;
    bool awake = false;  // a transmit event is pending
    picoseconds free_at; // end of the gap behind the last frame sent
    frame_queue queue;   // each frame's tag: when it leaves the pipeline
    port_counters count;
};

ethernet_switch::ethernet_switch(const switch_parameters& p, scheduler& clock, frame_pool& pool)
    : component(clock, p.name), parameters_(p), pool_(pool), table_(p.ecmp_seed) {
    if (p.pipeline < picoseconds{})
        throw std::invalid_argument("switch " + p.name + ": the pipeline's latency must not be negative");
}

ethernet_switch::~ethernet_switch() = default;

port_index ethernet_switch::add_port(cable_end& end, bits_per_second rate) {
    if (ports_.size() > std::numeric_limits<port_index>::max())
        throw std::length_error("switch " + name() + " has no room for another port");
    const auto index = static_cast<port_index>(ports_.size());
    ports_.push_back(std::make_unique<port>(*this, index, end, rate));
    return index;
}

wire_receiver& ethernet_switch::receiver(port_index p) {
    return *ports_.at(p);
}

void ethernet_switch::power_on() {
    for (const auto& p : ports_)
        p->end.set_signal(true, p->rate);
}

void ethernet_switch::receive(port& in, frame_ptr f) {
    if (!accept(in, *f))
        return;
    ++in.count.rx_frames;
    in.count.rx_octets += f->length();
    const ethernet_view eth(std::as_const(*f).stored().data());
    if (table_.is_router(eth.destination()))
        route(in, std::move(f));
    else if (eth.destination().is_group())
        answer_arp(in, *f) ? void() : flood(in, std::move(f));
    else
        forward(in, std::move(f));
}

bool ethernet_switch::accept(port& in, const frame& f) {
    // 802.1Q table 8-1: bridge group, PAUSE, LLDP and their like end at the next bridge.
    constexpr std::uint64_t link_local = 0x0180c2000000;
    drop_reason why = drop_reason::count;
    if (f.fcs_bad)
        why = drop_reason::bad_fcs;
    else if (f.length() < min_frame_bytes || f.stored().size() < ethernet_header_bytes)
        why = drop_reason::runt;
    else if (f.length() > parameters_.max_frame)
        why = drop_reason::oversize;
    else if ((ethernet_view(f.stored().data()).destination().to_u64() & ~std::uint64_t{15}) == link_local)
        why = drop_reason::link_local;
    if (why == drop_reason::count)
        return true;
    in.drop(why);
    return false;
}

void ethernet_switch::forward(port& in, frame_ptr f) {
    const auto found = table_.find(ethernet_view(f->stored().data()).destination());
    if (!found)
        return flood(in, std::move(f));
    if (found->live->empty())
        return in.drop(drop_reason::no_route);
    const port_index out = table_.choose(*found, *f);
    if (out == in.index)
        return in.drop(drop_reason::same_port);
    admit(*ports_[out], std::move(f));
}

void ethernet_switch::flood(port& in, frame_ptr f) {
    if (!table_.in_flood_tree(in.index))
        return in.drop(drop_reason::off_tree);
    ++in.count.flooded;
    port* last = nullptr; // gets the frame itself
    for (port_index p : table_.flood_ports()) {
        if (p == in.index)
            continue;
        if (last)
            admit(*last, copy(*f));
        last = ports_[p].get();
    }
    if (last)
        admit(*last, std::move(f));
}

// RFC 1812 5.3.1, 4.2.2.9: one hop taken off, checksum mended, new link addresses. No ICMP is sent back.
void ethernet_switch::route(port& in, frame_ptr f) {
    if (answer_arp(in, *f))
        return;
    const auto s = f->stored();
    const parse_result p = parse(s, f->length());
    if (p.l3 != l3_type::ipv4)
        return in.drop(drop_reason::no_route);
    const ipv4_view<std::byte> ip(s.data() + p.l3_offset);
    const auto next = table_.neighbour(ip.destination());
    if (!next)
        return in.drop(drop_reason::no_route);
    if (ip.ttl() <= 1)
        return in.drop(drop_reason::ttl_expired);
    const std::byte* const word = s.data() + p.l3_offset + 8;
    const auto before = load_be<std::uint16_t>(word);
    ip.set_ttl(static_cast<std::uint8_t>(ip.ttl() - 1));
    ip.set_checksum(checksum_update(ip.checksum(), before, load_be<std::uint16_t>(word)));
    const ethernet_view<std::byte> eth(s.data());
    eth.set_source(table_.router_mac());
    eth.set_destination(*next);
    forward(in, std::move(f));
}

// Answers who-has for a gateway address, as a router on that subnet does; says whether it was one.
bool ethernet_switch::answer_arp(port& in, const frame& f) {
    if (!table_.has_router())
        return false;
    const parse_result p = parse(f.stored(), f.length());
    if (p.l3 != l3_type::arp)
        return false;
    const arp_view ask(f.stored().data() + p.l3_offset);
    if (ask.operation() != ask.request || !table_.is_gateway(ask.target_ip()))
        return false;
    frame_ptr reply = copy(f);
    const auto s = reply->stored();
    const ethernet_view<std::byte> eth(s.data());
    eth.set_destination(ask.sender_mac());
    eth.set_source(table_.router_mac());
    const arp_view<std::byte> answer(s.data() + p.l3_offset);
    answer.fill(answer.reply, table_.router_mac(), ask.target_ip(), ask.sender_mac(), ask.sender_ip());
    admit(in, std::move(reply));
    return true;
}

// The output queue holds frames from their arrival on, so the limit bounds memory; the pipeline only delays.
void ethernet_switch::admit(port& out, frame_ptr f) {
    if (!out.up)
        return out.drop(drop_reason::link_down);
    if (out.queue.octets() + f->length() > parameters_.queue_limit)
        return out.drop(drop_reason::queue_full);
    f->tag = static_cast<std::uint64_t>((now() + parameters_.pipeline).count());
    out.queue.push(std::move(f));
    out.count.deepest_queue = std::max(out.count.deepest_queue, out.queue.octets());
    wake(out);
}

void ethernet_switch::wake(port& out) {
    if (out.awake || out.queue.empty())
        return;
    out.awake = true;
    const picoseconds ready(static_cast<std::int64_t>(out.queue.front().tag));
    schedule<&ethernet_switch::transmit>(std::max(ready, out.free_at), this, out.index);
}

void ethernet_switch::transmit(std::uint64_t index) {
    port& out = *ports_[index];
    out.awake = false;
    if (out.queue.empty()) // the link went down meanwhile
        return;
    const picoseconds ready(static_cast<std::int64_t>(out.queue.front().tag));
    if (ready <= now() && out.free_at <= now()) {
        frame_ptr f = out.queue.pop();
        ++out.count.tx_frames;
        out.count.tx_octets += f->length();
        out.free_at = now() + out.rate.time_for(f->slot_bytes());
        const picoseconds last_bit = now() + out.rate.time_for(f->wire_bytes());
        out.end.send(std::move(f), now(), last_bit);
    }
    wake(out);
}

void ethernet_switch::link_changed(port& p, bool up) {
    p.up = up;
    table_.set_live(p.index, up);
    if (up)
        return;
    for (; !p.queue.empty(); p.queue.pop())
        p.drop(drop_reason::link_down);
}

frame_ptr ethernet_switch::copy(const frame& f) {
    frame_ptr c = pool_.make(f.length(), f.stored().size());
    std::ranges::copy(f.stored(), c->stored().begin());
    return c;
}

const port_counters& ethernet_switch::count(port_index p) const {
    return ports_.at(p)->count;
}

bytes ethernet_switch::queued(port_index p) const {
    return ports_.at(p)->queue.octets();
}

bool ethernet_switch::link_up(port_index p) const {
    return ports_.at(p)->up;
}

std::uint64_t ethernet_switch::dropped(drop_reason r) const {
    return std::accumulate(ports_.begin(), ports_.end(), std::uint64_t{0},
                           [r](std::uint64_t sum, const auto& p) { return sum + p->count.dropped(r); });
}

} // namespace vg810::fabric
