// SPDX-License-Identifier: Apache-2.0
// vg810-sim: what ./vg810 starts once everything is built.
#include "scenarios/command/commands.h"

#include <string_view>
#include <vector>

int main(int argc, char** argv) {
    const std::vector<std::string_view> arguments(argv + 1, argv + argc);
    return vg810::scenarios::run_command(arguments);
}
