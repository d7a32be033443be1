// SPDX-License-Identifier: Apache-2.0
#include "fabric/forwarding.h"

#include "core/ethernet.h"

#include <algorithm>
#include <stdexcept>

namespace vg810::fabric {

namespace {

// The finaliser of MurmurHash3: every input bit reaches every output bit.
std::uint64_t mix(std::uint64_t h) {
    h = (h ^ h >> 33) * 0xff51afd7ed558ccdu;
    h = (h ^ h >> 33) * 0xc4ceb9fe1a85ec53u;
    return h ^ h >> 33;
}

std::uint64_t hash_octets(std::span<const std::byte> s, std::uint64_t h) {
    for (; s.size() >= 8; s = s.subspan(8))
        h = mix(h ^ load_be<std::uint64_t>(s.data()));
    if (s.size() >= 4)
        h = mix(h ^ load_be<std::uint32_t>(s.data()));
    return h;
}

} // namespace

std::uint64_t flow_hash(const frame& f, const parse_result& p) {
    const auto s = f.stored();
    std::uint64_t h = 0x9e3779b97f4a7c15u;
    if (p.l3 != l3_type::ipv4 && p.l3 != l3_type::ipv6)
        return s.size() < 12 ? h : hash_octets(s.first(12), h);
    const bool v4 = p.l3 == l3_type::ipv4;
    h = hash_octets(s.subspan(p.l3_offset + (v4 ? 12u : 8u), v4 ? 8 : 32), h ^ p.protocol);
    if (p.l4 == l4_type::tcp || p.l4 == l4_type::udp)
        h = hash_octets(s.subspan(p.l4_offset, 4), h);
    return h;
}

std::uint64_t seeded(std::uint64_t flow_hash, std::uint64_t seed) {
    return mix(flow_hash ^ mix(seed + 0x9e3779b97f4a7c15u));
}

std::uint64_t flow_hash(const frame& f, std::uint64_t seed) {
    return seeded(flow_hash(f, parse(f.stored(), f.length())), seed);
}

forwarding_table::forwarding_table(std::shared_ptr<station_directory> stations)
    : stations_(stations ? std::move(stations) : std::make_shared<station_directory>()) {}

forwarding_table::group_index forwarding_table::add_group(std::vector<port_index> ports) {
    std::sort(ports.begin(), ports.end());
    if (ports.empty() || std::adjacent_find(ports.begin(), ports.end()) != ports.end())
        throw std::invalid_argument("an equal-cost group needs ports, each once");
    groups_.push_back({std::move(ports), {}, 0});
    groups_.back().live.reserve(groups_.back().all.size());
    return static_cast<group_index>(groups_.size() - 1);
}

void forwarding_table::add_host(mac_address m, group_index g) {
    const station_index known = stations_->find(m);
    add_station(known == unknown_station ? stations_->add(m) : known, g);
}

void forwarding_table::add_station(station_index s, group_index g) {
    if (s >= stations_->size() || g >= groups_.size())
        throw std::invalid_argument("a forwarding table has no station or no group of that number");
    if (by_station_.size() <= s)
        by_station_.resize(stations_->size(), no_group);
    if (by_station_[s] != no_group)
        throw std::invalid_argument(stations_->mac(s).to_string() + " is in the forwarding table already");
    by_station_[s] = g;
    only_.resize(by_station_.size(), no_port);
    only_[s] = only_port_of(g);
    ++hosts_;
}

void forwarding_table::set_router(mac_address own, ipv4_address gateway) {
    if (router_ && router_->own != own)
        throw std::invalid_argument("a switch has one router address");
    if (!router_)
        router_.emplace(router{own, {}});
    router_->gateways.push_back(gateway);
}

void forwarding_table::add_neighbour(ipv4_address ip, mac_address m) {
    const station_index known = stations_->find(m);
    stations_->add_ip(ip, known == unknown_station ? stations_->add(m) : known);
}

void forwarding_table::set_flood_ports(std::vector<port_index> ports) {
    std::sort(ports.begin(), ports.end());
    flood_ports_ = std::move(ports);
    in_tree_.assign(flood_ports_.empty() ? 0 : flood_ports_.back() + 1u, false);
    for (port_index p : flood_ports_)
        in_tree_[p] = true;
}

void forwarding_table::set_live(port_index port, bool live) {
    for (group& g : groups_) {
        if (!std::binary_search(g.all.begin(), g.all.end(), port))
            continue;
        const auto at = std::lower_bound(g.live.begin(), g.live.end(), port);
        const bool there = at != g.live.end() && *at == port;
        if (live && !there)
            g.live.insert(at, port);
        else if (!live && there)
            g.live.erase(at);
    }
    for (station_index s = 0; s < by_station_.size(); ++s)
        only_[s] = by_station_[s] == no_group ? no_port : only_port_of(by_station_[s]);
}

bool forwarding_table::is_gateway(ipv4_address ip) const {
    return router_ &&
           std::find(router_->gateways.begin(), router_->gateways.end(), ip) != router_->gateways.end();
}

std::optional<mac_address> forwarding_table::neighbour(ipv4_address ip) const {
    const station_index s = stations_->find(ip);
    return find(s) ? std::optional(stations_->mac(s)) : std::nullopt;
}

const std::vector<port_index>* forwarding_table::ports_to(mac_address m) const {
    const station_index s = stations_->find(m);
    return find(s) ? &groups_[by_station_[s]].all : nullptr;
}

} // namespace vg810::fabric
