// SPDX-License-Identifier: Apache-2.0
// Finds deadlocks of priority-based flow control: queues that wait for each other in a circle (Hu et al.,
// "Deadlocks in Datacenter Networks", HotNets 2016). A queue waits for those queues at the far switch that
// hold what came in over its link.
#pragma once

#include "fabric/routing.h"
#include "fabric/switch.h"

#include <memory>
#include <string>
#include <vector>

namespace vg810::fabric {

/// An egress queue somewhere in the fabric.
struct queue_place {
    const ethernet_switch* at;
    port_index port;
    vg810::priority priority;
    bool operator==(const queue_place&) const = default;
    std::string name() const; ///< "leaf0.port2.prio3"
};
/// "A.port2.prio3 -> B.port1.prio3 -> A.port2.prio3"; empty for no queues.
std::string cycle_name(const std::vector<queue_place>& cycle);

class deadlock_detector {
  public:
    /// Knows no links: see add_link().
    deadlock_detector() = default;
    /// Knows the links of a network: the graph's vertices are positions in `switches`.
    deadlock_detector(const std::vector<std::unique_ptr<ethernet_switch>>& switches,
                      const switch_graph& links);
    void add_link(const ethernet_switch& a, port_index a_port, const ethernet_switch& b, port_index b_port);

    /// Queues that all are blocked and wait for each other now, in order; empty when there are none. Such a
    /// circle may still dissolve: an XON may be under way.
    std::vector<queue_place> find() const;
    /// The circle when it is the one that the last call found, and none of its queues has sent a frame since:
    /// a deadlock, given that calls are farther apart than a pause frame travels (1 ms is plenty). Empty
    /// otherwise.
    std::vector<queue_place> confirm();

  private:
    struct switch_link {
        const ethernet_switch* from;
        port_index port;
        const ethernet_switch* to;
        port_index far_port;
    };
    std::vector<switch_link> links_;
    std::vector<queue_place> suspected_;
    std::uint64_t sent_ = 0; // by the suspected queues, when they were found
};

} // namespace vg810::fabric
