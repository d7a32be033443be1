// SPDX-License-Identifier: Apache-2.0
// What a run found out, and the files it becomes. All but wall.json is a pure function of scenario and seed
// in lockstep, so two runs can be compared with cmp.
#pragma once

#include "core/units.h"
#include "scenarios/report/run_directory.h"

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace vg810::scenarios {

struct step_result {
    std::string name;
    std::string host;
    picoseconds started;
    picoseconds ended;
    std::optional<int> exit_status; ///< none: never ended by itself
    std::vector<std::string> failures;
    bool skipped = false; ///< not run, because an earlier step failed
    std::map<std::string, double> values;
    std::string output_file; ///< in the run's directory
    double wall_seconds = 0;

    bool passed() const { return failures.empty(); }
};

struct check_result {
    std::string name;
    std::string kind;
    std::vector<std::string> failures;
    std::string detail;

    bool passed() const { return failures.empty(); }
};

/// One counter at one moment.
struct metric {
    picoseconds at;
    std::string moment; ///< the step that had just ended, or "end"
    std::string name;   ///< "left.port0.tx_packets"
    std::uint64_t value;
};

enum class run_outcome : std::uint8_t { passed, failed, interrupted, aborted };

struct run_report {
    std::string scenario;
    std::string mode;
    std::int64_t seed = 0;
    run_outcome outcome = run_outcome::passed;
    std::string reason; ///< why it ended early; empty when it did not
    picoseconds simulated;
    std::vector<step_result> steps;
    std::vector<check_result> checks;
    std::vector<metric> metrics;
    std::string series_rows; ///< further rows of metrics.csv
    std::string verdict;                                               ///< of a fabric run; empty for others
    std::vector<std::pair<std::string, double>> figures;               ///< of a fabric run, by name
    nlohmann::ordered_json details = nlohmann::ordered_json::object(); ///< further sections of summary.json
    nlohmann::ordered_json wall = nlohmann::ordered_json::object();    ///< all of wall.json

    /// From steps and checks, unless it was aborted or interrupted.
    void decide();
    /// Writes summary.json, metrics.csv, checks.junit.xml and wall.json. Throws output_error.
    void write(const run_directory& directory) const;
    /// A few lines for the terminal: what failed, and where the files are.
    std::string text(const run_directory& directory) const;
};

std::string_view to_string(run_outcome outcome);

std::string summary_json(const run_report& report);
std::string metrics_csv(const run_report& report);
/// The JUnit XML that CI systems read: one test case a step and a check.
std::string junit_xml(const run_report& report);

} // namespace vg810::scenarios
