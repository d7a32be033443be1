// SPDX-License-Identifier: Apache-2.0
// Everything a fabric run leaves: figures, sections of summary.json, flows.csv, pauses.csv, time series, and
// report.html.
#pragma once

#include "scenarios/config/scenario.h"
#include "scenarios/report/run_directory.h"
#include "scenarios/report/run_report.h"
#include "scenarios/run/fabric_world.h"

#include <string>

namespace vg810::scenarios {

/// Fills `report` (figures, metrics, details) and writes the other files. Returns a few lines for the
/// terminal. Throws output_error.
std::string write_fabric_report(const fabric_world& w, const scenario& s, const run_directory& directory,
                                run_report& report);

} // namespace vg810::scenarios
