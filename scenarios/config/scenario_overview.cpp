// SPDX-License-Identifier: Apache-2.0
#include "scenarios/config/scenario_overview.h"

#include "scenarios/config/workload_names.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace vg810::scenarios {
namespace {

using row = std::array<std::string, 3>;

/// Columns as wide as they need to be; no blanks at the ends of lines.
std::string table(const std::string& heading, const std::vector<row>& rows) {
    if (rows.empty())
        return {};
    std::size_t first = 0, second = 0;
    for (const row& r : rows) {
        first = std::max(first, r[0].size());
        second = std::max(second, r[1].size());
    }
    std::string out = "\n" + heading + ":\n";
    for (const row& r : rows) {
        std::string line = fmt::format("  {:<{}}  {:<{}}  {}", r[0], first, r[1], second, r[2]);
        line.erase(line.find_last_not_of(' ') + 1);
        out += line + "\n";
    }
    return out;
}

std::vector<row> hosts(const scenario& s) {
    std::vector<row> rows;
    for (std::size_t i = 0; i < s.hosts.size() - s.grouped_hosts; ++i)
        rows.push_back({s.hosts[i].name, fmt::format("{}", fmt::join(s.hosts[i].addresses, ", ")), ""});
    for (const host_group_config& g : s.host_groups)
        rows.push_back({fmt::format("{}0 .. {}{}", g.name, g.name, g.count - 1), "wire", ""});
    return rows;
}

} // namespace

std::string scenario_overview(const scenario& s, const std::string& file) {
    std::vector<row> steps, traffic, checks;
    for (const step_config& step : s.steps)
        steps.push_back({step.name, fmt::format("on {}", fmt::join(step.on, ", ")),
                         step.run.substr(0, step.run.find('\n'))});
    for (const workload_config& w : s.workloads)
        traffic.push_back({w.name, name_of(w.kind), fmt::format("{}", fmt::join(w.hosts, ", "))});
    for (const flow_config& f : s.flows)
        traffic.push_back({f.name, "flow", fmt::format("{} to {}", f.from, f.to)});
    for (const check_config& check : s.checks)
        checks.push_back({check.name, check.kind == check_kind::verdict ? "ends as" : "of",
                          check.kind == check_kind::verdict ? check.expect : check.of});
    std::string description = s.description;
    description.erase(description.find_last_not_of(" \n") + 1);
    return fmt::format("{} ({})\n\n{}\n", s.name, file, description) + table("Hosts", hosts(s)) +
           table("Steps", steps) + table("Traffic", traffic) + table("Checks at the end", checks);
}

} // namespace vg810::scenarios
