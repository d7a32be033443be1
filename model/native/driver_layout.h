// SPDX-License-Identifier: Apache-2.0
// The embedded driver's choices: its objects' ids and the sizes of its rings.
#pragma once

#include <cstdint>

namespace vg810::native {

inline constexpr unsigned admin_log2 = 5;
inline constexpr unsigned eq_log2 = 8;
inline constexpr std::uint32_t eq_id = 0, tx_cq = 0, rx_cq = 1, queue_id = 0;

/// The phase bit of a new entry at free-running `index`.
constexpr std::uint8_t phase_of(std::uint32_t index, unsigned log2) {
    return static_cast<std::uint8_t>(~(index >> log2) & 1);
}

} // namespace vg810::native
