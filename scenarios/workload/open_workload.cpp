// SPDX-License-Identifier: Apache-2.0
#include "scenarios/workload/open_workload.h"

#include "scenarios/config/nearest.h"
#include "scenarios/config/quantity.h"
#include "scenarios/workload/csv.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace vg810::scenarios {

picoseconds poisson_workload::gap_for(double load, bits_per_second rate, double mean_size) {
    const double gap = mean_size * 8e12 / (load * static_cast<double>(rate.count()));
    return gap < 9e18 ? picoseconds(std::max<std::int64_t>(1, std::llround(gap))) : never;
}

poisson_workload::poisson_workload(scheduler& clock, traffic& messages, const workload_basis& basis,
                                   poisson_plan plan)
    : workload(clock, messages, basis), plan_(std::move(plan)), sources_(plan_.members.size()) {
    for (const host_index h : plan_.members)
        random_.emplace_back(basis.seed, fmt::format("{} at {}", basis.name, messages.host_name(h)));
}

void poisson_workload::begin() {
    end_ = now() + basis().start + plan_.duration;
    for (std::size_t i = 0; i < plan_.members.size(); ++i) {
        const picoseconds first = now() + basis().start + random_[i].exponential(plan_.mean_gaps[i]);
        schedule<&poisson_workload::arrival>(first, this, i);
    }
}

void poisson_workload::arrival(std::uint64_t i) {
    if (now() >= end_ || all_posted()) {
        --sources_;
        return;
    }
    const std::uint64_t skip = 1 + random_[i].below(plan_.members.size() - 1);
    const host_index to = plan_.members[(i + skip) % plan_.members.size()];
    const bytes length = plan_.sizes.draw(random_[i]);
    if (free_.empty()) {
        free_.push_back(lines_.size());
        lines_.emplace_back();
    }
    const std::uint64_t tag = free_.back();
    free_.pop_back();
    lines_[tag] = acquire(plan_.members[i], to);
    ++posted_;
    ++active_;
    post(lines_[tag], basis().kind, length, tag);
    schedule<&poisson_workload::arrival>(now() + random_[i].exponential(plan_.mean_gaps[i]), this, i);
}

void poisson_workload::message_over(std::uint64_t tag, const message_record& r) {
    --active_;
    if (r.ok)
        release(lines_[tag]);
    free_.push_back(tag);
}

std::vector<trace_entry> parse_trace(std::string_view text, const std::string& name,
                                     const std::vector<std::string>& hosts) {
    enum column { time, source, destination, length, priority };
    csv_reader rows(text, name, {"time", "src", "dst", "bytes"}, {"priority"});
    std::unordered_map<std::string_view, host_index> index;
    for (host_index i = 0; i < hosts.size(); ++i)
        index.emplace(hosts[i], i);
    const auto host = [&](column c) {
        const auto found = index.find(rows.text(c));
        if (found == index.end()) {
            const std::vector<std::string_view> views(hosts.begin(), hosts.end());
            rows.fail(c, fmt::format("there is no host '{}'{}", rows.text(c),
                                     hosts.size() <= 64 ? suggestion(rows.text(c), views) : ""));
        }
        return found->second;
    };
    std::vector<trace_entry> out;
    while (rows.next()) {
        trace_entry e;
        const auto at = parse_time(rows.text(time));
        if (!at)
            rows.fail(time, fmt::format("'{}' is no time such as 10us", rows.text(time)));
        e.at = *at;
        e.from = host(source);
        e.to = host(destination);
        if (e.from == e.to)
            rows.fail(destination, "a host sends nothing to itself");
        e.length = rows.integer(length, 1, flow_sizes::longest);
        e.has_priority = rows.has(priority);
        if (e.has_priority)
            e.priority = static_cast<std::uint8_t>(rows.integer(priority, 0, 7));
        out.push_back(e);
    }
    std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.at < b.at; });
    return out;
}

trace_workload::trace_workload(scheduler& clock, traffic& messages, const workload_basis& basis,
                               std::vector<trace_entry> entries)
    : workload(clock, messages, basis), entries_(std::move(entries)), lines_(entries_.size()) {}

void trace_workload::begin() {
    begun_ = now() + basis().start;
    if (!entries_.empty())
        schedule<&trace_workload::due>(begun_ + entries_.front().at, this);
}

void trace_workload::due(std::uint64_t) {
    while (next_ < entries_.size() && begun_ + entries_[next_].at <= now()) {
        const std::size_t i = next_++;
        const trace_entry& e = entries_[i];
        lines_[i] = e.has_priority ? acquire(e.from, e.to, static_cast<std::uint8_t>(e.priority << 3))
                                   : acquire(e.from, e.to);
        ++active_;
        post(lines_[i], basis().kind, e.length, i);
    }
    if (next_ < entries_.size())
        schedule<&trace_workload::due>(begun_ + entries_[next_].at, this);
}

void trace_workload::message_over(std::uint64_t tag, const message_record& r) {
    --active_;
    if (r.ok)
        release(lines_[tag]);
}

} // namespace vg810::scenarios
