// SPDX-License-Identifier: Apache-2.0
#include "fabric/topology.h"

#include "fabric/route_plan.h"

#include <map>
#include <set>

namespace vg810::fabric {

namespace {

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

} // namespace

void validate(const topology& t) {
    checker(t).run();
    if (!t.routes.empty())
        route_plan{t};
}

} // namespace vg810::fabric
