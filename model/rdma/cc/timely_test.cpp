// SPDX-License-Identifier: Apache-2.0
// TIMELY, step by step.
#include "model/rdma/cc/testing/flow_bench.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>

using namespace vg810;
using namespace vg810::cc;
using namespace vg810::cc::testing;
using Catch::Matchers::WithinAbs;

namespace {

constexpr double grain = 4e-9;
constexpr std::uint64_t segment = 16384;

flow_bench at_ten_gigabit() {
    return flow_bench(timely, {{"initial_rate", 10e9}});
}

} // namespace

TEST_CASE("below t_low the rate goes up one step, whatever the gradient") {
    flow_bench b = at_ten_gigabit();
    b.ack(us(20), segment, us(20));
    CHECK_THAT(b.gbps(), WithinAbs(10.01, grain));
    b.ack(us(40), segment, us(49)); // steep, but low
    CHECK_THAT(b.gbps(), WithinAbs(10.02, grain));
}

TEST_CASE("above t_high the rate goes down by how far it is above") {
    flow_bench b = at_ten_gigabit();
    b.ack(us(20), segment, us(1000));
    CHECK_THAT(b.gbps(), WithinAbs(10 * (1 - 0.8 * (1 - 0.5)), grain));
}

TEST_CASE("between the thresholds a rising round-trip time lowers the rate by its normalised gradient") {
    flow_bench b = at_ten_gigabit();
    b.ack(us(20), segment, us(100)); // no gradient yet: one step up
    CHECK_THAT(b.gbps(), WithinAbs(10.01, grain));
    b.ack(us(40), segment, us(110));
    // 0.875 x 10 us over 20 us
    CHECK_THAT(b.gbps(), WithinAbs(10.01 * (1 - 0.8 * 0.4375), grain));
    const double before = b.gbps();
    b.ack(us(60), segment, us(108));
    // 0.125 x 8.75 - 0.875 x 2 = -0.65625 us: falling
    CHECK_THAT(b.gbps(), WithinAbs(before + 0.01, grain));
}

TEST_CASE("a decrease takes max_decrease at most, and 1 leaves the least rate") {
    flow_bench bounded = at_ten_gigabit();
    bounded.ack(us(20), segment, us(100));
    bounded.ack(us(40), segment, us(400));
    CHECK_THAT(bounded.gbps(), WithinAbs(5.005, grain));
    flow_bench b(timely, {{"initial_rate", 10e9}, {"max_decrease", 1}});
    b.ack(us(20), segment, us(100));
    b.ack(us(40), segment, us(400));
    CHECK(b.under.rate() == VG810_CC_LEAST_RATE);
    CHECK(b.made.misdeeds() == 0);
}

TEST_CASE("five decisions in a row without a rise begin hyperactive increase; a rise ends it") {
    flow_bench b = at_ten_gigabit();
    double expected = 10;
    for (int i = 0; i < 7; ++i) {
        b.ack(us(20 * i), segment, us(100));
        expected += i < 4 ? 0.01 : 0.05;
        CAPTURE(i);
        CHECK_THAT(b.gbps(), WithinAbs(expected, grain));
    }
    b.ack(us(160), segment, us(101));
    const double before = b.gbps();
    b.ack(us(180), segment, us(99));
    CHECK_THAT(b.gbps(), WithinAbs(before + 0.01, grain));
}

TEST_CASE("there is one decision a segment, and one at the end of what was sent") {
    flow_bench b = at_ten_gigabit();
    for (int i = 0; i < 15; ++i)
        b.ack(us(i), 1024, us(20));
    CHECK(b.gbps() == 10);
    b.ack(us(19), 1024, us(20));
    CHECK_THAT(b.gbps(), WithinAbs(10.01, grain));
    b.ack(us(39), 100, us(20), 0, true);
    CHECK_THAT(b.gbps(), WithinAbs(10.02, grain));
    b.ack(us(60), segment, 0); // no time stamp: waits for one
    CHECK_THAT(b.gbps(), WithinAbs(10.02, grain));
}

TEST_CASE("there is no decision sooner than min_rtt after the last") {
    flow_bench b = at_ten_gigabit();
    for (int i = 0; i < 20; ++i)
        b.ack(us(1 + i), segment, us(20));
    CHECK_THAT(b.gbps(), WithinAbs(10.01, grain));
    b.ack(us(21), segment, us(20));
    CHECK_THAT(b.gbps(), WithinAbs(10.02, grain));
}

TEST_CASE("the rate does not go above the line's") {
    flow_bench b(timely);
    for (int i = 0; i < 10; ++i)
        b.ack(us(20 * i), segment, us(20));
    CHECK(b.gbps() == 25);
    CHECK(b.made.misdeeds() == 0);
}
