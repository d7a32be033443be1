// SPDX-License-Identifier: Apache-2.0
// One run of a scenario, from an empty directory to the last check.
#pragma once

#include "scenarios/command/command_line.h"
#include "scenarios/config/scenario.h"

#include <filesystem>
#include <optional>

namespace vg810::scenarios {

struct run_options {
    std::filesystem::path guest_json; ///< the launcher's description of QEMU and guest root
    std::optional<std::filesystem::path> out;
    std::filesystem::path out_base; ///< where a run without `out` makes its directory
};

/// Runs, writes all files, tells the user. Throws bad_input, environment_error and output_error for what goes
/// wrong before or while files are written; what goes wrong during the run is in the files and the exit code.
/// Once a process, since the SystemC kernel starts once.
exit_code run_scenario(const scenario& s, const run_options& options);

} // namespace vg810::scenarios
