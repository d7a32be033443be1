// SPDX-License-Identifier: Apache-2.0
// What tests measure in a rack while it runs.
#pragma once

#include "scenarios/wire/testing/rack.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace vg810::scenarios::testing {

/// Runs on to `t`, events at `t` itself left for later.
inline void wait_until(rack& r, picoseconds t) {
    r.clock().run_before(t);
    r.clock().advance_to(t);
}

/// Octets that a host has put on the wire: preamble, FCS and gap included.
inline std::uint64_t wire_octets(rack& r, const std::string& host) {
    const auto& c = r.at(host).count();
    return c.tx_octets + c.tx_frames * (preamble_bytes + gap_bytes);
}

/// Samples at equal distances.
struct series {
    picoseconds from, every;
    std::vector<double> values;

    double mean() const {
        double sum = 0;
        for (const double v : values)
            sum += v;
        return sum / static_cast<double>(values.size());
    }
    /// Standard deviation over mean.
    double relative_deviation() const {
        const double m = mean();
        double sum = 0;
        for (const double v : values)
            sum += (v - m) * (v - m);
        return std::sqrt(sum / static_cast<double>(values.size())) / m;
    }
    std::size_t peak_index() const {
        return static_cast<std::size_t>(std::max_element(values.begin(), values.end()) - values.begin());
    }
    picoseconds time_of(std::size_t index) const { return from + every * static_cast<std::int64_t>(index); }
};

/// Octets waiting at a switch's output port, from now to `end`.
inline series watch_queue(rack& r, const std::string& at, std::size_t port, picoseconds end,
                          picoseconds every) {
    series s{r.clock().now(), every, {}};
    const fabric::ethernet_switch& node = r.net.find_switch(at);
    for (picoseconds t = s.from; t < end; t += every) {
        wait_until(r, t);
        s.values.push_back(static_cast<double>(node.queued(static_cast<fabric::port_index>(port))));
    }
    wait_until(r, end);
    return s;
}

} // namespace vg810::scenarios::testing
