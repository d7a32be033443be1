// SPDX-License-Identifier: Apache-2.0
// What follows from a topology alone: the numbers of switch ports and host ports, and the ways between them.
// Shortest paths, all of equal length taken together, except where the topology says otherwise.
#pragma once

#include "fabric/routing.h"
#include "fabric/station_directory.h"
#include "fabric/topology.h"

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace vg810::fabric {

class route_plan {
  public:
    /// Throws topology_error for a static route that names what is not there, leads nowhere or loops.
    /// Precondition: the topology's names and links validate. `t` must outlive the plan.
    explicit route_plan(const topology& t);

    const switch_graph& graph() const { return graph_; }
    /// Throws std::out_of_range.
    std::size_t switch_index(const std::string& name) const { return switches_.at(name); }

    /// What a switch's port is plugged into; ports are numbered in the order of the links.
    struct plug {
        std::size_t link; ///< index into topology::links
        cable_side side;
    };
    const std::vector<plug>& ports(std::size_t of_switch) const { return ports_.at(of_switch); }
    /// The switch behind a switch's port; nothing when there is a host.
    std::optional<std::size_t> beyond(std::size_t of_switch, port_index port) const {
        return beyond_.at(of_switch).at(port);
    }

    /// Host ports, in the order of the hosts: their index is their station_index.
    struct station {
        std::size_t host;
        std::size_t port;
        std::size_t link = 0;
        cable_side side = cable_side::a;
        std::optional<std::size_t> at; ///< the switch; nothing when the far end is another host
        port_index switch_port = 0;
    };
    const std::vector<station>& stations() const { return stations_; }
    /// Throws std::out_of_range.
    station_index station_of(const std::string& host, std::size_t port) const;

    /// Calls `visit(from, ports, stations)` for every switch and all stations it has a way to, many stations
    /// at a time: those behind one switch share the ports towards it.
    template <class Visit> void visit_routes(Visit&& visit) const;

  private:
    using ways = std::vector<std::vector<port_index>>; // by switch
    void number(const topology& t);
    void plug_in(const topology& t, std::size_t link, cable_side s);
    void read_static_routes(const topology& t);
    ways shortest(std::size_t to) const;
    ways to_station(station_index s) const;
    void check(const topology& t, station_index s) const;

    switch_graph graph_;
    std::map<std::string, std::size_t> switches_;
    std::map<std::string, station_index> first_station_;
    std::vector<std::vector<plug>> ports_;
    std::vector<std::vector<std::optional<std::size_t>>> beyond_; // the switch behind each port
    std::vector<station> stations_;
    std::vector<std::vector<station_index>> behind_; // each switch's stations
    std::map<station_index, std::map<std::size_t, std::vector<port_index>>> static_;
};

template <class Visit> void route_plan::visit_routes(Visit&& visit) const {
    for (std::size_t to = 0; to < ports_.size(); ++to) {
        std::vector<station_index> plain;
        for (const station_index s : behind_[to])
            if (!static_.contains(s))
                plain.push_back(s);
        if (!plain.empty()) {
            const ways way = shortest(to);
            for (std::size_t from = 0; from < way.size(); ++from)
                if (from != to && !way[from].empty())
                    visit(from, std::span(way[from]), std::span<const station_index>(plain));
            for (const station_index& s : plain)
                visit(to, std::span(&stations_[s].switch_port, 1), std::span(&s, 1));
        }
    }
    for (const auto& [s, overrides] : static_) {
        const ways way = to_station(s);
        for (std::size_t from = 0; from < way.size(); ++from)
            if (!way[from].empty())
                visit(from, std::span(way[from]), std::span(&s, 1));
    }
}

} // namespace vg810::fabric
