// SPDX-License-Identifier: Apache-2.0
// From what a scenario says about its fabric to a topology.
#pragma once

#include "fabric/topology.h"
#include "scenarios/config/scenario.h"

namespace vg810::scenarios {

/// The topology that a (filled in) scenario describes. Throws bad_input when it cannot be built.
fabric::topology plan_fabric(const scenario& s);

} // namespace vg810::scenarios
