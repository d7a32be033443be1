// SPDX-License-Identifier: Apache-2.0
// Time series: reads numbers at an interval and keeps a value when it has changed.
#pragma once

#include "core/scheduler.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace vg810::scenarios {

class series_sampler final : public component {
  public:
    using reading = std::function<std::int64_t()>;

    series_sampler(scheduler& clock, picoseconds interval);

    /// A series; add all before begin().
    void add(std::string name, reading read);
    std::size_t size() const { return series_.size(); }
    /// Samples at 0, `interval`, 2 x `interval` .. while `go_on` says so.
    void begin(std::function<bool()> go_on);

    struct point {
        picoseconds at;
        std::int64_t value;
    };
    struct series {
        std::string name;
        reading read;
        std::vector<point> points; ///< each holds until the next; 0 before the first
    };
    const std::vector<series>& all() const { return series_; }
    picoseconds last() const { return last_; }
    /// Rows of metrics.csv, without its heading, in the order of time.
    std::string rows() const;

  private:
    void sample(std::uint64_t);

    picoseconds interval_;
    picoseconds last_;
    std::function<bool()> go_on_;
    std::vector<series> series_;
};

} // namespace vg810::scenarios
