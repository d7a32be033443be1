// SPDX-License-Identifier: Apache-2.0
// DCQCN's reaction point, step by step.
#include "model/rdma/cc/testing/flow_bench.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>

using namespace vg810;
using namespace vg810::cc;
using namespace vg810::cc::testing;
using Catch::Matchers::WithinAbs;
using Catch::Matchers::WithinRel;

namespace {

constexpr flow_facts at_40g{40_gbps, 8_us, 1000, 3};
// Rates are whole bit/s, so they compare to a few of those.
constexpr double grain = 4e-9;

} // namespace

TEST_CASE("without a CNP there is no limiter: no timer runs, sent octets do not matter") {
    flow_bench b(dcqcn);
    b.sent(us(1), 10'000'000);
    CHECK(b.gbps() == 25);
    CHECK(b.under.next_deadline() == never);
}

TEST_CASE("the vendors' presets: a first CNP takes 1023/2048 off") {
    flow_bench b(dcqcn);
    b.cnp(us(10));
    CHECK_THAT(b.gbps(), WithinAbs(25.0 * 1025 / 2048, grain));
    CHECK(b.under.next_deadline() == 310_us);
}

TEST_CASE("a second CNP within rate_reduce_monitor_period takes effect at the period's end, once") {
    flow_bench b(dcqcn);
    b.cnp(us(0));
    const double first = b.gbps();
    b.cnp(us(2));
    b.cnp(us(3));
    CHECK(b.gbps() == first);
    CHECK(b.run_next() == us(4));
    // Alpha's periods end at 1, 2, 3, 4 us; those that began at 0, 2 and 3 us saw a CNP.
    const double keep = 1019.0 / 1024;
    double alpha = 1023.0 / 1024;
    for (const bool seen : {true, false, true, true})
        alpha = alpha * keep + (seen ? 1 - keep : 0);
    CHECK_THAT(b.gbps(), WithinAbs(first * (1 - alpha / 2), grain));
    CHECK(b.under.next_deadline() == 304_us);
    b.cnp(us(9)); // later than the period: at once
    CHECK(b.gbps() < first / 2);
}

TEST_CASE("alpha decays by period until the next CNP, as if each period's end had been an event") {
    for (const int periods : {0, 1, 2, 77, 1000}) {
        CAPTURE(periods);
        flow_bench b(dcqcn_paper, {}, at_40g);
        b.cnp(0);
        const double keep = 1020.0 / 1024;
        double alpha = 1;
        for (int i = 0; i < periods; ++i)
            alpha = alpha * keep + (i == 0 ? 1 - keep : 0);
        const std::uint64_t now = us(55) * static_cast<std::uint64_t>(periods) + us(1);
        b.cnp(now);
        CHECK_THAT(b.gbps(), WithinRel(20 * (1 - alpha / 2), 1e-8));
    }
}

TEST_CASE("the paper's stages: fast recovery, additive, hyper increase") {
    flow_bench b(dcqcn_paper, {}, at_40g);
    b.cnp(us(0));
    b.cnp(us(50)); // still in alpha's first period, so alpha is 1
    REQUIRE_THAT(b.gbps(), WithinAbs(10, grain));
    for (const double expected : {15.0, 17.5, 18.75, 19.375}) {
        b.run_next();
        CHECK_THAT(b.gbps(), WithinAbs(expected, grain));
    }
    b.run_next(); // the fifth stage: the target 20 goes up by 40 Mbit/s
    CHECK_THAT(b.gbps(), WithinAbs((19.375 + 20.04) / 2, grain));
    CHECK(b.run_next() == us(50 + 6 * 55));
    double rate = ((19.375 + 20.04) / 2 + 20.08) / 2;
    double target = 20.08;
    CHECK_THAT(b.gbps(), WithinAbs(rate, grain));
    for (int stage = 1; stage <= 7; ++stage) {
        CAPTURE(stage);
        b.sent(us(400), 9'999'999);
        CHECK_THAT(b.gbps(), WithinAbs(rate, grain));
        b.sent(us(400), 1);
        target +=
            stage == 6 || stage == 7 ? 0.4 : 0.04; // both counters beyond 5: hyper; the timer's stands at 6
        rate = (rate + target) / 2;
        CHECK_THAT(b.gbps(), WithinAbs(rate, 1e-8));
    }
}

TEST_CASE("one frame that spans several byte stages counts for each") {
    flow_bench b(dcqcn, {{"rpg_byte_reset", 1000}, {"initial_alpha_value", 1024}});
    b.cnp(0);
    b.sent(us(1), 3100);
    CHECK_THAT(b.gbps(), WithinAbs(25 - 12.5 / 8, grain));
    b.sent(us(1), 900);
    CHECK_THAT(b.gbps(), WithinAbs(25 - 12.5 / 16, grain));
}

TEST_CASE("clamp_tgt_rate says whether a CNP without an increase before it lowers the target") {
    const auto after_two_cnps = [](double clamp) {
        flow_bench b(dcqcn, {{"clamp_tgt_rate", clamp}, {"initial_alpha_value", 1024}, {"dce_tcp_g", 1023}});
        b.cnp(us(0));
        b.cnp(us(5));
        const double low = b.gbps();
        b.run_next();
        return 2 * b.gbps() - low; // the target it went half-way to
    };
    CHECK_THAT(after_two_cnps(0), WithinAbs(25, 1e-6));
    CHECK_THAT(after_two_cnps(1), WithinAbs(12.505, 1e-6)); // and one additive step
}

TEST_CASE("clamp_tgt_rate_after_time_inc says whether an increase by the timer counts as one") {
    const auto target = [](double after_time) {
        flow_bench b(dcqcn, {{"clamp_tgt_rate_after_time_inc", after_time}, {"initial_alpha_value", 1024}});
        b.cnp(us(0));
        b.run_next();
        CHECK_THAT(b.gbps(), WithinAbs(18.75, grain));
        b.cnp(us(301));
        const double low = b.gbps();
        b.run_next();
        return 2 * b.gbps() - low;
    };
    CHECK_THAT(target(0), WithinAbs(25, 1e-6));
    CHECK_THAT(target(1), WithinAbs(18.755, 1e-6));
}

TEST_CASE("rate_to_set_on_first_cnp sets rate and target in place of the first reduction") {
    flow_bench b(dcqcn, {{"rate_to_set_on_first_cnp", 5e9}});
    b.cnp(us(0));
    CHECK_THAT(b.gbps(), WithinAbs(5, grain));
    b.run_next();
    CHECK_THAT(b.gbps(), WithinAbs(5.0025, grain));
}

TEST_CASE("no reduction leaves less than rpg_min_dec_fac, nor less than rpg_min_rate") {
    flow_bench b(dcqcn, {{"rpg_gd", 8}, {"rpg_min_dec_fac", 40}, {"rpg_min_rate", 1e9}});
    double expected = 25;
    for (int i = 0; i < 10; ++i) {
        b.cnp(us(10 * i));
        expected = std::max(expected * 0.4, 1.0);
        CHECK_THAT(b.gbps(), WithinAbs(expected, grain));
    }
    CHECK(b.made.misdeeds() == 0);
}

TEST_CASE(
    "back at line rate the limiter is given up, and the next CNP begins anew with the vendors' presets") {
    flow_bench b(dcqcn);
    b.cnp(us(0));
    std::uint64_t last = 0;
    while (const std::uint64_t due = b.run_next())
        last = due;
    CHECK(b.gbps() == 25);
    CHECK(last == us(14 * 300)); // 12.488 Gbit/s halved until it is below 1 Mbit/s
    b.cnp(us(10'000));
    CHECK_THAT(b.gbps(), WithinAbs(25.0 * 1025 / 2048, grain));
}

TEST_CASE("with the paper's presets alpha goes on falling after the flow is back at line rate") {
    flow_bench b(dcqcn_paper, {}, at_40g);
    b.cnp(us(0));
    while (b.run_next() != 0)
        ;
    CHECK(b.gbps() == 40);
    b.cnp(us(55'000) + 1); // 1000 periods, the first up
    double alpha = 1;
    for (int i = 1; i < 1000; ++i)
        alpha *= 1020.0 / 1024;
    CHECK_THAT(b.gbps(), WithinRel(40 * (1 - alpha / 2), 1e-8));
}

TEST_CASE("a flow that reaches rpg_max_rate is limited no more") {
    flow_bench b(dcqcn, {{"rpg_max_rate", 10e9}});
    b.cnp(us(0));
    CHECK(b.gbps() > 12);
    b.run_next();
    CHECK(b.gbps() == 25);
    CHECK(b.under.next_deadline() == never);
}
