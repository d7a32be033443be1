// SPDX-License-Identifier: Apache-2.0
// `vg810 sweep`: a scenario over a grid of parameters, each run a process of its own, as many at a time as
// there are cores; its directory DIR/NNNN, what it prints in DIR/NNNN.log, all results in DIR/sweep.csv.
#pragma once

#include "scenarios/command/command_line.h"

namespace vg810::scenarios {

/// Checks every combination before the first starts, then runs them. Passed when all runs passed,
/// checks_failed when one did not (named on standard output), interrupted after SIGINT or SIGTERM, which ends
/// the runs and still writes the table. Runs end with this process, however it ends. Throws bad_input,
/// output_error, std::system_error.
exit_code sweep(const command_line& line);

} // namespace vg810::scenarios
