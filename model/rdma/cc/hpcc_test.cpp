// SPDX-License-Identifier: Apache-2.0
// HPCC, step by step: T 8 us at 25G is a window of 25,000 octets.
#include "model/rdma/cc/testing/flow_bench.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>

using namespace vg810;
using namespace vg810::cc;
using namespace vg810::cc::testing;
using Catch::Matchers::WithinAbs;

namespace {

constexpr double grain = 1e-6;

double rate_of(double window) {
    return window * 8 / 8e-6 / 1e9;
}

struct hpcc_bench : flow_bench {
    hpcc_bench(std::vector<parameter_value> values = {}) : flow_bench(hpcc, std::move(values)) {}

    void hear(std::vector<vg810_cc_hop> hops, std::uint64_t acknowledged, std::uint64_t sent) {
        vg810_cc_event e = at(hops.front().time, VG810_CC_ACK, 1024);
        e.acknowledged = acknowledged;
        e.sent = sent;
        e.hop_count = static_cast<std::uint32_t>(hops.size());
        e.hop = hops.data();
        under.tell(e);
    }
};

constexpr std::uint64_t port_rate = 25'000'000'000;

} // namespace

TEST_CASE("a flow starts with a full window at line rate and wants telemetry") {
    hpcc_bench b;
    CHECK(b.under.wants_telemetry());
    CHECK(b.gbps() == 25);
    // 25,000 octets on the wire are this much payload in packets of 1024 + 124.
    CHECK(b.under.window() == static_cast<std::uint64_t>(25000.0 / 1148 * 1024));
}

TEST_CASE("utilisation is the link's rate and its queue, and the window goes by it") {
    hpcc_bench b;
    b.hear({{0, 0, 12500, port_rate}}, 1000, 20000);
    CHECK(b.gbps() == 25); // one block says nothing yet
    // A full link (25,000 octets in 8 us) and half a window in the queue: 1.5.
    b.hear({{us(8), 25000, 20000, port_rate}}, 20001, 40000);
    const double window = 25000 / (1.5 / 0.95) + 80;
    CHECK_THAT(b.gbps(), WithinAbs(rate_of(window), grain));
    CHECK(b.under.window() == static_cast<std::uint64_t>(window / 1148 * 1024));
}

TEST_CASE("the reference moves once a round trip: one event is not answered twice") {
    hpcc_bench b;
    b.hear({{0, 0, 12500, port_rate}}, 1000, 20000);
    b.hear({{us(8), 25000, 12500, port_rate}}, 20001, 40000);
    const double once = 25000 / (1.5 / 0.95) + 80;
    b.hear({{us(16), 50000, 12500, port_rate}}, 30000, 45000); // sent before the last update
    b.hear({{us(24), 75000, 12500, port_rate}}, 40000, 50000);
    CHECK_THAT(b.gbps(), WithinAbs(rate_of(once / (1.5 / 0.95) + 80), grain));
    b.hear({{us(32), 100000, 12500, port_rate}}, 40001, 55000); // ends the round: the reference moves
    const double twice = once / (1.5 / 0.95) + 80;
    CHECK_THAT(b.gbps(), WithinAbs(rate_of(twice), grain));
    b.hear({{us(40), 125000, 12500, port_rate}}, 50000, 60000);
    CHECK_THAT(b.gbps(), WithinAbs(rate_of(twice / (1.5 / 0.95) + 80), grain));
}

TEST_CASE("below eta the window grows by w_ai for max_stage rounds, then at once") {
    hpcc_bench b;
    b.hear({{0, 0, 12500, port_rate}}, 0, 1);
    b.hear({{us(8), 25000, 12500, port_rate}}, 2, 3);
    double reference = 25000 / (1.5 / 0.95) + 80;
    for (std::uint64_t round = 1; round <= 5; ++round) {
        b.hear({{us(8.0 + 8.0 * round), 25000 + 12500 * round, 0, port_rate}}, 2 + 2 * round, 3 + 2 * round);
        reference += 80;
        CAPTURE(round);
        CHECK_THAT(b.gbps(), WithinAbs(rate_of(reference), grain));
    }
    b.hear({{us(56), 25000 + 12500 * 6, 0, port_rate}}, 14, 15);
    CHECK_THAT(b.gbps(), WithinAbs(25, grain)); // utilisation 0.5: 1.9 times the window, more than the line's
}

TEST_CASE("a fraction of T counts for that fraction") {
    hpcc_bench b;
    b.hear({{0, 0, 12500, port_rate}}, 0, 1);
    b.hear({{us(2), 6250, 12500, port_rate}}, 2, 3);
    // From 1, a quarter of the way to 1.5.
    CHECK_THAT(b.gbps(), WithinAbs(rate_of(25000 / (1.125 / 0.95) + 80), grain));
}

TEST_CASE("the busiest link decides, and counters may wrap") {
    hpcc_bench b;
    const std::uint64_t near_end = UINT64_MAX - 9999;
    b.hear({{0, 7, 0, 4 * port_rate}, {us(1), near_end, 25000, port_rate}}, 0, 1);
    b.hear({{us(8), 25007, 0, 4 * port_rate}, {us(9), near_end + 25000, 25000, port_rate}}, 2, 3);
    CHECK_THAT(b.gbps(), WithinAbs(rate_of(25000 / (2 / 0.95) + 80), grain));
}

TEST_CASE("blocks that tell nothing new, or of another path, change nothing") {
    hpcc_bench b;
    b.hear({{0, 0, 12500, port_rate}}, 0, 1);
    b.hear({{0, 0, 12500, port_rate}}, 2, 3); // the same again
    b.hear({{us(8), 25000, 12500, 0}}, 4, 5); // a port without a rate
    CHECK(b.gbps() == 25);
    b.hear({{us(8), 9, 9, port_rate}, {us(8), 9, 9, port_rate}}, 6, 7); // two hops now
    CHECK(b.gbps() == 25);
    CHECK(b.made.misdeeds() == 0);
}

TEST_CASE("a path choked for long leaves at least w_ai a round trip") {
    hpcc_bench b;
    for (std::uint64_t i = 0; i < 60; ++i)
        b.hear({{us(8.0 * i), 25000 * i, 1'000'000, port_rate}}, 2 * i, 2 * i + 1);
    CHECK(b.gbps() >= rate_of(80) - grain);
    CHECK(b.gbps() < rate_of(90));
    CHECK(b.under.window() == 1024);
}
