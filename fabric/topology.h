// SPDX-License-Identifier: Apache-2.0
// A fabric as plain data: switches, hosts, links, and the common shapes. Nothing is built here; network.h
// does that.
#pragma once

#include "core/address.h"
#include "fabric/cable.h"
#include "fabric/switch.h"

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace vg810::fabric {

/// A topology that cannot be built. `where` names the entry ("host left, port 1"), `what()` says where and
/// why.
class topology_error : public std::invalid_argument {
  public:
    topology_error(const std::string& where, const std::string& why)
        : std::invalid_argument(where + ": " + why), where_(where) {}
    const std::string& where() const { return where_; }

  private:
    std::string where_;
};

struct host_port {
    mac_address mac;
    std::optional<ipv4_address> ip; ///< for routing and for the check that no address is used twice
};

struct host {
    std::string name;
    std::vector<host_port> ports;
};

/// A router function on every switch that has hosts: one MAC address for all (an anycast gateway), and its IP
/// addresses.
struct gateway {
    mac_address mac;
    std::vector<ipv4_address> addresses;
};

/// One end of a link: a host's port, or a switch (whose ports number themselves).
struct link_end {
    std::string node;
    std::size_t port = 0; ///< hosts only
};

struct link {
    link_end a, b;
    cable_parameters cable; ///< its name is the link's
};

/// An exception from shortest paths: what `at` gets for this host port leaves over `link`. Several for the
/// same switch and host port share the traffic.
struct static_route {
    std::string at; ///< a switch
    std::string host;
    std::size_t port = 0;
    std::string link;
};

struct topology {
    std::vector<switch_parameters> switches;
    std::vector<host> hosts;
    std::vector<link> links;
    std::optional<gateway> router{};
    std::vector<static_route> routes{};
};

/// Throws topology_error: a name or address missing, used twice or of the wrong kind; a link to nowhere or to
/// itself; a host port without a link or with two; a switch without links; a route that names what is not
/// there, leads nowhere or goes in a circle.
void validate(const topology& t);

/// What the shapes below are made of.
struct fabric_options {
    bits_per_second host_rate = 25_gbps;
    bits_per_second spine_rate = 100_gbps; ///< of links between switches
    millimetres host_length{3'000};
    millimetres spine_length{20'000};
    picoseconds per_metre = 5_ns;
    std::optional<phy_latency> host_phy;  ///< default_phy(host_rate) when not set
    std::optional<phy_latency> spine_phy; ///< default_phy(spine_rate) when not set
    arrival_rule arrival = arrival_rule::last_bit;
    picoseconds pipeline = 400_ns;
    bytes queue_limit = 2 << 20;
    std::uint64_t ecmp_seed = 1; ///< every switch hashes with a seed of its own, derived from this
    std::optional<gateway> router;
    std::size_t parallel_links = 1;           ///< between a leaf and a spine. Range: 1 ..
    std::vector<bits_per_second> spine_rates; ///< of the links to the first spines, where not spine_rate
    /// What every switch is like; name, pipeline, queue_limit and ecmp_seed are set from the above.
    switch_parameters switches;
};

/// A host and the leaf (in other shapes, the switch) each of its ports is plugged into.
struct placed_host {
    host station;
    std::vector<std::size_t> leaf;            ///< one entry a port
    std::optional<bits_per_second> rate = {}; ///< of its links, where not host_rate
};

/// Leaves "leaf0".., spines "spine0".., every leaf linked with every spine as "leaf0-spine1" (parallel links
/// as "leaf0-spine1.0", "leaf0-spine1.1"..); host links are called after the host's port: "left.0". Throws
/// topology_error for a host on a leaf that is not there, several leaves without a spine, or more spine_rates
/// than spines.
topology leaf_spine(std::size_t leaves, std::size_t spines, const std::vector<placed_host>& hosts,
                    const fabric_options& o);

/// All ports of all hosts on one switch "switch0"; links are called "left.0".
topology single_switch(const std::vector<host>& hosts, const fabric_options& o);

/// Two hosts, port i of the one linked with port i of the other; the links are called "left.0-right.0".
/// Throws topology_error unless there are two hosts with the same number of ports.
topology back_to_back(const std::vector<host>& hosts, const fabric_options& o);

/// `hosts_per_leaf` hosts with `ports` ports on each leaf: "host0" .. with MAC addresses
/// 02:c8:10:00:<index>:<port> and IP addresses 10.<port>.<index high>.<index low + 1>. Range: up to 65,000
/// hosts and 200 ports.
std::vector<placed_host> numbered_hosts(std::size_t leaves, std::size_t hosts_per_leaf,
                                        std::size_t ports = 1);
/// The same with so many on each leaf.
std::vector<placed_host> numbered_hosts(const std::vector<std::size_t>& on_leaf, std::size_t ports = 1);

} // namespace vg810::fabric
