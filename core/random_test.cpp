// SPDX-License-Identifier: Apache-2.0
#include "core/random.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <vector>

using namespace vg810;

TEST_CASE("a stream's numbers are fixed for good") {
    random_stream r(1, "arrivals");
    const std::vector<std::uint64_t> first{r.next(), r.next(), r.next()};
    CHECK(first == std::vector<std::uint64_t>{0x62a9db64b043db2au, 0x0ee166c92ee21ee6u, 0xc56da18f25cb8241u});
    random_stream again(1, "arrivals"), other_seed(2, "arrivals"), other_name(1, "sizes");
    CHECK(again.next() == first[0]);
    CHECK(other_seed.next() != first[0]);
    CHECK(other_name.next() != first[0]);
}

TEST_CASE("the integer logarithm agrees with the real one") {
    for (const std::uint64_t u :
         {std::uint64_t{1}, std::uint64_t{3}, std::uint64_t{1} << 40, std::uint64_t{1} << 63,
          std::uint64_t{0x8000'0000'0000'0001u}, std::uint64_t{0xffff'ffff'ffff'ffffu}}) {
        const double expected = -(std::log(static_cast<double>(u)) - 64 * std::log(2.0));
        CHECK(static_cast<double>(negative_log(u)) * 0x1p-32 == Catch::Approx(expected).margin(0x1p-30));
    }
}

TEST_CASE("draws below a bound are even and stay below it") {
    random_stream r(7, "dice");
    std::vector<unsigned> count(6);
    for (int i = 0; i < 60'000; ++i)
        ++count.at(r.below(6));
    for (const unsigned c : count)
        CHECK(c == Catch::Approx(10'000).epsilon(0.03));
    CHECK(r.below(1) == 0);
}

TEST_CASE("exponential times have their mean and their tail") {
    random_stream r(3, "gaps");
    double sum = 0;
    unsigned beyond = 0;
    constexpr unsigned draws = 100'000;
    for (unsigned i = 0; i < draws; ++i) {
        const picoseconds t = r.exponential(picoseconds(1'000'000));
        REQUIRE(t >= picoseconds(0));
        sum += static_cast<double>(t.count());
        beyond += t > picoseconds(1'000'000);
    }
    CHECK(sum / draws == Catch::Approx(1e6).epsilon(0.01));
    CHECK(beyond / double{draws} == Catch::Approx(std::exp(-1)).epsilon(0.02));
    CHECK(r.exponential(picoseconds(0)) == picoseconds(0));
    CHECK(r.exponential(never) <= never);
}

TEST_CASE("uniform numbers are in [0, 1) with the right mean") {
    random_stream r(4, "u");
    double sum = 0;
    for (int i = 0; i < 100'000; ++i) {
        const double u = r.uniform();
        REQUIRE((u >= 0 && u < 1));
        sum += u;
    }
    CHECK(sum / 100'000 == Catch::Approx(0.5).epsilon(0.01));
}
