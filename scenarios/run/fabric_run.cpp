// SPDX-License-Identifier: Apache-2.0
#include "scenarios/run/fabric_run.h"

#include "scenarios/checks/checks.h"
#include "scenarios/config/quantity.h"
#include "scenarios/config/scenario_file.h"
#include "scenarios/report/fabric_report.h"
#include "scenarios/report/run_report.h"
#include "scenarios/report/status_line.h"
#include "scenarios/run/environment_error.h"
#include "scenarios/run/fabric_world.h"
#include "scenarios/run/progress_watch.h"
#include "scenarios/run/stop_signal.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fmt/format.h>
#include <unistd.h>

namespace vg810::scenarios {
namespace {

/// The run looks around on this grid of simulated time, whatever the machine's speed, so that its end does
/// not depend on it.
constexpr picoseconds grid = 20_us;

/// How it ended.
struct fabric_ending {
    std::string verdict;
    std::string reason;
    run_outcome outcome = run_outcome::passed; ///< unless interrupted or aborted, checks decide
};

constexpr unsigned looks_at_deadlock = 5;

bool has_watchdog(const scenario& s) {
    return s.switches.watchdog.on ||
           std::any_of(s.switch_list.begin(), s.switch_list.end(),
                       [](const switch_config& c) { return c.parameters.watchdog.on; });
}

class mover {
  public:
    mover(fabric_world& w, const scenario& s, const run_directory& d, const stop_signal& stop,
          status_line& status)
        : world_(w), scenario_(s), directory_(d), stop_(stop), status_(status), watch_(s.stall_limit),
          watchdog_(has_watchdog(s)) {}

    fabric_ending run() {
        while (!ended_)
            step();
        return ending_;
    }
    picoseconds reached() const { return reached_; }

  private:
    void end(std::string verdict, std::string reason, run_outcome outcome = run_outcome::passed) {
        ended_ = true;
        ending_ = {std::move(verdict), std::move(reason), outcome};
    }

    /// To the next point of the grid at which something may have happened.
    void step() {
        scheduler& clock = world_.clock();
        const picoseconds next = std::max(clock.next_time(), reached_);
        if (next >= scenario_.time_limit) {
            reached_ = scenario_.time_limit;
            clock.run_before(reached_);
            stop_for_time();
            return;
        }
        reached_ =
            std::min(picoseconds((next.count() / grid.count() + 1) * grid.count()), scenario_.time_limit);
        clock.run_before(reached_);
        look();
    }

    void stop_for_time() {
        if (world_.over())
            return end_as_over();
        if (world_.clock().next_time() == never)
            return end_as_stuck("nothing is left to happen, but messages or workloads are not over");
        end("time-limit", fmt::format("time_limit is over: {} simulated", to_text(scenario_.time_limit)));
    }

    void end_as_over() {
        if (world_.messages().failed() > 0)
            end("broken", fmt::format("{} messages were lost for good: their connections gave up",
                                      world_.messages().failed()));
        else
            end("completed", "");
    }

    void end_as_stuck(std::string why) {
        const stuck_fabric found = world_.find_stuck(watch_.sent_meanwhile());
        end(found.verdict, found.what.empty() ? why : fmt::format("{}: {}", why, found.what));
    }

    void look() {
        if (world_.over())
            return end_as_over();
        const bool waiting = world_.has_outstanding() || world_.messages().failed() > 0;
        if (watch_.stalled(reached_, waiting, world_.progress(), world_.frames_sent()))
            return end_as_stuck(fmt::format("no message has got on since {}", to_text(watch_.since())));
        if (deadlocked())
            return;
        if (!world_.has_outstanding() && world_.messages().failed() > 0 &&
            world_.clock().next_time() == never)
            return end_as_stuck("what is left waits for messages that were lost for good");
        if (std::chrono::steady_clock::now() < next_look_)
            return;
        next_look_ = std::chrono::steady_clock::now() + std::chrono::milliseconds(50);
        look_outside();
    }

    /// A deadlock ends the run even while other traffic gets on; but a watchdog may still break it.
    bool deadlocked() {
        if (watchdog_ || reached_ < next_deadlock_look_)
            return false;
        next_deadlock_look_ = reached_ + 2_ms;
        const std::string cycle = world_.lasting_deadlock();
        seen_deadlocked_ = cycle.empty() ? 0 : seen_deadlocked_ + 1;
        if (seen_deadlocked_ < looks_at_deadlock)
            return false;
        end("deadlock", cycle);
        return true;
    }

    void look_outside() {
        if (status_.due()) {
            run_progress p;
            p.simulated = reached_;
            p.events = world_.clock().events_run();
            p.activity = world_.activity();
            status_.update(p);
        }
        if (stop_.caught() != 0)
            end("interrupted", strsignal(stop_.caught()), run_outcome::interrupted);
        else if (!world_.output_failure().empty())
            end("aborted", world_.output_failure(), run_outcome::aborted);
        else if (status_.elapsed() > scenario_.wall_limit.as_seconds())
            end("wall-limit", fmt::format("wall_limit is over: {}", to_text(scenario_.wall_limit)));
        directory_.check_space();
    }

    fabric_world& world_;
    const scenario& scenario_;
    const run_directory& directory_;
    const stop_signal& stop_;
    status_line& status_;
    progress_watch watch_;
    bool watchdog_;
    picoseconds next_deadlock_look_;
    unsigned seen_deadlocked_ = 0;
    picoseconds reached_;
    std::chrono::steady_clock::time_point next_look_{};
    bool ended_ = false;
    fabric_ending ending_;
};

bool expects_verdict(const scenario& s) {
    return std::any_of(s.checks.begin(), s.checks.end(),
                       [](const auto& c) { return c.kind == check_kind::verdict; });
}

class fabric_runner {
  public:
    fabric_runner(const scenario& s, const run_options& options, const wire_host_maker& make_hosts)
        : scenario_(s), make_hosts_(make_hosts), directory_(options.out, options.out_base, s.name),
          status_(STDERR_FILENO, earlier_run::find(options.out_base, s.name, 0)) {
        report_.scenario = s.name;
        report_.mode = "fabric";
        report_.seed = s.seed;
    }

    exit_code run() {
        directory_.write("scenario.toml", print_scenario(scenario_));
        const stop_signal stop;
        status_.say(fmt::format("{}: in {}", scenario_.name, directory_.path().string()));
        fabric_world w(scenario_, directory_, make_hosts_);
        w.start();
        mover m(w, scenario_, directory_, stop, status_);
        fabric_ending end;
        try {
            end = m.run();
        } catch (const output_error& e) {
            end = {"aborted", e.what(), run_outcome::aborted};
        }
        w.finish_captures();
        w.pauses().finish(m.reached());
        conclude(w, end, m.reached());
        directory_.check_space(1);
        report_.write(directory_);
        status_.clear();
        std::fputs(summary_.c_str(), stdout);
        std::fputs(report_.text(directory_).c_str(), stdout);
        return code();
    }

  private:
    void conclude(fabric_world& w, const fabric_ending& end, picoseconds reached) {
        report_.simulated = reached;
        report_.verdict = end.verdict;
        report_.outcome = end.outcome;
        // An end that a check asks for is no failure by itself.
        if (end.verdict != "completed" && (end.outcome != run_outcome::passed || !expects_verdict(scenario_)))
            report_.reason = fmt::format("{}: {}", end.verdict, end.reason);
        report_.details["verdict"] = {{"name", end.verdict}, {"reason", end.reason}};
        summary_ = write_fabric_report(w, scenario_, directory_, report_);
        if (end.outcome == run_outcome::passed)
            for (const check_config& check : scenario_.checks)
                report_.checks.push_back(evaluate(check, {&report_, &directory_, nullptr, {}}));
        report_.decide();
        wall(w);
    }

    void wall(const fabric_world& w) {
        const double seconds = status_.elapsed();
        report_.wall["outcome"] = to_string(report_.outcome);
        report_.wall["total_seconds"] = seconds;
        report_.wall["ratio"] = report_.simulated.as_seconds() / seconds;
        report_.wall["events"] = w.clock().events_run();
        report_.wall["events_per_second"] = static_cast<double>(w.clock().events_run()) / seconds;
        report_.wall["step_ends"] = nlohmann::ordered_json::array();
    }

    exit_code code() const {
        switch (report_.outcome) {
        case run_outcome::interrupted:
            return exit_code::interrupted;
        case run_outcome::aborted:
            return exit_code::environment;
        case run_outcome::passed:
            return exit_code::passed;
        case run_outcome::failed:
            break;
        }
        return exit_code::checks_failed;
    }

    const scenario& scenario_;
    const wire_host_maker& make_hosts_;
    run_directory directory_;
    status_line status_;
    run_report report_;
    std::string summary_;
};

} // namespace

exit_code run_fabric(const scenario& s, const run_options& options, const wire_host_maker& make_hosts) {
    return fabric_runner(s, options, make_hosts).run();
}

} // namespace vg810::scenarios
