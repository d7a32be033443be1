// SPDX-License-Identifier: Apache-2.0
// A sweep's grid is read as written, covers every combination, and its table has a row a run.
#include "scenarios/command/sweep_plan.h"

#include "scenarios/config/diagnostics.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

using namespace vg810::scenarios;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;
using strings = std::vector<std::string>;

TEST_CASE("a variation's values are parted at commas, but not within brackets or quotes") {
    CHECK(parse_variation("a.b=1us,2us").key == "a.b");
    CHECK(parse_variation("a=1us,2us").values == strings{"1us", "2us"});
    CHECK(parse_variation("a=[1,2],[3]").values == strings{"[1,2]", "[3]"});
    CHECK(parse_variation("a=\"x,y\",'z,]'").values == strings{"\"x,y\"", "'z,]'"});
    CHECK(parse_variation("a=b=c").values == strings{"b=c"});
}

TEST_CASE("a variation without a key or with a value empty or twice is refused") {
    const auto refused = [](const char* text, const char* words) {
        CAPTURE(text);
        CHECK_THROWS_MATCHES(parse_variation(text), bad_input, MessageMatches(ContainsSubstring(words)));
    };
    refused("a", "KEY=VALUE");
    refused("=1", "KEY=VALUE");
    refused("a=", "value 1 is empty");
    refused("a=1,,2", "value 2 is empty");
    refused("a=1,2,1", "'1' is there twice");
}

TEST_CASE("every combination is run with every seed, the last key changing fastest") {
    const std::vector<variation> grid{{"x", {"1", "2"}}, {"y", {"a", "b", "c"}}};
    const auto runs = plan_sweep(grid, 7, 2);
    REQUIRE(runs.size() == 12);
    CHECK(runs[0].settings(grid) == strings{"x=1", "y=a", "seed=7"});
    CHECK(runs[1].settings(grid) == strings{"x=1", "y=a", "seed=8"});
    CHECK(runs[2].settings(grid) == strings{"x=1", "y=b", "seed=7"});
    CHECK(runs[11].settings(grid) == strings{"x=2", "y=c", "seed=8"});
    CHECK(runs[11].name == "0012");
    CHECK(plan_sweep({}, 1, 3).size() == 3);
}

TEST_CASE("a grid that is too large, or names a key twice, is refused") {
    const variation hundred{"x", strings(100, "1")};
    const variation other{"y", strings(101, "1")};
    CHECK_THROWS_AS(plan_sweep({hundred, other}, 1, 1), bad_input);
    CHECK_THROWS_AS(plan_sweep({hundred, hundred}, 1, 1), bad_input);
    CHECK_THROWS_AS(plan_sweep({{"seed", {"1"}}}, 1, 1), bad_input);
    CHECK(plan_sweep({hundred}, 1, 100).size() == most_sweep_runs);
}

TEST_CASE("the table has a row a run, a column a figure, and quotes what needs it") {
    const std::vector<variation> grid{{"x", {"[1,2]", "3"}}};
    const auto runs = plan_sweep(grid, 1, 1);
    std::vector<sweep_result> results(2);
    results[0].outcome = "passed";
    results[0].exit_status = 0;
    results[0].wall_seconds = 1.25;
    results[0].summary = nlohmann::ordered_json::parse(R"({
        "scenario": "s", "seed": 1, "simulated_ps": 5, "checks": [{"name": "c", "passed": true}],
        "steps": [{"name": "ping", "values": {"rtt_us": 2.5, "note": "text"}}],
        "figures": {"fct": {"p99": 3}}})");
    CHECK(sweep_csv(grid, runs, results) ==
          "run,x,seed,outcome,exit_status,wall_s,simulated_ps,figures.fct.p99,step.ping.rtt_us\n"
          "0001,\"[1,2]\",1,passed,0,1.250,5,3,2.5\n"
          "0002,3,1,not run,,0.000,,,\n");
}
