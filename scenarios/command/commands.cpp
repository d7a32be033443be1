// SPDX-License-Identifier: Apache-2.0
#include "scenarios/command/commands.h"

#include "model/systemc_compat.h"
#include "scenarios/command/command_line.h"
#include "scenarios/command/sweep.h"
#include "scenarios/config/scenario_file.h"
#include "scenarios/config/scenario_overview.h"
#include "scenarios/report/run_directory.h"
#include "scenarios/run/boot.h"
#include "scenarios/run/environment_error.h"
#include "scenarios/run/run.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fmt/format.h>

namespace vg810::scenarios {
namespace {

void say(const std::string& text) {
    std::fputs(text.c_str(), stdout);
}

int list(const command_line& line) {
    const auto titles = list_scenarios(line.scenarios);
    std::size_t width = 0;
    for (const auto& t : titles)
        width = std::max(width, t.name.size());
    for (const auto& t : titles)
        say(fmt::format("{:<{}}  {}\n", t.name, width, t.summary));
    return static_cast<int>(exit_code::passed);
}

int describe(const command_line& line) {
    if (line.keys) {
        say(scenario_reference());
        return static_cast<int>(exit_code::passed);
    }
    const auto file = find_scenario(line.scenario, line.scenarios);
    const scenario s = load_scenario(file, line.settings);
    say(scenario_overview(s, file.string()));
    return static_cast<int>(exit_code::passed);
}

int run(const command_line& line) {
    const auto file = find_scenario(line.scenario, line.scenarios);
    const scenario s = load_scenario(file, line.settings);
    if (line.print_config) {
        say(print_scenario(s));
        return static_cast<int>(exit_code::passed);
    }
    return static_cast<int>(run_scenario(s, {line.guest, line.out, "out"}));
}

int dispatch(const command_line& line) {
    switch (line.what) {
    case sub_command::run:
        return run(line);
    case sub_command::list:
        return list(line);
    case sub_command::describe:
        return describe(line);
    case sub_command::boot:
        return static_cast<int>(boot(line));
    case sub_command::sweep:
        return static_cast<int>(sweep(line));
    case sub_command::help:
        break;
    }
    say(usage());
    return static_cast<int>(exit_code::passed);
}

int complain(exit_code code, const char* what) {
    std::fflush(stdout);
    std::fprintf(stderr, "%s\n", what);
    return static_cast<int>(code);
}

} // namespace

int run_command(std::span<const std::string_view> arguments) {
    // The SystemC kernel introduces itself and says good-bye; users of a scenario need neither.
    ::setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 1);
    sc_core::sc_report_handler::set_actions("/OSCI/SystemC", sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
    try {
        const int status = dispatch(parse_command_line(arguments));
        if (std::fflush(stdout) != 0)
            return complain(exit_code::environment, "vg810: standard output cannot be written");
        return status;
    } catch (const bad_input& e) {
        return complain(exit_code::bad_input, e.what());
    } catch (const output_error& e) {
        return complain(exit_code::environment, e.what());
    } catch (const environment_error& e) {
        return complain(exit_code::environment, e.what());
    } catch (const std::exception& e) {
        return complain(exit_code::internal, fmt::format("vg810: internal error: {}", e.what()).c_str());
    }
}

} // namespace vg810::scenarios
