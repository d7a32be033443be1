// SPDX-License-Identifier: Apache-2.0
#include "fabric/forwarding.h"
#include "fabric/path_choice.h"
#include "fabric/routing.h"
#include "fabric/testing/station.h"

#include <catch2/catch_test_macros.hpp>

#include <set>

using namespace vg810;
using namespace vg810::fabric;

namespace {

/// Links given as pairs of switches; each takes the next free port at both.
switch_graph graph(std::size_t switches, const std::vector<std::pair<std::size_t, std::size_t>>& links) {
    switch_graph g;
    g.resize(switches);
    std::vector<port_index> next(switches, 0);
    for (const auto& [a, b] : links)
        g.add_link(a, next[a]++, b, next[b]++);
    return g;
}

/// Follows a flood from `start` along the tree and counts visits; stops at a bound that only a loop reaches.
std::vector<int> flood_from(const switch_graph& g, const std::vector<std::vector<port_index>>& tree,
                            std::size_t start) {
    std::vector<int> visits(g.size(), 0);
    std::vector<std::pair<std::size_t, int>> queue{{start, -1}};
    for (std::size_t i = 0; i < queue.size() && i < 1000; ++i) {
        const auto [at, in_port] = queue[i];
        ++visits[at];
        for (const auto& e : g.edges(at))
            if (e.port != in_port && std::ranges::find(tree[at], e.port) != tree[at].end())
                queue.emplace_back(e.to, e.far_port);
    }
    return visits;
}

} // namespace

TEST_CASE("All equal-cost next hops are found, longer ways are not") {
    // 0 and 1 are leaves, 2..4 spines; 5 hangs on 0.
    const switch_graph g = graph(6, {{0, 2}, {0, 3}, {0, 4}, {1, 2}, {1, 3}, {1, 4}, {0, 5}});
    const auto distance = g.distances(1);
    CHECK(distance == std::vector<unsigned>{2, 0, 1, 1, 1, 3});
    CHECK(g.next_hops(0, distance).size() == 3);
    CHECK(g.next_hops(5, distance).size() == 1);
    CHECK(g.next_hops(1, distance).empty());
}

TEST_CASE("Parts that are not connected have no way between them") {
    const switch_graph g = graph(4, {{0, 1}, {2, 3}});
    const auto distance = g.distances(3);
    CHECK(distance[0] == switch_graph::unreachable);
    CHECK(g.next_hops(0, distance).empty());
    const auto tree = g.flood_tree({true, true, true, true});
    CHECK(flood_from(g, tree, 0) == std::vector<int>{1, 1, 0, 0});
    CHECK(flood_from(g, tree, 3) == std::vector<int>{0, 0, 1, 1});
}

TEST_CASE("A flood visits every switch with hosts once and no dead end, also with rings and parallel links") {
    const std::vector<std::pair<std::size_t, std::size_t>> ring{{0, 1}, {1, 2}, {2, 3},
                                                                {3, 0}, {0, 1}, {1, 3}};
    for (unsigned mask = 1; mask < 16; ++mask) {
        std::vector<bool> has_hosts;
        for (unsigned i = 0; i < 4; ++i)
            has_hosts.push_back(mask >> i & 1);
        const switch_graph g = graph(4, ring);
        const auto tree = g.flood_tree(has_hosts);
        for (std::size_t start = 0; start < 4; ++start) {
            if (!has_hosts[start])
                continue;
            const auto visits = flood_from(g, tree, start);
            for (std::size_t i = 0; i < 4; ++i) {
                CHECK(visits[i] <= 1);
                if (has_hosts[i])
                    CHECK(visits[i] == 1);
            }
        }
    }
    // Of the spines of a leaf-spine only one takes part.
    const switch_graph g = graph(5, {{0, 3}, {0, 4}, {1, 3}, {1, 4}, {2, 3}, {2, 4}});
    const auto tree = g.flood_tree({true, true, true, false, false});
    CHECK((tree[3].empty() != tree[4].empty()));
}

TEST_CASE("The flow hash depends on the flow and the seed, not on the rest") {
    frame_pool pool;
    const mac_address a = mac_address::from_u64(0x02000000000a), b = mac_address::from_u64(0x02000000000b);
    const auto hash = [&](std::uint16_t port, bytes length, std::uint64_t seed) {
        return flow_hash(*testing::make_udp(pool, a, b, port, length), seed);
    };
    CHECK(hash(1, 100, 1) == hash(1, 1500, 1));
    CHECK(hash(1, 100, 1) != hash(2, 100, 1));
    CHECK(hash(1, 100, 1) != hash(1, 100, 2));
    // A first fragment shows its ports, the others cannot: both must take the same way.
    frame_ptr first = testing::make_udp(pool, a, b, 1, 100), later = testing::make_udp(pool, a, b, 2, 100);
    ipv4_view<std::byte>(first->stored().data() + 14).set_flags_and_offset(0x2000);
    ipv4_view<std::byte>(later->stored().data() + 14).set_flags_and_offset(0x0008);
    CHECK(flow_hash(*first, 1) == flow_hash(*later, 1));
    // Without IP the addresses are the flow.
    const auto plain = [&](mac_address from) {
        return flow_hash(*testing::make_frame(pool, a, from, 60, 0), 1);
    };
    CHECK(plain(b) != plain(mac_address::from_u64(0x02000000000c)));
}

namespace {
std::uint64_t hash_of(const frame& f) {
    return flow_hash(f, parse(f.stored(), f.length()));
}
} // namespace

TEST_CASE("Equal-cost choice is even within 5% over many flows, for any group size") {
    frame_pool pool;
    const mac_address a = mac_address::from_u64(0x02000000000a), b = mac_address::from_u64(0x02000000000b);
    for (port_index n : {2, 3, 4, 7}) {
        forwarding_table t;
        path_choice paths({}, 42, 1, "switch");
        std::vector<port_index> ports;
        for (port_index p = 0; p < n; ++p)
            ports.push_back(p);
        t.add_host(a, t.add_group(ports));
        for (port_index p : ports)
            t.set_live(p, true);
        std::vector<int> hits(n, 0);
        for (std::uint16_t flow = 0; flow < 20'000; ++flow)
            ++hits[paths.choose(*t.find(a), hash_of(*testing::make_udp(pool, a, b, flow, 64)), {})];
        for (int h : hits)
            CHECK(std::abs(h * n / 20'000.0 - 1) < 0.05);
    }
}

TEST_CASE("A group chooses among live ports only") {
    frame_pool pool;
    const mac_address a = mac_address::from_u64(0x02000000000a), b = mac_address::from_u64(0x02000000000b);
    forwarding_table t;
    path_choice paths({}, 1, 1, "switch");
    t.add_host(a, t.add_group({3, 5, 4}));
    CHECK(t.find(a)->live->empty());
    for (port_index p : {3, 4, 5, 3})
        t.set_live(p, true);
    t.set_live(4, false);
    CHECK(*t.find(a)->live == std::vector<port_index>{3, 5});
    const station_index s = t.stations().find(a);
    CHECK(t.only_port(s) == forwarding_table::no_port);
    t.set_live(3, false);
    CHECK(t.only_port(s) == 5);
    t.set_live(3, true);
    CHECK(t.only_port(s) == forwarding_table::no_port);
    CHECK(t.only_port(s + 1) == forwarding_table::no_port);
    std::set<port_index> chosen;
    for (std::uint16_t flow = 0; flow < 100; ++flow)
        chosen.insert(paths.choose(*t.find(a), hash_of(*testing::make_udp(pool, a, b, flow, 64)), {}));
    CHECK(chosen == std::set<port_index>{3, 5});
    CHECK_FALSE(t.find(b));
}

TEST_CASE("Tables refuse what makes no sense") {
    forwarding_table t;
    CHECK_THROWS_AS(t.add_group({}), std::invalid_argument);
    CHECK_THROWS_AS(t.add_group({1, 2, 1}), std::invalid_argument);
    const auto g = t.add_group({1});
    const mac_address a = mac_address::from_u64(0x02000000000a);
    t.add_host(a, g);
    CHECK_THROWS_AS(t.add_host(a, g), std::invalid_argument);
    CHECK_THROWS_AS(t.add_host(mac_address::broadcast(), g), std::invalid_argument);
    CHECK_THROWS_AS(t.add_host(mac_address::from_u64(0x02000000000b), g + 1), std::invalid_argument);
}
