// SPDX-License-Identifier: Apache-2.0
#include "scenarios/report/traffic_report.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

using namespace vg810;
using namespace vg810::scenarios;

namespace {

message_record message(host_index from, host_index to, bytes length, picoseconds posted, picoseconds fct,
                       std::uint16_t workload = 0) {
    message_record r;
    r.from = from;
    r.to = to;
    r.length = length;
    r.posted = posted;
    r.arrived = posted + fct;
    r.ended = r.arrived + 1_us;
    r.workload = workload;
    r.ok = true;
    return r;
}

traffic_facts facts(std::vector<message_record> messages) {
    traffic_facts f;
    f.messages = std::move(messages);
    f.hosts = {"a", "b", "c"};
    f.workloads = {"first", "second"};
    f.iterations.resize(2);
    f.ideal = [](const message_record&) { return 10_us; };
    return f;
}

double figure(const traffic_report& r, std::string_view name) {
    for (const auto& [key, value] : r.figures)
        if (key == name)
            return value;
    return -1;
}

} // namespace

TEST_CASE("percentiles are nearest ranks") {
    sample_set s;
    for (int i = 100; i >= 1; --i)
        s.add(i);
    CHECK(s.percentile(0.5) == 50);
    CHECK(s.percentile(0.99) == 99);
    CHECK(s.percentile(0.999) == 100);
    CHECK(s.percentile(0.001) == 1);
    CHECK(s.mean() == 50.5);
    sample_set none;
    CHECK(none.percentile(0.99) == 0);
}

TEST_CASE("Jain's index is 1 for equals and 1/n when one has all") {
    CHECK(jain_index({5, 5, 5}) == Catch::Approx(1));
    CHECK(jain_index({1, 0, 0, 0}) == Catch::Approx(0.25));
    CHECK(jain_index({}) == 1);
}

TEST_CASE("completion times and slowdown come whole, by size and by workload") {
    const auto r =
        report_traffic(facts({message(0, 1, 500, 0_us, 10_us), message(0, 1, 50'000, 0_us, 20_us, 1),
                              message(1, 2, 50'000, 5_us, 40_us, 1)}));
    CHECK(figure(r, "messages.completed") == 3);
    CHECK(figure(r, "fct.p50") == 20);
    CHECK(figure(r, "fct.max") == 40);
    CHECK(figure(r, "fct.to_1KB.count") == 1);
    CHECK(figure(r, "fct.to_100KB.p99") == 40);
    CHECK(figure(r, "fct.second.mean") == 30);
    CHECK(figure(r, "slowdown.p99") == 4);
    CHECK(figure(r, "fct.to_1MB.count") == -1); // no such message
}

TEST_CASE("goodput is payload over the time from the first post to the last arrival") {
    const auto r =
        report_traffic(facts({message(0, 1, 12'500, 0_us, 10_us), message(2, 1, 12'500, 10_us, 10_us)}));
    CHECK(figure(r, "goodput.total") == Catch::Approx(10)); // 25,000 octets in 20 us
    CHECK(figure(r, "goodput.b") == Catch::Approx(10));
    CHECK(figure(r, "rate.first.a-b") == Catch::Approx(10));
    CHECK(figure(r, "fairness") == Catch::Approx(1));
    CHECK(figure(r, "goodput.a") == -1);
}

TEST_CASE("iterations that all hosts have done have their times") {
    auto f = facts({message(0, 1, 100, 0_us, 10_us)});
    f.iterations[1] = {{1_us, 4_us, 3, true}, {5_us, 10_us, 3, true}};
    const auto r = report_traffic(f);
    CHECK(figure(r, "iteration.second.count") == 2);
    CHECK(figure(r, "iteration.second.max") == 5);
    CHECK(figure(r, "iteration.first.count") == -1);
}

TEST_CASE("messages that were lost or have not ended are counted and listed apart") {
    auto lost = message(0, 1, 100, 1_us, 1_us);
    lost.ok = false;
    lost.arrived = never;
    auto f = facts({message(0, 1, 100, 0_us, 12_us), lost});
    auto waiting = message(1, 2, 100, 7_us, 1_us);
    waiting.arrived = waiting.ended = never;
    f.unfinished = {waiting};
    const auto r = report_traffic(f);
    CHECK(figure(r, "messages.failed") == 1);
    CHECK(figure(r, "messages.unfinished") == 1);
    CHECK(figure(r, "fct.count") == 1);
    const std::string csv = flows_csv(f);
    CHECK(csv.find("first,a,b,write,100,0,12000000,12000000,1.2000,13000000,0,ok\n") != std::string::npos);
    CHECK(csv.find("first,a,b,write,100,1000000,,,,,0,failed\n") != std::string::npos);
    CHECK(csv.find("first,b,c,write,100,7000000,,,,,0,unfinished\n") != std::string::npos);
}
