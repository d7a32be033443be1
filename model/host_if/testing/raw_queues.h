// SPDX-License-Identifier: Apache-2.0
// Queues that a test writes octet by octet, beside the embedded driver's: event queue 1 (vector 9),
// completion queue 10, TX and RX queue 1.
#pragma once

#include "model/host_if/testing/bench.h"

namespace vg810::testing {

struct raw_queues {
    static constexpr std::uint64_t eq_base = fake_host::base + 0x600000, cq_base = fake_host::base + 0x610000,
                                   tx_base = fake_host::base + 0x620000, rx_base = fake_host::base + 0x630000,
                                   data = fake_host::base + 0x640000;
    static constexpr std::uint32_t eq = 1, cq = 10, queue = 1;
    static constexpr std::uint16_t vector = 9;

    bench& b;
    unsigned log2;
    unsigned cq_log2;
    std::uint32_t cq_head = 0, eq_head = 0;
    std::uint16_t tx_tail = 0, rx_tail = 0;

    explicit raw_queues(bench& on, unsigned ring_log2 = 6, unsigned completions_log2 = 8)
        : b(on), log2(ring_log2), cq_log2(completions_log2) {}

    using view = regs::admin_command_view;
    regs::admin_status create(regs::admin_opcode opcode, std::uint32_t id, std::uint64_t base,
                              unsigned entries_log2) {
        return b
            .command([=](view c) {
                c.set_opcode(opcode);
                c.set_queue_id(id);
                c.set_buffer(base);
                c.set_ring_log2(static_cast<std::uint8_t>(entries_log2));
                c.set_vector(vector);
                c.set_cq_id(cq);
                c.set_eq_id(eq);
            })
            .first;
    }
    bool create_eq() {
        return create(regs::admin_opcode::create_eq, eq, eq_base, 6) == regs::admin_status::ok;
    }
    bool create_cq() {
        return create(regs::admin_opcode::create_cq, cq, cq_base, cq_log2) == regs::admin_status::ok;
    }
    bool create_tx() {
        return create(regs::admin_opcode::create_txq, queue, tx_base, log2) == regs::admin_status::ok;
    }
    bool create_rx() {
        return create(regs::admin_opcode::create_rxq, queue, rx_base, log2) == regs::admin_status::ok;
    }
    bool create_all() { return create_eq() && create_cq() && create_tx() && create_rx(); }
    std::pair<regs::admin_status, std::uint64_t> destroy(regs::admin_opcode opcode, std::uint32_t id) {
        return b.command([=](view c) {
            c.set_opcode(opcode);
            c.set_queue_id(id);
        });
    }
    /// All received frames to RX queue 1.
    void steer_here() {
        std::vector<std::byte> config(regs::rss_config_view::bytes);
        const regs::rss_config_view v(
            std::span<std::byte, regs::rss_config_view::bytes>(config.data(), config.size()));
        for (std::size_t i = 0; i < regs::rss_table_entries; ++i)
            v.set_table(i, queue);
        b.command([](view c) { c.set_opcode(regs::admin_opcode::set_rss); }, config);
    }

    struct tx {
        std::uint64_t address = data;
        std::uint32_t length = 100;
        bool first = true, last = true, completion = true;
        std::uint8_t segments = 1;
        std::uint16_t more_flags = 0;
        std::uint64_t reserved = 0;
        std::uint8_t l3_offset = 0, l4_offset = 0, checksum_offset = 0, header_length = 0;
        std::uint16_t mss = 0;
    };
    void put_tx(const tx& t) {
        using flag = regs::tx_descriptor_flags;
        const std::size_t at = (tx_tail++ & ((1u << log2) - 1)) * regs::tx_descriptor_view::bytes;
        const regs::tx_descriptor_view d(b.host.memory(tx_base + at, regs::tx_descriptor_view::bytes)
                                             .first<regs::tx_descriptor_view::bytes>());
        d.set_address(t.address);
        d.set_length(t.length);
        std::uint16_t f = flag::first::set(t.more_flags, t.first);
        f = flag::last::set(f, t.last);
        d.set_flags(flag::completion::set(f, t.completion));
        d.set_segments(t.segments);
        d.set_reserved(t.reserved);
        d.set_l3_offset(t.l3_offset);
        d.set_l4_offset(t.l4_offset);
        d.set_checksum_offset(t.checksum_offset);
        d.set_header_length(t.header_length);
        d.set_mss(t.mss);
    }
    void ring_tx() { b.write(regs::reg::DB_TX, regs::DB_TX::queue::set(tx_tail, queue)); }
    void put_rx(std::uint64_t address, std::uint32_t length, std::uint32_t reserved = 0) {
        const std::size_t at = (rx_tail++ & ((1u << log2) - 1)) * regs::rx_descriptor_view::bytes;
        const regs::rx_descriptor_view d(b.host.memory(rx_base + at, regs::rx_descriptor_view::bytes)
                                             .first<regs::rx_descriptor_view::bytes>());
        d.set_address(address);
        d.set_length(length);
        d.set_reserved(reserved);
    }
    void ring_rx() { b.write(regs::reg::DB_RX, regs::DB_RX::queue::set(rx_tail, queue)); }
    void ring_cq(bool arm) {
        using bell = regs::DB_CQ;
        b.write(regs::reg::DB_CQ, bell::arm::set(bell::queue::set(cq_head & 0xffffff, cq), arm));
    }
    void ring_eq(bool arm) {
        using bell = regs::DB_EQ;
        b.write(regs::reg::DB_EQ, bell::arm::set(bell::queue::set(eq_head & 0xffffff, eq), arm));
    }
    /// The next completion, if there is one; does not tell the card.
    std::optional<regs::completion_const_view> next_completion() {
        const std::size_t at = (cq_head & ((1u << cq_log2) - 1)) * regs::completion_view::bytes;
        const regs::completion_const_view c(
            b.host.memory(cq_base + at, regs::completion_view::bytes).first<regs::completion_view::bytes>());
        if (c.phase() != ring_phase(cq_head, cq_log2))
            return std::nullopt;
        ++cq_head;
        return c;
    }
    std::optional<regs::event_const_view> next_event() {
        const std::size_t at = (eq_head & 63) * regs::event_view::bytes;
        const regs::event_const_view e(
            b.host.memory(eq_base + at, regs::event_view::bytes).first<regs::event_view::bytes>());
        if (e.phase() != ring_phase(eq_head, 6))
            return std::nullopt;
        ++eq_head;
        return e;
    }
    std::size_t interrupts() const {
        return static_cast<std::size_t>(
            std::count(b.host.interrupts.begin(), b.host.interrupts.end(), vector));
    }
};

} // namespace vg810::testing
