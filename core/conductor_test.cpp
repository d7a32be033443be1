// SPDX-License-Identifier: Apache-2.0
// Guests here are scripts: at given times they access their "card", which sends a message to the other side;
// messages touch the receiving guest. Whatever the order in which the guests happen to run, every effect must
// come at its exact time.
#include "core/conductor.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <deque>
#include <random>
#include <string>

using namespace vg810;

namespace {
constexpr picoseconds card_delay = 800_ns;
constexpr picoseconds cable_delay = 300_ns;
constexpr picoseconds touch_delay = 200_ns;

class scripted_guest : public paced_guest, public component {
  public:
    scripted_guest(scheduler& s, std::string name, std::deque<std::int64_t> accesses_ns)
        : component(s, std::move(name)), accesses_(std::move(accesses_ns)) {}
    scripted_guest* peer = nullptr;
    std::vector<std::string> log;
    std::uint64_t grants = 0;

    phase state() const override { return phase_; }
    picoseconds time() const override { return picoseconds::from_ns(time_ns_); }
    picoseconds next_action() const override {
        if (!halts || phase_ == phase::access)
            return time();
        return accesses_.empty() ? never : picoseconds::from_ns(accesses_.front());
    }
    void grant(picoseconds until) override {
        REQUIRE(phase_ == phase::stopped);
        REQUIRE(until > time());
        REQUIRE(until.count() % 1000 == 0);
        grant_ns_ = until.floor_ns();
        ++grants;
        phase_ = phase::running;
    }
    void serve_access() override {
        REQUIRE(now().floor_ns() == time_ns_);
        log.push_back("access@" + std::to_string(time_ns_));
        schedule<&scripted_guest::send>(now() + card_delay, this, 0, never);
    }
    void finish_access(picoseconds until) override {
        REQUIRE(until >= time());
        grant_ns_ = std::min(grant_ns_, until.floor_ns());
        phase_ = phase::running;
    }
    picoseconds access_lookahead() const override { return card_delay; }
    picoseconds input_quiet() const override { return touch_delay; }

    /// What the waiter does: run this guest up to its next stop or access.
    bool run() {
        if (phase_ != phase::running)
            return false;
        const bool reached = !accesses_.empty() && (accesses_.front() < grant_ns_ ||
                                                    (accesses_.front() == grant_ns_ && !stops_first));
        if (reached) {
            time_ns_ = accesses_.front();
            accesses_.pop_front();
            phase_ = phase::access;
        } else {
            time_ns_ = grant_ns_;
            phase_ = phase::stopped;
        }
        return true;
    }
    bool halts = false;
    bool stops_first = false; ///< an access at the very end of a grant comes after the stop there

    /// Something the card does by itself: no touch of the host.
    void inner_event_at(picoseconds t) { schedule<&scripted_guest::inner>(t, this, 0, never); }

  private:
    void inner(std::uint64_t) { log.push_back("inner@" + std::to_string(now().count())); }
    void send(std::uint64_t) {
        if (peer)
            schedule_in<&scripted_guest::arrive>(peer->clock(), now() + cable_delay, peer, 0, touch_delay);
    }
    void arrive(std::uint64_t) { schedule<&scripted_guest::touch>(now() + touch_delay + 1_ps, this); }
    void touch(std::uint64_t) {
        // A touch in [T, T + 1 ns) happens with the guest stopped at exactly T.
        REQUIRE(phase_ == phase::stopped);
        REQUIRE(time_ns_ == now().floor_ns());
        log.push_back("touch@" + std::to_string(now().count()));
    }

    std::deque<std::int64_t> accesses_;
    phase phase_ = phase::stopped;
    std::int64_t time_ns_ = 0, grant_ns_ = 0;
};

struct pair_run {
    scheduler sa{"a"}, sb{"b"};
    scripted_guest a, b;
    conductor c;
    pair_run(std::deque<std::int64_t> at_a, std::deque<std::int64_t> at_b)
        : a(sa, "guest a", std::move(at_a)), b(sb, "guest b", std::move(at_b)) {
        a.peer = &b;
        b.peer = &a;
        const auto da = c.add_domain(sa, never), db = c.add_domain(sb, never);
        c.add_channel(da, db, cable_delay);
        c.add_channel(db, da, cable_delay);
        c.attach_guest(da, a);
        c.attach_guest(db, b);
    }
    void run(std::uint64_t seed, picoseconds end) {
        std::mt19937_64 order(seed);
        const auto wait = [&] { return order() % 2 ? a.run() || b.run() : b.run() || a.run(); };
        REQUIRE(c.run(end, wait, [] { return true; }) == conductor::outcome::time_reached);
    }
};
} // namespace

TEST_CASE("two guests see each other's effects at the exact time, whoever runs first") {
    const std::deque<std::int64_t> at_a = {100, 101, 5'000, 5'900, 6'001, 20'000, 999'999};
    const std::deque<std::int64_t> at_b = {50, 4'950, 6'000, 6'000, 20'001, 30'000};
    std::vector<std::string> want_a, want_b;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        pair_run r(at_a, at_b);
        r.run(seed, 2_ms);
        if (seed == 0) {
            want_a = r.a.log;
            want_b = r.b.log;
            CHECK(std::count(want_b.begin(), want_b.end(), "touch@1400001") ==
                  1); // 100 + 800 + 300 + 200 ns, 1 ps
            CHECK(want_a.size() == at_a.size() + at_b.size());
        }
        CHECK(r.a.log == want_a);
        CHECK(r.b.log == want_b);
    }
}

TEST_CASE("an access meets the whole of its tick, whether or not a grant ended there") {
    const std::int64_t at_ns = 5'000;
    for (const std::int64_t grant_ns : {10'000'000, 5'000, 2'500})
        for (const bool stops_first : {false, true}) {
            CAPTURE(grant_ns, stops_first);
            scheduler s("a");
            scripted_guest a(s, "guest a", {at_ns});
            a.stops_first = stops_first;
            for (const std::int64_t ps : {-1, 0, 1, 999, 1'000})
                a.inner_event_at(picoseconds(at_ns * 1'000 + ps));
            conductor c({}, picoseconds::from_ns(grant_ns));
            c.attach_guest(c.add_domain(s, never), a);
            REQUIRE(c.run(
                        6_us, [&] { return a.run(); }, [] { return true; }) ==
                    conductor::outcome::time_reached);
            CHECK(a.log == std::vector<std::string>{"inner@4999999", "inner@5000000", "inner@5000001",
                                                    "inner@5000999", "access@5000", "inner@5001000"});
        }
}

TEST_CASE("a guest left alone gets long grants; an idle peer does not hold it back") {
    pair_run busy({}, {});
    busy.b.halts = true;
    busy.run(1, 100_ms);
    CHECK(busy.a.grants >= 10); // one per longest grant
    CHECK(busy.a.grants < 100);
    pair_run idle({}, {90'000'000});
    idle.b.halts = true;
    idle.run(1, 100_ms);
    CHECK(idle.a.grants < 100);
}

TEST_CASE("a channel needs latency, a domain without guest runs by itself") {
    scheduler s("alone");
    conductor c;
    const auto d = c.add_domain(s);
    CHECK_THROWS_AS(c.add_channel(d, d, picoseconds{}), std::invalid_argument);
    CHECK(c.run(
              1_ms, [] { return false; }, [] { return true; }) == conductor::outcome::quiet);
}
