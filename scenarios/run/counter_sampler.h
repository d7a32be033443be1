// SPDX-License-Identifier: Apache-2.0
// Reads the counters of one domain at an exact time, so that metrics.csv is the same in every run.
#pragma once

#include "core/scheduler.h"
#include "scenarios/report/run_report.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace vg810::scenarios {

class counter_sampler final : public component {
  public:
    using counter_list = std::vector<std::pair<std::string, std::uint64_t>>;
    using source = std::function<void(counter_list&)>;

    explicit counter_sampler(scheduler& clock) : component(clock, "counters of " + clock.name()) {}

    void add(source s) { sources_.push_back(std::move(s)); }
    /// The event: reads everything and keeps it as moment `moment`.
    void sample(std::uint64_t moment);

    struct reading {
        std::uint64_t moment;
        picoseconds at;
        counter_list counters;
    };
    const std::vector<reading>& readings() const { return readings_; }

  private:
    std::vector<source> sources_;
    std::vector<reading> readings_;
};

/// All readings as metrics, by moment, then in the order of the samplers; `names[moment]` is its name.
std::vector<metric> collect(const std::vector<const counter_sampler*>& samplers,
                            const std::vector<std::string>& names);

} // namespace vg810::scenarios
