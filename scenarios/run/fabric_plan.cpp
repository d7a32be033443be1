// SPDX-License-Identifier: Apache-2.0
#include "scenarios/run/fabric_plan.h"

#include "fabric/shapes.h"
#include "scenarios/config/diagnostics.h"
#include "scenarios/config/fabric_rules.h"
#include "scenarios/config/quantity.h"

#include <algorithm>
#include <fmt/format.h>

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
    if (s.topology.port_latency)
        o.host_phy = o.spine_phy = fabric::phy_latency{*s.topology.port_latency, *s.topology.port_latency};
    o.arrival = s.topology.gaps_arrive ? fabric::arrival_rule::end_of_gap : fabric::arrival_rule::last_bit;
    o.pipeline = s.topology.switch_latency;
    o.queue_limit = s.topology.port_buffer;
    o.ecmp_seed = static_cast<std::uint64_t>(s.seed);
    o.switches = s.switches;
    o.parallel_links = static_cast<std::size_t>(s.topology.spine_links);
    for (const std::string& rate : s.topology.spine_rates)
        o.spine_rates.push_back(*parse_rate(rate));
    return o;
}

/// Where each host is plugged in. Hosts of groups without a leaf fill the switches in turn, as many on each.
std::vector<std::size_t> places(const scenario& s) {
    const auto edges = static_cast<std::size_t>(edge_switches(s.topology));
    const auto free = static_cast<std::size_t>(
        std::count_if(s.hosts.begin(), s.hosts.end(), [](const auto& h) { return h.leaf < 0; }));
    const std::size_t on_each = (free + edges - 1) / std::max<std::size_t>(edges, 1);
    std::vector<std::size_t> out;
    std::size_t next = 0;
    for (const host_config& h : s.hosts)
        out.push_back(h.leaf >= 0 ? static_cast<std::size_t>(h.leaf) : next++ / on_each);
    return out;
}

class planner {
  public:
    explicit planner(const scenario& s) : s_(s), options_(options_of(s)) {
        const auto leaves = places(s);
        for (std::size_t i = 0; i < s.hosts.size(); ++i) {
            stations_.push_back(station(s.hosts[i]));
            placed_.push_back(
                {stations_.back(), std::vector<std::size_t>(s.hosts[i].macs.size(), leaves[i])});
        }
    }

    fabric::topology plan() {
        fabric::topology t = shape();
        own_switches(t);
        fabric::validate(t);
        check_memory(t);
        return t;
    }

  private:
    fabric::topology shape() {
        const topology_config& c = s_.topology;
        switch (c.kind) {
        case topology_kind::leaf_spine:
            return fabric::leaf_spine(static_cast<std::size_t>(c.leaves), static_cast<std::size_t>(c.spines),
                                      placed_, options_);
        case topology_kind::single_switch:
            return fabric::single_switch(stations_, options_);
        case topology_kind::back_to_back:
            return fabric::back_to_back(stations_, options_);
        case topology_kind::graph:
            return graph();
        case topology_kind::fat_tree:
            return fabric::fat_tree(static_cast<std::size_t>(c.arity), placed_, options_);
        case topology_kind::dumbbell:
        case topology_kind::parking_lot:
            return fabric::chain(static_cast<std::size_t>(edge_switches(c)), placed_, options_);
        case topology_kind::ring:
            return fabric::ring(static_cast<std::size_t>(c.switches), placed_, options_,
                                c.clockwise ? fabric::ring_routing::clockwise
                                            : fabric::ring_routing::shortest);
        }
        throw bad_input("the topology is of no known kind");
    }

    fabric::topology graph() const {
        fabric::topology t;
        t.hosts = stations_;
        for (std::size_t i = 0; i < s_.switch_list.size(); ++i) {
            fabric::switch_parameters p = options_.switches;
            p.name = s_.switch_list[i].name;
            p.pipeline = options_.pipeline;
            p.queue_limit = options_.queue_limit;
            p.ecmp_seed = options_.ecmp_seed * 0x1'0000 + i;
            t.switches.push_back(std::move(p));
        }
        for (const link_config& l : s_.links)
            for (std::int64_t n = 0; n < l.count; ++n)
                t.links.push_back(link(l, n));
        return t;
    }

    bool is_host(const std::string& name) const { return s_.find_host(name) != nullptr; }

    fabric::link link(const link_config& l, std::int64_t number) const {
        const bool hosts = is_host(l.a) || is_host(l.b);
        const topology_config& c = s_.topology;
        fabric::link out;
        out.a.node = l.a;
        out.b.node = l.b;
        out.cable.name = is_host(l.a)   ? l.a + ".0"
                         : is_host(l.b) ? l.b + ".0"
                                        : fmt::format("{}-{}", l.a, l.b);
        if (l.count > 1)
            out.cable.name += fmt::format(".{}", number);
        const host_config* const host = s_.find_host(is_host(l.a) ? l.a : l.b);
        out.cable.rate = l.rate.value_or(host ? host->rate.value_or(c.host_rate) : c.spine_rate);
        out.cable.length = l.length.value_or(hosts ? c.host_length : c.spine_length);
        out.cable.arrival = options_.arrival;
        const auto phy = options_.host_phy.value_or(fabric::default_phy(out.cable.rate));
        out.cable.phy = {phy, phy};
        return out;
    }

    /// Switches with parameters of their own.
    void own_switches(fabric::topology& t) const {
        for (std::size_t i = 0; i < t.switches.size(); ++i) {
            fabric::switch_parameters& here = t.switches[i];
            here.seed = options_.ecmp_seed * 0x1'0000 + i;
            if (s_.topology.one_hash)
                here.ecmp_seed = options_.ecmp_seed;
            const auto own = std::find_if(s_.switch_list.begin(), s_.switch_list.end(),
                                          [&](const auto& c) { return c.name == here.name; });
            if (own == s_.switch_list.end())
                continue;
            fabric::switch_parameters p = own->parameters;
            p.name = here.name;
            p.pipeline = here.pipeline;
            p.queue_limit = here.queue_limit;
            p.ecmp_seed = here.ecmp_seed;
            p.seed = here.seed;
            here = std::move(p);
        }
    }

    static void check_memory(const fabric::topology& t) {
        for (const fabric::switch_parameters& p : t.switches) {
            std::size_t ports = 0;
            for (const fabric::link& l : t.links)
                ports += (l.a.node == p.name) + (l.b.node == p.name);
            try {
                p.check(ports);
            } catch (const std::invalid_argument& e) {
                throw fabric::topology_error("switch " + p.name, e.what());
            }
        }
    }

    const scenario& s_;
    fabric::fabric_options options_;
    std::vector<fabric::host> stations_;
    std::vector<fabric::placed_host> placed_;
};

} // namespace

fabric::topology plan_fabric(const scenario& s) {
    try {
        return planner(s).plan();
    } catch (const fabric::topology_error& e) {
        throw bad_input(std::string("the topology cannot be built: ") + e.what());
    }
}

} // namespace vg810::scenarios
