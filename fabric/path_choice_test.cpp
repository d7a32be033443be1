// SPDX-License-Identifier: Apache-2.0
#include "fabric/path_choice.h"

#include <catch2/catch_test_macros.hpp>

#include <set>

using namespace vg810;
using namespace vg810::fabric;

namespace {
struct four_ways {
    four_ways(balancing mode, std::uint64_t seed = 1) : paths({mode, 100_us}, 7, seed, "switch") {
        table.add_host(to, table.add_group({0, 1, 2, 3}));
        for (port_index p : {0, 1, 2, 3})
            table.set_live(p, true);
    }
    port_index choose(std::uint64_t flow, picoseconds at = {}) {
        return paths.choose(*table.find(to), flow * 0x9e3779b97f4a7c15u, at);
    }
    const mac_address to = mac_address::from_u64(0x02000000000a);
    forwarding_table table;
    path_choice paths;
};
} // namespace

TEST_CASE("By flow: always the same way for one, all ways for many") {
    four_ways t(balancing::flow);
    std::set<port_index> all;
    for (std::uint64_t flow = 0; flow < 100; ++flow) {
        CHECK(t.choose(flow) == t.choose(flow, 1_ms));
        all.insert(t.choose(flow));
    }
    CHECK(all.size() == 4);
}

TEST_CASE("By flowlet: a flow keeps its way until it has been idle for longer than the gap") {
    four_ways t(balancing::flowlet);
    std::set<port_index> ways;
    picoseconds now{};
    for (int burst = 0; burst < 50; ++burst) {
        const port_index way = t.choose(5, now);
        for (int i = 0; i < 20; ++i)
            CHECK(t.choose(5, now += 100_us) == way);
        ways.insert(way);
        now += 101_us;
    }
    CHECK(ways.size() == 4);
}

TEST_CASE("Spraying goes round exactly; randomly it is even and repeats with its seed only") {
    four_ways round(balancing::spray);
    for (int i = 0; i < 40; ++i)
        CHECK(round.choose(1) == i % 4);
    four_ways one(balancing::spray_random), same(balancing::spray_random), other(balancing::spray_random, 2);
    int hits[4] = {}, different = 0;
    for (int i = 0; i < 10'000; ++i) {
        const port_index p = one.choose(1);
        ++hits[p];
        CHECK(same.choose(1) == p);
        different += other.choose(1) != p;
    }
    for (int h : hits)
        CHECK(std::abs(h - 2'500) < 200);
    CHECK(different > 5'000);
}
