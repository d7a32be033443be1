// SPDX-License-Identifier: Apache-2.0
#include "scenarios/run/fabric_plan.h"

#include "scenarios/config/diagnostics.h"

namespace vg810::scenarios {
namespace {

fabric::host station(const host_config& h) {
    fabric::host out{h.name, {}};
    for (std::size_t port = 0; port < h.macs.size(); ++port)
        out.ports.push_back(
            {*mac_address::parse(h.macs[port]),
             ipv4_address::parse(
                 std::string_view(h.addresses[port]).substr(0, h.addresses[port].find('/')))});
    return out;
}

fabric::fabric_options options_of(const scenario& s) {
    fabric::fabric_options o;
    o.host_rate = s.topology.host_rate;
    o.spine_rate = s.topology.spine_rate;
    o.host_length = s.topology.host_length;
    o.spine_length = s.topology.spine_length;
    o.pipeline = s.topology.switch_latency;
    o.queue_limit = s.topology.port_buffer;
    o.ecmp_seed = static_cast<std::uint64_t>(s.seed);
    return o;
}

} // namespace

fabric::topology plan_fabric(const scenario& s) {
    std::vector<fabric::host> stations;
    std::vector<fabric::placed_host> placed;
    for (const host_config& h : s.hosts) {
        stations.push_back(station(h));
        placed.push_back(
            {stations.back(), std::vector<std::size_t>(h.macs.size(), static_cast<std::size_t>(h.leaf))});
    }
    const fabric::fabric_options o = options_of(s);
    try {
        switch (s.topology.kind) {
        case topology_kind::leaf_spine:
            return fabric::leaf_spine(static_cast<std::size_t>(s.topology.leaves),
                                      static_cast<std::size_t>(s.topology.spines), placed, o);
        case topology_kind::single_switch:
            return fabric::single_switch(stations, o);
        case topology_kind::back_to_back:
            return fabric::back_to_back(stations, o);
        }
    } catch (const fabric::topology_error& e) {
        throw bad_input(std::string("the topology cannot be built: ") + e.what());
    }
    throw bad_input("the topology is of no known kind");
}

} // namespace vg810::scenarios
