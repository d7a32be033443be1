// SPDX-License-Identifier: Apache-2.0
// More common shapes of fabrics, beside those of topology.h. Left out: tori, dragonflies; any other shape can
// be given link by link (struct topology).
#pragma once

#include "fabric/topology.h"

#include <cstddef>
#include <vector>

namespace vg810::fabric {

/// A fat-tree of k-port switches (Al-Fares et al., SIGCOMM 2008): k pods of k/2 edge switches "edge0.1" (pod,
/// index) and k/2 aggregation switches "agg0.1", and (k/2)^2 cores "core3"; links between them are called
/// "edge0.1-agg0.0", "agg0.1-core3". placed_host::leaf counts edge switches, pod after pod. Throws
/// topology_error for an odd k, one above 128, an edge switch that is not there or has more than k/2 host
/// ports.
topology fat_tree(std::size_t k, const std::vector<placed_host>& hosts, const fabric_options& o);
/// How many single-port hosts a fat-tree has room for: k^3/4.
constexpr std::size_t fat_tree_hosts(std::size_t k) {
    return k * k * k / 4;
}

/// A row of switches "switch0".., neighbours joined by links "switch0-switch1" of spine_rate. Two of them are
/// a dumbbell, more a parking lot. Throws topology_error for no switch or a host on one that is not there.
topology chain(std::size_t switches, const std::vector<placed_host>& hosts, const fabric_options& o);

enum class ring_routing : std::uint8_t {
    shortest,
    clockwise, ///< from each switch to the one of the next number, whatever the distance: static routes
};
/// A chain whose last switch is joined with the first: "switch3-switch0". Throws topology_error for fewer
/// than three switches, too.
topology ring(std::size_t switches, const std::vector<placed_host>& hosts, const fabric_options& o,
              ring_routing routing = ring_routing::shortest);

} // namespace vg810::fabric
