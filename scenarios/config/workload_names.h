// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "scenarios/config/workload_config.h"

#include <string>

namespace vg810::scenarios {

/// As in a scenario: "ring-all-reduce".
std::string name_of(workload_kind k);

} // namespace vg810::scenarios
