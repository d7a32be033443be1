// SPDX-License-Identifier: Apache-2.0
#include "scenarios/run/progress_watch.h"
#include "scenarios/run/series_sampler.h"

#include <catch2/catch_test_macros.hpp>

using namespace vg810;
using namespace vg810::scenarios;

TEST_CASE("a series has a point where its value has changed, and ends with the run") {
    scheduler clock("clock");
    series_sampler s(clock, 10_us);
    s.add("steps", [&] { return clock.now() < 25_us ? 0 : 5; });
    s.add("still", [] { return 0; });
    s.begin([&] { return clock.now() < 100_us; });
    clock.run_before(1_ms);
    REQUIRE(s.all()[0].points.size() == 1);
    CHECK(s.all()[0].points[0].at == 30_us);
    CHECK(s.all()[1].points.empty());
    CHECK(s.last() == 100_us);
    CHECK(s.rows() == "30000000,sample,steps,5\n");
}

TEST_CASE("without an interval nothing is sampled") {
    scheduler clock("clock");
    series_sampler s(clock, 0_us);
    s.add("a", [] { return 1; });
    s.begin([] { return true; });
    CHECK(clock.run_before(1_ms) == 0);
}

TEST_CASE("a stall is a time without progress while something waits") {
    progress_watch w(10_ms);
    CHECK_FALSE(w.stalled(0_ms, true, 1, 100));
    CHECK_FALSE(w.stalled(9_ms, true, 1, 150));
    CHECK(w.stalled(10_ms, true, 1, 160));
    CHECK(w.sent_meanwhile() == 60);
    CHECK_FALSE(w.stalled(11_ms, true, 2, 170));  // it went on
    CHECK_FALSE(w.stalled(30_ms, false, 2, 170)); // nothing waits: the hosts compute
    CHECK_FALSE(w.stalled(35_ms, true, 2, 170));
    CHECK(w.stalled(40_ms, true, 2, 170));
    CHECK(w.sent_meanwhile() == 0);
    CHECK(w.since() == 30_ms);
}
