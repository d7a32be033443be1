// SPDX-License-Identifier: Apache-2.0
// TIMELY (Mittal et al., "TIMELY: RTT-based Congestion Control for the Datacenter", SIGCOMM 2015, algorithm 1
// and section 4.3): the rate follows the gradient of the round-trip time between two thresholds, with
// hyperactive increase. One decision a segment, as the paper's completion events come, and none sooner than
// min_rtt after the last (Zhu et al., CoNEXT 2016, section 4); the last ACK of what was sent ends a segment
// early. The round-trip time comes from hardware timestamps without the segment's own serialisation. Left
// out: the scheduler that divides a host's rate among new flows; a flow starts at `initial_rate`.
#include "model/rdma/cc/built_in.h"
#include "model/rdma/cc/state_table.h"

#include <algorithm>
#include <array>

namespace vg810::cc {

namespace {

enum parameter_index : std::size_t {
    ewma_alpha,
    beta,
    t_low,
    t_high,
    min_rtt,
    delta,
    hai_threshold,
    hai_factor,
    segment,
    initial_rate,
    max_decrease,
    parameter_count
};

struct gradient {
    double rate;
    double previous_rtt;         ///< ps; 0 before the first
    double rtt_diff;             ///< smoothed, ps
    std::uint64_t acknowledged;  ///< of the present segment, octets
    std::uint64_t next_decision; ///< not before, ps
    std::uint32_t falling;       ///< decisions in a row without a rising gradient

    int start(const vg810_cc_flow& f, vg810_cc_action& a) {
        rate = static_cast<double>(f.line_rate);
        if (f.parameters[initial_rate] > 0)
            rate = std::min(rate, f.parameters[initial_rate]);
        a.rate = whole_rate(rate, f);
        return 0;
    }

    void event(const vg810_cc_flow& f, const vg810_cc_event& e, vg810_cc_action& a) {
        acknowledged += e.bytes;
        if (e.rtt == 0)
            return;
        if (static_cast<double>(acknowledged) < f.parameters[segment] && e.acknowledged != e.sent)
            return;
        if (e.now < next_decision)
            return;
        next_decision = e.now + static_cast<std::uint64_t>(base(f));
        acknowledged = 0;
        decide(f, static_cast<double>(e.rtt));
        rate = std::clamp(rate, double{VG810_CC_LEAST_RATE}, static_cast<double>(f.line_rate));
        a.rate = whole_rate(rate, f);
    }

  private:
    void decide(const vg810_cc_flow& f, double rtt) {
        const double* p = f.parameters;
        const double diff = previous_rtt > 0 ? rtt - previous_rtt : 0;
        previous_rtt = rtt;
        rtt_diff = (1 - p[ewma_alpha]) * rtt_diff + p[ewma_alpha] * diff;
        const double normalized = rtt_diff / base(f);
        if (rtt < p[t_low]) {
            rate += p[delta];
            falling = 0;
        } else if (rtt > p[t_high]) {
            rate *= 1 - std::min(p[beta] * (1 - p[t_high] / rtt), p[max_decrease]);
            falling = 0;
        } else if (normalized <= 0) {
            ++falling;
            rate += p[delta] * (falling >= p[hai_threshold] ? p[hai_factor] : 1);
        } else {
            falling = 0;
            rate *= 1 - std::min(p[beta] * normalized, p[max_decrease]);
        }
    }

    static double base(const vg810_cc_flow& f) {
        if (f.parameters[min_rtt] > 0)
            return f.parameters[min_rtt];
        return f.base_rtt > 0 ? static_cast<double>(f.base_rtt) : 20e6;
    }
};

constexpr std::array<vg810_cc_parameter, parameter_count> parameters{{
    {"ewma_alpha", "", "weight of the newest difference of round-trip times", 0.875, 0.001, 1},
    {"beta", "", "strength of a decrease", 0.8, 0.001, 1},
    {"t_low", "ps", "below this round-trip time the rate always goes up", 50e6, 0, 1e12},
    {"t_high", "ps", "above this round-trip time the rate always goes down", 500e6, 1e3, 1e12},
    {"min_rtt", "ps", "what gradients are measured by; 0: the path's idle round trip, or 20 us if unknown",
     20e6, 0, 1e12},
    {"delta", "bit/s", "one additive step", 10e6, 1e3, 1e12},
    {"hai_threshold", "", "decisions with a falling gradient until hyperactive increase", 5, 1, 1e6},
    {"hai_factor", "", "steps at once in hyperactive increase", 5, 1, 1000},
    {"segment", "octets", "acknowledged payload from one decision to the next", 16384, 1, 1e9},
    {"initial_rate", "bit/s", "rate of a new flow; 0: line rate", 0, 0, 1e12},
    {"max_decrease", "", "largest part a decrease takes off; ours, for flows that start at line rate", 0.5,
     0.01, 1},
}};

} // namespace

constinit const vg810_cc_algorithm timely =
    table_of<gradient>("timely", bit_of(VG810_CC_ACK), false, parameters);

} // namespace vg810::cc
