// SPDX-License-Identifier: Apache-2.0
// Where a switch sends a frame: by destination MAC address to a port or an equal-cost group, by IPv4 address
// for frames to the router's own MAC, and along a loop-free tree when it goes to all. The tables are filled
// by whoever knows the topology; there is no address learning and no routing protocol.
#pragma once

#include "core/address.h"
#include "core/ethernet.h"
#include "core/frame.h"
#include "fabric/station_directory.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace vg810::fabric {

using port_index = std::uint16_t;

/// A hash over what identifies a flow: addresses, protocol and ports for TCP and UDP; addresses and protocol
/// for other IP and for fragments; MAC addresses for the rest. Depends on nothing but the frame. `p`: what
/// parse() found in it.
std::uint64_t flow_hash(const frame& f, const parse_result& p);
/// The same as a switch with this seed sees it.
std::uint64_t seeded(std::uint64_t flow_hash, std::uint64_t seed);
std::uint64_t flow_hash(const frame& f, std::uint64_t seed);

/// One switch's tables. Lookups do not allocate.
class forwarding_table {
  public:
    using group_index = std::uint32_t;

    /// The directory of the whole network; a table without one keeps its own.
    explicit forwarding_table(std::shared_ptr<station_directory> stations = {});
    /// Before anything is added.
    void share(std::shared_ptr<station_directory> stations) { stations_ = std::move(stations); }
    const station_directory& stations() const { return *stations_; }

    /// Ports of equal cost. Throws std::invalid_argument for an empty or repeating list.
    group_index add_group(std::vector<port_index> ports);
    /// Frames to `m` leave through one of the group's live ports. Throws std::invalid_argument for a group
    /// address, an address that has a group already or an unknown group.
    void add_host(mac_address m, group_index g);
    /// The same for a station of the directory.
    void add_station(station_index s, group_index g);
    /// Makes the switch a router for frames to `own`: an IPv4 destination among the neighbours is sent on to
    /// that MAC.
    void set_router(mac_address own, ipv4_address gateway);
    void add_neighbour(ipv4_address ip, mac_address m);
    /// Ports (hosts and tree links) that take part in flooding.
    void set_flood_ports(std::vector<port_index> ports);

    /// A port's link went up or down: groups choose among live ports only. All ports start down.
    void set_live(port_index port, bool live);

    /// The port for a unicast frame to `m`; nothing when the address is unknown.
    struct route {
        const std::vector<port_index>* live; ///< empty: every port of the group is down
        std::uint32_t* turn;                 ///< whose turn it is, for those who go round
    };
    std::optional<route> find(mac_address m) const { return find(stations_->find(m)); }
    /// The same for a station's number (frame_labels::station), without a look at the address.
    std::optional<route> find(station_index s) const {
        if (s >= by_station_.size() || by_station_[s] == no_group)
            return std::nullopt;
        const group& g = groups_[by_station_[s]];
        return route{&g.live, &g.turn};
    }
    static constexpr port_index no_port = 0xffff;
    /// The port towards a station that has just one live port; `no_port` in all other cases. Most frames need
    /// nothing else, and a table of these fits where groups do not: into the cache.
    port_index only_port(station_index s) const { return s < only_.size() ? only_[s] : no_port; }

    const std::vector<port_index>& flood_ports() const { return flood_ports_; }
    bool in_flood_tree(port_index p) const { return p < in_tree_.size() && in_tree_[p]; }

    bool has_router() const { return router_.has_value(); }
    bool is_router(mac_address m) const { return router_ && router_->own == m; }
    bool is_gateway(ipv4_address ip) const;
    mac_address router_mac() const { return router_ ? router_->own : mac_address{}; }
    std::optional<mac_address> neighbour(ipv4_address ip) const;
    /// Stations that have a way here.
    std::size_t hosts() const { return hosts_; }
    /// The ports of the group for `m`, whether live or not; null when unknown.
    const std::vector<port_index>* ports_to(mac_address m) const;

  private:
    port_index only_port_of(group_index g) const {
        return groups_[g].live.size() == 1 ? groups_[g].live.front() : no_port;
    }
    static constexpr group_index no_group = 0xffffffff;
    struct group {
        std::vector<port_index> all;
        std::vector<port_index> live;
        mutable std::uint32_t turn = 0;
    };
    struct router {
        mac_address own;
        std::vector<ipv4_address> gateways;
    };
    std::vector<group> groups_;
    std::shared_ptr<station_directory> stations_;
    std::vector<group_index> by_station_;
    std::vector<port_index> only_; // by station
    std::size_t hosts_ = 0;
    std::optional<router> router_;
    std::vector<port_index> flood_ports_;
    std::vector<bool> in_tree_;
};

} // namespace vg810::fabric
