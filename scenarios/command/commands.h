// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

namespace vg810::scenarios {

/// Does what the arguments (without the program's name) ask for and returns the exit status. Every problem
/// has been printed by then; nothing is thrown.
int run_command(std::span<const std::string_view> arguments);

} // namespace vg810::scenarios
