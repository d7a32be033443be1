// SPDX-License-Identifier: Apache-2.0
#include "scenarios/steps/output_value.h"

#include <catch2/catch_test_macros.hpp>

using namespace vg810::scenarios;

namespace {

const std::string ping = "PING 10.0.0.2 (10.0.0.2) 56(84) bytes of data.\n"
                         "3 packets transmitted, 3 received, 0% packet loss, time 402ms\n"
                         "rtt min/avg/max/mdev = 0.021/0.025/0.033/0.005 ms\n";
const std::string iperf =
    "warning: something\n"
    R"({"end": {"sum": {"lost_packets": 0, "ok": true}, "streams": [{"x": 1.5}, {"x": 2e9}]}})"
    "\n";

std::string text(const figure& f) {
    return std::holds_alternative<std::string>(f) ? std::get<std::string>(f)
                                                  : std::to_string(std::get<double>(f));
}

} // namespace

TEST_CASE("figures come out of JSON by path") {
    CHECK(std::get<double>(json_figure(iperf, "end.sum.lost_packets")) == 0);
    CHECK(std::get<double>(json_figure(iperf, "end.streams[1].x")) == 2e9);
    CHECK(std::get<double>(json_figure(iperf, "end.sum.ok")) == 1);
    CHECK(text(json_figure(iperf, "end.streams[2].x")) == "the output has no '2' of end.streams[2].x");
    CHECK(text(json_figure(iperf, "end.summ.x")) == "the output has no 'summ' of end.summ.x");
    CHECK(text(json_figure(iperf, "end.sum")) == "end.sum is no number");
    CHECK(text(json_figure("iperf3: error\n", "end")) == "the output is no JSON: iperf3: error");
    CHECK(text(json_figure("{\"a\": ", "a")) == "the output is no JSON: {\"a\":");
}

TEST_CASE("figures come out of text by expression") {
    CHECK(std::get<double>(regex_figure(ping, "= [\\d.]+/([\\d.]+)/")) == 0.025);
    CHECK(std::get<double>(regex_figure(ping, "(\\d+)% packet loss")) == 0);
    CHECK(text(regex_figure("x", "(\\d+)%")) == "nothing matches '(\\d+)%' in: x");
    CHECK(text(regex_figure(ping, "(PING)")) == "'PING' is no number");
}

TEST_CASE("each expectation can fail") {
    step_config step;
    step_result good;
    good.exit_status = 0;
    step.expect_contains = {"0% packet loss"};
    step.expect_match = {"^rtt .* ms$"};
    step.forbid_match = {"DUP!"};
    step.values = {{"rtt", std::nullopt, "= [\\d.]+/([\\d.]+)/", 0.001, 1.0}};
    judge(step, ping, good);
    CHECK(good.failures.empty());
    CHECK(good.values.at("rtt") == 0.025);

    step_result bad;
    bad.exit_status = 1;
    step.expect_contains = {"10 received"};
    step.expect_match = {"^mdev"};
    step.forbid_match = {"\\d received"};
    step.values[0].max = 0.02;
    judge(step, ping, bad);
    CHECK(bad.failures.size() == 5);
    CHECK(bad.failures.back() == "rtt: 0.025 is above 0.02");

    step_result ended; // in the background: no exit status of its own
    judge(step_config{}, "", ended);
    CHECK(ended.passed());
}
