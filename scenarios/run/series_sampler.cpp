// SPDX-License-Identifier: Apache-2.0
#include "scenarios/run/series_sampler.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

namespace vg810::scenarios {

series_sampler::series_sampler(scheduler& clock, picoseconds interval)
    : component(clock, "time series"), interval_(interval) {}

void series_sampler::add(std::string name, reading read) {
    series_.push_back({std::move(name), std::move(read), {}});
}

void series_sampler::begin(std::function<bool()> go_on) {
    go_on_ = std::move(go_on);
    if (interval_ > picoseconds(0) && !series_.empty())
        schedule<&series_sampler::sample>(now(), this);
}

void series_sampler::sample(std::uint64_t) {
    last_ = now();
    for (series& s : series_) {
        const std::int64_t value = s.read();
        if (value != (s.points.empty() ? 0 : s.points.back().value))
            s.points.push_back({now(), value});
    }
    if (go_on_())
        schedule<&series_sampler::sample>(now() + interval_, this);
}

std::string series_sampler::rows() const {
    struct entry {
        picoseconds at;
        std::size_t series;
        std::int64_t value;
    };
    std::vector<entry> all;
    for (std::size_t i = 0; i < series_.size(); ++i)
        for (const point& p : series_[i].points)
            all.push_back({p.at, i, p.value});
    std::stable_sort(all.begin(), all.end(), [](const entry& a, const entry& b) { return a.at < b.at; });
    std::string out;
    for (const entry& e : all)
        fmt::format_to(std::back_inserter(out), "{},sample,{},{}\n", e.at.count(), series_[e.series].name,
                       e.value);
    return out;
}

} // namespace vg810::scenarios
