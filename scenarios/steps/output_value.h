// SPDX-License-Identifier: Apache-2.0
// Figures and expectations taken from what a command printed.
#pragma once

#include "scenarios/config/scenario.h"
#include "scenarios/report/run_report.h"

#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace vg810::scenarios {

/// A figure, or why there is none.
using figure = std::variant<double, std::string>;

/// `path` is keys and indices, "end.streams[0].udp.lost_packets", in the JSON value that `output` starts with
/// after anything that is not JSON. Booleans count as 0 and 1.
figure json_figure(std::string_view output, std::string_view path);
/// The first group of the first match.
figure regex_figure(const std::string& output, const std::string& regex);

/// Checks what a step left against what it expects; adds failures and values to `result`, whose exit status
/// is set unless the command did not end by itself.
void judge(const step_config& step, const std::string& output, step_result& result);

} // namespace vg810::scenarios
