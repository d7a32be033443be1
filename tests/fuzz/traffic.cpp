// SPDX-License-Identifier: Apache-2.0
#include "fuzz/moves.h"

#include "fuzz/packets.h"

#include <algorithm>

namespace vg810::fuzz::moves {

namespace {

constexpr std::array<subject::field, 13> tx_fields{{{0, 64, true},
                                                    {0, 64, true},
                                                    {8, 32},
                                                    {8, 32},
                                                    {12, 16},
                                                    {12, 16},
                                                    {16, 8},
                                                    {17, 8},
                                                    {18, 8},
                                                    {19, 8},
                                                    {20, 16},
                                                    {22, 8},
                                                    {24, 64}}};
constexpr std::array<subject::field, 4> rx_fields{{{0, 64, true}, {0, 64, true}, {8, 32}, {12, 32}}};

using flag = regs::tx_descriptor_flags;

/// What the driver wants done to a packet, as the first descriptor says it.
struct wish {
    send_options o;
    octets frame;
};

wish make_wish(dice& d, const world& w) {
    wish x{{},
           make_any(d, w.address(world::fuzzed), w.address(world::neighbour), d.one_in(20) ? 65'000 : 1514)};
    if (!d.one_in(4))
        leave_checksum_to_card(x.frame, x.o);
    const parse_result p = parse(x.frame);
    if (p.l4 == l4_type::tcp && p.payload_offset < x.frame.size() && (d.one_in(2) || x.frame.size() > 9000)) {
        x.o.tso = true;
        x.o.mss = static_cast<std::uint16_t>(d.between(200, d.one_in(4) ? 9000 : 1460));
    }
    x.o.insert_vlan = d.one_in(5);
    x.o.vlan_tci = static_cast<std::uint16_t>(d.bits());
    x.o.descriptors = static_cast<unsigned>(d.one_in(2) ? 1 : d.between(1, regs::max_tx_segments));
    if (d.one_in(12))
        spoil(d, x.frame);
    return x;
}

void describe(regs::tx_descriptor_view v, const send_options& o, unsigned segments) {
    std::uint16_t flags = flag::l3_checksum::set(v.flags(), o.l3_checksum);
    flags = flag::l4_checksum::set(flags, o.l4_checksum);
    flags = flag::tso::set(flags, o.tso);
    v.set_flags(flag::vlan_insert::set(flags, o.insert_vlan));
    v.set_vlan_tci(o.vlan_tci);
    v.set_l3_offset(o.l3_offset);
    v.set_l4_offset(o.l4_offset);
    v.set_checksum_offset(o.checksum_offset);
    v.set_header_length(o.header_length);
    v.set_mss(o.mss);
    v.set_segments(static_cast<std::uint8_t>(segments));
}

/// Writes the packet's descriptors behind the queue's others.
void write_packet(subject& s, subject::queue& q, const wish& x, unsigned descriptors) {
    std::size_t done = 0;
    for (unsigned i = 0; i < descriptors; ++i) {
        const std::size_t part = i + 1 == descriptors ? x.frame.size() - done : x.frame.size() / descriptors;
        std::array<std::byte, regs::tx_descriptor_view::bytes> raw{};
        const regs::tx_descriptor_view v(raw);
        v.set_address(s.buffer(part));
        v.set_length(static_cast<std::uint32_t>(part));
        s.store(v.address(), std::span(x.frame).subspan(done, part));
        done += part;
        const std::uint16_t flags = flag::last::set(flag::first::set(0, i == 0), i + 1 == descriptors);
        v.set_flags(flag::completion::set(flags, i + 1 == descriptors && !s.d.one_in(6)));
        if (i == 0)
            describe(v, x.o, descriptors);
        if (s.twisted())
            s.twist(raw, tx_fields);
        s.store(q.base + q.slot(q.index++) * raw.size(), raw);
        s.t.count(operation::tx_descriptor);
    }
}

void ring(subject& s, regs::reg bell, std::uint32_t id, const subject::queue& q) {
    const std::uint64_t index = s.maybe(q.index & 0xffff, 16), queue = s.maybe(id, 16);
    s.w.write(bell, queue << 16 | index, static_cast<std::uint32_t>(s.maybe(q.page, 8)));
}

std::uint32_t room(const subject::queue& q) {
    const std::uint32_t used = q.index - q.freed;
    return used < q.entries() ? q.entries() - used : 0;
}

mac_address destination(subject& s) {
    switch (s.d.below(8)) {
    case 0:
        return mac_address::broadcast();
    case 1:
        return mac_address::from_u64(0x3333'0000'0000u | (s.d.bits() & 0xffffffff));
    case 2:
        return mac_address::from_u64(s.d.bits() & 0xffff'ffff'ffffu);
    default:
        return s.w.address(world::fuzzed);
    }
}

} // namespace

void send(subject& s) {
    auto* const chosen = s.any(s.txqs);
    if (chosen == nullptr)
        return;
    subject::queue& q = chosen->second;
    for (std::uint64_t n = s.d.between(1, 6); n > 0; --n) {
        const wish x = make_wish(s.d, s.w);
        const auto descriptors =
            static_cast<unsigned>(std::min<std::size_t>(x.o.descriptors, x.frame.size()));
        if (room(q) < descriptors && !s.d.one_in(50))
            break;
        write_packet(s, q, x, descriptors);
    }
    if (!s.d.one_in(20))
        ring(s, regs::reg::DB_TX, chosen->first, q);
}

void flood(subject& s) {
    auto* const chosen = s.any(s.txqs);
    if (chosen == nullptr)
        return;
    ++s.t.done["floods"];
    wish x{{}, make_tcp(s.w.address(world::fuzzed), s.w.address(world::neighbour), 64'000, s.d.bits())};
    leave_checksum_to_card(x.frame, x.o);
    x.o.tso = true;
    x.o.mss = static_cast<std::uint16_t>(s.d.between(1000, 1460));
    for (std::uint64_t n = s.d.between(2, 8); n > 0 && room(chosen->second) > 0; --n)
        write_packet(s, chosen->second, x, 1);
    ring(s, regs::reg::DB_TX, chosen->first, chosen->second);
}

void post_buffers(subject& s) {
    auto* const chosen = s.any(s.rxqs);
    if (chosen == nullptr)
        return;
    subject::queue& q = chosen->second;
    const bool small = q.base >> 12 & 1; // by queue: a frame takes several, or more than it may
    for (std::uint64_t n = s.d.between(1, 12); n > 0 && room(q) > 0; --n) {
        std::array<std::byte, regs::rx_descriptor_view::bytes> raw{};
        const regs::rx_descriptor_view v(raw);
        v.set_length(static_cast<std::uint32_t>(small ? s.d.between(1, 150) : s.d.between(1500, 4096)));
        v.set_address(s.buffer(v.length()));
        if (s.twisted())
            s.twist(raw, rx_fields);
        s.store(q.base + q.slot(q.index++) * raw.size(), raw);
        s.t.count(operation::rx_descriptor);
    }
    ring(s, regs::reg::DB_RX, chosen->first, q);
}

void receive(subject& s) {
    for (std::uint64_t n = s.d.between(1, 4); n > 0; --n) {
        octets frame =
            make_any(s.d, destination(s), s.w.address(world::neighbour), s.d.one_in(8) ? 9618 : 1514);
        if (s.twisted() || s.d.one_in(6))
            spoil(s.d, frame);
        const std::size_t stored = s.d.one_in(10) ? s.d.below(frame.size() + 1) : frame.size();
        s.w.frame_arrives(frame, stored, s.d.one_in(40));
    }
}

void burst(subject& s) {
    ++s.t.done["bursts"];
    const octets frame =
        make_udp(s.w.address(world::fuzzed), s.w.address(world::neighbour), s.d.between(1400, 9014), 1);
    for (std::uint64_t n = s.d.between(10, 70); n > 0; --n)
        s.w.frame_arrives(frame, s.d.one_in(2) ? frame.size() : 64, false);
}

void poll(subject& s) {
    s.reap_admin();
    for (subject::queues* all : {&s.eqs, &s.cqs})
        for (auto& [id, q] : *all)
            if (!s.d.one_in(3))
                all == &s.eqs ? s.reap_events(id) : s.reap_completions(id);
}

void doorbell(subject& s) {
    static constexpr std::array bells{regs::reg::DB_TX, regs::reg::DB_RX, regs::reg::DB_CQ, regs::reg::DB_EQ};
    const regs::register_info& bell = regs::info(s.d.pick(bells));
    const std::array<subject::queues*, 4> all{&s.txqs, &s.rxqs, &s.cqs, &s.eqs};
    const auto* const chosen = s.any(*s.d.pick(all));
    const std::uint64_t id = chosen != nullptr && !s.d.one_in(3) ? chosen->first : s.d.below(300);
    const std::uint64_t index = chosen != nullptr ? chosen->second.index : 0;
    const std::uint64_t at = bell.address(static_cast<std::uint32_t>(
        chosen != nullptr && !s.d.one_in(3) ? chosen->second.page : s.d.below(regs::doorbell_pages)));
    const std::uint64_t value =
        bell.bytes == 8 ? id << 32 | s.maybe(index & 0x80ffffff, 32) : id << 16 | s.maybe(index & 0xffff, 16);
    if (bell.bytes == 8 && s.d.one_in(4)) { // in halves, the last of which may never come
        s.w.bar_write(2, at, 4, value & 0xffffffff);
        if (!s.d.one_in(4))
            s.w.bar_write(2, at + 4, 4, value >> 32);
    } else if (s.twisted()) {
        s.w.bar_write(2, at + s.d.below(16), 1u << s.d.below(4), value);
    } else {
        s.w.bar_write(2, at, bell.bytes, value);
    }
}

} // namespace vg810::fuzz::moves
