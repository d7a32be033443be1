// SPDX-License-Identifier: Apache-2.0
#include "scenarios/run/run.h"

#include "scenarios/checks/checks.h"
#include "scenarios/config/scenario_file.h"
#include "scenarios/report/run_report.h"
#include "scenarios/report/status_line.h"
#include "scenarios/run/environment_error.h"
#include "scenarios/run/fabric_run.h"
#include "scenarios/run/pacing.h"
#include "scenarios/run/world.h"

#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <unistd.h>

namespace vg810::scenarios {
namespace {

constexpr std::string_view mode_names[] = {"lockstep", "paced"};
constexpr std::size_t pings_shown = 3;

std::optional<qemu::guest_root> load_root(const scenario& s, const std::filesystem::path& file) {
    const bool guests =
        std::any_of(s.hosts.begin(), s.hosts.end(), [](const auto& h) { return h.kind == host_kind::guest; });
    if (!guests)
        return std::nullopt;
    try {
        return qemu::guest_root::load(file);
    } catch (const std::exception& e) {
        throw environment_error(
            fmt::format("QEMU and the guest root are not set up: {}\nstart runs with ./vg810, which "
                        "prepares them",
                        e.what()));
    }
}

std::size_t commands_in(const scenario& s) {
    std::size_t count = 0;
    for (const auto& step : step_engine::configuration_steps(s))
        count += step.on.size();
    for (const step_config& step : s.steps)
        count += step.on.size();
    return count;
}

class runner {
  public:
    runner(const scenario& s, const run_options& options)
        : scenario_(s), root_(load_root(s, options.guest_json)),
          directory_(options.out, options.out_base, s.name),
          status_(STDERR_FILENO, earlier_run::find(options.out_base, s.name, commands_in(s))) {
        report_.scenario = s.name;
        report_.mode = mode_names[static_cast<std::size_t>(s.mode)];
        report_.seed = s.seed;
    }

    exit_code run() {
        directory_.write("scenario.toml", print_scenario(scenario_));
        const stop_signal stop;
        status_.say(fmt::format("{}: {} in {}", scenario_.name, report_.mode, directory_.path().string()));
        world w(scenario_, root_ ? &*root_ : nullptr, directory_, false,
                [this](step_result& r, const std::string& output) { step_ended(r, output); });
        ending end;
        try {
            w.start();
            pacing pace(w, scenario_, directory_, stop, &status_);
            end = pace.run();
            report_.simulated = w.steps().finished() ? w.steps().finished_at() : pace.reached();
        } catch (const environment_error& e) {
            end = {ending::kind::aborted, e.what()};
        }
        for (const auto& m : w.machines())
            m->kill();
        w.steps().abandon(end.reason);
        w.finish_captures();
        conclude(w, end);
        directory_.check_space(1);
        report_.write(directory_);
        status_.clear();
        std::fputs(report_.text(directory_).c_str(), stdout);
        return code(end);
    }

  private:
    void step_ended(step_result& r, const std::string& output) {
        r.output_file = fmt::format("steps/{:02}-{}.{}.txt", ++steps_ended_, r.name, r.host);
        step_ends_.push_back(status_.elapsed());
        status_.say(fmt::format("{:>12.6f} s  {:<24} {:<10} {}", r.ended.as_seconds(), r.name, r.host,
                                r.passed() ? "ok" : "FAILED: " + r.failures.front()));
        try {
            directory_.write(r.output_file, output);
        } catch (const output_error& e) {
            // Reached from within the simulation: the run goes on to its orderly end, and fails.
            r.failures.push_back(e.what());
        }
    }

    void conclude(world& w, const ending& end) {
        report_.steps = w.steps().results();
        report_.metrics = w.metrics();
        const std::vector<ping_trip> pings = w.pings();
        const closed_form wire = w.wire_time();
        report_pings(pings, wire);
        report_.reason = end.reason;
        if (end.what == ending::kind::interrupted)
            report_.outcome = run_outcome::interrupted;
        else if (end.what == ending::kind::aborted)
            report_.outcome = run_outcome::aborted;
        else if (end.what == ending::kind::done)
            for (const check_config& check : scenario_.checks)
                report_.checks.push_back(evaluate(check, {&report_, &directory_, &pings, wire}));
        report_.decide();
        wall(w);
    }

    void report_pings(const std::vector<ping_trip>& pings, const closed_form& wire) {
        report_.details["pings"] = nlohmann::ordered_json::array();
        for (const ping_trip& trip : pings)
            report_.details["pings"].push_back(to_json(trip, wire));
        for (std::size_t i = 0; i < std::min(pings.size(), pings_shown); ++i)
            status_.say(to_table(pings[i], wire));
    }

    void wall(const world& w) {
        const double seconds = status_.elapsed();
        report_.wall["outcome"] = to_string(report_.outcome);
        report_.wall["total_seconds"] = seconds;
        report_.wall["ratio"] = report_.simulated.as_seconds() / seconds;
        report_.wall["events"] = w.events();
        report_.wall["step_ends"] = step_ends_;
        for (const auto& m : w.machines())
            if (const auto costs = m->wall_costs(); !costs.is_null())
                report_.wall["sync"][m->name()] = costs;
    }

    exit_code code(const ending& end) const {
        if (end.what == ending::kind::interrupted)
            return exit_code::interrupted;
        if (end.what == ending::kind::aborted)
            return exit_code::environment;
        return report_.outcome == run_outcome::passed ? exit_code::passed : exit_code::checks_failed;
    }

    scenario scenario_;
    std::optional<qemu::guest_root> root_;
    run_directory directory_;
    status_line status_;
    run_report report_;
    std::size_t steps_ended_ = 0;
    std::vector<double> step_ends_;
};

} // namespace

exit_code run_scenario(const scenario& s, const run_options& options) {
    return s.is_fabric_run() ? run_fabric(s, options) : runner(s, options).run();
}

} // namespace vg810::scenarios
