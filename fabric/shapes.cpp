// SPDX-License-Identifier: Apache-2.0
// The common shapes: those declared in topology.h and in shapes.h.
#include "fabric/shapes.h"

#include <algorithm>

namespace vg810::fabric {

namespace {

std::string port_name(const std::string& host, std::size_t port) {
    return host + "." + std::to_string(port);
}

std::string joined(const std::string& a, const std::string& b) {
    return std::string(a).append("-").append(b);
}

cable_parameters host_cable(const fabric_options& o, std::string name, bits_per_second rate) {
    const phy_latency phy = o.host_phy.value_or(default_phy(rate));
    return {std::move(name), rate, o.host_length, o.per_metre, {phy, phy}, o.arrival};
}

cable_parameters spine_cable(const fabric_options& o, std::string name, bits_per_second rate) {
    const phy_latency phy = o.spine_phy.value_or(default_phy(rate));
    return {std::move(name), rate, o.spine_length, o.per_metre, {phy, phy}, o.arrival};
}

void add_switch(topology& t, const fabric_options& o, std::string name) {
    switch_parameters p = o.switches;
    p.name = std::move(name);
    p.pipeline = o.pipeline;
    p.queue_limit = o.queue_limit;
    p.ecmp_seed = o.ecmp_seed * 0x1'0000 + t.switches.size();
    t.switches.push_back(std::move(p));
}

/// Joins two switches with a cable called after them.
void join(topology& t, const fabric_options& o, const std::string& a, const std::string& b) {
    t.links.push_back({{a}, {b}, spine_cable(o, joined(a, b), o.spine_rate)});
}

/// `kind`: what the first `places` switches, which hosts may be plugged into, are called in a complaint.
void add_hosts(topology& t, const fabric_options& o, const std::vector<placed_host>& hosts,
               std::size_t places, const std::string& kind) {
    t.router = o.router;
    for (const placed_host& h : hosts) {
        t.hosts.push_back(h.station);
        if (h.leaf.size() != h.station.ports.size())
            throw topology_error("host " + h.station.name, "needs a " + kind + " for each of its ports");
        for (std::size_t i = 0; i < h.leaf.size(); ++i) {
            if (h.leaf[i] >= places)
                throw topology_error("host " + h.station.name + ", port " + std::to_string(i),
                                     "there is no " + kind + " " + std::to_string(h.leaf[i]));
            t.links.push_back({{h.station.name, i},
                               {t.switches[h.leaf[i]].name},
                               host_cable(o, port_name(h.station.name, i), h.rate.value_or(o.host_rate))});
        }
    }
}

} // namespace

topology leaf_spine(std::size_t leaves, std::size_t spines, const std::vector<placed_host>& hosts,
                    const fabric_options& o) {
    if (leaves == 0 || (leaves > 1 && spines == 0))
        throw topology_error("topology", std::to_string(leaves) + " leaves and " + std::to_string(spines) +
                                             " spines do not connect anything");
    if (o.spine_rates.size() > spines)
        throw topology_error("topology", std::to_string(o.spine_rates.size()) + " rates are given for " +
                                             std::to_string(spines) + " spines");
    if (o.parallel_links == 0)
        throw topology_error("topology", "there must be a link between each leaf and spine");
    topology t;
    for (std::size_t i = 0; i < leaves; ++i)
        add_switch(t, o, "leaf" + std::to_string(i));
    for (std::size_t i = 0; i < spines; ++i)
        add_switch(t, o, "spine" + std::to_string(i));
    add_hosts(t, o, hosts, leaves, "leaf");
    for (std::size_t l = 0; l < leaves; ++l)
        for (std::size_t s = 0; s < spines; ++s)
            for (std::size_t i = 0; i < o.parallel_links; ++i) {
                const std::string &leaf = t.switches[l].name, &spine = t.switches[leaves + s].name;
                const std::string name = joined(leaf, spine);
                t.links.push_back({{leaf},
                                   {spine},
                                   spine_cable(o, o.parallel_links == 1 ? name : port_name(name, i),
                                               s < o.spine_rates.size() ? o.spine_rates[s] : o.spine_rate)});
            }
    return t;
}

topology single_switch(const std::vector<host>& hosts, const fabric_options& o) {
    std::vector<placed_host> placed;
    placed.reserve(hosts.size());
    for (const host& h : hosts)
        placed.push_back({h, std::vector<std::size_t>(h.ports.size(), 0)});
    return chain(1, placed, o);
}

topology back_to_back(const std::vector<host>& hosts, const fabric_options& o) {
    if (hosts.size() != 2 || hosts[0].ports.size() != hosts[1].ports.size())
        throw topology_error("topology", "back to back needs two hosts with as many ports each");
    topology t;
    t.hosts = hosts;
    for (std::size_t i = 0; i < hosts[0].ports.size(); ++i)
        t.links.push_back(
            {{hosts[0].name, i},
             {hosts[1].name, i},
             host_cable(o, joined(port_name(hosts[0].name, i), port_name(hosts[1].name, i)), o.host_rate)});
    return t;
}

topology fat_tree(std::size_t k, const std::vector<placed_host>& hosts, const fabric_options& o) {
    if (k == 0 || k % 2 != 0 || k > 128)
        throw topology_error("topology", "a fat-tree's k must be even, 2 .. 128, not " + std::to_string(k));
    const std::size_t half = k / 2;
    const auto numbered = [](const char* kind, std::size_t pod, std::size_t i) {
        return port_name(kind + std::to_string(pod), i);
    };
    topology t;
    for (std::size_t pod = 0; pod < k; ++pod)
        for (std::size_t i = 0; i < half; ++i)
            add_switch(t, o, numbered("edge", pod, i));
    for (std::size_t pod = 0; pod < k; ++pod)
        for (std::size_t i = 0; i < half; ++i)
            add_switch(t, o, numbered("agg", pod, i));
    for (std::size_t i = 0; i < half * half; ++i)
        add_switch(t, o, "core" + std::to_string(i));
    add_hosts(t, o, hosts, k * half, "edge switch");
    std::vector<std::size_t> ports(k * half, 0);
    for (const placed_host& h : hosts)
        for (const std::size_t edge : h.leaf)
            if (++ports[edge] > half)
                throw topology_error("host " + h.station.name, "switch " + t.switches[edge].name +
                                                                   " has no more than " +
                                                                   std::to_string(half) + " host ports");
    for (std::size_t pod = 0; pod < k; ++pod)
        for (std::size_t a = 0; a < half; ++a) {
            for (std::size_t e = 0; e < half; ++e)
                join(t, o, numbered("edge", pod, e), numbered("agg", pod, a));
            for (std::size_t c = 0; c < half; ++c)
                join(t, o, numbered("agg", pod, a), "core" + std::to_string(a * half + c));
        }
    return t;
}

topology chain(std::size_t switches, const std::vector<placed_host>& hosts, const fabric_options& o) {
    if (switches == 0)
        throw topology_error("topology", "no switch connects nothing");
    topology t;
    for (std::size_t i = 0; i < switches; ++i)
        add_switch(t, o, "switch" + std::to_string(i));
    add_hosts(t, o, hosts, switches, "switch");
    for (std::size_t i = 0; i + 1 < switches; ++i)
        join(t, o, t.switches[i].name, t.switches[i + 1].name);
    return t;
}

topology ring(std::size_t switches, const std::vector<placed_host>& hosts, const fabric_options& o,
              ring_routing routing) {
    if (switches < 3)
        throw topology_error("topology", "a ring needs three switches");
    topology t = chain(switches, hosts, o);
    join(t, o, t.switches.back().name, t.switches.front().name);
    if (routing == ring_routing::shortest)
        return t;
    const std::size_t first_link = t.links.size() - switches;
    for (const placed_host& h : hosts)
        for (std::size_t port = 0; port < h.leaf.size(); ++port)
            for (std::size_t s = 0; s < switches; ++s)
                if (s != h.leaf[port])
                    t.routes.push_back(
                        {t.switches[s].name, h.station.name, port, t.links[first_link + s].cable.name});
    return t;
}

std::vector<placed_host> numbered_hosts(std::size_t leaves, std::size_t hosts_per_leaf, std::size_t ports) {
    return numbered_hosts(std::vector<std::size_t>(leaves, hosts_per_leaf), ports);
}

std::vector<placed_host> numbered_hosts(const std::vector<std::size_t>& on_leaf, std::size_t ports) {
    std::vector<placed_host> out;
    for (std::size_t leaf = 0; leaf < on_leaf.size(); ++leaf)
        for (std::size_t n = 0; n < on_leaf[leaf]; ++n) {
            const std::size_t i = out.size();
            if (i >= 65'000 || ports > 200)
                throw topology_error("hosts", "more than the numbering of addresses has room for");
            placed_host h{{"host" + std::to_string(i), {}}, std::vector<std::size_t>(ports, leaf)};
            for (std::size_t p = 0; p < ports; ++p)
                h.station.ports.push_back(
                    {mac_address::from_u64(0x02c8'1000'0000 | i << 8 | p),
                     ipv4_address(static_cast<std::uint32_t>(10u << 24 | p << 16 | (i + 1)))});
            out.push_back(std::move(h));
        }
    return out;
}

} // namespace vg810::fabric
