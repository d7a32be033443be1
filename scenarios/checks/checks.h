// SPDX-License-Identifier: Apache-2.0
// The conditions at the end of a run: figures of steps, counters, captures, the way of a ping.
#pragma once

#include "scenarios/config/host_pattern.h"
#include "scenarios/config/scenario.h"
#include "scenarios/report/run_directory.h"
#include "scenarios/report/run_report.h"
#include "scenarios/run/ping_trace.h"

#include <vector>

namespace vg810::scenarios {

/// What checks may look at.
struct check_inputs {
    const run_report* report; ///< steps and metrics are complete
    const run_directory* directory;
    const std::vector<ping_trip>* pings;
    closed_form wire_time;
};

check_result evaluate(const check_config& check, const check_inputs& inputs);

} // namespace vg810::scenarios
