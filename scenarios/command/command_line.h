// SPDX-License-Identifier: Apache-2.0
// The program's command line as data.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace vg810::scenarios {

/// Exit statuses, as --help lists them.
enum class exit_code : int {
    passed = 0,
    checks_failed = 1,
    bad_input = 2,
    environment = 3, ///< QEMU, guest root, disk: something outside the scenario is missing
    internal = 4,
    interrupted = 130,
};

enum class sub_command : std::uint8_t { run, list, describe, boot, sweep, help };

struct command_line {
    sub_command what = sub_command::help;
    std::string scenario; ///< run, describe and sweep: file or name
    std::vector<std::string> settings;
    std::optional<std::filesystem::path> out;
    std::filesystem::path scenarios; ///< folder of the shipped files
    std::filesystem::path guest;     ///< the launcher's description of the guest root
    bool print_config = false;
    bool keys = false;                   ///< describe: every key of a scenario file
    std::int64_t guests = 1;             ///< boot
    bool kvm = false;                    ///< boot
    std::string mode = "paced";          ///< boot
    std::vector<std::string> variations; ///< sweep: "key=a,b,c"
    std::int64_t seeds = 1;              ///< sweep: of each combination
    std::int64_t jobs = 1;               ///< sweep: runs at a time
    std::int64_t limit_seconds = 3600;   ///< sweep: wall time of one run
};

/// `arguments` without the program's name. Throws bad_input that says what is wrong and what was meant.
command_line parse_command_line(std::span<const std::string_view> arguments);

/// The text of --help.
std::string usage();

} // namespace vg810::scenarios
