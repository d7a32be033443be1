// SPDX-License-Identifier: Apache-2.0
// The way in: a frame from its arrival to the port it leaves by.
#include "fabric/switch.h"

#include "core/checksum.h"
#include "core/ethernet.h"
#include "core/telemetry.h"
#include "fabric/switch_port.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace vg810::fabric {

namespace {

// 802.1Q table 8-1: bridge group, PAUSE, LLDP and their like end at the next bridge.
bool is_link_local(mac_address m) {
    constexpr std::uint64_t group = 0x0180c2000000;
    return (m.to_u64() & ~std::uint64_t{15}) == group;
}

const switch_parameters& checked(const switch_parameters& p) {
    try {
        p.check();
    } catch (const std::invalid_argument& e) {
        throw std::invalid_argument("switch " + p.name + ": " + e.what());
    }
    return p;
}

picoseconds whole_octet(bits_per_second r) {
    constexpr std::int64_t octet = 8'000'000'000'000;
    return picoseconds(octet % r.count() == 0 ? octet / r.count() : 0);
}

} // namespace

std::uint64_t port_counters::dropped() const {
    return std::accumulate(drops.begin(), drops.end(), std::uint64_t{0});
}

ethernet_switch::port::port(ethernet_switch& owner, port_index i, cable_end& e, bits_per_second r)
    : sw(owner), end(e), octet(whole_octet(r)), index(i), rate_code(telemetry_rate_code(r)),
      watched(owner.parameters_.watchdog.on), timers(r), ets(owner.parameters_.ets()),
      random(owner.parameters_.seed, owner.name() + ".port" + std::to_string(i)), rate(r), own_rate(r),
      dog(owner.parameters_.watchdog) {}

void ethernet_switch::port::line_rate_changed(bits_per_second r) {
    rate = r;
    octet = whole_octet(r);
}

port_counters ethernet_switch::port::counters() const {
    port_counters c = rare;
    c.rx_frames = rx_frames;
    c.rx_octets = rx_octets;
    c.tx_frames = tx_frames;
    c.tx_octets = tx_octets;
    c.deepest_queue = deepest_queue;
    for (priority q = 0; q < priorities; ++q) {
        priority_counters& to = c.priority[q];
        to.tx_frames = lanes[q].tx_frames;
        to.tx_octets = lanes[q].tx_octets;
        to.ecn_marked = lanes[q].marked;
        to.deepest = lanes[q].deepest;
    }
    return c;
}

arrival_request ethernet_switch::port::arrival() const {
    const switch_parameters& p = sw.parameters_;
    return {p.mode == switching::cut_through ? p.cut_through_bytes : 0, p.pipeline,
            sw.lossless_ ? p.pfc.response_delay : p.pipeline};
}

ethernet_switch::ethernet_switch(const switch_parameters& p, scheduler& clock, frame_pool& pool)
    : component(clock, p.name), parameters_(checked(p)), pool_(pool), buffer_(p.buffer, p.lossless()),
      lossless_(p.lossless()), priorities_(p.trust), paths_(p.paths, p.ecmp_seed, p.seed, p.name),
      telemetry_id_(static_cast<std::uint16_t>(id() ^ id() >> 12 ^ id() >> 24)) {
    for (const marking_parameters& m : p.marking)
        for (const std::int64_t q : m.priorities)
            markers_[static_cast<std::size_t>(q)] = marker(m);
}

ethernet_switch::~ethernet_switch() = default;

port_index ethernet_switch::add_port(cable_end& end, bits_per_second rate) {
    if (ports_.size() >= forwarding_table::no_port)
        throw std::length_error("switch " + name() + " has no room for another port");
    const auto index = static_cast<port_index>(ports_.size());
    ports_.push_back(std::make_unique<port>(*this, index, end, rate));
    try {
        buffer_.set_ports(ports_.size());
    } catch (const std::invalid_argument& e) {
        throw std::invalid_argument("switch " + name() + ": " + e.what());
    }
    return index;
}

wire_receiver& ethernet_switch::receiver(port_index p) {
    return *ports_.at(p);
}

void ethernet_switch::power_on() {
    for (const auto& p : ports_)
        p->end.set_signal(true, p->own_rate);
}

void ethernet_switch::receive(port& in, frame_ptr f) {
    if (const auto why = fault_of(*f))
        return in.drop(*why);
    if (!learn(in, *f))
        return;
    ++in.rx_frames;
    in.rx_octets += f->length();
    if (f->labels.station != frame_labels::unknown_station)
        return forward(in, std::move(f));
    const mac_address to = ethernet_view(std::as_const(*f).stored().data()).destination();
    if (table_.is_router(to))
        route(in, std::move(f));
    else if (to.is_group())
        answer_arp(in, *f) ? void() : flood(in, std::move(f));
    else
        flood(in, std::move(f));
}

std::optional<drop_reason> ethernet_switch::fault_of(const frame& f) const {
    // A frame that is sent on before its FCS is in cannot be dropped for it.
    const bool announced_early =
        parameters_.mode == switching::cut_through && f.length() + fcs_bytes > parameters_.cut_through_bytes;
    if (f.fcs_bad && !announced_early)
        return drop_reason::bad_fcs;
    if (f.length() < min_frame_bytes || f.stored().size() < ethernet_header_bytes)
        return drop_reason::runt;
    if (f.length() > parameters_.max_frame)
        return drop_reason::oversize;
    return std::nullopt;
}

// Labels the frame; takes what ends here. Says whether there is anything left to forward.
bool ethernet_switch::learn(port& in, frame& f) {
    if (!f.labels.classified) {
        const mac_address to = ethernet_view(std::as_const(f).stored().data()).destination();
        if (is_link_local(to)) {
            if (lossless_ && to == mac_control_address)
                obey(in, f);
            else
                in.drop(drop_reason::link_local);
            return false;
        }
        classify(f);
        f.labels.station = table_.stations().find(to);
    }
    f.labels.ingress = in.index;
    f.labels.priority = priorities_.of(f);
    if (!parameters_.trust.remark_dscp.empty())
        set_dscp(f, static_cast<std::uint8_t>(parameters_.trust.remark_dscp[f.labels.priority]));
    return true;
}

void ethernet_switch::forward(port& in, frame_ptr f) {
    port_index out = table_.only_port(f->labels.station);
    if (out == forwarding_table::no_port) {
        const auto found = table_.find(f->labels.station);
        if (!found)
            return flood(in, std::move(f));
        if (found->live->empty())
            return in.drop(drop_reason::no_route);
        out = paths_.choose(*found, f->labels.flow_hash, now());
    }
    if (out == in.index)
        return in.drop(drop_reason::same_port);
    deliver(in, *ports_[out], std::move(f));
}

void ethernet_switch::flood(port& in, frame_ptr f) {
    if (!table_.in_flood_tree(in.index))
        return in.drop(drop_reason::off_tree);
    ++in.rare.flooded;
    port* last = nullptr; // gets the frame itself
    for (port_index p : table_.flood_ports()) {
        if (p == in.index)
            continue;
        if (last)
            deliver(in, *last, copy(*f));
        last = ports_[p].get();
    }
    if (last)
        deliver(in, *last, std::move(f));
}

// RFC 1812 5.3.1, 4.2.2.9: one hop taken off, checksum mended, new link addresses. No ICMP is sent back.
void ethernet_switch::route(port& in, frame_ptr f) {
    if (answer_arp(in, *f))
        return;
    const auto s = f->stored();
    if (f->labels.l3_offset == 0 || f->labels.ipv6)
        return in.drop(drop_reason::no_route);
    const ipv4_view<std::byte> ip(s.data() + f->labels.l3_offset);
    const auto next = table_.neighbour(ip.destination());
    if (!next)
        return in.drop(drop_reason::no_route);
    if (ip.ttl() <= 1)
        return in.drop(drop_reason::ttl_expired);
    const std::byte* const word = s.data() + f->labels.l3_offset + 8;
    const auto before = load_be<std::uint16_t>(word);
    ip.set_ttl(static_cast<std::uint8_t>(ip.ttl() - 1));
    ip.set_checksum(checksum_update(ip.checksum(), before, load_be<std::uint16_t>(word)));
    const ethernet_view<std::byte> eth(s.data());
    eth.set_source(table_.router_mac());
    eth.set_destination(*next);
    f->labels.station = table_.stations().find(*next);
    forward(in, std::move(f));
}

// Answers who-has for a gateway address, as a router on that subnet does; says whether it was one.
bool ethernet_switch::answer_arp(port& in, const frame& f) {
    if (!table_.has_router() || f.labels.l3_offset != 0)
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
    classify(*reply);
    reply->labels.station = table_.stations().find(ask.sender_mac());
    enqueue(in, std::move(reply));
    return true;
}

frame_ptr ethernet_switch::copy(const frame& f) {
    frame_ptr c = pool_.make(f.length(), f.stored().size());
    std::ranges::copy(f.stored(), c->stored().begin());
    c->labels = f.labels;
    c->fcs_bad = f.fcs_bad;
    return c;
}

// With cut-through the frame is here up to its header. A faster egress would run dry: it gets the frame when
// its last bit is in.
void ethernet_switch::deliver(port& in, port& out, frame_ptr f) {
    if (parameters_.mode == switching::cut_through) {
        const bytes seen = parameters_.cut_through_bytes, whole = f->length() + fcs_bytes;
        if (whole > seen && in.rate < out.rate) {
            f->tag = out.index;
            const picoseconds last_bit = now() + in.time_for(whole - seen);
            schedule<&ethernet_switch::complete>(last_bit, this, f.release());
            return;
        }
        in.rare.cut_through_bad += f->fcs_bad;
    }
    enqueue(out, std::move(f));
}

void ethernet_switch::complete(std::uint64_t released) {
    frame_ptr f = frame_ptr::adopt(released);
    if (f->fcs_bad)
        return ports_[f->labels.ingress]->drop(drop_reason::bad_fcs);
    port& out = *ports_[f->tag];
    enqueue(out, std::move(f));
}

void ethernet_switch::link_changed(port& p, bool up) {
    p.up = up;
    table_.set_live(p.index, up);
    if (up) {
        ask(p, p.asked); // what the neighbour was told before is forgotten
        return;
    }
    p.to_tell = 0;
    end_pauses(p, 0xff);
    p.timers.clear();
    p.dog.clear();
    for (priority q = 0; q < priorities; ++q)
        empty(p, q, drop_reason::link_down);
}

port_counters ethernet_switch::count(port_index p) const {
    return ports_.at(p)->counters();
}

bytes ethernet_switch::queued(port_index p) const {
    return ports_.at(p)->queued;
}

bytes ethernet_switch::queued(port_index p, priority q) const {
    return ports_.at(p)->lanes.at(q).queue.octets();
}

bool ethernet_switch::link_up(port_index p) const {
    return ports_.at(p)->up;
}

bool ethernet_switch::paused(port_index p, priority q) const {
    return ports_.at(p)->timers.paused(now()) >> q & 1;
}

picoseconds ethernet_switch::paused_time(port_index p, priority q) const {
    const port& at = *ports_.at(p);
    if (!(at.running >> q & 1))
        return at.paused_time[q];
    return at.paused_time[q] + (std::min(now(), at.timers.until(q)) - at.paused_since[q]);
}

std::uint64_t ethernet_switch::dropped(drop_reason r) const {
    return std::accumulate(ports_.begin(), ports_.end(), std::uint64_t{0},
                           [r](std::uint64_t sum, const auto& p) { return sum + p->rare.dropped(r); });
}

std::vector<blocked_queue> ethernet_switch::blocked() const {
    std::vector<blocked_queue> out;
    for (const auto& p : ports_) {
        const priority_set stopped = p->nonempty & p->stopped(now());
        for (priority q = 0; q < priorities; ++q) {
            if (!(stopped >> q & 1))
                continue;
            std::vector<bytes> by_ingress(ports_.size());
            p->lanes[q].queue.for_each([&](const frame& f) { by_ingress[f.labels.ingress] += f.length(); });
            blocked_queue b{p->index, q, {}};
            for (std::size_t i = 0; i < by_ingress.size(); ++i)
                if (by_ingress[i] != 0)
                    b.from.push_back({static_cast<port_index>(i), by_ingress[i]});
            out.push_back(std::move(b));
        }
    }
    return out;
}

} // namespace vg810::fabric
