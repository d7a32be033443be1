// SPDX-License-Identifier: Apache-2.0
// A grid of parameters as the list of its runs, and what they gave as one tidy table: a row a run.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vg810::scenarios {

/// One key of a scenario with the values it takes.
struct variation {
    std::string key;
    std::vector<std::string> values;
};

/// "key=a,b,c"; commas within brackets or quotes belong to a value. Throws bad_input: no key, an empty value,
/// the same value twice.
variation parse_variation(std::string_view text);

struct sweep_run {
    std::string name;                ///< of its directory: "0001" ...
    std::vector<std::string> values; ///< one for each variation, in their order
    std::int64_t seed;
    /// As `--set` takes them, the seed included.
    std::vector<std::string> settings(const std::vector<variation>& grid) const;
};

/// No sweep has more runs.
inline constexpr std::size_t most_sweep_runs = 10'000;

/// Every combination, the last variation changing fastest, each with `seeds` seeds from `first_seed` on.
/// Throws bad_input: a key that is varied twice, or more than most_sweep_runs.
std::vector<sweep_run> plan_sweep(const std::vector<variation>& grid, std::int64_t first_seed,
                                  std::int64_t seeds);

/// How a run ended.
struct sweep_result {
    std::string outcome = "not run"; ///< passed, failed, ... or why there is no summary
    std::optional<int> exit_status;
    double wall_seconds = 0;
    nlohmann::ordered_json summary; ///< of summary.json; null when there is none
};

/// The table as CSV (RFC 4180): run, a column for each variation, seed, outcome, exit_status, wall_s, then
/// each number in the summaries, named by its path in them ("fabric.mean_fct_us"; of a step "step.NAME.KEY").
/// What a run does not have is left empty.
std::string sweep_csv(const std::vector<variation>& grid, const std::vector<sweep_run>& runs,
                      const std::vector<sweep_result>& results);

} // namespace vg810::scenarios
