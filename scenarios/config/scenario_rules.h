// SPDX-License-Identifier: Apache-2.0
// What must hold between the parts of a scenario: names that refer to something, addresses that are
// addresses, a mode that can do what is asked.
#pragma once

#include "scenarios/config/parameter_reader.h"
#include "scenarios/config/scenario.h"

namespace vg810::scenarios {

/// Complains in `record` about every rule that `s` (before fill_in) breaks.
void check_rules(const scenario& s, input_record& record);

} // namespace vg810::scenarios
