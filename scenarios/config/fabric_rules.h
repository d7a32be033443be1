// SPDX-License-Identifier: Apache-2.0
// What must hold for fabrics of wire hosts and their traffic.
#pragma once

#include "scenarios/config/parameter_reader.h"
#include "scenarios/config/scenario.h"

#include <array>
#include <string_view>

namespace vg810::scenarios {

/// How a fabric run can end.
inline constexpr std::array<std::string_view, 6> verdict_names{"completed", "deadlock", "livelock",
                                                               "stalled",   "broken",   "time-limit"};

/// Switches that hosts can be plugged into, for `leaf`.
std::int64_t edge_switches(const topology_config& t);

/// Complains in `record` about every rule that `s` breaks.
void check_fabric_rules(const scenario& s, input_record& record);

} // namespace vg810::scenarios
