// SPDX-License-Identifier: Apache-2.0
// How far the steps are from the hosts, in simulated time. Long, so that two guests may be this far apart
// whenever nothing else ties them (docs/time.md).
#pragma once

#include "core/units.h"

namespace vg810::scenarios {

/// From the engine's decision to the host, and (after report_delay) back: the latency of the channels between
/// them.
inline constexpr picoseconds command_latency = picoseconds::from_ns(1'000'000);
/// From a guest's report to its leaving the guest's domain: what the harness adds to the card's lookahead.
inline constexpr picoseconds report_delay = picoseconds::from_ns(2'000'000);

} // namespace vg810::scenarios
