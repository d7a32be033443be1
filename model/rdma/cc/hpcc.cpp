// SPDX-License-Identifier: Apache-2.0
// HPCC (Li et al., "HPCC: High Precision Congestion Control", SIGCOMM 2019, algorithm 1): from in-band
// telemetry of each hop, the octets in flight on the busiest link; the window follows each ACK, measured
// against a reference window that moves once a round-trip time, so that one event is not answered twice.
// Windows count octets on the wire, as the telemetry does; the transport is told payload.
// Left out: the paper's division-free arithmetic.
#include "model/rdma/cc/built_in.h"
#include "model/rdma/cc/state_table.h"

#include <algorithm>
#include <array>

namespace vg810::cc {

namespace {

enum parameter_index : std::size_t { eta, max_stage, w_ai, base_rtt, parameter_count };

// RoCEv2 without payload, 82 octets, and the block of telemetry, 42.
constexpr double packet_overhead = 82 + 42;
// When neither scenario nor path says: what the paper's own evaluation uses.
constexpr double usual_base_rtt = 9e6;

struct inflight {
    struct hop_record {
        std::uint64_t time, tx_bytes, queue_bytes;
    };

    double window;    ///< octets on the wire
    double reference; ///< W^c
    double utilisation;
    std::uint64_t last_update; ///< acknowledgements up to here belong to the present reference
    std::uint32_t stage;
    std::uint32_t hops;
    hop_record last[VG810_CC_MAX_HOPS];

    int start(const vg810_cc_flow& f, vg810_cc_action& a) {
        reference = window = full_window(f);
        utilisation = 1;
        tell(f, a);
        return 0;
    }

    void event(const vg810_cc_flow& f, const vg810_cc_event& e, vg810_cc_action& a) {
        if (e.hop_count == 0 || e.hop_count > VG810_CC_MAX_HOPS)
            return;
        // The first telemetry, or another path: nothing to compare it with.
        if (e.hop_count != hops) {
            remember(e);
            last_update = e.sent;
            return;
        }
        if (!measure(f, e))
            return;
        const bool update = e.acknowledged > last_update;
        compute_window(f, update);
        if (update)
            last_update = e.sent;
        remember(e);
        tell(f, a);
    }

  private:
    static double t(const vg810_cc_flow& f) {
        if (f.parameters[base_rtt] > 0)
            return f.parameters[base_rtt];
        return f.base_rtt > 0 ? static_cast<double>(f.base_rtt) : usual_base_rtt;
    }

    static double full_window(const vg810_cc_flow& f) {
        return static_cast<double>(f.line_rate) * t(f) * 1e-12 / 8;
    }

    void remember(const vg810_cc_event& e) {
        hops = e.hop_count;
        for (std::uint32_t i = 0; i < hops; ++i)
            last[i] = {e.hop[i].time, e.hop[i].tx_bytes, e.hop[i].queue_bytes};
    }

    /// The paper's MeasureInflight. False when no hop tells anything new.
    bool measure(const vg810_cc_flow& f, const vg810_cc_event& e) {
        double most = -1;
        double tau = 0;
        for (std::uint32_t i = 0; i < hops; ++i) {
            const vg810_cc_hop& now = e.hop[i];
            const std::uint64_t passed = now.time - last[i].time;
            if (passed == 0 || passed > static_cast<std::uint64_t>(INT64_MAX) || now.rate == 0)
                continue;
            const double line = static_cast<double>(now.rate) * 1e-12 / 8; // octets a ps
            const double sent =
                static_cast<double>(now.tx_bytes - last[i].tx_bytes) / static_cast<double>(passed);
            const auto queue = static_cast<double>(std::min(now.queue_bytes, last[i].queue_bytes));
            const double u = queue / (line * t(f)) + sent / line;
            if (u > most) {
                most = u;
                tau = static_cast<double>(passed);
            }
        }
        if (most < 0)
            return false;
        const double weight = std::min(tau, t(f)) / t(f);
        utilisation = (1 - weight) * utilisation + weight * most;
        return true;
    }

    void compute_window(const vg810_cc_flow& f, bool update) {
        const double* p = f.parameters;
        const bool multiplicative = utilisation >= p[eta] || stage >= p[max_stage];
        if (multiplicative)
            window = reference / std::max(utilisation / p[eta], 1e-9) + p[w_ai];
        else
            window = reference + p[w_ai];
        window = std::clamp(window, std::min(p[w_ai], full_window(f)), full_window(f));
        if (update) {
            stage = multiplicative ? 0 : stage + 1;
            reference = window;
        }
    }

    void tell(const vg810_cc_flow& f, vg810_cc_action& a) const {
        a.window = static_cast<std::uint64_t>(std::max(window / (f.mtu + packet_overhead), 1.0) * f.mtu);
        a.rate = whole_rate(window * 8 / (t(f) * 1e-12), f);
    }
};

constexpr std::array<vg810_cc_parameter, parameter_count> parameters{{
    {"eta", "", "utilisation of the busiest link to aim at", 0.95, 0.1, 1},
    {"max_stage", "", "rounds of additive increase before a multiplicative one", 5, 0, 1000},
    {"w_ai", "octets", "added to the window in each round", 80, 1, 1e9},
    {"base_rtt", "ps", "T, the base round-trip time of the network; 0: the path's, or 9 us when unknown", 0,
     0, 1e12},
}};

} // namespace

constinit const vg810_cc_algorithm hpcc = table_of<inflight>("hpcc", bit_of(VG810_CC_ACK), true, parameters);

} // namespace vg810::cc
