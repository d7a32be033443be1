// SPDX-License-Identifier: Apache-2.0
#include "core/ets.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>

#include <array>

using namespace vg810;
using Catch::Matchers::WithinRel;

namespace {

/// Classes that always have a frame of their own length, unless they are left out.
struct bench {
    explicit bench(const per_priority<ets_class>& c) : ets(c) {}
    priority step(priority_set eligible) {
        const priority p = ets.choose(eligible, [&](priority q) { return slot[q]; });
        ets.sent(p, slot[p]);
        octets[p] += static_cast<double>(slot[p]);
        ++frames[p];
        return p;
    }
    void run(priority_set eligible, int steps) {
        for (int i = 0; i < steps; ++i)
            step(eligible);
    }
    ets_scheduler ets;
    per_priority<bytes> slot{1106, 1106, 1106, 1106, 1106, 1106, 1106, 1106};
    per_priority<double> octets{};
    per_priority<int> frames{};
};

} // namespace

TEST_CASE("Strict classes go first, the higher one before the lower") {
    per_priority<ets_class> c{};
    c[6].strict = c[5].strict = true;
    bench b(c);
    CHECK(b.step(0b0110'1001) == 6);
    CHECK(b.step(0b0010'1001) == 5);
    CHECK(b.step(0b0000'1000) == 3);
    b.run(0b0110'1001, 100);
    CHECK(b.frames[6] == 101);
}

TEST_CASE("Weights share octets, not frames, whatever the frames' lengths") {
    per_priority<ets_class> c{};
    c[0].weight = 10;
    c[3].weight = 60;
    c[4].weight = 30;
    bench b(c);
    b.slot[0] = 84;
    b.slot[3] = 9642;
    b.slot[4] = 1538;
    b.run(0b0001'1001, 200'000);
    const double all = b.octets[0] + b.octets[3] + b.octets[4];
    CHECK_THAT(b.octets[0] / all, WithinRel(0.1, 0.01));
    CHECK_THAT(b.octets[3] / all, WithinRel(0.6, 0.01));
    CHECK_THAT(b.octets[4] / all, WithinRel(0.3, 0.01));
}

TEST_CASE("Equal classes alternate within two frames of each other") {
    bench b({});
    for (int i = 0; i < 1000; ++i) {
        b.step(0b0000'0011);
        CHECK(std::abs(b.frames[0] - b.frames[1]) <= 2);
    }
}

TEST_CASE("Bandwidth that a class leaves goes to the others and is not owed to it later") {
    per_priority<ets_class> c{};
    c[1].weight = 99;
    bench b(c);
    b.run(0b0000'0001, 10'000); // 1 is idle
    CHECK(b.frames[0] == 10'000);
    b.ets.emptied(0);
    b.frames = {};
    b.octets = {};
    b.run(0b0000'0011, 100'000);
    CHECK_THAT(b.octets[1] / (b.octets[0] + b.octets[1]), WithinRel(0.99, 0.01));
    // The class that ran alone starts with no debt either: it is served within the first round.
    bench fresh({});
    fresh.run(0b0000'0001, 1000);
    fresh.frames = {};
    fresh.run(0b0000'0011, 4);
    CHECK(fresh.frames[0] >= 1);
    CHECK(fresh.frames[1] >= 1);
}

TEST_CASE("A class that empties keeps no credit") {
    per_priority<ets_class> c{};
    c[2].weight = 100;
    bench b(c);
    for (int i = 0; i < 50; ++i) { // 2 sends one frame of its hundred a round and empties
        while (b.step(0b0000'0101) != 2) {
        }
        b.ets.emptied(2);
        b.step(0b0000'0001);
    }
    b.frames = {};
    b.run(0b0000'0101, 1000);
    CHECK(b.frames[2] <= 995);
    CHECK(b.frames[0] >= 5);
}

TEST_CASE("Choosing without sending changes nothing") {
    bench b({});
    const auto head = [&](priority q) { return b.slot[q]; };
    for (int i = 0; i < 100; ++i) {
        const priority p = b.ets.choose(0xff, head);
        CHECK(b.ets.choose(0xff, head) == p);
        b.ets.sent(p, b.slot[p]);
    }
}

TEST_CASE("Weights outside 1..100 are refused, except where strict makes them meaningless") {
    per_priority<ets_class> c{};
    c[2].weight = 0;
    CHECK_THROWS_AS(ets_scheduler(c), std::invalid_argument);
    c[2].weight = 101;
    CHECK_THROWS_AS(ets_scheduler(c), std::invalid_argument);
    c[2] = {true, 0};
    CHECK_NOTHROW(ets_scheduler(c));
}
