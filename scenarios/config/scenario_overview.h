// SPDX-License-Identifier: Apache-2.0
// What `describe` shows of a scenario.
#pragma once

#include "scenarios/config/scenario.h"

#include <string>

namespace vg810::scenarios {

/// Name, place, description, hosts, steps or traffic, checks.
std::string scenario_overview(const scenario& s, const std::string& file);

} // namespace vg810::scenarios
