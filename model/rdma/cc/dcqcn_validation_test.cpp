// SPDX-License-Identifier: Apache-2.0
// What the published description of DCQCN says in numbers.
#include "model/rdma/cc/dcqcn_fixed_point.h"
#include "model/rdma/cc/testing/flow_bench.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>

#include <stdexcept>

using namespace vg810;
using namespace vg810::cc;
using namespace vg810::cc::testing;
using Catch::Matchers::WithinRel;

// Row C11: rates 12.5, then half the way to 25 at each timer. Tolerance: 1%.
TEST_CASE("C11: one CNP at alpha 1, then silence, 25G, byte counter off") {
    flow_bench b(dcqcn, {{"initial_alpha_value", 1024}, {"rpg_byte_reset", 0}});
    b.cnp(0);
    UNSCOPED_INFO("at the CNP, Gb/s");
    CHECK_THAT(b.gbps(), WithinRel(12.5, 0.01));
    int step = 0;
    for (const double expected : {18.75, 21.875, 23.44, 24.22}) {
        CHECK(b.run_next() == us(300) * static_cast<std::uint64_t>(++step));
        UNSCOPED_INFO("after " << step << " timers, Gb/s");
        CHECK_THAT(b.gbps(), WithinRel(expected, 0.01));
    }
    double reached_ms = 0;
    while (b.gbps() < 24.9)
        reached_ms = static_cast<double>(b.run_next()) * 1e-9;
    UNSCOPED_INFO("24.9 Gb/s reached, ms");
    CHECK_THAT(reached_ms, WithinRel(2.1, 0.01));
}

// Row F1, the theory's side: what the simulated queue is to come to. Tolerance: the digits published, 0.5%.
TEST_CASE("F1: fixed point of DCQCN, solved exactly") {
    const struct {
        std::uint32_t flows;
        double queue_kb;
    } rows[] = {{2, 20.2}, {4, 41.8}, {8, 93.8}, {10, 122.6}};
    for (const auto& row : rows) {
        const dcqcn_rest rest = dcqcn_fixed_point({.flows = row.flows});
        UNSCOPED_INFO(row.flows << " flows, queue, KB");
        CHECK_THAT(rest.queue / 1e3, WithinRel(row.queue_kb, 0.005));
        UNSCOPED_INFO(row.flows << " flows, rate of each, Gb/s");
        CHECK_THAT(rest.rate / 1e9, WithinRel(40.0 / row.flows, 1e-9));
    }
}

TEST_CASE("a network without a fixed point is refused") {
    CHECK_THROWS_AS(dcqcn_fixed_point({.kmin = 10, .kmax = 10}), std::invalid_argument);
    CHECK_THROWS_AS(dcqcn_fixed_point({.flows = 0}), std::invalid_argument);
    CHECK_THROWS_AS(dcqcn_fixed_point({.ai_rate = 1e15}), std::invalid_argument);
}
