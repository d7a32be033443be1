// SPDX-License-Identifier: Apache-2.0
#include "fabric/shapes.h"

#include "fabric/network.h"
#include "fabric/testing/bench.h"

#include <catch2/catch_test_macros.hpp>

#include <functional>
#include <set>

using namespace vg810;
using namespace vg810::fabric;
using namespace vg810::fabric::testing;

namespace {

std::string complaint(const std::function<void()>& build) {
    try {
        build();
    } catch (const topology_error& e) {
        return e.what();
    }
    return "";
}

/// Every host sends to every other one; each frame arrives, and nothing is flooded.
void check_all_reach_all(const topology& t) {
    bench b(t, domain_split::shared, false);
    std::uint64_t number = 0;
    for (auto& [name, from] : b.stations())
        for (auto& [other, to] : b.stations())
            if (from != to)
                from->send_at(settled, make_frame(b.pool, to->mac(), from->mac(), 100, number++));
    b.run();
    for (auto& [name, s] : b.stations())
        CHECK(s->arrivals.size() == b.stations().size() - 1);
    for (const auto& sw : b.net->switches())
        for (port_index p = 0; p < sw->ports(); ++p) {
            CHECK(sw->count(p).dropped() == 0);
            CHECK(sw->count(p).flooded == 0);
        }
}

} // namespace

TEST_CASE("A fat-tree of k-port switches has k^3/4 hosts, 5k^2/4 switches, and all ports in use") {
    for (std::size_t k : {2, 4, 6}) {
        const topology t = fat_tree(k, numbered_hosts(k * k / 2, k / 2), ideal());
        validate(t);
        CHECK(t.hosts.size() == fat_tree_hosts(k));
        CHECK(t.switches.size() == 5 * k * k / 4);
        std::map<std::string, std::size_t> ports;
        for (const fabric::link& l : t.links)
            for (const fabric::link_end* e : {&l.a, &l.b})
                ++ports[e->node];
        for (const switch_parameters& s : t.switches)
            CHECK(ports[s.name] == k);
    }
    check_all_reach_all(fat_tree(4, numbered_hosts(8, 2), ideal()));
}

TEST_CASE("A fat-tree spreads over all its cores: as many ways as (k/2)^2") {
    bench b(fat_tree(4, numbered_hosts(8, 2), ideal()), domain_split::shared, false);
    const auto ways = [&](const std::string& sw, const std::string& to) {
        return b.net->find_switch(sw).table().ports_to(b.at(to).mac())->size();
    };
    CHECK(ways("edge0.0", "host15.0") == 2);
    CHECK(ways("agg0.1", "host15.0") == 2);
    CHECK(ways("core3", "host15.0") == 1);
    CHECK(ways("edge0.0", "host1.0") == 1);
    CHECK(b.net->closed_form_latency("host0", 0, "host1", 0, 100).links == 2);
    CHECK(b.net->closed_form_latency("host0", 0, "host2", 0, 100).links == 4);
    CHECK(b.net->closed_form_latency("host0", 0, "host15", 0, 100).links == 6);
}

TEST_CASE("Chains and rings connect all their hosts, the ring by the shorter way") {
    check_all_reach_all(chain(2, numbered_hosts(2, 3), ideal())); // a dumbbell
    check_all_reach_all(chain(4, numbered_hosts({3, 1, 1, 1}), ideal()));
    const topology t = ring(5, numbered_hosts(5, 1), ideal());
    check_all_reach_all(t);
    bench b(t, domain_split::shared, false);
    CHECK(b.net->closed_form_latency("host0", 0, "host4", 0, 100).links == 3);
    CHECK(b.net->closed_form_latency("host0", 0, "host2", 0, 100).links == 4);
}

TEST_CASE("A clockwise ring goes round one way only") {
    const topology t = ring(4, numbered_hosts(4, 1), ideal(), ring_routing::clockwise);
    check_all_reach_all(t);
    bench b(t, domain_split::shared, false);
    CHECK(b.net->closed_form_latency("host0", 0, "host3", 0, 100).links == 5);
    CHECK(b.net->closed_form_latency("host3", 0, "host0", 0, 100).links == 3);
    b.at("host0.0").send_at(settled, make_frame(b.pool, b.at("host3.0").mac(), b.at("host0.0").mac(), 60, 1));
    b.run();
    CHECK(b.net->find_link("switch0-switch1").count(cable_side::a).delivered == 1);
    CHECK(b.net->find_link("switch3-switch0").count(cable_side::b).delivered == 0);
}

TEST_CASE("A leaf-spine may have parallel links, unequal spines, uneven leaves and hosts of several rates") {
    fabric_options o;
    o.parallel_links = 2;
    o.spine_rates = {40_gbps};
    auto hosts = numbered_hosts({3, 1});
    hosts[0].rate = 10_gbps;
    hosts[3].rate = 100_gbps;
    const topology t = leaf_spine(2, 2, hosts, o);
    check_all_reach_all(t);
    bench b(t, domain_split::shared, false);
    CHECK(b.net->host_rate("host0", 0) == 10_gbps);
    CHECK(b.net->host_rate("host1", 0) == 25_gbps);
    CHECK(b.net->host_rate("host3", 0) == 100_gbps);
    CHECK(b.net->find_link("leaf1-spine0.1").parameters().rate == 40_gbps);
    CHECK(b.net->find_link("leaf1-spine1.0").parameters().rate == 100_gbps);
    CHECK(b.net->find_switch("leaf0").table().ports_to(b.at("host3.0").mac())->size() == 4);
    // FEC from 25G on, none at 10G: each link has the PHYs of its rate.
    CHECK(b.net->find_link("host0.0").parameters().phy[0].total() == 80_ns);
    CHECK(b.net->find_link("host3.0").parameters().phy[0].total() == 80_ns + 51'200_ps);
}

TEST_CASE("Static routes replace the shortest paths to one host port") {
    topology t = leaf_spine(2, 3, numbered_hosts(2, 2), ideal());
    t.routes = {{"leaf0", "host2", 0, "leaf0-spine1"}, {"leaf0", "host2", 0, "leaf0-spine2"}};
    check_all_reach_all(t);
    bench b(t, domain_split::shared, false);
    CHECK(b.net->find_switch("leaf0").table().ports_to(b.at("host2.0").mac())->size() == 2);
    CHECK(b.net->find_switch("leaf0").table().ports_to(b.at("host3.0").mac())->size() == 3);
}

TEST_CASE("Routes that loop, lead nowhere or name what is not there are refused") {
    const auto with = [](const std::vector<static_route>& routes) {
        return complaint([&] {
            topology t = ring(4, numbered_hosts(4, 1), ideal());
            t.routes = routes;
            validate(t);
        });
    };
    CHECK(with({{"switch1", "host3", 0, "switch0-switch1"}, {"switch0", "host3", 0, "switch0-switch1"}}) ==
          "routes to host3.0: go in a circle: switch0 -> switch1 -> switch0");
    // One of two equal ways is enough of a circle.
    CHECK(with({{"switch2", "host3", 0, "switch1-switch2"},
                {"switch1", "host3", 0, "switch1-switch2"},
                {"switch1", "host3", 0, "switch0-switch1"}}) ==
          "routes to host3.0: go in a circle: switch1 -> switch2 -> switch1");
    CHECK(with({{"switch9", "host3", 0, "switch0-switch1"}}) ==
          "route at switch9 to host3.0 over switch0-switch1: there is no switch switch9");
    CHECK(with({{"switch0", "host3", 1, "switch0-switch1"}}) ==
          "route at switch0 to host3.1 over switch0-switch1: there is no such host port");
    CHECK(with({{"switch0", "host3", 0, "up"}}) ==
          "route at switch0 to host3.0 over up: there is no link up");
    CHECK(with({{"switch0", "host3", 0, "switch1-switch2"}}) ==
          "route at switch0 to host3.0 over switch1-switch2: link switch1-switch2 is not at switch0");
    CHECK(with({{"switch0", "host3", 0, "host0.0"}}) ==
          "route at switch0 to host3.0 over host0.0: link host0.0 leads to another host");
    CHECK(with({{"switch0", "host3", 0, "switch0-switch1"}, {"switch0", "host3", 0, "switch0-switch1"}}) ==
          "route at switch0 to host3.0 over switch0-switch1: is given twice");
    topology t = chain(2, numbered_hosts(2, 1), ideal()); // and a switch that nobody can leave
    t.switches.push_back(t.switches[0]);
    t.switches[2].name = "island";
    t.hosts.push_back(numbered_hosts({0, 3})[2].station);
    t.links.push_back({{"host2", 0}, {"island"}, t.links[0].cable});
    t.links.back().cable.name = "host2.0";
    t.routes = {{"switch0", "host2", 0, "switch0-switch1"}};
    CHECK(complaint([&] { validate(t); }) ==
          "routes to host2.0: switch0 sends to switch1, which has no way on");
}

TEST_CASE("Impossible shapes are refused with place and reason") {
    const fabric_options o;
    CHECK(complaint([&] { fat_tree(5, {}, o); }) == "topology: a fat-tree's k must be even, 2 .. 128, not 5");
    CHECK(complaint([&] { fat_tree(4, numbered_hosts(9, 1), o); }) ==
          "host host8, port 0: there is no edge switch 8");
    CHECK(complaint([&] { fat_tree(4, numbered_hosts(1, 3), o); }) ==
          "host host2: switch edge0.0 has no more than 2 host ports");
    CHECK(complaint([&] { chain(0, {}, o); }) == "topology: no switch connects nothing");
    CHECK(complaint([&] { chain(2, numbered_hosts(3, 1), o); }) ==
          "host host2, port 0: there is no switch 2");
    CHECK(complaint([&] { ring(2, {}, o); }) == "topology: a ring needs three switches");
    fabric_options many;
    many.spine_rates = {40_gbps, 40_gbps};
    CHECK(complaint([&] { leaf_spine(2, 1, numbered_hosts(2, 1), many); }) ==
          "topology: 2 rates are given for 1 spines");
    fabric_options none;
    none.parallel_links = 0;
    CHECK(complaint([&] { leaf_spine(2, 1, numbered_hosts(2, 1), none); }) ==
          "topology: there must be a link between each leaf and spine");
}
