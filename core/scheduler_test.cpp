// SPDX-License-Identifier: Apache-2.0
#include "core/scheduler.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

using namespace vg810;

namespace {
struct recorder : component {
    recorder(scheduler& s, std::string name, std::vector<std::string>& log)
        : component(s, std::move(name)), log(log) {}
    void fired(std::uint64_t n) {
        log.push_back(name() + std::to_string(n) + "@" + std::to_string(now().count()));
    }
    std::vector<std::string>& log;
};
} // namespace

TEST_CASE("events run in time order, then by source, then in the source's own order") {
    std::vector<std::string> first, second;
    for (auto* log : {&first, &second}) {
        scheduler s("s");
        recorder a(s, "a", *log), b(s, "b", *log);
        const auto plan = [&](recorder& r) {
            r.schedule<&recorder::fired>(20_ps, &r, 1);
            r.schedule<&recorder::fired>(10_ps, &r, 2);
            r.schedule<&recorder::fired>(10_ps, &r, 3);
        };
        plan(log == &first ? a : b);
        plan(log == &first ? b : a);
        CHECK(s.run_before(20_ps) == 4);
        CHECK(s.now() == 10_ps);
        CHECK(s.run_before(21_ps) == 2);
        CHECK(s.empty());
    }
    CHECK(first == second); // inserted in another order, run in the same
    const auto at = [&](const std::string& e) {
        return std::find(first.begin(), first.end(), e) - first.begin();
    };
    CHECK(at("a2@10") < at("a3@10"));
    CHECK(at("b2@10") < at("b3@10"));
    CHECK(at("b3@10") < at("a1@20"));
}

TEST_CASE("nothing is scheduled in the past and time does not jump over events") {
    scheduler s("s");
    std::vector<std::string> log;
    recorder a(s, "a", log);
    a.schedule<&recorder::fired>(5_ns, &a);
    CHECK_THROWS_AS(s.advance_to(6_ns), std::logic_error);
    s.advance_to(5_ns);
    CHECK_THROWS_AS(s.advance_to(4_ns), std::logic_error);
    CHECK_THROWS_AS(a.schedule<&recorder::fired>(4_ns, &a), std::logic_error);
}

TEST_CASE("next_touch is the earliest end of a quiet promise, not the earliest event") {
    scheduler s("s");
    std::vector<std::string> log;
    recorder a(s, "a", log);
    CHECK(s.next_touch() == never);
    a.schedule<&recorder::fired>(5_ns, &a, 0, 100_ns);
    a.schedule<&recorder::fired>(50_ns, &a, 0, 10_ns);
    CHECK(s.next_time() == 5_ns);
    CHECK(s.next_touch() == 60_ns);
}

TEST_CASE("a cancelled event does not happen, and can be cancelled once") {
    scheduler s("s");
    std::vector<std::string> log;
    recorder a(s, "a", log);
    const event_handle first = a.schedule<&recorder::fired>(5_ns, &a, 1);
    const event_handle second = a.schedule<&recorder::fired>(5_ns, &a, 2);
    const event_handle third = a.schedule<&recorder::fired>(70_ms, &a, 3);
    CHECK(a.cancel(first));
    CHECK_FALSE(a.cancel(first));
    CHECK(a.cancel(third));
    CHECK(s.next_touch() == 5_ns);
    CHECK(s.run_before(never) == 1);
    CHECK_FALSE(a.cancel(second));
    CHECK(s.empty());
    CHECK(log == std::vector<std::string>{"a2@5000"});
}

TEST_CASE("events that events add run in the same call, up to its end") {
    struct chain : component {
        using component::component;
        void next(std::uint64_t left) {
            if (left)
                schedule<&chain::next>(now() + 1_ns, this, left - 1);
        }
    };
    scheduler s("s");
    chain c(s, "c");
    c.schedule<&chain::next>(0_ps, &c, 1000);
    CHECK(s.run_before(500_ns) == 500);
    CHECK(s.pending() == 1);
    CHECK(s.run_before(never) == 501);
    CHECK(s.now() == 1000_ns);
}

TEST_CASE("sums saturate at never, rates give exact octet times") {
    CHECK(never + 1_ps == never);
    CHECK(1_ms * 1'000'000'000'000 == never);
    CHECK((25_gbps).time_for(1) == 320_ps);
    CHECK((100_gbps).time_for(84) == 6720_ps);
    CHECK((40_gbps).time_for(1518) == 303'600_ps);
    CHECK(bits_per_second(3).time_for(1) == picoseconds(2'666'666'666'667)); // rounded up
    CHECK_THROWS_AS(bits_per_second(0), std::invalid_argument);
    CHECK((1_ns + 1_ps).ceil_ns() == 2);
    CHECK((1_ns + 1_ps).floor_ns() == 1);
}
