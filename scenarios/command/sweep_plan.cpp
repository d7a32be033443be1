// SPDX-License-Identifier: Apache-2.0
#include "scenarios/command/sweep_plan.h"

#include "scenarios/config/diagnostics.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace vg810::scenarios {
namespace {

using json = nlohmann::ordered_json;

std::vector<std::string> split_values(std::string_view text) {
    std::vector<std::string> values(1);
    int depth = 0;
    char quote = 0;
    for (const char c : text) {
        if (quote != 0)
            quote = c == quote ? 0 : quote;
        else if (c == '"' || c == '\'')
            quote = c;
        else
            depth += (c == '[' || c == '{') - (c == ']' || c == '}');
        if (c == ',' && depth == 0 && quote == 0)
            values.emplace_back();
        else
            values.back() += c;
    }
    return values;
}

std::string csv_cell(const std::string& cell) {
    if (cell.find_first_of(",\"\r\n") == std::string::npos)
        return cell;
    std::string out = "\"";
    for (const char c : cell)
        out += c == '"' ? "\"\"" : std::string(1, c);
    return out + '"';
}

using figures = std::vector<std::pair<std::string, std::string>>;

void collect(const std::string& path, const json& value, figures& out) {
    if (value.is_number() || value.is_boolean()) {
        out.emplace_back(path, value.dump());
        return;
    }
    // Of arrays, those whose elements have names: steps with their values.
    if (value.is_object())
        for (const auto& [key, inner] : value.items())
            collect(path.empty() ? key : path + "." + key, inner, out);
}

figures figures_of(const json& summary) {
    figures out;
    if (!summary.is_object())
        return out;
    for (const auto& [key, value] : summary.items())
        if (key != "seed" && key != "steps" && key != "checks")
            collect(key, value, out);
    if (const auto steps = summary.find("steps"); steps != summary.end() && steps->is_array())
        for (const json& step : *steps)
            if (step.is_object() && step.contains("name") && step["name"].is_string() &&
                step.contains("values"))
                collect("step." + step["name"].get<std::string>(), step["values"], out);
    return out;
}

} // namespace

variation parse_variation(std::string_view text) {
    const std::size_t equals = text.find('=');
    if (equals == 0 || equals == std::string_view::npos)
        throw bad_input(fmt::format("--vary wants KEY=VALUE,VALUE,..., not '{}'", text));
    variation v{std::string(text.substr(0, equals)), split_values(text.substr(equals + 1))};
    for (std::size_t i = 0; i < v.values.size(); ++i) {
        if (v.values[i].empty())
            throw bad_input(fmt::format("--vary {}: value {} is empty", v.key, i + 1));
        if (std::find(v.values.begin(), v.values.begin() + static_cast<std::ptrdiff_t>(i), v.values[i]) !=
            v.values.begin() + static_cast<std::ptrdiff_t>(i))
            throw bad_input(fmt::format("--vary {}: '{}' is there twice", v.key, v.values[i]));
    }
    return v;
}

std::vector<std::string> sweep_run::settings(const std::vector<variation>& grid) const {
    std::vector<std::string> out;
    for (std::size_t i = 0; i < grid.size(); ++i)
        out.push_back(grid[i].key + "=" + values[i]);
    out.push_back(fmt::format("seed={}", seed));
    return out;
}

std::vector<sweep_run> plan_sweep(const std::vector<variation>& grid, std::int64_t first_seed,
                                  std::int64_t seeds) {
    std::size_t count = static_cast<std::size_t>(seeds);
    for (std::size_t i = 0; i < grid.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j)
            if (grid[i].key == grid[j].key)
                throw bad_input(
                    fmt::format("--vary {} is there twice; give all its values at once", grid[i].key));
        if (grid[i].key == "seed")
            throw bad_input("--vary seed: use --seeds N");
        count *= grid[i].values.size();
        if (count > most_sweep_runs)
            throw bad_input(fmt::format("the sweep has more than {} runs; vary less", most_sweep_runs));
    }
    std::vector<sweep_run> runs;
    for (std::size_t n = 0; n < count; ++n) {
        sweep_run r{fmt::format("{:04}", n + 1), std::vector<std::string>(grid.size()), first_seed};
        std::size_t rest = n / static_cast<std::size_t>(seeds);
        r.seed += static_cast<std::int64_t>(n % static_cast<std::size_t>(seeds));
        for (std::size_t i = grid.size(); i-- > 0; rest /= grid[i].values.size())
            r.values[i] = grid[i].values[rest % grid[i].values.size()];
        runs.push_back(std::move(r));
    }
    return runs;
}

std::string sweep_csv(const std::vector<variation>& grid, const std::vector<sweep_run>& runs,
                      const std::vector<sweep_result>& results) {
    std::vector<std::string> columns;
    std::map<std::string, std::size_t> column_of;
    std::vector<std::map<std::size_t, std::string>> cells(runs.size());
    for (std::size_t i = 0; i < runs.size(); ++i)
        for (auto& [name, value] : figures_of(results[i].summary)) {
            const auto [at, fresh] = column_of.emplace(name, columns.size());
            if (fresh)
                columns.push_back(name);
            cells[i][at->second] = value;
        }
    std::string out = "run";
    for (const variation& v : grid)
        out += "," + csv_cell(v.key);
    out += ",seed,outcome,exit_status,wall_s";
    for (const std::string& name : columns)
        out += "," + csv_cell(name);
    out += "\n";
    for (std::size_t i = 0; i < runs.size(); ++i) {
        out += runs[i].name;
        for (const std::string& value : runs[i].values)
            out += "," + csv_cell(value);
        const sweep_result& r = results[i];
        out += fmt::format(",{},{},{},{:.3f}", runs[i].seed, csv_cell(r.outcome),
                           r.exit_status ? std::to_string(*r.exit_status) : "", r.wall_seconds);
        for (std::size_t c = 0; c < columns.size(); ++c) {
            const auto cell = cells[i].find(c);
            out += "," + (cell == cells[i].end() ? std::string() : csv_cell(cell->second));
        }
        out += "\n";
    }
    return out;
}

} // namespace vg810::scenarios
