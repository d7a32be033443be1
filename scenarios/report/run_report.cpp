// SPDX-License-Identifier: Apache-2.0
#include "scenarios/report/run_report.h"

#include <algorithm>
#include <fmt/format.h>

namespace vg810::scenarios {
namespace {

using json = nlohmann::ordered_json;

std::string dump(const json& value) {
    return value.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

json to_json(const step_result& s) {
    json out;
    out["name"] = s.name;
    out["host"] = s.host;
    out["started_ps"] = s.started.count();
    out["ended_ps"] = s.ended.count();
    out["exit_status"] = s.exit_status ? json(*s.exit_status) : json(nullptr);
    out["passed"] = s.passed() && !s.skipped;
    out["skipped"] = s.skipped;
    out["failures"] = s.failures;
    out["values"] = json(s.values);
    out["output"] = s.output_file;
    return out;
}

json to_json(const check_result& c) {
    json out;
    out["name"] = c.name;
    out["kind"] = c.kind;
    out["passed"] = c.passed();
    out["failures"] = c.failures;
    out["detail"] = c.detail;
    return out;
}

} // namespace

std::string_view to_string(run_outcome outcome) {
    switch (outcome) {
    case run_outcome::passed:
        return "passed";
    case run_outcome::failed:
        return "failed";
    case run_outcome::interrupted:
        return "interrupted";
    case run_outcome::aborted:
        return "aborted";
    }
    return "unknown";
}

void run_report::decide() {
    if (outcome == run_outcome::interrupted || outcome == run_outcome::aborted)
        return;
    const auto passed = [](const auto& item) { return item.passed(); };
    const bool good = reason.empty() && std::all_of(steps.begin(), steps.end(), passed) &&
                      std::all_of(checks.begin(), checks.end(), passed);
    outcome = good ? run_outcome::passed : run_outcome::failed;
}

std::string summary_json(const run_report& report) {
    json out;
    out["scenario"] = report.scenario;
    out["mode"] = report.mode;
    out["seed"] = report.seed;
    out["outcome"] = to_string(report.outcome);
    out["reason"] = report.reason;
    out["simulated_ps"] = report.simulated.count();
    out["steps"] = json::array();
    for (const step_result& s : report.steps)
        out["steps"].push_back(to_json(s));
    out["checks"] = json::array();
    for (const check_result& c : report.checks)
        out["checks"].push_back(to_json(c));
    for (const auto& [key, value] : report.details.items())
        out[key] = value;
    return dump(out);
}

std::string metrics_csv(const run_report& report) {
    std::string out = "time_ps,moment,metric,value\n";
    for (const metric& m : report.metrics)
        out += fmt::format("{},{},{},{}\n", m.at.count(), m.moment, m.name, m.value);
    return out + report.series_rows;
}

void run_report::write(const run_directory& directory) const {
    directory.write("metrics.csv", metrics_csv(*this));
    directory.write("checks.junit.xml", junit_xml(*this));
    directory.write("wall.json", dump(wall));
    directory.write("summary.json", summary_json(*this));
}

std::string run_report::text(const run_directory& directory) const {
    std::string out;
    std::size_t failed = 0;
    std::size_t skipped = 0;
    for (const step_result& s : steps) {
        failed += !s.passed();
        skipped += s.skipped;
        for (const std::string& f : s.failures)
            out += fmt::format("FAILED step {} on {}: {}\n", s.name, s.host, f);
    }
    for (const check_result& c : checks) {
        failed += !c.passed();
        for (const std::string& f : c.failures)
            out += fmt::format("FAILED check {}: {}\n", c.name, f);
    }
    if (!reason.empty())
        out += fmt::format("{}: {}\n", to_string(outcome), reason);
    out += fmt::format("{}: {} steps, {} checks, {} failed, {} not run; {:.6f} s simulated; see {}\n",
                       to_string(outcome), steps.size(), checks.size(), failed, skipped,
                       simulated.as_seconds(), directory.path().string());
    return out;
}

} // namespace vg810::scenarios
