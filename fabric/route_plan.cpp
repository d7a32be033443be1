// SPDX-License-Identifier: Apache-2.0
#include "fabric/route_plan.h"

#include <algorithm>

namespace vg810::fabric {

namespace {

std::string place_of(const static_route& r) {
    return "route at " + r.at + " to " + r.host + "." + std::to_string(r.port) + " over " + r.link;
}

/// Finds a circle among the ways to one station.
class circle_search {
  public:
    explicit circle_search(const std::vector<std::vector<std::size_t>>& next)
        : next_(next), state_(next.size(), fresh) {}

    /// The switches of a circle, the first one repeated at the end; empty when there is none.
    std::vector<std::size_t> find() {
        for (std::size_t s = 0; s < next_.size(); ++s)
            if (state_[s] == fresh && walk(s))
                return path_;
        return {};
    }

  private:
    enum mark : std::uint8_t { fresh, open, done };

    bool walk(std::size_t s) {
        state_[s] = open;
        path_.push_back(s);
        for (const std::size_t n : next_[s]) {
            if (state_[n] == open) {
                path_.erase(path_.begin(), std::ranges::find(path_, n));
                path_.push_back(n);
                return true;
            }
            if (state_[n] == fresh && walk(n))
                return true;
        }
        path_.pop_back();
        state_[s] = done;
        return false;
    }

    const std::vector<std::vector<std::size_t>>& next_;
    std::vector<mark> state_;
    std::vector<std::size_t> path_;
};

} // namespace

route_plan::route_plan(const topology& t) {
    number(t);
    read_static_routes(t);
    for (const auto& [s, overrides] : static_)
        check(t, s);
}

void route_plan::number(const topology& t) {
    for (std::size_t i = 0; i < t.switches.size(); ++i)
        switches_[t.switches[i].name] = i;
    ports_.resize(t.switches.size());
    beyond_.resize(t.switches.size());
    behind_.resize(t.switches.size());
    graph_.resize(t.switches.size());
    for (std::size_t h = 0; h < t.hosts.size(); ++h) {
        first_station_[t.hosts[h].name] = static_cast<station_index>(stations_.size());
        for (std::size_t p = 0; p < t.hosts[h].ports.size(); ++p)
            stations_.push_back({.host = h, .port = p, .at = std::nullopt});
    }
    for (std::size_t i = 0; i < t.links.size(); ++i) {
        plug_in(t, i, cable_side::a);
        plug_in(t, i, cable_side::b);
        const auto a = switches_.find(t.links[i].a.node), b = switches_.find(t.links[i].b.node);
        if (a != switches_.end() && b != switches_.end())
            graph_.add_link(a->second, static_cast<port_index>(ports_[a->second].size() - 1), b->second,
                            static_cast<port_index>(ports_[b->second].size() - 1));
    }
}

void route_plan::plug_in(const topology& t, std::size_t link, cable_side s) {
    const bool first = s == cable_side::a;
    const link_end &here = first ? t.links[link].a : t.links[link].b,
                   &there = first ? t.links[link].b : t.links[link].a;
    const auto sw = switches_.find(here.node), far = switches_.find(there.node);
    if (sw != switches_.end()) {
        if (ports_[sw->second].size() > std::numeric_limits<port_index>::max())
            throw topology_error("switch " + here.node, "has more links than a switch can have ports");
        ports_[sw->second].push_back({link, s});
        beyond_[sw->second].push_back(far == switches_.end() ? std::nullopt : std::optional(far->second));
        return;
    }
    const station_index i = station_of(here.node, here.port);
    station& st = stations_[i];
    st.link = link;
    st.side = s;
    if (far == switches_.end())
        return;
    st.at = far->second;
    // Side a's switch has its port already, side b's gets it next.
    st.switch_port = static_cast<port_index>(ports_[far->second].size() - (first ? 0 : 1));
    behind_[far->second].push_back(i);
}

station_index route_plan::station_of(const std::string& host, std::size_t port) const {
    const auto first = first_station_.find(host);
    if (first != first_station_.end())
        if (const std::size_t s = first->second + port; s < stations_.size() && stations_[s].port == port)
            return static_cast<station_index>(s);
    throw std::out_of_range("the fabric has no host port " + host + "." + std::to_string(port));
}

void route_plan::read_static_routes(const topology& t) {
    std::map<std::string, std::size_t> links;
    if (!t.routes.empty())
        for (std::size_t i = 0; i < t.links.size(); ++i)
            links[t.links[i].cable.name] = i;
    for (const static_route& r : t.routes) {
        const auto sw = switches_.find(r.at);
        if (sw == switches_.end())
            throw topology_error(place_of(r), "there is no switch " + r.at);
        const auto l = links.find(r.link);
        if (l == links.end())
            throw topology_error(place_of(r), "there is no link " + r.link);
        const auto& plugs = ports_[sw->second];
        const auto p = std::ranges::find(plugs, l->second, &plug::link);
        if (p == plugs.end())
            throw topology_error(place_of(r), "link " + r.link + " is not at " + r.at);
        station_index s{};
        try {
            s = station_of(r.host, r.port);
        } catch (const std::out_of_range&) {
            throw topology_error(place_of(r), "there is no such host port");
        }
        const auto out = static_cast<port_index>(p - plugs.begin());
        if (!beyond_[sw->second][out] && stations_[s].link != l->second)
            throw topology_error(place_of(r), "link " + r.link + " leads to another host");
        auto& ports = static_[s][sw->second];
        if (std::ranges::find(ports, out) != ports.end())
            throw topology_error(place_of(r), "is given twice");
        ports.push_back(out);
    }
}

route_plan::ways route_plan::shortest(std::size_t to) const {
    const std::vector<unsigned> distance = graph_.distances(to);
    ways out(graph_.size());
    for (std::size_t from = 0; from < graph_.size(); ++from)
        for (const switch_graph::edge& e : graph_.next_hops(from, distance))
            out[from].push_back(e.port);
    return out;
}

route_plan::ways route_plan::to_station(station_index s) const {
    const station& st = stations_[s];
    ways out(graph_.size());
    if (st.at) {
        out = shortest(*st.at);
        out[*st.at] = {st.switch_port};
    }
    if (const auto overrides = static_.find(s); overrides != static_.end())
        for (const auto& [at, ports] : overrides->second)
            out[at] = ports;
    return out;
}

// Follows all ways to a station with static routes: each must end there.
void route_plan::check(const topology& t, station_index s) const {
    const ways way = to_station(s);
    const std::string where =
        "routes to " + t.hosts[stations_[s].host].name + "." + std::to_string(stations_[s].port);
    std::vector<std::vector<std::size_t>> next(graph_.size());
    for (std::size_t from = 0; from < way.size(); ++from)
        for (const port_index p : way[from])
            if (const auto to = beyond_[from][p]) {
                if (way[*to].empty())
                    throw topology_error(where, t.switches[from].name + " sends to " + t.switches[*to].name +
                                                    ", which has no way on");
                next[from].push_back(*to);
            }
    std::string text;
    for (const std::size_t sw : circle_search(next).find())
        text += (text.empty() ? "" : " -> ") + t.switches[sw].name;
    if (!text.empty())
        throw topology_error(where, "go in a circle: " + text);
}

} // namespace vg810::fabric
