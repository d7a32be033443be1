// SPDX-License-Identifier: Apache-2.0
#include "model/pcie/msix.h"

#include <algorithm>
#include <stdexcept>

namespace vg810::pcie {

namespace {

constexpr std::uint64_t entry_bytes = 16;

std::uint64_t part(std::uint64_t value, std::uint64_t offset, unsigned size) {
    value >>= 8 * (offset % 8);
    return size >= 8 ? value : value & ((std::uint64_t{1} << 8 * size) - 1);
}

} // namespace

msix::msix(std::uint16_t vectors) : entries_(vectors) {
    if (vectors < 1 || vectors > 2048)
        throw std::invalid_argument("MSI-X vectors: " + std::to_string(vectors) + ", must be 1 .. 2048");
}

std::uint32_t msix::table_word(std::uint64_t offset) const {
    const entry& e = entries_[offset / entry_bytes];
    switch (offset % entry_bytes / 4) {
    case 0:
        return e.address_low;
    case 1:
        return e.address_high;
    case 2:
        return e.data;
    default:
        return e.masked ? 1 : 0;
    }
}

std::uint64_t msix::read_table(std::uint64_t offset, unsigned size) const {
    const std::uint64_t base = offset & ~std::uint64_t{7};
    if (base + 8 > table_bytes())
        return 0;
    return part(table_word(base) | std::uint64_t{table_word(base + 4)} << 32, offset, size);
}

void msix::write_table(std::uint64_t offset, unsigned size, std::uint64_t value) {
    if ((size != 4 && size != 8) || offset % size != 0 || offset + size > table_bytes())
        return;
    write_table_word(offset, static_cast<std::uint32_t>(value));
    if (size == 8)
        write_table_word(offset + 4, static_cast<std::uint32_t>(value >> 32));
}

void msix::write_table_word(std::uint64_t offset, std::uint32_t value) {
    entry& e = entries_[offset / entry_bytes];
    switch (offset % entry_bytes / 4) {
    case 0:
        e.address_low = value & ~3U; // 7.7.2.5: the address is aligned to double words
        break;
    case 1:
        e.address_high = value;
        break;
    case 2:
        e.data = value;
        break;
    default:
        e.masked = (value & 1) != 0;
    }
}

std::uint64_t msix::read_pending(std::uint64_t offset, unsigned size) const {
    const std::uint64_t base = offset & ~std::uint64_t{7};
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < 64 && base * 8 + i < entries_.size(); ++i)
        bits |= std::uint64_t{entries_[base * 8 + i].pending} << i;
    return part(bits, offset, size);
}

void msix::set_control(bool enabled, bool function_masked) {
    enabled_ = enabled;
    function_masked_ = function_masked;
}

bool msix::sendable(const entry& e) const {
    return !blocked_ && (mode_ == msix_mode::external || (enabled_ && !function_masked_ && !e.masked));
}

bool msix::trigger(std::uint16_t vector) {
    entry& e = entries_[vector];
    if (sendable(e))
        return true;
    pending_count_ += !e.pending;
    e.pending = true;
    return false;
}

std::optional<std::uint16_t> msix::take_ready() {
    if (pending_count_ == 0)
        return std::nullopt;
    const auto ready =
        std::ranges::find_if(entries_, [this](const entry& e) { return e.pending && sendable(e); });
    if (ready == entries_.end())
        return std::nullopt;
    ready->pending = false;
    --pending_count_;
    return static_cast<std::uint16_t>(ready - entries_.begin());
}

msix_message msix::message(std::uint16_t vector) const {
    const entry& e = entries_[vector];
    return {std::uint64_t{e.address_high} << 32 | e.address_low, e.data};
}

void msix::reset() {
    std::ranges::fill(entries_, entry{});
    pending_count_ = 0;
    enabled_ = false;
    function_masked_ = false;
    blocked_ = true;
}

} // namespace vg810::pcie
