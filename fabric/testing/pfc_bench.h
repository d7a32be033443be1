// SPDX-License-Identifier: Apache-2.0
// Sources on a network of one domain, for tests of flow control.
#pragma once

#include "fabric/network.h"
#include "fabric/testing/source.h"

#include <memory>
#include <string>
#include <vector>

namespace vg810::fabric::testing {

/// Lossless for priority 3, into which every frame is put.
inline switch_parameters lossless_switch(bytes total, bytes xoff, bytes headroom) {
    switch_parameters p;
    p.buffer.total = total;
    p.buffer.xoff = xoff;
    p.buffer.headroom = headroom;
    p.buffer.xon_offset = 2 * 1538;
    p.pfc.priorities = {3};
    p.trust.default_priority = 3;
    return p;
}

class pfc_bench {
  public:
    pfc_bench(const topology& t, picoseconds response_delay = {}) : net(t, pool, domain_split::shared, {}) {
        for (const host& h : t.hosts) {
            hosts.push_back(std::make_unique<source>(net.host_clock(h.name), h.name, pool, h.ports[0].mac,
                                                     net.host_rate(h.name, 0)));
            hosts.back()->response_delay = response_delay;
            hosts.back()->plug(net.plug(h.name, 0, *hosts.back()));
        }
        net.power_on();
    }
    source& host_at(std::size_t i) { return *hosts.at(i); }
    void run_until(picoseconds t) {
        scheduler& clock = net.host_clock(hosts.front()->name());
        clock.run_before(t);
        clock.advance_to(t);
    }

    frame_pool pool;
    network net;
    std::vector<std::unique_ptr<source>> hosts;
};

inline std::vector<host> plain_hosts(std::size_t n) {
    std::vector<host> out;
    for (placed_host& h : numbered_hosts(1, n))
        out.push_back(std::move(h.station));
    return out;
}

/// No latency but wire and queues; 5 ns a metre.
inline fabric_options bare(bits_per_second rate, millimetres length, const switch_parameters& p) {
    fabric_options o;
    o.host_rate = rate;
    o.host_length = o.spine_length = length;
    o.host_phy = o.spine_phy = phy_latency{};
    o.pipeline = {};
    o.switches = p;
    return o;
}

} // namespace vg810::fabric::testing
