// SPDX-License-Identifier: Apache-2.0
// Swift (Kumar et al., "Swift: Delay is Simple and Effective for Congestion Control in the Datacenter",
// SIGCOMM 2020, algorithm 1 and section 3.5): two windows, one against the fabric's delay, one against the
// far host's, the smaller rules. The fabric's target grows with the hops (topology scaling) and shrinks as
// the window grows (flow scaling). Below one packet the flow is paced: one packet every round-trip time /
// window. The paper gives no number for all of its constants; what is ours is named so in the table. Left
// out: the near host's delay (the transport has timestamps of the port only), and delayed-ACK corrections.
#include "model/rdma/cc/built_in.h"
#include "model/rdma/cc/state_table.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace vg810::cc {

namespace {

enum parameter_index : std::size_t {
    ai,
    beta,
    max_mdf,
    base_target,
    hop_scale,
    fs_range,
    fs_min_cwnd,
    fs_max_cwnd,
    endpoint_target,
    endpoint_weight,
    min_cwnd,
    max_cwnd,
    initial_cwnd,
    retx_reset,
    parameter_count
};

// RoCEv2 without payload: preamble, Ethernet, IPv4, UDP, BTH, ICRC, FCS and gap.
constexpr double packet_overhead = 82;

/// A window against one target, in packets.
struct delay_window {
    double cwnd;
    std::uint64_t decreased_at;
    bool decreased;

    void acknowledged(const double* p, double packets, double delay, double target, std::uint64_t now,
                      double rtt) {
        if (delay < target)
            cwnd += (cwnd >= 1 ? p[ai] / cwnd : p[ai]) * packets;
        else
            decrease(std::max(1 - p[beta] * (delay - target) / delay, 1 - p[max_mdf]), now, rtt);
        bound(p);
    }

    /// At most one decrease a round-trip time.
    void decrease(double factor, std::uint64_t now, double rtt) {
        if (decreased && static_cast<double>(now - decreased_at) < rtt)
            return;
        cwnd *= factor;
        decreased = true;
        decreased_at = now;
    }

    void bound(const double* p) { cwnd = std::clamp(cwnd, p[min_cwnd], std::max(p[min_cwnd], p[max_cwnd])); }
};

struct two_targets {
    delay_window fabric;
    delay_window endpoint;
    double endpoint_delay;  ///< smoothed, ps
    double rtt;             ///< newest, ps
    std::uint32_t timeouts; ///< in a row

    int start(const vg810_cc_flow& f, vg810_cc_action& a) {
        const double* p = f.parameters;
        rtt = f.base_rtt > 0 ? static_cast<double>(f.base_rtt) : p[base_target];
        fabric.cwnd = p[initial_cwnd];
        if (fabric.cwnd == 0)
            fabric.cwnd = static_cast<double>(f.line_rate) * rtt * 1e-12 / 8 / (f.mtu + packet_overhead);
        fabric.bound(p);
        endpoint.cwnd = fabric.cwnd;
        tell(f, a);
        return 0;
    }

    void event(const vg810_cc_flow& f, const vg810_cc_event& e, vg810_cc_action& a) {
        if (e.kind == VG810_CC_ACK)
            acknowledged(f, e);
        else if (e.kind == VG810_CC_NAK)
            lost(f.parameters, e.now);
        else if (e.kind == VG810_CC_TIMEOUT)
            timed_out(f.parameters, e.now);
        tell(f, a);
    }

  private:
    void acknowledged(const vg810_cc_flow& f, const vg810_cc_event& e) {
        timeouts = 0;
        if (e.rtt == 0)
            return;
        const double* p = f.parameters;
        rtt = static_cast<double>(e.rtt);
        const double remote = std::min(static_cast<double>(e.remote_delay), rtt);
        endpoint_delay += p[endpoint_weight] * (remote - endpoint_delay);
        const double packets = static_cast<double>(e.bytes) / f.mtu;
        fabric.acknowledged(p, packets, rtt - remote, fabric_target(f), e.now, rtt);
        endpoint.acknowledged(p, packets, endpoint_delay, p[endpoint_target], e.now, rtt);
    }

    double fabric_target(const vg810_cc_flow& f) const {
        const double* p = f.parameters;
        double target = p[base_target] + p[hop_scale] * f.hops;
        if (p[fs_range] > 0 && p[fs_min_cwnd] < p[fs_max_cwnd]) {
            const double slope =
                p[fs_range] / (1 / std::sqrt(p[fs_min_cwnd]) - 1 / std::sqrt(p[fs_max_cwnd]));
            const double offset = -slope / std::sqrt(p[fs_max_cwnd]);
            target += std::clamp(slope / std::sqrt(fabric.cwnd) + offset, 0.0, p[fs_range]);
        }
        return target;
    }

    void lost(const double* p, std::uint64_t now) {
        timeouts = 0;
        for (delay_window* w : {&fabric, &endpoint}) {
            w->decrease(1 - p[max_mdf], now, rtt);
            w->bound(p);
        }
    }

    void timed_out(const double* p, std::uint64_t now) {
        ++timeouts;
        for (delay_window* w : {&fabric, &endpoint}) {
            if (timeouts >= p[retx_reset])
                w->cwnd = p[min_cwnd];
            else
                w->decrease(1 - p[max_mdf], now, rtt);
            w->bound(p);
        }
    }

    void tell(const vg810_cc_flow& f, vg810_cc_action& a) const {
        const double cwnd = std::min(fabric.cwnd, endpoint.cwnd);
        a.window = static_cast<std::uint64_t>(std::max(cwnd, 1.0) * f.mtu);
        a.rate = f.line_rate;
        if (cwnd < 1)
            a.rate = whole_rate((f.mtu + packet_overhead) * 8 * cwnd / (rtt * 1e-12), f);
    }
};

constexpr std::array<vg810_cc_parameter, parameter_count> parameters{{
    {"ai", "packets", "added to a window in a round-trip time below the target", 1, 0.001, 1000},
    {"beta", "", "strength of a decrease", 0.8, 0.001, 1},
    {"max_mdf", "", "largest part a decrease takes off", 0.5, 0.001, 0.999},
    {"base_target", "ps", "fabric delay to aim at, before scaling; ours, 25 us", 25e6, 1e5, 1e12},
    {"hop_scale", "ps", "added to the target for each switch on the path; ours, 1 us", 1e6, 0, 1e9},
    {"fs_range", "ps", "most that flow scaling adds to the target; ours, 50 us; 0: none", 50e6, 0, 1e12},
    {"fs_min_cwnd", "packets", "flow scaling adds its most at this window and below", 0.1, 0.001, 1e6},
    {"fs_max_cwnd", "packets", "flow scaling adds nothing at this window and above", 100, 0.001, 1e6},
    {"endpoint_target", "ps", "delay in the far host to aim at; ours, 50 us", 50e6, 1e5, 1e12},
    {"endpoint_weight", "", "weight of the newest delay in the far host; ours", 0.25, 0.001, 1},
    {"min_cwnd", "packets", "no window goes below", 0.001, 0.0001, 1},
    {"max_cwnd", "packets", "no window goes above; ours", 1000, 1, 1e6},
    {"initial_cwnd", "packets", "window of a new flow; 0: what the line sends in an idle round trip; ours", 0,
     0, 1e6},
    {"retx_reset", "", "timeouts in a row after which the window is the least", 5, 1, 1000},
}};

constexpr std::uint32_t wanted = bit_of(VG810_CC_ACK) | bit_of(VG810_CC_NAK) | bit_of(VG810_CC_TIMEOUT);

} // namespace

constinit const vg810_cc_algorithm swift = table_of<two_targets>("swift", wanted, false, parameters);

} // namespace vg810::cc
