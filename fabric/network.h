// SPDX-License-Identifier: Apache-2.0
// A running fabric: builds cables and switches from a topology, fills their forwarding tables, and tells a
// conductor which domains and channels there are.
#pragma once

#include "core/frame.h"
#include "core/scheduler.h"
#include "fabric/cable.h"
#include "fabric/route_plan.h"
#include "fabric/switch.h"
#include "fabric/topology.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace vg810::fabric {

/// How switches are dealt to domains. The results of a run do not depend on it.
enum class domain_split : std::uint8_t {
    per_switch, ///< every switch its own: guests behind different switches look farther ahead
    shared,     ///< one domain for all switches: fewest domains, one heap
};

class network {
  public:
    /// The domain of a host, or null for a host that lives in the domain of the switch (or the network) it is
    /// plugged into.
    using host_domains = std::function<scheduler*(const host&)>;

    /// Throws topology_error when `t` does not validate. `pool` and the hosts' domains must outlive the
    /// network.
    network(const topology& t, frame_pool& pool, domain_split split, const host_domains& domain_of);
    network(const network&) = delete;
    network& operator=(const network&) = delete;
    ~network();

    /// For a conductor: the network's own domains with the shortest time from an event in to an event out ...
    struct domain {
        scheduler* events;
        picoseconds pass_through;
    };
    const std::vector<domain>& domains() const { return domains_; }
    /// ... and the channels between different domains, the hosts' included, each pair once.
    struct channel {
        scheduler* from;
        scheduler* to;
        picoseconds latency;
    };
    std::vector<channel> channels() const;

    /// The domain that events of this host's port run in.
    scheduler& host_clock(const std::string& host, std::size_t port = 0) const;
    /// Plugs the receiver into the host's port and returns the end it transmits into. Throws
    /// std::out_of_range for an unknown port.
    cable_end& plug(const std::string& host, std::size_t port, wire_receiver& r);
    /// The rate of the link that the host's port is plugged into.
    bits_per_second host_rate(const std::string& host, std::size_t port) const;

    /// The number of a host's port, for frame_labels::station: 0 .. stations().size() - 1, host after host in
    /// the topology's order. Throws std::out_of_range for an unknown port.
    station_index station_of(const std::string& host, std::size_t port = 0) const;
    /// By address: stations().find(mac).
    const station_directory& stations() const { return *directory_; }

    /// Turns on the switches' transmitters. Call once, before the run.
    void power_on();

    /// By name: "left.0" (a host's port) or "leaf0-spine1". Throws std::out_of_range with the names there
    /// are.
    cable& find_link(const std::string& name) const;
    ethernet_switch& find_switch(const std::string& name) const;
    std::vector<std::string> link_names() const;
    const std::vector<std::unique_ptr<ethernet_switch>>& switches() const { return switches_; }
    /// The links between switches(), by index.
    const switch_graph& graph() const { return plan_.graph(); }

    /// What the time over an idle path is made of.
    struct path_latency {
        picoseconds serialisation; ///< whole frames, once a link
        picoseconds phy;
        picoseconds propagation;
        picoseconds pipeline;
        picoseconds gaps; ///< with arrival_rule::end_of_gap
        unsigned links = 0;
        picoseconds total() const { return serialisation + phy + propagation + pipeline + gaps; }
    };
    /// From the first preamble bit out of one host's port to frame_arrived at another's, nothing else under
    /// way, for a frame of `frame_bytes` octets without FCS; the fastest path where several cost the same.
    /// Throws std::out_of_range when there is no path.
    path_latency closed_form_latency(const std::string& from, std::size_t from_port, const std::string& to,
                                     std::size_t to_port, bytes frame_bytes) const;

  private:
    /// An end of a cable, and what a frame needs from there to the other end.
    struct plug_point {
        cable* wire;
        cable_side side;
        path_latency latency(bytes frame_bytes) const;
    };
    /// Where a host's port is plugged in.
    struct attachment {
        plug_point end;
        scheduler* clock;
    };

    void build_switches(domain_split split);
    void build_links(const host_domains& domain_of);
    scheduler& clock_for(const link_end& e, const link_end& far, const host_domains& domain_of);
    scheduler& add_domain(const std::string& name, picoseconds pass_through);
    void attach(const link_end& e, cable_side s, cable& c);
    void build_tables();
    void build_flooding();
    const attachment& at(const std::string& host, std::size_t port) const;
    path_latency fastest(const plug_point& in, std::size_t here, station_index to, bytes frame_bytes) const;

    topology topology_;
    route_plan plan_;
    frame_pool& pool_;
    std::shared_ptr<station_directory> directory_ = std::make_shared<station_directory>();
    std::vector<std::unique_ptr<scheduler>> own_;
    std::vector<domain> domains_;
    std::vector<std::unique_ptr<ethernet_switch>> switches_;
    std::vector<std::unique_ptr<cable>> cables_;
    std::map<std::string, cable*> cable_by_name_;
    std::map<std::string, std::size_t> switch_by_name_;
    std::map<std::string, const host*> host_by_name_;
    std::vector<attachment> attachments_; ///< by station
};

} // namespace vg810::fabric
