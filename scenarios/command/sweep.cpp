// SPDX-License-Identifier: Apache-2.0
#include "scenarios/command/sweep.h"

#include "scenarios/command/child_run.h"
#include "scenarios/command/sweep_plan.h"
#include "scenarios/config/diagnostics.h"
#include "scenarios/config/scenario_file.h"
#include "scenarios/report/run_directory.h"
#include "scenarios/run/stop_signal.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <fmt/format.h>
#include <fstream>
#include <list>
#include <poll.h>
#include <set>
#include <thread>

namespace vg810::scenarios {
namespace {

namespace fs = std::filesystem;
using clock = std::chrono::steady_clock;

// What a run that is asked to stop gets for its farewell.
constexpr std::chrono::seconds patience{10};

scenario check_all(const command_line& line, const fs::path& file, const std::vector<variation>& grid,
                   std::vector<sweep_run>& runs) {
    const scenario base = load_scenario(file, line.settings);
    runs = plan_sweep(grid, base.seed, line.seeds);
    std::optional<scenario> first;
    std::set<std::string> told;
    std::string problems;
    for (const sweep_run& r : runs) {
        std::vector<std::string> settings = line.settings;
        for (std::string& s : r.settings(grid))
            settings.push_back(std::move(s));
        try {
            scenario s = load_scenario(file, settings);
            if (!first)
                first = std::move(s);
        } catch (const bad_input& e) {
            if (told.insert(e.what()).second)
                problems += (problems.empty() ? "" : "\n") + std::string(e.what());
        }
    }
    if (!problems.empty())
        throw bad_input(problems);
    return *first;
}

void refuse_used(const std::optional<fs::path>& out) {
    std::error_code ignored;
    if (out && fs::exists(*out, ignored) && !fs::is_empty(*out, ignored))
        throw bad_input(
            fmt::format("--out {}: is not empty; a sweep wants a directory of its own", out->string()));
}

class sweeper {
  public:
    sweeper(const command_line& line, const fs::path& file, const std::vector<variation>& grid,
            const std::vector<sweep_run>& runs, const run_directory& directory)
        : line_(line), file_(file), grid_(grid), runs_(runs), directory_(directory), results_(runs.size()) {}

    exit_code run() {
        while (!stop_.caught() && (next_ < runs_.size() || !active_.empty())) {
            while (next_ < runs_.size() && active_.size() < static_cast<std::size_t>(line_.jobs))
                start();
            wait(std::chrono::seconds(1));
            reap();
        }
        if (stop_.caught())
            stop_all();
        directory_.write("sweep.csv", sweep_csv(grid_, runs_, results_));
        return conclude();
    }

  private:
    struct active_run {
        std::size_t index;
        child_run process;
        clock::time_point started;
        bool too_long = false;
    };

    void start() {
        const sweep_run& r = runs_[next_];
        std::vector<std::string> words{"run", file_.string(), "--out", directory_.file(r.name).string()};
        std::vector<std::string> settings = line_.settings;
        for (std::string& s : r.settings(grid_))
            settings.push_back(std::move(s));
        for (const std::string& s : settings)
            words.insert(words.end(), {"--set", s});
        words.insert(words.end(), {"--guest-json", line_.guest.string()});
        active_.push_back({next_, child_run(words, directory_.file(r.name + ".log")), clock::now()});
        ++next_;
    }

    void wait(std::chrono::milliseconds limit) {
        std::vector<pollfd> watched;
        if (!stop_.caught())
            watched.push_back({stop_.descriptor(), POLLIN, 0});
        for (const active_run& a : active_)
            watched.push_back({a.process.exit_fd(), POLLIN, 0});
        ::poll(watched.data(), watched.size(), static_cast<int>(limit.count()));
    }

    void reap() {
        for (auto a = active_.begin(); a != active_.end();) {
            const std::chrono::duration<double> took = clock::now() - a->started;
            if (const auto status = a->process.poll()) {
                finished(*a, *status, took.count());
                a = active_.erase(a);
                continue;
            }
            if (took.count() > static_cast<double>(line_.limit_seconds)) {
                a->too_long = true;
                a->process.kill();
            }
            ++a;
        }
    }

    void finished(const active_run& a, int status, double seconds) {
        sweep_result& r = results_[a.index];
        r.exit_status = status;
        r.wall_seconds = seconds;
        std::ifstream summary(directory_.file(runs_[a.index].name) / "summary.json");
        r.summary = nlohmann::ordered_json::parse(summary, nullptr, false);
        const auto outcome = r.summary.find("outcome");
        if (r.summary.is_object() && outcome != r.summary.end() && outcome->is_string())
            r.outcome = outcome->get<std::string>();
        else
            r.outcome = "died";
        if (a.too_long)
            r.outcome = "time limit";
        else if (r.outcome == "passed" && status != 0)
            r.outcome = "died";
        fmt::print("[{}/{}] {}\n", ++done_, runs_.size(), describe(a.index));
        std::fflush(stdout);
    }

    std::string describe(std::size_t index) const {
        std::string text = runs_[index].name;
        for (const std::string& s : runs_[index].settings(grid_))
            text += " " + s;
        return text + ": " + results_[index].outcome;
    }

    void stop_all() {
        for (active_run& a : active_)
            a.process.ask_to_stop();
        const auto deadline = clock::now() + patience;
        while (!active_.empty() && clock::now() < deadline) {
            wait(std::chrono::milliseconds(100));
            reap();
        }
        for (active_run& a : active_)
            results_[a.index].outcome = "interrupted";
        active_.clear(); // kills what is left
    }

    exit_code conclude() const {
        std::size_t passed = 0;
        for (std::size_t i = 0; i < runs_.size(); ++i) {
            passed += results_[i].outcome == "passed";
            if (results_[i].outcome != "passed" && results_[i].exit_status)
                fmt::print("{}; see {}\n", describe(i), directory_.file(runs_[i].name + ".log").string());
        }
        fmt::print("{} of {} runs passed; see {}\n", passed, runs_.size(),
                   directory_.file("sweep.csv").string());
        if (stop_.caught())
            return exit_code::interrupted;
        return passed == runs_.size() ? exit_code::passed : exit_code::checks_failed;
    }

    const command_line& line_;
    const fs::path& file_;
    const std::vector<variation>& grid_;
    const std::vector<sweep_run>& runs_;
    const run_directory& directory_;
    stop_signal stop_;
    std::vector<sweep_result> results_;
    std::list<active_run> active_;
    std::size_t next_ = 0;
    std::size_t done_ = 0;
};

} // namespace

exit_code sweep(const command_line& line) {
    const fs::path file = find_scenario(line.scenario, line.scenarios);
    std::vector<variation> grid;
    for (const std::string& text : line.variations)
        grid.push_back(parse_variation(text));
    std::vector<sweep_run> runs;
    const scenario first = check_all(line, file, grid, runs);
    if (line.print_config) {
        fmt::print("{}", print_scenario(first));
        return exit_code::passed;
    }
    refuse_used(line.out);
    const run_directory directory(line.out, "out", "sweep-" + first.name);
    return sweeper(line, file, grid, runs, directory).run();
}

} // namespace vg810::scenarios
