// SPDX-License-Identifier: Apache-2.0
#include "model/regs/register_file.h"

#include <algorithm>
#include <cassert>

namespace vg810::regs {

namespace {

constexpr std::uint64_t low_half = 0xffffffff;

constexpr std::uint64_t all_bits(unsigned bytes) {
    return bytes >= 8 ? ~std::uint64_t{0} : low_half;
}

} // namespace

register_file::register_file(register_listener& listener) : listener_(listener), values_(slot_count) {
    reset();
}

void register_file::reset() {
    for (const register_info& info : register_table)
        std::fill_n(values_.begin() + info.slot, info.count, info.reset);
    for (const auto& [which, value] : straps_)
        set(which, value);
    high_half_.reset();
}

std::size_t register_file::slot(reg which, std::uint32_t copy) {
    const register_info& described = info(which);
    assert(copy < described.count);
    return described.slot + copy;
}

void register_file::set(reg which, std::uint64_t value, std::uint32_t copy) {
    values_[slot(which, copy)] = value & all_bits(info(which).bytes);
}

void register_file::strap(reg which, std::uint64_t value) {
    const auto known = std::find_if(straps_.begin(), straps_.end(),
                                    [which](const auto& strapped) { return strapped.first == which; });
    if (known == straps_.end())
        straps_.emplace_back(which, value);
    else
        known->second = value;
    set(which, value);
}

std::optional<register_file::place> register_file::locate(unsigned bar, std::uint64_t offset, unsigned size) {
    const register_info* info = find(bar, offset);
    if (info == nullptr)
        return std::nullopt;
    const std::uint32_t copy = info->copy(offset);
    const std::uint64_t inside = offset - info->address(copy);
    const bool whole = size == info->bytes && inside == 0;
    const bool half = size == 4 && info->bytes == 8 && inside % 4 == 0;
    if (!whole && !half)
        return std::nullopt;
    return place{info, copy, info->slot + copy, half, inside != 0};
}

bool register_file::answers(const register_info& info) const {
    return info.before_ready || get<STATUS, STATUS::ready>();
}

read_result register_file::read(unsigned bar, std::uint64_t offset, unsigned size) {
    const std::optional<place> at = locate(bar, offset, size);
    if (!at)
        return {0, access_result::bad};
    if (!answers(*at->info))
        return {0, access_result::not_ready};
    if (at->half)
        return {read_half(*at), access_result::ok};
    listener_.on_read(at->info->id, at->copy);
    return {values_[at->slot] & at->info->readable(), access_result::ok};
}

std::uint64_t register_file::read_half(const place& at) {
    if (at.high && high_half_ && high_half_->slot == at.slot)
        return std::exchange(high_half_, std::nullopt)->value;
    listener_.on_read(at.info->id, at.copy);
    const std::uint64_t value = values_[at.slot] & at.info->readable();
    if (at.high)
        return value >> 32;
    high_half_ = held_half{at.slot, value >> 32};
    return value & low_half;
}

access_result register_file::write(unsigned bar, std::uint64_t offset, unsigned size, std::uint64_t value) {
    const std::optional<place> at = locate(bar, offset, size);
    if (!at)
        return access_result::bad;
    if (!answers(*at->info))
        return access_result::not_ready;
    if (at->info->access == access::read_only || at->info->access == access::counter)
        return access_result::bad;
    const std::uint64_t old = values_[at->slot] & at->info->readable();
    if (const auto written = written_value(*at, value))
        listener_.on_write(at->info->id, at->copy, old, *written);
    return access_result::ok;
}

/// Stores a write; the value to report, or nothing if it was the first half of a write-only register.
std::optional<std::uint64_t> register_file::written_value(const place& at, std::uint64_t value) {
    std::uint64_t& stored = values_[at.slot];
    const unsigned shift = at.high ? 32 : 0;
    const std::uint64_t touched =
        (at.half ? low_half << shift : all_bits(at.info->bytes)) & at.info->writable();
    const std::uint64_t bits = (value << shift) & touched;
    switch (at.info->access) {
    case access::read_write:
        return stored = (stored & ~touched) | bits;
    case access::write_one_to_clear:
        return stored &= ~bits;
    case access::write_only:
        if (at.half && !at.high) {
            stored = bits;
            return std::nullopt;
        }
        return bits | (std::exchange(stored, 0) & (at.half ? low_half : 0));
    case access::read_only:
    case access::counter:
        break;
    }
    return std::nullopt;
}

} // namespace vg810::regs
