// SPDX-License-Identifier: Apache-2.0
// From a TOML file and `--set` options to a checked scenario.
#pragma once

#include "scenarios/config/diagnostics.h"
#include "scenarios/config/scenario.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace vg810::scenarios {

/// Reads and checks `file`. Each of `settings` is "path.to.key=value", the value as in TOML or a bare word;
/// an element of an array of tables is chosen by its name ("host.left.memory=1GiB"), by its number
/// ("host.0.memory") or "*" for all. Throws bad_input with everything that is wrong.
scenario load_scenario(const std::filesystem::path& file, const std::vector<std::string>& settings);

/// The same from text; `name` is the place in messages.
scenario parse_scenario(std::string_view text, const std::string& name,
                        const std::vector<std::string>& settings);

/// TOML with every value in force; parse_scenario reads it back to the same scenario.
std::string print_scenario(scenario s);

/// Every key with type, range, default and meaning.
std::string scenario_reference();

/// What a listing shows of a file: its name and the first line of its description.
struct scenario_title {
    std::string name;
    std::string summary;
    std::filesystem::path file;
};

/// The *.toml files of `folder`, by name. A file that cannot be read has that as its summary.
std::vector<scenario_title> list_scenarios(const std::filesystem::path& folder);

/// `name` as a file, or as the name of a scenario in `folder`. Throws bad_input with the nearest name.
std::filesystem::path find_scenario(const std::string& name, const std::filesystem::path& folder);

} // namespace vg810::scenarios
