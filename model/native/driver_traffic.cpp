// SPDX-License-Identifier: Apache-2.0
// Packets out, packets in, and the interrupts and events that tell of them.
#include "model/native/driver.h"
#include "model/native/driver_layout.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace vg810 {

using namespace native;
using regs::reg;

// ------------------------------------------------------------------------------ traffic

bool native_driver::send(std::span<const std::byte> packet, const send_options& o) {
    if (packet.empty() || packet.size() > packet_bytes_)
        throw std::length_error(name() + ": a packet of " + std::to_string(packet.size()) + " octets");
    const std::uint32_t entries = 1u << config_.ring_log2;
    const auto n = static_cast<std::uint32_t>(std::min<std::size_t>(o.descriptors, packet.size()));
    if (state_ != state::up || tx_head_ - tx_tail_ + n > entries)
        return false;
    using flag = regs::tx_descriptor_flags;
    const std::uint32_t slot = tx_head_ % entries;
    platform_.write_memory(bus(layout_.tx_buffers) + slot * packet_bytes_, packet);
    std::size_t at = 0;
    for (std::uint32_t i = 0; i < n; ++i) {
        entry<regs::tx_descriptor_view::bytes> raw{};
        const regs::tx_descriptor_view d(raw);
        const std::size_t part = i + 1 == n ? packet.size() - at : packet.size() / n;
        d.set_address(bus(layout_.tx_buffers) + slot * packet_bytes_ + at);
        d.set_length(static_cast<std::uint32_t>(part));
        at += part;
        std::uint16_t flags = flag::last::set(flag::first::set(0, i == 0), i + 1 == n);
        flags = flag::completion::set(flags, i + 1 == n);
        if (i == 0) {
            flags = flag::l3_checksum::set(flags, o.l3_checksum);
            flags = flag::l4_checksum::set(flags, o.l4_checksum);
            flags = flag::tso::set(flags, o.tso);
            flags = flag::vlan_insert::set(flags, o.insert_vlan);
            d.set_vlan_tci(o.vlan_tci);
            d.set_l3_offset(o.l3_offset);
            d.set_l4_offset(o.l4_offset);
            d.set_checksum_offset(o.checksum_offset);
            d.set_header_length(o.header_length);
            d.set_mss(o.mss);
            d.set_segments(static_cast<std::uint8_t>(n));
        }
        d.set_flags(flags);
        store(layout_.tx_ring, (tx_head_ + i) % entries, raw);
    }
    tx_head_ += n;
    write32(reg::DB_TX, regs::DB_TX::queue::set(tx_head_ & 0xffff, queue_id));
    return true;
}

void native_driver::interrupt(std::uint16_t) {
    ++counts_.interrupts;
    if (std::exchange(handling_, true))
        return;
    schedule<&native_driver::handle>(now() + config_.software_latency, this, attempt_);
}

void native_driver::handle(std::uint64_t attempt) {
    if (attempt != attempt_)
        return;
    handling_ = false;
    for (;;) {
        const auto raw = load<regs::event_view::bytes>(layout_.eq, eq_head_ % (1u << eq_log2));
        const regs::event_const_view e(raw);
        if (e.phase() != phase_of(eq_head_, eq_log2))
            break;
        ++eq_head_;
        handle_event(e);
    }
    arm_eq();
}

void native_driver::arm_eq() {
    using bell = regs::DB_EQ;
    write64(reg::DB_EQ, bell::arm::set(bell::queue::set(eq_head_ & 0xffffff, eq_id), true));
}

void native_driver::handle_event(regs::event_const_view e) {
    switch (e.type()) {
    case regs::event_type::completion:
        if (e.id() == tx_cq)
            reap_transmit();
        else
            reap_receive();
        break;
    case regs::event_type::admin:
        reap_admin();
        break;
    case regs::event_type::port:
        show_link(static_cast<std::uint32_t>(e.data()));
        break;
    case regs::event_type::queue_error:
        if (on_queue_error)
            on_queue_error(e);
        break;
    case regs::event_type::self_test:
        break;
    }
}

void native_driver::show_link(std::uint32_t status) {
    const bool up = regs::PORT_STATUS::link_up::get(status);
    if (std::exchange(link_up_, up) != up && on_link)
        on_link(up);
}

void native_driver::reap_transmit() {
    const auto log2 = static_cast<unsigned>(config_.ring_log2 + 1);
    for (;;) {
        const auto raw = load<regs::completion_view::bytes>(layout_.tx_cq, tx_cq_head_ & ((1u << log2) - 1));
        const regs::completion_const_view c(raw);
        if (c.phase() != phase_of(tx_cq_head_, log2))
            break;
        ++tx_cq_head_;
        tx_tail_ += static_cast<std::uint16_t>(c.index() - static_cast<std::uint16_t>(tx_tail_) + 1);
        ++(c.status() == regs::completion_status::ok ? counts_.sent : counts_.send_errors);
        if (on_sent)
            on_sent(c);
    }
    using bell = regs::DB_CQ;
    write64(reg::DB_CQ, bell::arm::set(bell::queue::set(tx_cq_head_ & 0xffffff, tx_cq), true));
    if (on_space)
        on_space();
}

void native_driver::reap_receive() {
    const auto log2 = static_cast<unsigned>(config_.ring_log2 + 1);
    const std::uint32_t entries = 1u << config_.ring_log2;
    for (;;) {
        const auto raw = load<regs::completion_view::bytes>(layout_.rx_cq, rx_cq_head_ & ((1u << log2) - 1));
        const regs::completion_const_view c(raw);
        if (c.phase() != phase_of(rx_cq_head_, log2))
            break;
        ++rx_cq_head_;
        if (c.status() == regs::completion_status::ok) {
            ++counts_.received;
            const auto frame = std::span(received_).first(std::min<std::size_t>(c.length(), receive_bytes_));
            platform_.read_memory(bus(layout_.rx_buffers) + (c.index() % entries) * receive_bytes_, frame);
            if (on_receive)
                on_receive(frame, c);
        } else {
            ++counts_.receive_errors;
        }
        rx_posted_ += c.descriptors(); // the same buffers again: descriptors stay as they are
    }
    write32(reg::DB_RX, regs::DB_RX::queue::set(rx_posted_ & 0xffff, queue_id));
    using bell = regs::DB_CQ;
    write64(reg::DB_CQ, bell::arm::set(bell::queue::set(rx_cq_head_ & 0xffffff, rx_cq), true));
}

} // namespace vg810
