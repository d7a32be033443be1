// SPDX-License-Identifier: Apache-2.0
#include "fuzz/moves.h"

#include <algorithm>

namespace vg810::fuzz::moves {

using regs::admin_opcode;
using view = regs::admin_command_view;

namespace {

using field = subject::field;
constexpr field flags{1, 8}, queue_id{4, 32}, buffer{8, 64, true}, buffer_bytes{16, 32}, param{20, 32},
    ring{24, 8}, vector{26, 16}, cq_id{28, 32}, eq_id{32, 32}, doorbell_page{36, 32}, moderation_ns{40, 32},
    moderation_events{44, 32}, count{48, 32}, mac{56, 64};

/// The fields that count in a command, which need not be the one in its opcode field afterwards.
std::span<const field> fields_of(admin_opcode opcode) {
    static constexpr std::array eq{queue_id,      buffer,           ring, vector, doorbell_page,
                                   moderation_ns, moderation_events};
    static constexpr std::array cq{queue_id, buffer, ring, eq_id, doorbell_page};
    static constexpr std::array ends{queue_id, buffer, ring, cq_id, doorbell_page};
    static constexpr std::array by_id{queue_id, moderation_ns, moderation_events};
    static constexpr std::array data{buffer, buffer_bytes, param, count};
    static constexpr std::array value{param, mac, field{0, 8}, flags};
    switch (opcode) {
    case admin_opcode::create_eq:
        return eq;
    case admin_opcode::create_cq:
        return cq;
    case admin_opcode::create_txq:
    case admin_opcode::create_rxq:
        return ends;
    case admin_opcode::destroy_eq:
    case admin_opcode::destroy_cq:
    case admin_opcode::destroy_txq:
    case admin_opcode::destroy_rxq:
    case admin_opcode::modify_eq:
        return by_id;
    case admin_opcode::identify:
    case admin_opcode::set_rss:
    case admin_opcode::set_rx_mode:
    case admin_opcode::set_vlan_filter:
        return data;
    default:
        return value;
    }
}

std::uint8_t ring_log2(dice& d) {
    if (d.one_in(40))
        return static_cast<std::uint8_t>(d.between(regs::min_ring_log2, regs::max_ring_log2));
    return static_cast<std::uint8_t>(d.between(regs::min_ring_log2, 8));
}

std::uint32_t page(dice& d) {
    return d.one_in(2) ? 0 : static_cast<std::uint32_t>(d.below(regs::doorbell_pages));
}

/// The id of one that exists, or of any.
std::uint32_t id_of(subject& s, subject::queues& q, std::uint32_t most) {
    const auto* one = s.any(q);
    return one != nullptr && !s.d.one_in(10) ? one->first : static_cast<std::uint32_t>(s.d.below(most));
}

/// The lowest id that is free, or any.
std::uint32_t new_id(subject& s, const subject::queues& q, std::uint32_t most) {
    std::uint32_t id = 0;
    while (q.contains(id))
        ++id;
    return s.d.one_in(10) ? static_cast<std::uint32_t>(s.d.below(most)) : std::min(id, most - 1);
}

void set_ring(subject& s, view c, std::size_t entry_bytes) {
    c.set_ring_log2(ring_log2(s.d));
    c.set_buffer(s.ring_memory(entry_bytes << c.ring_log2()));
    c.set_doorbell_page(page(s.d));
}

void set_moderation(subject& s, view c) {
    if (!regs::DEVICE_FEATURES::moderation::get(s.features()) || s.d.one_in(2))
        return;
    c.set_moderation_ns(static_cast<std::uint32_t>(s.d.below(s.d.one_in(4) ? 10'000'001 : 20'000)));
    c.set_moderation_events(static_cast<std::uint32_t>(s.d.below(8)));
}

void create(subject& s, view c) {
    switch (c.opcode()) {
    case admin_opcode::create_eq:
        c.set_queue_id(new_id(s, s.eqs, regs::max_eqs));
        set_ring(s, c, regs::event_view::bytes);
        c.set_vector(static_cast<std::uint16_t>(s.d.below(regs::msix_vectors)));
        set_moderation(s, c);
        break;
    case admin_opcode::create_cq:
        c.set_queue_id(new_id(s, s.cqs, regs::max_cqs));
        set_ring(s, c, regs::completion_view::bytes);
        c.set_eq_id(s.d.one_in(8) ? 0xffffffff : id_of(s, s.eqs, regs::max_eqs));
        break;
    case admin_opcode::create_txq:
        c.set_queue_id(new_id(s, s.txqs, regs::max_queues));
        set_ring(s, c, regs::tx_descriptor_view::bytes);
        c.set_cq_id(id_of(s, s.cqs, regs::max_cqs));
        break;
    default:
        c.set_queue_id(new_id(s, s.rxqs, regs::max_queues));
        set_ring(s, c, regs::rx_descriptor_view::bytes);
        c.set_cq_id(id_of(s, s.cqs, regs::max_cqs));
    }
}

void destroy(subject& s, view c) {
    if (c.opcode() == admin_opcode::destroy_eq)
        c.set_queue_id(id_of(s, s.eqs, regs::max_eqs));
    else if (c.opcode() == admin_opcode::destroy_cq)
        c.set_queue_id(id_of(s, s.cqs, regs::max_cqs));
    else if (c.opcode() == admin_opcode::destroy_txq)
        c.set_queue_id(id_of(s, s.txqs, regs::max_queues));
    else
        c.set_queue_id(id_of(s, s.rxqs, regs::max_queues));
}

void set_data(subject& s, view c, std::span<const std::byte> data) {
    const std::uint64_t at = s.buffer(data.size());
    s.store(at, data);
    c.set_buffer(at);
    c.set_buffer_bytes(static_cast<std::uint32_t>(data.size()));
}

void set_rss(subject& s, view c) {
    std::array<std::byte, regs::rss_config_view::bytes> raw{};
    const regs::rss_config_view r(raw);
    r.set_enable(static_cast<std::uint32_t>(s.maybe(!s.d.one_in(4), 32)));
    r.set_hash_types(static_cast<std::uint32_t>(s.maybe(s.d.below(16), 32)));
    for (std::size_t i = 0; i < regs::rss_key_bytes; ++i)
        r.set_key(i, static_cast<std::uint8_t>(s.d.bits()));
    for (std::size_t i = 0; i < regs::rss_table_entries; ++i)
        r.set_table(i, static_cast<std::uint16_t>(id_of(s, s.rxqs, regs::max_queues)));
    if (s.twisted())
        r.set_table(s.d.below(regs::rss_table_entries), static_cast<std::uint16_t>(s.d.bits()));
    set_data(s, c, raw);
}

void set_rx_mode(subject& s, view c) {
    c.set_param(static_cast<std::uint32_t>(s.d.one_in(2) ? 1 : s.d.below(4)));
    c.set_count(s.d.one_in(2) ? 0 : static_cast<std::uint32_t>(s.d.below(regs::max_filters + 1)));
    std::vector<std::byte> addresses(c.count() * 8);
    for (std::byte& b : addresses)
        b = static_cast<std::byte>(s.d.bits());
    if (!addresses.empty())
        set_data(s, c, addresses);
}

void set_vlan_filter(subject& s, view c) {
    std::array<std::byte, 512> bitmap;
    for (std::byte& b : bitmap)
        b = static_cast<std::byte>(s.d.bits());
    c.set_param(static_cast<std::uint32_t>(s.d.below(2)));
    set_data(s, c, bitmap);
}

void fill(subject& s, view c) {
    dice& d = s.d;
    switch (c.opcode()) {
    case admin_opcode::create_eq:
    case admin_opcode::create_cq:
    case admin_opcode::create_txq:
    case admin_opcode::create_rxq:
        return create(s, c);
    case admin_opcode::destroy_eq:
    case admin_opcode::destroy_cq:
    case admin_opcode::destroy_txq:
    case admin_opcode::destroy_rxq:
        return destroy(s, c);
    case admin_opcode::modify_eq:
        c.set_queue_id(id_of(s, s.eqs, regs::max_eqs));
        return set_moderation(s, c);
    case admin_opcode::identify:
        c.set_buffer(s.buffer(regs::identify_data_view::bytes));
        return c.set_buffer_bytes(regs::identify_data_view::bytes);
    case admin_opcode::set_rss:
        return set_rss(s, c);
    case admin_opcode::set_rx_mode:
        return set_rx_mode(s, c);
    case admin_opcode::set_mac:
        return c.set_mac(d.one_in(2) ? 0x010000cc1e02 : d.bits() & 0xfffffffffffe);
    case admin_opcode::set_mtu: {
        static constexpr std::array<std::uint32_t, 6> mtus{1500,          1500,          9000,
                                                           regs::max_mtu, regs::max_mtu, 576};
        return c.set_param(d.pick(mtus));
    }
    case admin_opcode::set_offloads: // bit 1 receive checksum, bit 5 VLAN strip
        return c.set_param(static_cast<std::uint32_t>(d.bits() & 0x22 & s.features()));
    case admin_opcode::set_port:
        return c.set_param(!d.one_in(12));
    case admin_opcode::set_vlan_filter:
        return set_vlan_filter(s, c);
    default:
        return;
    }
}

void submit(subject& s, admin_opcode opcode) {
    subject::command raw{};
    const view c(raw);
    c.set_opcode(opcode);
    fill(s, c);
    if (s.twisted())
        s.twist(raw, fields_of(opcode));
    s.submit(raw);
}

/// One command and, unless it is lost, its answer.
void execute(subject& s, admin_opcode opcode) {
    submit(s, opcode);
    s.w.run(picoseconds::from_ns(static_cast<std::int64_t>(s.d.between(4'000, 9'000))));
    s.reap_admin();
}

} // namespace

void build(subject& s) {
    const auto repeat = [&s](admin_opcode opcode, std::uint64_t times) {
        for (; times > 0 && s.room_for_command() && !s.dead; --times)
            execute(s, opcode);
    };
    repeat(admin_opcode::create_eq, s.d.between(1, 3));
    if (!s.eqs.empty() && !s.d.one_in(6))
        s.w.write(regs::reg::ADMIN_EQ, s.maybe(s.any(s.eqs)->first, 32));
    repeat(admin_opcode::create_cq, s.d.between(2, 5));
    repeat(admin_opcode::create_txq, s.d.between(1, 4));
    repeat(admin_opcode::create_rxq, s.d.between(1, 4));
    for (const admin_opcode setting :
         {admin_opcode::set_rx_mode, admin_opcode::set_mtu, admin_opcode::set_offloads, admin_opcode::set_rss,
          admin_opcode::set_port})
        repeat(setting, !s.d.one_in(6));
    for (const auto* all : {&s.eqs, &s.cqs}) // armed from the start
        for (const auto& [id, q] : *all)
            s.w.write(all == &s.eqs ? regs::reg::DB_EQ : regs::reg::DB_CQ,
                      std::uint64_t{id} << 32 | regs::DB_CQ::arm::mask, q.page);
}

namespace {

/// One that has stopped, or none.
const std::uint32_t* stopped(const subject::queues& all) {
    const auto one = std::find_if(all.begin(), all.end(), [](const auto& q) { return q.second.stopped; });
    return one == all.end() ? nullptr : &one->first;
}

void destroy_stopped(subject& s, admin_opcode opcode, std::uint32_t id) {
    subject::command raw{};
    const view c(raw);
    c.set_opcode(opcode);
    c.set_queue_id(id);
    s.submit(raw);
}

} // namespace

void repair(subject& s) {
    if (!s.room_for_command())
        return;
    if (const std::uint32_t* tx = stopped(s.txqs))
        destroy_stopped(s, admin_opcode::destroy_txq, *tx);
    else if (const std::uint32_t* rx = stopped(s.rxqs))
        destroy_stopped(s, admin_opcode::destroy_rxq, *rx);
    else if (const std::uint32_t* cq = stopped(s.cqs))
        destroy_stopped(s, admin_opcode::destroy_cq, *cq);
    else if (s.eqs.empty())
        submit(s, admin_opcode::create_eq);
    else if (s.cqs.size() < 2)
        submit(s, admin_opcode::create_cq);
    else if (s.txqs.empty())
        submit(s, admin_opcode::create_txq);
    else if (s.rxqs.empty())
        submit(s, admin_opcode::create_rxq);
    else
        submit(s, admin_opcode::set_port);
}

void command(subject& s) {
    static constexpr std::array all{
        admin_opcode::nop,         admin_opcode::identify,        admin_opcode::create_eq,
        admin_opcode::create_cq,   admin_opcode::create_txq,      admin_opcode::create_rxq,
        admin_opcode::create_txq,  admin_opcode::create_rxq,      admin_opcode::destroy_eq,
        admin_opcode::destroy_cq,  admin_opcode::destroy_txq,     admin_opcode::destroy_rxq,
        admin_opcode::modify_eq,   admin_opcode::set_rss,         admin_opcode::set_rx_mode,
        admin_opcode::set_mac,     admin_opcode::set_mtu,         admin_opcode::set_port,
        admin_opcode::set_port,    admin_opcode::set_vlan_filter, admin_opcode::self_test,
        admin_opcode::set_offloads};
    for (std::uint64_t n = s.d.between(1, 3); n > 0 && s.room_for_command(); --n)
        submit(s, s.d.pick(all));
    if (s.d.one_in(4))
        s.reap_admin();
}

void scribble(subject& s) {
    std::array<std::byte, 1> octet{static_cast<std::byte>(s.d.bits())};
    std::uint64_t at =
        s.submission_slot(s.submission_index() - 1) + s.d.below(regs::admin_command_view::bytes);
    const auto* tx = s.any(s.txqs);
    const auto* rx = s.any(s.rxqs);
    if (tx != nullptr && s.d.one_in(3))
        at = tx->second.base + s.d.below(tx->second.entries() * regs::tx_descriptor_view::bytes);
    else if (rx != nullptr && s.d.one_in(2))
        at = rx->second.base + s.d.below(rx->second.entries() * regs::rx_descriptor_view::bytes);
    ++s.t.twisted;
    ++s.t.done["bytes scribbled"];
    s.store(at, octet);
}

} // namespace vg810::fuzz::moves
