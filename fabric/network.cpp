// SPDX-License-Identifier: Apache-2.0
#include "fabric/network.h"

#include <algorithm>
#include <stdexcept>

namespace vg810::fabric {

network::~network() = default;

network::network(const topology& t, frame_pool& pool, domain_split split, const host_domains& domain_of)
    : topology_(t), pool_(pool) {
    validate(topology_);
    for (const host& h : topology_.hosts) {
        host_by_name_[h.name] = &h;
        first_station_[h.name] = static_cast<station_index>(directory_->size());
        for (const host_port& p : h.ports) {
            const station_index s = directory_->add(p.mac);
            if (p.ip)
                directory_->add_ip(*p.ip, s);
        }
    }
    build_switches(split);
    build_links(domain_of);
    build_tables();
}

scheduler& network::add_domain(const std::string& name, picoseconds pass_through) {
    own_.push_back(std::make_unique<scheduler>(name));
    domains_.push_back({own_.back().get(), pass_through});
    return *own_.back();
}

void network::build_switches(domain_split split) {
    const auto& all = topology_.switches;
    // A switch's pipeline is part of the way to it: what has arrived may leave at once.
    if (split == domain_split::shared && !all.empty())
        add_domain("fabric", {});
    for (const switch_parameters& p : all) {
        scheduler& clock = split == domain_split::shared ? *own_.front() : add_domain(p.name, {});
        switch_by_name_[p.name] = switches_.size();
        switches_.push_back(std::make_unique<ethernet_switch>(p, clock, pool_));
        switches_.back()->table().share(directory_);
    }
    graph_.resize(switches_.size());
    switch_ends_.resize(switches_.size());
}

scheduler& network::clock_for(const link_end& e, const link_end& far, const host_domains& domain_of) {
    if (const auto s = switch_by_name_.find(e.node); s != switch_by_name_.end())
        return switches_[s->second]->clock();
    if (scheduler* own = domain_of ? domain_of(*host_by_name_.at(e.node)) : nullptr)
        return *own;
    // A host that lives with its switch may answer at once.
    scheduler* home = nullptr;
    if (const auto s = switch_by_name_.find(far.node); s != switch_by_name_.end())
        home = &switches_[s->second]->clock();
    else
        home = own_.empty() ? &add_domain("fabric", {}) : own_.front().get();
    for (domain& d : domains_)
        if (d.events == home)
            d.pass_through = {};
    return *home;
}

void network::build_links(const host_domains& domain_of) {
    for (const link& l : topology_.links) {
        cables_.push_back(
            std::make_unique<cable>(l.cable, clock_for(l.a, l.b, domain_of), clock_for(l.b, l.a, domain_of)));
        cable& c = *cables_.back();
        cable_by_name_[l.cable.name] = &c;
        attach(l.a, l.b, cable_side::a, c);
        attach(l.b, l.a, cable_side::b, c);
        const auto a = switch_by_name_.find(l.a.node), b = switch_by_name_.find(l.b.node);
        if (a != switch_by_name_.end() && b != switch_by_name_.end())
            graph_.add_link(a->second, static_cast<port_index>(switches_[a->second]->ports() - 1), b->second,
                            static_cast<port_index>(switches_[b->second]->ports() - 1));
    }
}

void network::attach(const link_end& e, const link_end& far, cable_side s, cable& c) {
    if (const auto sw = switch_by_name_.find(e.node); sw != switch_by_name_.end()) {
        ethernet_switch& here = *switches_[sw->second];
        c.plug(s, here.receiver(here.add_port(c.end(s), c.parameters().rate)));
        switch_ends_[sw->second].push_back({&c, s});
        return;
    }
    const auto beyond = switch_by_name_.find(far.node);
    attachments_[{e.node, e.port}] = {{&c, s},
                                      &c.domain(s),
                                      beyond == switch_by_name_.end() ? std::nullopt
                                                                      : std::optional(beyond->second),
                                      first_station_.at(e.node) + static_cast<station_index>(e.port)};
}

void network::build_tables() {
    // Which stations each switch has, and on which port: the one whose cable they share.
    std::vector<std::vector<std::pair<port_index, station_index>>> stations(switches_.size());
    std::vector<bool> has_hosts(switches_.size(), false);
    for (const auto& [key, a] : attachments_) {
        if (!a.at_switch)
            continue;
        const auto& ends = switch_ends_[*a.at_switch];
        const auto port =
            static_cast<port_index>(std::ranges::find(ends, a.end.wire, &plug_point::wire) - ends.begin());
        stations[*a.at_switch].emplace_back(port, a.station);
        has_hosts[*a.at_switch] = true;
    }
    std::vector<std::map<std::vector<port_index>, forwarding_table::group_index>> groups(switches_.size());
    const auto group = [&](std::size_t at, const std::vector<port_index>& ports) {
        const auto [g, fresh] = groups[at].emplace(ports, 0);
        if (fresh)
            g->second = switches_[at]->table().add_group(ports);
        return g->second;
    };
    auto flood = graph_.flood_tree(has_hosts);
    for (std::size_t to = 0; to < switches_.size(); ++to) {
        const std::vector<unsigned> distance = graph_.distances(to);
        for (std::size_t from = 0; from < switches_.size() && !stations[to].empty(); ++from) {
            std::vector<port_index> ways;
            for (const switch_graph::edge& e : graph_.next_hops(from, distance))
                ways.push_back(e.port);
            if (from != to && ways.empty())
                continue;
            const auto towards = from == to ? 0 : group(from, ways);
            for (const auto& [port, station] : stations[to])
                switches_[from]->table().add_station(station, from == to ? group(to, {port}) : towards);
        }
        for (const auto& [port, station] : stations[to])
            flood[to].push_back(port);
        switches_[to]->table().set_flood_ports(std::move(flood[to]));
        if (topology_.router && has_hosts[to])
            for (ipv4_address a : topology_.router->addresses)
                switches_[to]->table().set_router(topology_.router->mac, a);
    }
}

std::vector<network::channel> network::channels() const {
    std::vector<channel> out;
    for (const auto& c : cables_)
        for (cable_side s : {cable_side::a, cable_side::b}) {
            scheduler *from = &c->domain(s), *to = &c->domain(other(s));
            if (from == to)
                continue;
            const auto same = [&](const channel& k) { return k.from == from && k.to == to; };
            if (const auto k = std::ranges::find_if(out, same); k != out.end())
                k->latency = std::min(k->latency, c->min_latency(s));
            else
                out.push_back({from, to, c->min_latency(s)});
        }
    return out;
}

void network::power_on() {
    for (const auto& s : switches_)
        s->power_on();
}

const network::attachment& network::at(const std::string& host, std::size_t port) const {
    const auto a = attachments_.find({host, port});
    if (a == attachments_.end())
        throw std::out_of_range("the fabric has no host port " + host + "." + std::to_string(port));
    return a->second;
}

scheduler& network::host_clock(const std::string& host, std::size_t port) const {
    return *at(host, port).clock;
}

cable_end& network::plug(const std::string& host, std::size_t port, wire_receiver& r) {
    const attachment& a = at(host, port);
    a.end.wire->plug(a.end.side, r);
    return a.end.wire->end(a.end.side);
}

bits_per_second network::host_rate(const std::string& host, std::size_t port) const {
    return at(host, port).end.wire->parameters().rate;
}

station_index network::station_of(const std::string& host, std::size_t port) const {
    return at(host, port).station;
}

cable& network::find_link(const std::string& name) const {
    if (const auto c = cable_by_name_.find(name); c != cable_by_name_.end())
        return *c->second;
    std::string known;
    for (const auto& [other_name, c] : cable_by_name_)
        known += (known.empty() ? "" : ", ") + other_name;
    throw std::out_of_range("there is no link '" + name + "'; there are " + known);
}

ethernet_switch& network::find_switch(const std::string& name) const {
    const auto s = switch_by_name_.find(name);
    if (s == switch_by_name_.end())
        throw std::out_of_range("there is no switch '" + name + "'");
    return *switches_[s->second];
}

std::vector<std::string> network::link_names() const {
    std::vector<std::string> names;
    for (const auto& c : cables_)
        names.push_back(c->parameters().name);
    return names;
}

network::path_latency network::plug_point::latency(bytes frame_bytes) const {
    const cable_parameters& p = wire->parameters();
    path_latency l;
    l.serialisation = p.rate.time_for(preamble_bytes + std::max(frame_bytes, min_frame_bytes) + fcs_bytes);
    l.propagation = p.propagation();
    if (p.arrival == arrival_rule::end_of_gap)
        l.gaps = p.rate.time_for(gap_bytes);
    l.phy = wire->latency(side, frame_bytes) - l.serialisation - l.propagation - l.gaps;
    l.links = 1;
    return l;
}

network::path_latency network::plug_point::latency_back(bytes frame_bytes) const {
    return plug_point{wire, other(side)}.latency(frame_bytes);
}

namespace {
network::path_latency operator+(network::path_latency a, const network::path_latency& b) {
    a.serialisation += b.serialisation;
    a.phy += b.phy;
    a.propagation += b.propagation;
    a.pipeline += b.pipeline;
    a.gaps += b.gaps;
    a.links += b.links;
    return a;
}
} // namespace

network::path_latency network::fastest(std::size_t from, std::size_t to, bytes frame_bytes) const {
    path_latency through;
    through.pipeline = switches_[from]->parameters().pipeline;
    if (from == to)
        return through;
    std::optional<path_latency> best;
    for (const switch_graph::edge& e : graph_.next_hops(from, graph_.distances(to))) {
        const path_latency l =
            switch_ends_[from][e.port].latency(frame_bytes) + fastest(e.to, to, frame_bytes);
        if (!best || l.total() < best->total())
            best = l;
    }
    if (!best)
        throw std::out_of_range("no path from " + switches_[from]->name() + " to " + switches_[to]->name());
    return through + *best;
}

network::path_latency network::closed_form_latency(const std::string& from, std::size_t from_port,
                                                   const std::string& to, std::size_t to_port,
                                                   bytes frame_bytes) const {
    const attachment &a = at(from, from_port), &b = at(to, to_port);
    if (a.end.wire == b.end.wire)
        return a.end.latency(frame_bytes);
    if (!a.at_switch || !b.at_switch)
        throw std::out_of_range("no path from " + from + " to " + to);
    return a.end.latency(frame_bytes) + fastest(*a.at_switch, *b.at_switch, frame_bytes) +
           b.end.latency_back(frame_bytes);
}

} // namespace vg810::fabric
