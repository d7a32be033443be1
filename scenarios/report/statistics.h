// SPDX-License-Identifier: Apache-2.0
// Percentiles, means and fairness of small sets of numbers.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace vg810::scenarios {

/// Named numbers, in a fixed order.
using figure_list = std::vector<std::pair<std::string, double>>;

class sample_set {
  public:
    void add(double v) {
        values_.push_back(v);
        sorted_ = false;
    }
    std::size_t count() const { return values_.size(); }
    /// Nearest rank: the smallest value that at least a share `p` of all are not above. Range: 0 < p <= 1; 0
    /// when there are none.
    double percentile(double p);
    double mean() const;
    double max() { return percentile(1); }
    double min();
    /// In rising order.
    const std::vector<double>& sorted();
    /// <prefix>.count, .mean, .p50, .p95, .p99, .p999, .max; nothing when there are no values.
    void add_figures(const std::string& prefix, figure_list& out);

  private:
    std::vector<double> values_;
    bool sorted_ = true;
};

/// Jain, Chiu and Hawe (DEC-TR-301, 1984): (sum x)^2 / (n sum x^2). 1 when all are equal, and for no values.
double jain_index(const std::vector<double>& values);

} // namespace vg810::scenarios
