// SPDX-License-Identifier: Apache-2.0
#include "fabric/network.h"

#include <algorithm>
#include <stdexcept>

namespace vg810::fabric {

network::~network() = default;

namespace {
const topology& validated(const topology& t) {
    validate(t);
    return t;
}
} // namespace

network::network(const topology& t, frame_pool& pool, domain_split split, const host_domains& domain_of)
    : topology_(validated(t)), plan_(topology_), pool_(pool) {
    for (const host& h : topology_.hosts) {
        host_by_name_[h.name] = &h;
        for (const host_port& p : h.ports) {
            const station_index s = directory_->add(p.mac);
            if (p.ip)
                directory_->add_ip(*p.ip, s);
        }
    }
    build_switches(split);
    build_links(domain_of);
    build_tables();
    build_flooding();
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
    attachments_.resize(directory_->size());
    for (const link& l : topology_.links) {
        cables_.push_back(
            std::make_unique<cable>(l.cable, clock_for(l.a, l.b, domain_of), clock_for(l.b, l.a, domain_of)));
        cable& c = *cables_.back();
        cable_by_name_[l.cable.name] = &c;
        attach(l.a, cable_side::a, c);
        attach(l.b, cable_side::b, c);
    }
}

void network::attach(const link_end& e, cable_side s, cable& c) {
    if (const auto sw = switch_by_name_.find(e.node); sw != switch_by_name_.end()) {
        ethernet_switch& here = *switches_[sw->second];
        c.plug(s, here.receiver(here.add_port(c.end(s), c.parameters().rate)));
    } else {
        attachments_[station_of(e.node, e.port)] = {{&c, s}, &c.domain(s)};
    }
}

void network::build_tables() {
    std::vector<std::map<std::vector<port_index>, forwarding_table::group_index>> groups(switches_.size());
    plan_.visit_routes(
        [&](std::size_t at, std::span<const port_index> ports, std::span<const station_index> stations) {
            forwarding_table& table = switches_[at]->table();
            const auto [g, fresh] = groups[at].try_emplace({ports.begin(), ports.end()});
            if (fresh)
                g->second = table.add_group(g->first);
            for (const station_index s : stations)
                table.add_station(s, g->second);
        });
}

// The tree between the switches, and their hosts. Whoever has hosts is a router for them, if there is any.
void network::build_flooding() {
    std::vector<bool> has_hosts(switches_.size(), false);
    for (const route_plan::station& s : plan_.stations())
        if (s.at)
            has_hosts[*s.at] = true;
    auto flood = plan_.graph().flood_tree(has_hosts);
    for (const route_plan::station& s : plan_.stations())
        if (s.at)
            flood[*s.at].push_back(s.switch_port);
    for (std::size_t i = 0; i < switches_.size(); ++i) {
        forwarding_table& table = switches_[i]->table();
        table.set_flood_ports(std::move(flood[i]));
        if (topology_.router && has_hosts[i])
            for (const ipv4_address a : topology_.router->addresses)
                table.set_router(topology_.router->mac, a);
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
    return attachments_[station_of(host, port)];
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
    return plan_.station_of(host, port);
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

network::path_latency network::fastest(const plug_point& in, std::size_t here, station_index to,
                                       bytes frame_bytes) const {
    const ethernet_switch& sw = *switches_[here];
    const switch_parameters& p = sw.parameters();
    path_latency through;
    through.pipeline = p.pipeline;
    std::optional<path_latency> best;
    const std::vector<port_index>* const ports = sw.table().ports_to(directory_->mac(to));
    for (std::size_t i = 0; ports && i < ports->size(); ++i) {
        const route_plan::plug& plug = plan_.ports(here)[(*ports)[i]];
        const plug_point out{cables_[plug.link].get(), plug.side};
        // Cut-through needs the header only, unless the egress would run dry.
        const bool early = p.mode == switching::cut_through &&
                           frame_bytes + fcs_bytes > p.cut_through_bytes &&
                           in.wire->parameters().rate >= out.wire->parameters().rate;
        const auto beyond = plan_.beyond(here, (*ports)[i]);
        const path_latency l = in.latency(early ? p.cut_through_bytes - fcs_bytes : frame_bytes) + through +
                               (beyond ? fastest(out, *beyond, to, frame_bytes) : out.latency(frame_bytes));
        if (!best || l.total() < best->total())
            best = l;
    }
    if (!best)
        throw std::out_of_range("no path from " + sw.name() + " to " + directory_->mac(to).to_string());
    return *best;
}

network::path_latency network::closed_form_latency(const std::string& from, std::size_t from_port,
                                                   const std::string& to, std::size_t to_port,
                                                   bytes frame_bytes) const {
    const attachment &a = at(from, from_port), &b = at(to, to_port);
    if (a.end.wire == b.end.wire)
        return a.end.latency(frame_bytes);
    const auto first = plan_.stations()[station_of(from, from_port)].at;
    if (!first)
        throw std::out_of_range("no path from " + from + " to " + to);
    return fastest(a.end, *first, station_of(to, to_port), frame_bytes);
}

} // namespace vg810::fabric
