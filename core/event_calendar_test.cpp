// SPDX-License-Identifier: Apache-2.0
#include "core/event_calendar.h"

#include "core/random.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <stdexcept>
#include <tuple>

using namespace vg810;

namespace {

void nothing(void*, std::uint64_t) {}

pending_event make(std::int64_t at, std::uint64_t source, std::uint64_t sequence, std::int64_t quiet = 0) {
    return {picoseconds(at), picoseconds(at + quiet), sequence, source, nothing, nullptr, 0};
}

/// The same promises, kept in the simplest way.
class reference {
  public:
    void insert(const pending_event& e) { all_.push_back(e); }
    bool erase(const event_handle& h) {
        return std::erase_if(all_, [&](const pending_event& e) {
                   return e.source == h.source && e.sequence == h.sequence;
               }) > 0;
    }
    bool take_before(picoseconds end, pending_event& out) {
        const auto first =
            std::min_element(all_.begin(), all_.end(), [](const pending_event& a, const pending_event& b) {
                return std::tie(a.at, a.source, a.sequence) < std::tie(b.at, b.source, b.sequence);
            });
        if (first == all_.end() || first->at >= end)
            return false;
        out = *first;
        all_.erase(first);
        return true;
    }
    picoseconds least(picoseconds pending_event::*member) const {
        picoseconds l = never;
        for (const pending_event& e : all_)
            l = std::min(l, e.*member);
        return l;
    }
    std::size_t size() const { return all_.size(); }

  private:
    std::vector<pending_event> all_;
};

/// Random inserts, erasures and takes on both; `span`: how far ahead events lie, ps.
void compare(std::uint64_t seed, std::int64_t span, std::size_t pending, std::size_t steps) {
    random_stream random(seed, "queue");
    event_calendar q;
    reference r;
    std::vector<event_handle> handles;
    std::int64_t now = 0;
    std::uint64_t sequence = 0;
    for (std::size_t i = 0; i < steps; ++i) {
        const std::uint64_t what = random.below(100);
        if (what < (q.size() < pending ? 70u : 30u)) {
            // Sources whose ids agree in the upper half, and times that repeat: ties of every depth.
            const std::uint64_t source = random.below(3) << 32 | random.below(2);
            const auto ahead = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(span)));
            const std::int64_t far = random.below(20) == 0 ? 67'000'000'000 : 0;
            const std::int64_t at = now + (random.below(4) == 0 ? ahead / 64 * 64 : ahead) + far;
            const pending_event e =
                make(at, source, sequence++, static_cast<std::int64_t>(random.below(1000)));
            handles.push_back(q.insert(e));
            r.insert(e);
        } else if (what < 75 && !handles.empty()) {
            const std::size_t which = random.below(handles.size());
            REQUIRE(q.erase(handles[which]) == r.erase(handles[which]));
            handles[which] = handles.back();
            handles.pop_back();
        } else if (what < 76) { // the clock moves without an event
            now = std::min(now + span, r.least(&pending_event::at).count());
            q.catch_up(picoseconds(now));
        } else {
            const picoseconds end(now + static_cast<std::int64_t>(random.below(4)) * span);
            pending_event a{}, b{};
            const bool taken = q.take_before(end, a);
            REQUIRE(taken == r.take_before(end, b));
            if (taken) {
                REQUIRE(std::tie(a.at, a.source, a.sequence) == std::tie(b.at, b.source, b.sequence));
                now = a.at.count();
            }
        }
        REQUIRE(q.size() == r.size());
        REQUIRE(q.earliest() == r.least(&pending_event::at));
        REQUIRE(q.earliest_touch() == r.least(&pending_event::quiet_until));
    }
}

} // namespace

TEST_CASE("The queue does what a plain sorted list does, whatever is asked of it") {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        compare(seed, 50, 20, 4000);                    // everything at once
        compare(seed, 5'000'000, 100, 4000);            // frames
        compare(seed, 40'000'000, 300, 4000);           // beyond the calendar
        compare(seed, 1'000'000'000'000'000, 30, 2000); // days between two
    }
    compare(9, 5'000'000, 3000, 12'000); // the calendar is refined on the way
}

TEST_CASE("An erased event does not hold the queue's times down and is erased once") {
    event_calendar q;
    const event_handle a = q.insert(make(10, 1, 0)), b = q.insert(make(90'000'000'000, 1, 1));
    q.insert(make(95'000'000'000, 1, 2));
    CHECK(q.earliest() == 10_ps);
    CHECK(q.erase(a));
    CHECK_FALSE(q.erase(a));
    CHECK_FALSE(q.erase(event_handle{}));
    CHECK(q.erase(b));
    CHECK(q.earliest() == 95_ms);
    CHECK(q.earliest_touch() == 95_ms);
    CHECK(q.size() == 1);
    pending_event out{};
    CHECK_FALSE(q.take_before(95_ms, out));
    CHECK(q.take_before(96_ms, out));
    CHECK(out.sequence == 2);
    CHECK(q.empty());
    CHECK_FALSE(q.erase({0, 1, 2})); // it has run
}

TEST_CASE("Two sources that cannot be told apart are found out") {
    event_calendar q;
    q.insert(make(10, 7, 0));
    q.insert(make(20, 7, 1));
    q.insert(make(20, 7, 1));
    pending_event out{};
    CHECK_THROWS_AS(([&] {
                        while (q.take_before(21_ps, out))
                            ;
                    }()),
                    std::logic_error);
}
