// SPDX-License-Identifier: Apache-2.0
#include "scenarios/run/pause_log.h"

#include <catch2/catch_test_macros.hpp>

using namespace vg810;
using namespace vg810::scenarios;

namespace {

struct bench {
    scheduler clock{"clock"};
    frame_pool pool;
    fabric::cable_parameters parameters;
    fabric::cable wire{parameters, clock, clock};
    pause_log log;

    bench() { log.watch(wire, log.node("leaf"), log.node("host")); }
    void ask(fabric::cable_side from, priority p, std::uint16_t quanta, picoseconds at) {
        pfc_request r;
        r.enabled = static_cast<priority_set>(1 << p);
        r.time[p] = quanta;
        wire.end(from).send(make_pfc_frame(pool, mac_address::from_u64(0x02c810000000), r), at, at + 27_ns);
    }
};

constexpr auto a = fabric::cable_side::a;
constexpr auto b = fabric::cable_side::b;
constexpr picoseconds quantum = picoseconds(20'480); // 512 bit at 25 Gb/s

} // namespace

TEST_CASE("a pause lasts from the request to the release, refreshed or not") {
    bench t;
    t.ask(a, 3, 1000, 1_us);
    t.ask(a, 3, 1000, 10_us);
    t.ask(a, 3, 0, 15_us);
    t.log.finish(100_us);
    REQUIRE(t.log.intervals().size() == 1);
    const pause_interval& i = t.log.intervals()[0];
    CHECK(i.start == 1_us);
    CHECK(i.end == 15_us);
    CHECK(i.frames == 2);
    CHECK(t.log.nodes()[i.by] == "leaf");
    CHECK(t.log.nodes()[i.whom] == "host");
    CHECK(t.log.total() == 14_us);
    CHECK(t.log.csv() ==
          "start_ps,end_ps,by,paused,priority,frames,state\n1000000,15000000,leaf,host,3,2,over\n");
}

TEST_CASE("a pause that nobody releases runs out") {
    bench t;
    t.ask(b, 5, 10, 1_us);
    t.ask(b, 5, 10, 50_us);
    t.log.finish(100_us);
    REQUIRE(t.log.intervals().size() == 2);
    CHECK(t.log.intervals()[0].end == 1_us + quantum * 10);
    CHECK(t.log.intervals()[1].end == 50_us + quantum * 10);
    CHECK_FALSE(t.log.intervals()[1].open);
    CHECK(t.log.nodes()[t.log.intervals()[0].by] == "host");
}

TEST_CASE("priorities and directions are told apart, and what is still on at the end is open") {
    bench t;
    t.ask(a, 3, 0xffff, 2_us);
    t.ask(b, 3, 0xffff, 1_us);
    t.ask(a, 4, 0xffff, 3_us);
    t.ask(a, 3, 0, 4_us);
    t.log.finish(10_us);
    REQUIRE(t.log.intervals().size() == 3);
    CHECK(t.log.intervals()[0].open); // host's, from 1 us
    CHECK(t.log.intervals()[0].end == 10_us);
    CHECK(t.log.intervals()[1].end == 4_us);
    CHECK(t.log.intervals()[2].priority == 4);
    CHECK(t.log.frames() == 4);
}
