// SPDX-License-Identifier: Apache-2.0
// The eight priorities of 802.1Q, and small tables indexed by them.
#pragma once

#include <array>
#include <cstdint>

namespace vg810 {

/// A priority code point (802.1Q 6.9.3) or the traffic class it selects. Range: 0 .. 7.
using priority = std::uint8_t;
inline constexpr std::size_t priorities = 8;

template <class T> using per_priority = std::array<T, priorities>;
/// A set of priorities, one bit each.
using priority_set = std::uint8_t;

} // namespace vg810
