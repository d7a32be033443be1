// SPDX-License-Identifier: Apache-2.0
#include "fuzz/dma_monitor.h"

#include <algorithm>

namespace vg810::fuzz {

using regs::admin_opcode;

namespace {

constexpr std::uint64_t submission_bytes = regs::admin_command_view::bytes << regs::max_admin_log2;
constexpr std::uint64_t completion_bytes = regs::admin_completion_view::bytes << regs::max_admin_log2;
constexpr std::uint32_t longest_descriptor = 65535;

} // namespace

void address_set::add(std::uint64_t base, std::uint64_t length) {
    if (length == 0)
        return;
    const std::uint64_t last = base + (length - 1);
    if (last < base) { // around the top of the address space
        add_without_wrap(base, ~std::uint64_t{0});
        add_without_wrap(0, last);
    } else {
        add_without_wrap(base, last);
    }
}

void address_set::add_without_wrap(std::uint64_t first, std::uint64_t last) {
    auto next = extents_.upper_bound(first);
    if (next != extents_.begin() && std::prev(next)->second >= first) {
        next = std::prev(next);
        first = next->first;
    }
    while (next != extents_.end() && next->first <= last) {
        last = std::max(last, next->second);
        next = extents_.erase(next);
    }
    extents_[first] = last;
}

bool address_set::covers(std::uint64_t base, std::uint64_t length) const {
    const auto after = extents_.upper_bound(base);
    return after != extents_.begin() && std::prev(after)->second - base >= length - 1 &&
           std::prev(after)->second >= base;
}

// ----------------------------------------------------------------------------------------------------
// registers

bool dma_monitor::halves::may_be(std::uint64_t value) const {
    return low.contains(static_cast<std::uint32_t>(value)) &&
           high.contains(static_cast<std::uint32_t>(value >> 32));
}

/// The card takes no ring or message address in units of less than a double word.
void dma_monitor::host_wrote(std::uint64_t offset, std::span<const std::byte> data) {
    const std::size_t skipped = -offset & 3;
    for (std::size_t i = skipped; i + 4 <= data.size(); i += 4)
        host_wrote_word(offset + i, regs::load_little_endian<std::uint32_t>(data.data() + i));
}

void dma_monitor::host_wrote_word(std::uint64_t offset, std::uint32_t value) {
    constexpr std::uint64_t table = regs::msix_table_offset, table_bytes = 16 * regs::msix_vectors;
    static_assert(regs::ASQ_BASE::reg_bar == 0 && regs::ACQ_BASE::reg_bar == 0 && regs::msix_table_bar == 0);
    switch (offset) {
    case regs::ASQ_BASE::reg_offset:
        submission_.low.insert(value);
        break;
    case regs::ASQ_BASE::reg_offset + 4:
        submission_.high.insert(value);
        break;
    case regs::ACQ_BASE::reg_offset:
        completion_.low.insert(value);
        break;
    case regs::ACQ_BASE::reg_offset + 4:
        completion_.high.insert(value);
        break;
    default:
        if (offset - table < table_bytes && offset % 16 == 0)
            message_.low.insert(value & ~3u); // a double word's address
        else if (offset - table < table_bytes && offset % 16 == 4)
            message_.high.insert(value);
    }
}

void dma_monitor::forget() {
    message_ = {};
    forget_queues();
}

void dma_monitor::forget_queues() {
    submission_ = completion_ = {};
    tx_rings_.clear();
    rx_rings_.clear();
    readable_.clear();
    writable_.clear();
}

// ----------------------------------------------------------------------------------------------------
// requests

/// A ring's base is a multiple of its greatest size's page, so the base of an address can be told.
bool dma_monitor::in_submission_ring(std::uint64_t address, std::uint32_t length) const {
    for (std::uint64_t back = 0; back < submission_bytes; back += 4096) {
        const std::uint64_t base = (address & ~std::uint64_t{4095}) - back;
        if (submission_.may_be(base) && address - base + length <= submission_bytes)
            return true;
    }
    return false;
}

bool dma_monitor::in_completion_ring(std::uint64_t address, std::uint32_t length) const {
    static_assert(completion_bytes == 4096);
    return completion_.may_be(address & ~std::uint64_t{4095}) && address % 4096 + length <= completion_bytes;
}

bool dma_monitor::inside(const std::set<ring>& rings, std::uint64_t address, std::uint32_t length) {
    return std::any_of(rings.begin(), rings.end(), [=](const ring& r) {
        return address - r.base < r.bytes && address - r.base + length <= r.bytes;
    });
}

bool dma_monitor::may_read(std::uint64_t address, std::uint32_t length) {
    const bool commands = in_submission_ring(address, length);
    const bool tx = inside(tx_rings_, address, length), rx = inside(rx_rings_, address, length);
    if (!commands && !tx && !rx)
        return readable_.covers(address, length);
    fetched_.resize(length);
    if (!memory_.read(address, fetched_))
        return true; // there is nothing to fetch
    if (commands)
        fetched_commands(fetched_);
    if (tx)
        fetched_tx(fetched_);
    if (rx)
        fetched_rx(fetched_);
    return true;
}

bool dma_monitor::may_write(std::uint64_t address, std::uint32_t length) const {
    return writable_.covers(address, length) || in_completion_ring(address, length) ||
           (length == 4 && message_.may_be(address));
}

void dma_monitor::fetched_commands(std::span<const std::byte> data) {
    constexpr std::size_t step = regs::admin_command_const_view::bytes;
    for (; data.size() >= step; data = data.subspan(step)) {
        const regs::admin_command_const_view c(data.first<step>());
        const unsigned log2 = std::min<unsigned>(c.ring_log2(), regs::max_ring_log2);
        switch (c.opcode()) {
        case admin_opcode::identify:
            writable_.add(c.buffer(), regs::identify_data_view::bytes);
            break;
        case admin_opcode::create_eq:
            writable_.add(c.buffer(), std::uint64_t{regs::event_view::bytes} << log2);
            break;
        case admin_opcode::create_cq:
            writable_.add(c.buffer(), std::uint64_t{regs::completion_view::bytes} << log2);
            break;
        case admin_opcode::create_txq:
            tx_rings_.insert({c.buffer(), std::uint64_t{regs::tx_descriptor_view::bytes} << log2});
            break;
        case admin_opcode::create_rxq:
            rx_rings_.insert({c.buffer(), std::uint64_t{regs::rx_descriptor_view::bytes} << log2});
            break;
        case admin_opcode::set_rss:
            readable_.add(c.buffer(), regs::rss_config_view::bytes);
            break;
        case admin_opcode::set_rx_mode:
            readable_.add(c.buffer(), std::min(c.count(), regs::max_filters) * 8);
            break;
        case admin_opcode::set_vlan_filter:
            readable_.add(c.buffer(), 512);
            break;
        default:
            break; // names no address
        }
    }
}

void dma_monitor::fetched_tx(std::span<const std::byte> data) {
    constexpr std::size_t step = regs::tx_descriptor_const_view::bytes;
    for (; data.size() >= step; data = data.subspan(step)) {
        const regs::tx_descriptor_const_view d(data.first<step>());
        readable_.add(d.address(), std::min(d.length(), longest_descriptor));
    }
}

void dma_monitor::fetched_rx(std::span<const std::byte> data) {
    constexpr std::size_t step = regs::rx_descriptor_const_view::bytes;
    for (; data.size() >= step; data = data.subspan(step)) {
        const regs::rx_descriptor_const_view d(data.first<step>());
        writable_.add(d.address(), std::min(d.length(), longest_descriptor));
    }
}

} // namespace vg810::fuzz
