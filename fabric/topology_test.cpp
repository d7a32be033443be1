// SPDX-License-Identifier: Apache-2.0
#include "fabric/topology.h"

#include <catch2/catch_test_macros.hpp>

#include <functional>

using namespace vg810;
using namespace vg810::fabric;

namespace {

topology good() {
    return leaf_spine(2, 2, numbered_hosts(2, 2, 2), fabric_options{});
}

/// The message of the error that validation ends with after `damage`; "" when it passes.
std::string complaint(const std::function<void(topology&)>& damage) {
    topology t = good();
    damage(t);
    try {
        validate(t);
    } catch (const topology_error& e) {
        CHECK(std::string(e.what()).find(e.where()) == 0);
        return e.what();
    }
    return "";
}

} // namespace

TEST_CASE("A leaf-spine has every leaf on every spine and every host port on its leaf") {
    const topology t = good();
    CHECK(t.switches.size() == 4);
    CHECK(t.hosts.size() == 4);
    CHECK(t.links.size() == 4 * 2 + 2 * 2);
    CHECK(t.links[0].cable.name == "host0.0");
    CHECK(t.links[0].b.node == "leaf0");
    CHECK(t.links[7].cable.name == "host3.1");
    CHECK(t.links[7].b.node == "leaf1");
    CHECK(t.links.back().cable.name == "leaf1-spine1");
    CHECK(t.links.back().cable.rate == 100_gbps);
    CHECK(t.hosts[3].ports[1].mac.to_string() == "02:c8:10:00:03:01");
    CHECK(t.hosts[3].ports[1].ip->to_string() == "10.1.0.4");
    CHECK(complaint([](topology&) {}) == "");
    for (std::size_t a = 0; a < t.switches.size(); ++a)
        for (std::size_t b = 0; b < a; ++b)
            CHECK(t.switches[a].ecmp_seed != t.switches[b].ecmp_seed);
}

TEST_CASE("What cannot be built is refused with place and reason") {
    CHECK(complaint([](topology& t) { t.hosts[2].ports[1].mac = t.hosts[0].ports[0].mac; }) ==
          "host host2, port 1: MAC address 02:c8:10:00:00:00 is taken by host host0, port 0");
    CHECK(complaint([](topology& t) { t.hosts[2].ports[1].ip = t.hosts[0].ports[0].ip; }) ==
          "host host2, port 1: IP address 10.0.0.1 is taken by host host0, port 0");
    CHECK(complaint([](topology& t) { t.hosts[1].ports[0].mac = mac_address::broadcast(); }) ==
          "host host1, port 0: MAC address ff:ff:ff:ff:ff:ff is not a station's address");
    CHECK(complaint([](topology& t) { t.hosts[1].ports[0].mac = {}; }) ==
          "host host1, port 0: MAC address 00:00:00:00:00:00 is not a station's address");
    CHECK(complaint([](topology& t) { t.hosts[1].name = "spine1"; }) ==
          "host spine1: the name spine1 is taken by switch spine1");
    CHECK(complaint([](topology& t) { t.hosts[1].name = ""; }) == "host : has no name");
    CHECK(complaint([](topology& t) { t.hosts[3].ports.clear(); }) == "host host3: has no ports");
    CHECK(complaint([](topology& t) { t.links.erase(t.links.begin()); }) ==
          "host host0, port 0: is not linked to anything");
    CHECK(complaint([](topology& t) { t.links[1].a.port = 0; }) ==
          "link host0.1: host host0, port 0 has a link already");
    CHECK(complaint([](topology& t) { t.links[1].a.port = 2; }) == "link host0.1: host host0 has no port 2");
    CHECK(complaint([](topology& t) { t.links[1].b.node = "leaf7"; }) ==
          "link host0.1: there is no host or switch leaf7");
    CHECK(complaint([](topology& t) { t.links.back().b.node = "leaf1"; }) ==
          "link leaf1-spine1: joins leaf1 with itself");
    CHECK(complaint([](topology& t) { t.links[1].cable.name = "host0.0"; }) ==
          "link host0.0: the name host0.0 is taken by link host0.0");
    CHECK(complaint([](topology& t) { t.links[1].cable.name = ""; }) == "link host0 to leaf0: has no name");
    CHECK(complaint([](topology& t) { t.links[1].cable.length.count = -1; }) ==
          "link host0.1: its length is negative");
    CHECK(complaint([](topology& t) { t.switches.push_back({.name = "spare"}); }) ==
          "switch spare: has no links");
    CHECK(complaint([](topology& t) { t.switches[0].queue_limit = 1000; }) ==
          "switch leaf0: a queue of 1000 octets cannot hold a frame of 9622");
    CHECK(complaint([](topology& t) { t.switches[0].pipeline = picoseconds(-1); }) ==
          "switch leaf0: the pipeline's latency is negative");
    CHECK(complaint([](topology& t) {
              t.router = gateway{t.hosts[0].ports[0].mac, {ipv4_address(1)}};
          }) == "router: MAC address 02:c8:10:00:00:00 is taken by host host0, port 0");
    CHECK(complaint([](topology& t) {
              t.router = gateway{mac_address::from_u64(0x02fe), {*t.hosts[0].ports[0].ip}};
          }) == "router: IP address 10.0.0.1 is taken by host host0, port 0");
    CHECK(complaint([](topology& t) {
              t.router = gateway{mac_address::from_u64(0x02fe), {}};
          }) == "router: has no IP address");
}

TEST_CASE("Shapes that do not exist are refused") {
    const fabric_options o;
    CHECK_THROWS_AS(leaf_spine(0, 0, {}, o), topology_error);
    CHECK_THROWS_AS(leaf_spine(2, 0, numbered_hosts(2, 1), o), topology_error);
    CHECK_THROWS_AS(leaf_spine(1, 0, numbered_hosts(2, 1), o), topology_error); // host1 is on leaf1
    CHECK_THROWS_AS(back_to_back({}, o), topology_error);
    CHECK_THROWS_AS(numbered_hosts(1000, 100), topology_error);
}
