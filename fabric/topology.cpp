// SPDX-License-Identifier: Apache-2.0
#include "fabric/topology.h"

#include <map>
#include <set>

namespace vg810::fabric {

namespace {

std::string port_name(const std::string& host, std::size_t port) {
    return host + "." + std::to_string(port);
}

std::string port_place(const std::string& host, std::size_t port) {
    return "host " + host + ", port " + std::to_string(port);
}

/// Remembers who uses what, and complains about the second user.
template <class Key> class uses {
  public:
    explicit uses(std::string what) : what_(std::move(what)) {}
    void add(const Key& key, const std::string& text, const std::string& where) {
        const auto [at, fresh] = seen_.emplace(key, where);
        if (!fresh)
            throw topology_error(where, what_ + " " + text + " is taken by " + at->second);
    }

  private:
    std::string what_;
    std::map<Key, std::string> seen_;
};

class checker {
  public:
    explicit checker(const topology& t) : t_(t) {}

    void run() {
        nodes();
        router();
        for (const link& l : t_.links)
            check(l);
        for (const host& h : t_.hosts)
            for (std::size_t i = 0; i < h.ports.size(); ++i)
                if (!linked_.count({h.name, i}))
                    throw topology_error(port_place(h.name, i), "is not linked to anything");
        for (const switch_parameters& s : t_.switches)
            if (!linked_switches_.count(s.name))
                throw topology_error("switch " + s.name, "has no links");
    }

  private:
    void nodes() {
        for (const switch_parameters& s : t_.switches) {
            const std::string where = "switch " + s.name;
            named(s.name, where);
            if (s.pipeline < picoseconds{})
                throw topology_error(where, "the pipeline's latency is negative");
            if (s.queue_limit < s.max_frame)
                throw topology_error(where, "a queue of " + std::to_string(s.queue_limit) +
                                                " octets cannot hold a frame of " +
                                                std::to_string(s.max_frame));
            switches_.insert(s.name);
        }
        for (const host& h : t_.hosts) {
            named(h.name, "host " + h.name);
            if (h.ports.empty())
                throw topology_error("host " + h.name, "has no ports");
            ports_[h.name] = h.ports.size();
            for (std::size_t i = 0; i < h.ports.size(); ++i)
                addressed(h.ports[i], port_place(h.name, i));
        }
    }

    void named(const std::string& name, const std::string& where) {
        if (name.empty())
            throw topology_error(where, "has no name");
        names_.add(name, name, where);
    }

    void addressed(const host_port& p, const std::string& where) {
        if (p.mac.is_zero() || p.mac.is_group())
            throw topology_error(where, "MAC address " + p.mac.to_string() + " is not a station's address");
        macs_.add(p.mac, p.mac.to_string(), where);
        if (p.ip)
            ips_.add(*p.ip, p.ip->to_string(), where);
    }

    void router() {
        if (!t_.router)
            return;
        if (t_.router->addresses.empty())
            throw topology_error("router", "has no IP address");
        addressed({t_.router->mac, std::nullopt}, "router");
        for (ipv4_address a : t_.router->addresses)
            ips_.add(a, a.to_string(), "router");
    }

    void check(const link& l) {
        const std::string where = "link " + l.cable.name;
        if (l.cable.name.empty())
            throw topology_error("link " + l.a.node + " to " + l.b.node, "has no name");
        links_.add(l.cable.name, l.cable.name, where);
        if (l.a.node == l.b.node)
            throw topology_error(where, "joins " + l.a.node + " with itself");
        for (const link_end* e : {&l.a, &l.b})
            check(*e, where);
        if (l.cable.length.count < 0 || l.cable.per_metre < picoseconds{})
            throw topology_error(where, "its length is negative");
    }

    void check(const link_end& e, const std::string& where) {
        if (switches_.count(e.node)) {
            linked_switches_.insert(e.node);
            return;
        }
        const auto h = ports_.find(e.node);
        if (h == ports_.end())
            throw topology_error(where, "there is no host or switch " + e.node);
        if (e.port >= h->second)
            throw topology_error(where, "host " + e.node + " has no port " + std::to_string(e.port));
        if (!linked_.emplace(e.node, e.port).second)
            throw topology_error(where, port_place(e.node, e.port) + " has a link already");
    }

    const topology& t_;
    uses<std::string> names_{"the name"}, links_{"the name"};
    uses<mac_address> macs_{"MAC address"};
    uses<ipv4_address> ips_{"IP address"};
    std::map<std::string, std::size_t> ports_;
    std::set<std::string> switches_, linked_switches_;
    std::set<std::pair<std::string, std::size_t>> linked_;
};

cable_parameters host_cable(const fabric_options& o, std::string name) {
    const phy_latency phy = o.host_phy.value_or(default_phy(o.host_rate));
    return {std::move(name), o.host_rate, o.host_length, o.per_metre, {phy, phy}, o.arrival};
}

cable_parameters spine_cable(const fabric_options& o, std::string name) {
    const phy_latency phy = o.spine_phy.value_or(default_phy(o.spine_rate));
    return {std::move(name), o.spine_rate, o.spine_length, o.per_metre, {phy, phy}, o.arrival};
}

switch_parameters make_switch(const fabric_options& o, std::string name, std::size_t index) {
    switch_parameters p = o.switches;
    p.name = std::move(name);
    p.pipeline = o.pipeline;
    p.queue_limit = o.queue_limit;
    p.ecmp_seed = o.ecmp_seed * 0x1'0000 + index;
    return p;
}

} // namespace

void validate(const topology& t) {
    checker(t).run();
}

topology leaf_spine(std::size_t leaves, std::size_t spines, const std::vector<placed_host>& hosts,
                    const fabric_options& o) {
    if (leaves == 0 || (leaves > 1 && spines == 0))
        throw topology_error("topology", std::to_string(leaves) + " leaves and " + std::to_string(spines) +
                                             " spines do not connect anything");
    topology t;
    t.router = o.router;
    for (std::size_t i = 0; i < leaves; ++i)
        t.switches.push_back(make_switch(o, "leaf" + std::to_string(i), i));
    for (std::size_t i = 0; i < spines; ++i)
        t.switches.push_back(make_switch(o, "spine" + std::to_string(i), leaves + i));
    for (const placed_host& h : hosts) {
        t.hosts.push_back(h.station);
        if (h.leaf.size() != h.station.ports.size())
            throw topology_error("host " + h.station.name, "needs a leaf for each of its ports");
        for (std::size_t i = 0; i < h.leaf.size(); ++i) {
            if (h.leaf[i] >= leaves)
                throw topology_error(port_place(h.station.name, i),
                                     "there is no leaf " + std::to_string(h.leaf[i]));
            t.links.push_back({{h.station.name, i},
                               {t.switches[h.leaf[i]].name},
                               host_cable(o, port_name(h.station.name, i))});
        }
    }
    for (std::size_t l = 0; l < leaves; ++l)
        for (std::size_t s = 0; s < spines; ++s) {
            const std::string &leaf = t.switches[l].name, &spine = t.switches[leaves + s].name;
            t.links.push_back({{leaf}, {spine}, spine_cable(o, std::string(leaf).append("-").append(spine))});
        }
    return t;
}

topology single_switch(const std::vector<host>& hosts, const fabric_options& o) {
    std::vector<placed_host> placed;
    placed.reserve(hosts.size());
    for (const host& h : hosts)
        placed.push_back({h, std::vector<std::size_t>(h.ports.size(), 0)});
    topology t = leaf_spine(1, 0, placed, o);
    t.switches[0].name = "switch0";
    for (link& l : t.links)
        l.b.node = "switch0";
    return t;
}

topology back_to_back(const std::vector<host>& hosts, const fabric_options& o) {
    if (hosts.size() != 2 || hosts[0].ports.size() != hosts[1].ports.size())
        throw topology_error("topology", "back to back needs two hosts with as many ports each");
    topology t;
    t.hosts = hosts;
    for (std::size_t i = 0; i < hosts[0].ports.size(); ++i)
        t.links.push_back({{hosts[0].name, i},
                           {hosts[1].name, i},
                           host_cable(o, port_name(hosts[0].name, i) + "-" + port_name(hosts[1].name, i))});
    return t;
}

std::vector<placed_host> numbered_hosts(std::size_t leaves, std::size_t hosts_per_leaf, std::size_t ports) {
    if (leaves * hosts_per_leaf > 65'000 || ports > 200)
        throw topology_error("hosts", "more than the numbering of addresses has room for");
    std::vector<placed_host> out;
    for (std::size_t i = 0; i < leaves * hosts_per_leaf; ++i) {
        placed_host h{{"host" + std::to_string(i), {}}, std::vector<std::size_t>(ports, i / hosts_per_leaf)};
        for (std::size_t p = 0; p < ports; ++p)
            h.station.ports.push_back(
                {mac_address::from_u64(0x02c8'1000'0000 | i << 8 | p),
                 ipv4_address(static_cast<std::uint32_t>(10u << 24 | p << 16 | (i + 1)))});
        out.push_back(std::move(h));
    }
    return out;
}

} // namespace vg810::fabric
