// SPDX-License-Identifier: Apache-2.0
// Packet sequence numbers: 24 bits that wrap (IBTA 9.2.1, 9.7.2).
#pragma once

#include <cstdint>

namespace vg810::rdma {

/// Range: 0 .. 2^24 - 1.
using psn = std::uint32_t;
inline constexpr psn psn_mask = 0xff'ffff;
/// 9.7.2: packets that may be outstanding, so that old and new can be told apart.
inline constexpr std::uint32_t psn_window = 1u << 23;

constexpr psn psn_add(psn p, std::uint32_t n) {
    return (p + n) & psn_mask;
}
/// How far `a` is ahead of `b`; negative when it is behind. Range: -2^23 .. 2^23 - 1.
constexpr std::int32_t psn_ahead(psn a, psn b) {
    return static_cast<std::int32_t>((a - b) << 8) >> 8;
}

} // namespace vg810::rdma
