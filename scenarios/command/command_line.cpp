// SPDX-License-Identifier: Apache-2.0
#include "scenarios/command/command_line.h"

#include "scenarios/config/diagnostics.h"
#include "scenarios/config/nearest.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <fmt/format.h>
#include <functional>
#include <thread>

namespace vg810::scenarios {
namespace {

namespace fs = std::filesystem;

struct option {
    std::string_view name;
    std::string_view argument; ///< how help calls it; empty for a switch
    std::string_view doc;
    std::string_view used_by; ///< sub-commands
    void (*apply)(command_line&, std::string_view);
};

std::int64_t integer(std::string_view option, std::string_view text, std::int64_t least, std::int64_t most) {
    std::int64_t value = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
    if (read.ec != std::errc() || read.ptr != text.data() + text.size() || value < least || value > most)
        throw bad_input(fmt::format("{} wants a number from {} to {}, not '{}'", option, least, most, text));
    return value;
}

const std::array<option, 14> options{{
    {"--set", "KEY=VALUE", "change a value of the scenario: topology.host_length=300m, host.left.memory=1GiB",
     "run describe sweep", [](command_line& c, std::string_view v) { c.settings.emplace_back(v); }},
    {"--seed", "N", "the same as --set seed=N", "run describe sweep",
     [](command_line& c, std::string_view v) {
         c.settings.push_back(fmt::format("seed={}", integer("--seed", v, 0, 4'294'967'295)));
     }},
    {"--out", "DIR", "where the run's files go; by default out/<scenario>-<time>", "run boot sweep",
     [](command_line& c, std::string_view v) { c.out = fs::path(v); }},
    {"--print-config", "", "print the scenario with every value in force, and stop", "run sweep",
     [](command_line& c, std::string_view) { c.print_config = true; }},
    {"--keys", "", "describe: every key of a scenario file, with range and default", "describe",
     [](command_line& c, std::string_view) { c.keys = true; }},
    {"--vary", "KEY=A,B,..", "sweep: the values a key takes; again for another key, every combination is run",
     "sweep", [](command_line& c, std::string_view v) { c.variations.emplace_back(v); }},
    {"--seeds", "N", "sweep: this many seeds for each combination, from the scenario's seed on", "sweep",
     [](command_line& c, std::string_view v) { c.seeds = integer("--seeds", v, 1, 10'000); }},
    {"--jobs", "N", "sweep: runs at a time; by default as many as there are cores", "sweep",
     [](command_line& c, std::string_view v) { c.jobs = integer("--jobs", v, 1, 1024); }},
    {"--limit", "SECONDS", "sweep: wall time after which a run is ended; by default 3600", "sweep",
     [](command_line& c, std::string_view v) { c.limit_seconds = integer("--limit", v, 1, 10'000'000); }},
    {"--guests", "N", "boot: one or two guests on a switch", "boot",
     [](command_line& c, std::string_view v) { c.guests = integer("--guests", v, 1, 2); }},
    {"--mode", "MODE", "boot: paced (the default) or lockstep", "boot",
     [](command_line& c, std::string_view v) {
         constexpr std::array<std::string_view, 2> modes{"paced", "lockstep"};
         if (v != modes[0] && v != modes[1])
             throw bad_input(fmt::format("--mode cannot be '{}'{}", v, suggestion(v, modes)));
         c.mode = v;
     }},
    {"--kvm", "", "boot: run guests on this machine's KVM instead of TCG", "boot",
     [](command_line& c, std::string_view) { c.kvm = true; }},
    {"--scenarios", "DIR", "folder of the shipped scenarios", "run list describe sweep",
     [](command_line& c, std::string_view v) { c.scenarios = fs::path(v); }},
    {"--guest-json", "FILE", "description of QEMU and guest root, as the launcher writes it",
     "run boot sweep", [](command_line& c, std::string_view v) { c.guest = fs::path(v); }},
}};

constexpr std::array<std::string_view, 6> sub_commands{"run", "list", "describe", "boot", "sweep", "help"};

bool uses(const option& o, std::string_view command) {
    const std::string padded = " " + std::string(o.used_by) + " ";
    return padded.find(" " + std::string(command) + " ") != std::string::npos;
}

const option& find_option(std::string_view name, std::string_view command) {
    std::vector<std::string_view> valid;
    for (const option& o : options) {
        if (!uses(o, command))
            continue;
        if (o.name == name)
            return o;
        valid.push_back(o.name);
    }
    valid.push_back("--help");
    throw bad_input(fmt::format("'{}' has no option '{}'{}", command, name, suggestion(name, valid)));
}

std::string environment(const char* name, std::string otherwise) {
    const char* value = std::getenv(name);
    return value && *value ? std::string(value) : std::move(otherwise);
}

fs::path cache_folder() {
    const std::string cache = environment("XDG_CACHE_HOME", environment("HOME", "/root") + "/.cache");
    return environment("VG810_CACHE", cache + "/vg810");
}

class parser {
  public:
    explicit parser(std::span<const std::string_view> arguments) : rest_(arguments) {
        line_.scenarios = VG810_SOURCE_DIR "/scenarios";
        line_.jobs = std::max(1u, std::thread::hardware_concurrency());
        line_.guest = environment("VG810_GUEST", (cache_folder() / "guest.json").string());
    }

    command_line parse() {
        if (rest_.empty())
            return line_;
        const std::string_view command = take();
        if (command == "--help" || command == "-h" || command == "help")
            return line_;
        choose(command);
        std::vector<std::string_view> operands;
        while (!rest_.empty()) {
            const std::string_view argument = take();
            if (argument == "--help" || argument == "-h") {
                line_.what = sub_command::help;
                return line_;
            }
            if (argument.starts_with("-") && argument.size() > 1)
                apply(argument, command);
            else
                operands.push_back(argument);
        }
        place(operands, command);
        return line_;
    }

  private:
    std::string_view take() {
        const std::string_view first = rest_.front();
        rest_ = rest_.subspan(1);
        return first;
    }

    void choose(std::string_view command) {
        for (std::size_t i = 0; i < sub_commands.size(); ++i)
            if (sub_commands[i] == command) {
                line_.what = static_cast<sub_command>(i);
                return;
            }
        throw bad_input(
            fmt::format("there is no command '{}'{}", command, suggestion(command, sub_commands)));
    }

    void apply(std::string_view argument, std::string_view command) {
        const std::size_t equals = argument.starts_with("--") ? argument.find('=') : std::string_view::npos;
        const option& o = find_option(argument.substr(0, equals), command);
        std::string_view value;
        if (equals != std::string_view::npos && o.argument.empty())
            throw bad_input(fmt::format("{} takes no value", o.name));
        if (equals != std::string_view::npos)
            value = argument.substr(equals + 1);
        else if (!o.argument.empty() && rest_.empty())
            throw bad_input(fmt::format("{} wants {} behind it", o.name, o.argument));
        else if (!o.argument.empty())
            value = take();
        o.apply(line_, value);
    }

    void place(const std::vector<std::string_view>& operands, std::string_view command) {
        const bool wants = line_.what == sub_command::run || line_.what == sub_command::sweep ||
                           (line_.what == sub_command::describe && !line_.keys);
        const std::size_t most = wants ? 1 : 0;
        if (operands.size() > most)
            throw bad_input(fmt::format("'{}' cannot use '{}'", command, operands[most]));
        if (wants && operands.empty())
            throw bad_input(
                fmt::format("'{}' wants a scenario: a file, or a name from 'vg810 list'", command));
        if (wants)
            line_.scenario = operands[0];
    }

    std::span<const std::string_view> rest_;
    command_line line_;
};

} // namespace

command_line parse_command_line(std::span<const std::string_view> arguments) {
    return parser(arguments).parse();
}

std::string usage() {
    std::string text =
        "vg810 simulates a dual-port 25G network card with its real driver and the fabric around it.\n\n"
        "  vg810 run FILE|NAME     run a scenario\n"
        "  vg810 list              the shipped scenarios\n"
        "  vg810 describe NAME     what a scenario does; with --keys: what a file can say\n"
        "  vg810 boot              a guest with the card, and its console\n"
        "  vg810 sweep FILE|NAME   run a scenario over a grid of parameters, on all cores, into one table\n"
        "\nrun, boot and sweep take --driver DIR, a driver source tree to build and load instead of "
        "driver/.\n"
        "\nOptions:\n";
    for (const option& o : options)
        text += fmt::format("  {:<22}  {}\n", fmt::format("{} {}", o.name, o.argument), o.doc);
    return text + "\nExit status: 0 passed; 1 a step or check failed; 2 bad input; 3 something outside the "
                  "scenario is missing\n"
                  "(QEMU, guest root, disk space); 4 internal error; 130 interrupted.\n";
}

} // namespace vg810::scenarios
