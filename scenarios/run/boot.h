// SPDX-License-Identifier: Apache-2.0
// `vg810 boot`: guests with the card, and a console on this terminal.
#pragma once

#include "scenarios/command/command_line.h"

namespace vg810::scenarios {

/// Boots, and returns when the guests have powered off. The first guest's console is this terminal (Ctrl-A X
/// ends QEMU); a second one's is a Unix socket whose path is printed. Throws as run_scenario does.
exit_code boot(const command_line& line);

} // namespace vg810::scenarios
