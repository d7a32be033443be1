// SPDX-License-Identifier: Apache-2.0
#include "scenarios/workload/flow_sizes.h"

#include "scenarios/config/diagnostics.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

using namespace vg810;
using namespace vg810::scenarios;

namespace {

std::string problem(std::string_view points) {
    try {
        flow_sizes::parse("bytes,probability\n" + std::string(points), "s.csv");
    } catch (const bad_input& e) {
        return e.what();
    }
    return "accepted";
}

} // namespace

TEST_CASE("the shipped distributions load, with the means of their publications") {
    const auto folder = flow_sizes::shipped_folder();
    CHECK(flow_sizes::shipped(folder) == std::vector<std::string>{"hadoop", "storage", "web-search"});
    CHECK(flow_sizes::load("web-search", folder).mean() == Catch::Approx(1'711'250));
    for (const std::string& name : flow_sizes::shipped(folder))
        CHECK(flow_sizes::load(name, folder).mean() > 1000);
}

TEST_CASE("what is drawn follows the distribution") {
    const auto sizes = flow_sizes::load("web-search", flow_sizes::shipped_folder());
    random_stream random(1, "sizes");
    double sum = 0;
    unsigned small = 0;
    constexpr unsigned draws = 100'000;
    for (unsigned i = 0; i < draws; ++i) {
        const bytes size = sizes.draw(random);
        REQUIRE((size >= 1 && size <= 30'000'000));
        sum += static_cast<double>(size);
        small += size <= 80'000;
    }
    CHECK(sum / draws == Catch::Approx(sizes.mean()).epsilon(0.02));
    CHECK(small / double{draws} == Catch::Approx(0.53).epsilon(0.01));
}

TEST_CASE("a first point with a probability is a size of its own") {
    const auto sizes = flow_sizes::parse("bytes,probability\n64,0.9\n128,1\n", "s.csv");
    random_stream random(1, "sizes");
    unsigned least = 0;
    for (unsigned i = 0; i < 10'000; ++i)
        least += sizes.draw(random) == 64;
    CHECK(least / 10'000.0 == Catch::Approx(0.9).margin(0.01));
    CHECK(sizes.mean() == Catch::Approx(0.9 * 64 + 0.1 * 96));
}

TEST_CASE("a distribution that is none is refused with its line") {
    CHECK(problem("10,0.5\n10,1\n") == "s.csv:3:1: sizes must rise from line to line");
    CHECK(problem("10,0.5\n20,0.4\n") == "s.csv:3:4: probabilities must not fall from line to line");
    CHECK(problem("10,0.5\n20,0.9\n") == "s.csv:3:4: the last probability must be 1");
    CHECK(problem("10,1.5\n") == "s.csv:2:4: a probability is from 0 to 1");
    CHECK(problem("10,nan\n") == "s.csv:2:4: a probability is from 0 to 1");
    CHECK(problem("99999999999,1\n").find("s.csv:2:1: 99999999999 is out of range 0 to") == 0);
    CHECK(problem("x,1\n") == "s.csv:2:1: 'x' is no whole number");
    CHECK(problem("") == "s.csv:1:7: the last probability must be 1");
    CHECK(problem("0,1\n") == "s.csv:2:1: the largest size is 0");
    CHECK_THROWS_AS(flow_sizes::load("web-serch", flow_sizes::shipped_folder()), bad_input);
}
