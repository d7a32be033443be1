// SPDX-License-Identifier: Apache-2.0
// Thresholds from closed forms: the headroom that PFC needs (802.1Q annex N, 802.1Qbb annex O), and the
// bounds of Zhu et al. ("Congestion Control for Large-Scale RDMA Deployments", SIGCOMM 2015, section 4) that
// make ECN act before PFC.
#pragma once

#include "core/frame.h"
#include "core/units.h"

namespace vg810::fabric {

/// What passes between a queue's crossing of XOFF and the last octet that its neighbour still sends.
struct pause_path {
    bits_per_second rate = 25_gbps;
    bytes max_frame = 1518;            ///< with FCS; preamble and gap are added
    picoseconds cable{};               ///< propagation one way
    picoseconds interface {};          ///< MAC, PCS and PHY of one end
    picoseconds higher_layer{614'400}; ///< the standard's longest reaction to a PFC frame
};

/// The delay value in bit times: two longest frames (one under way at either end when the queue crosses the
/// threshold and when the pause arrives), the PFC frame, two cables, two interfaces, the reaction.
std::uint64_t pause_bit_times(const pause_path& p);
/// The same in octets, rounded up.
inline bytes pause_headroom(const pause_path& p) {
    return (pause_bit_times(p) + 7) / 8;
}

/// A switch with `ports` ports of 8 priorities each and `flight` octets of headroom for each of them.
struct shared_threshold {
    double buffer; ///< octets
    unsigned ports;
    double flight; ///< octets
};
/// The largest static XOFF threshold with which no buffer is overcommitted.
double largest_pfc_threshold(const shared_threshold& s);
/// Below this, a queue marks before any ingress queue can cross the dynamic threshold
/// beta (B - 8 n flight - used) / 8.
double ecn_threshold_bound(const shared_threshold& s, double beta);

} // namespace vg810::fabric
