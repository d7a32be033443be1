// SPDX-License-Identifier: Apache-2.0
#include "scenarios/report/statistics.h"

#include <algorithm>
#include <cmath>

namespace vg810::scenarios {

const std::vector<double>& sample_set::sorted() {
    if (!sorted_)
        std::sort(values_.begin(), values_.end());
    sorted_ = true;
    return values_;
}

double sample_set::percentile(double p) {
    if (values_.empty())
        return 0;
    const auto rank = static_cast<std::size_t>(std::ceil(p * static_cast<double>(values_.size()) - 1e-9));
    return sorted()[std::clamp<std::size_t>(rank, 1, values_.size()) - 1];
}

double sample_set::min() {
    return values_.empty() ? 0 : sorted().front();
}

double sample_set::mean() const {
    double sum = 0;
    for (const double v : values_)
        sum += v;
    return values_.empty() ? 0 : sum / static_cast<double>(values_.size());
}

void sample_set::add_figures(const std::string& prefix, figure_list& out) {
    if (values_.empty())
        return;
    sorted(); // a sum in this order does not depend on the order of arrival
    out.emplace_back(prefix + ".count", static_cast<double>(count()));
    out.emplace_back(prefix + ".mean", mean());
    out.emplace_back(prefix + ".p50", percentile(0.5));
    out.emplace_back(prefix + ".p95", percentile(0.95));
    out.emplace_back(prefix + ".p99", percentile(0.99));
    out.emplace_back(prefix + ".p999", percentile(0.999));
    out.emplace_back(prefix + ".max", max());
}

double jain_index(const std::vector<double>& values) {
    double sum = 0, squares = 0;
    for (const double v : values) {
        sum += v;
        squares += v * v;
    }
    return squares == 0 ? 1 : sum * sum / (static_cast<double>(values.size()) * squares);
}

} // namespace vg810::scenarios
