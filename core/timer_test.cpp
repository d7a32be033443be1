// SPDX-License-Identifier: Apache-2.0
#include "core/timer.h"

#include <catch2/catch_test_macros.hpp>

#include <vector>

using namespace vg810;

namespace {
struct owner : component {
    using component::component;
    void expired() { at.push_back(now()); }
    std::vector<picoseconds> at;
};
using timer = restart_timer<&owner::expired, owner>;
} // namespace

TEST_CASE("a timer expires once, when it was last told to") {
    scheduler s("s");
    owner o(s, "o");
    timer t(o, &o);
    CHECK_FALSE(t.running());
    t.start(10_us);
    CHECK(t.due() == 10_us);
    s.run_before(5_us);
    t.start(30_us); // later
    s.run_before(20_us);
    CHECK(o.at.empty());
    t.start(25_us); // earlier than what is pending
    s.run_before(never);
    CHECK(o.at == std::vector{25_us});
    CHECK_FALSE(t.running());
    t.start(40_us);
    s.run_before(never);
    CHECK(o.at == std::vector{25_us, 40_us});
}

TEST_CASE("moving a timer on adds no events") {
    scheduler s("s");
    owner o(s, "o");
    timer t(o, &o);
    for (std::int64_t i = 0; i < 1000; ++i)
        t.start(67_ms + 1_us * i);
    CHECK(s.pending() == 1);
    CHECK(s.run_before(never) == 2); // the first, too early, and the one that counts
    CHECK(o.at == std::vector{67_ms + 999_us});
}

TEST_CASE("a stopped timer does not expire; a withdrawn one leaves nothing behind") {
    scheduler s("s");
    owner o(s, "o");
    timer t(o, &o);
    t.start(10_us);
    t.stop();
    CHECK_FALSE(t.running());
    CHECK(s.pending() == 1);
    s.run_before(never);
    CHECK(o.at.empty());
    t.start(20_us);
    t.withdraw();
    CHECK(s.empty());
    t.start(30_us);
    s.run_before(never);
    CHECK(o.at == std::vector{30_us});
}
