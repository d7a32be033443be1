// SPDX-License-Identifier: Apache-2.0
// The firmware's built-in test: known answers through the card's own blocks, and whatever a scenario has
// broken.
#pragma once

#include "model/host_if/parameters.h"

namespace vg810 {

/// Bit mask of self_test_unit; 0 is a pass.
std::uint32_t run_self_test(const card_faults& faults);

} // namespace vg810
