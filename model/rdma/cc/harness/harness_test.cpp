// SPDX-License-Identifier: Apache-2.0
// The harness: flows share a link as they should, scripts are played as written, wrong ones are refused.
#include "model/rdma/cc/built_in.h"
#include "model/rdma/cc/dcqcn_fixed_point.h"
#include "model/rdma/cc/harness/bottleneck.h"
#include "model/rdma/cc/harness/event_script.h"
#include "model/rdma/cc/harness/reference.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <fstream>
#include <iterator>
#include <sstream>

using namespace vg810;
using namespace vg810::cc;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;
using Catch::Matchers::WithinRel;

namespace {

double goodput_gbps(const bottleneck& b, std::size_t flow, double us) {
    return static_cast<double>(b.acknowledged(flow)) * 8 / us / 1e3;
}

} // namespace

TEST_CASE("one flow without control has the link's rate and keeps no queue to speak of") {
    algorithm a(none);
    bottleneck b(a, {.flows = 1, .time = 1000});
    b.run(nullptr);
    CHECK_THAT(goodput_gbps(b, 0, 1000 - 8), WithinRel(25.0 * 1024 / 1106, 0.01));
    CHECK(b.mean_queue(100) < 3 * 1106);
}

TEST_CASE("each algorithm shares the link among four flows and holds the queue, where none does not") {
    algorithm no_control(none);
    bottleneck open(no_control, {.flows = 4, .time = 3000});
    open.run(nullptr);
    for (const vg810_cc_algorithm* table : {&dcqcn, &dcqcn_paper, &timely, &swift, &hpcc}) {
        CAPTURE(table->name);
        // As the paper starts flows: the line's rate over one more than the flows there are.
        const parameter_value start{"initial_rate", 5e9};
        algorithm a(*table, {&start, table == &timely ? 1u : 0u});
        bottleneck b(a, {.flows = 4, .time = 20000, .cnp_interval = table == &dcqcn_paper ? 50.0 : 4.0});
        b.run(nullptr);
        double sum = 0;
        for (std::size_t i = 0; i < 4; ++i) {
            sum += goodput_gbps(b, i, 20000);
            CHECK(goodput_gbps(b, i, 20000) > 1);
        }
        CHECK(sum > 12);
        CHECK(sum < 25.0 * 1024 / 1106 * 1.01);
        CHECK(b.mean_queue(10000) < open.mean_queue(2000) / 4);
        CHECK(a.misdeeds() == 0);
    }
}

TEST_CASE("DCQCN's queue comes to rest where the fluid model puts it") {
    for (const std::uint32_t flows : {2u, 4u}) {
        CAPTURE(flows);
        algorithm a(dcqcn_paper);
        bottleneck_settings s;
        s.flows = flows;
        s.line_rate = s.link_rate = 40e9;
        s.mtu = 1000 - 82;
        s.rtt = 4;
        s.cnp_interval = 50;
        s.time = 100'000;
        bottleneck b(a, s);
        b.run(nullptr);
        CHECK_THAT(b.mean_queue(50'000), WithinRel(dcqcn_fixed_point({.flows = flows}).queue, 0.25));
    }
}

TEST_CASE("the same run twice takes the same decisions, another seed others") {
    const auto digest = [](double seed) {
        algorithm a(dcqcn_paper);
        bottleneck b(a, {.flows = 3, .time = 2000, .seed = seed});
        b.run(nullptr);
        return b.digest();
    };
    CHECK(digest(1) == digest(1));
    CHECK(digest(1) != digest(2));
}

TEST_CASE("a script's events reach the algorithm at their times, timers between them") {
    std::istringstream script("# one CNP, then silence\n"
                              "1 sent bytes=1106\n"
                              "10.5 cnp # the first\n"
                              "\n"
                              "650 end\n");
    algorithm a(dcqcn);
    std::ostringstream csv;
    play(a, {}, read_events(script, "x.events"), csv);
    CHECK(csv.str() == "time_us,event,rate_gbps,window_octets\n"
                       "0,start,25,\n"
                       "1,sent,25,\n"
                       "10.5,cnp,12.512207031,\n"
                       "310.5,timer,18.756103515,\n"
                       "610.5,timer,21.878051757,\n");
}

TEST_CASE("a script's hops and acknowledgements add up") {
    std::istringstream script("1 ack bytes=1024 sent=4096 hop=1,0,12500,25e9\n"
                              "9 ack bytes=4096 sent=9216 hop=9,25000,12500,25e9\n");
    algorithm a(hpcc);
    std::ostringstream csv;
    play(a, {25_gbps, 8_us, 1024, 1}, read_events(script, "x"), csv);
    CHECK_THAT(csv.str(), ContainsSubstring("9,ack,15.913333333,"));
}

TEST_CASE("a wrong line of a script is refused with its place") {
    const auto refused = [](const char* text, const char* words) {
        CAPTURE(text);
        std::istringstream script(std::string("1 cnp\n") + text);
        CHECK_THROWS_MATCHES(read_events(script, "my.events"), std::runtime_error,
                             MessageMatches(ContainsSubstring("my.events:2: ") && ContainsSubstring(words)));
    };
    refused("0.5 cnp", "the time goes back");
    refused("2", "an event is missing");
    refused("2 cpn", "no event 'cpn'");
    refused("two cnp", "'two' is not a number");
    refused("nan cnp", "'nan' is not a number");
    refused("9e15 cnp", "too large");
    refused("2 ack byte=5", "no field 'byte'");
    refused("2 ack bytes=-5", "'-5' is not a number");
    refused("2 ack bytes", "'' is not a number");
    refused("2 ack hop=1,2,3", "hop wants four numbers");
    refused("2 ack hop=1,1,1,1 hop=1,1,1,1 hop=1,1,1,1 hop=1,1,1,1 hop=1,1,1,1 hop=1,1,1,1",
            "more than 5 hops");
}

TEST_CASE("the reference tells presets as people write them") {
    CHECK(with_unit(300e6, "ps") == "300 us");
    CHECK(with_unit(5e6, "bit/s") == "5 Mbit/s");
    CHECK(with_unit(32767, "octets") == "32767 octets");
    CHECK(with_unit(0, "ps") == "0");
    const std::string table = parameter_table(dcqcn);
    CHECK_THAT(table, ContainsSubstring("| `rpg_time_reset` |"));
    CHECK_THAT(table, ContainsSubstring("| 300 us | 1 us .. 100 ms |"));
    CHECK_THAT(parameter_table(none), ContainsSubstring("no parameters"));
}

TEST_CASE("docs/congestion-control.md tells the parameters as they are (vg810-cc-harness --describe)") {
    std::ifstream file(VG810_CC_PAGE);
    const std::string page{std::istreambuf_iterator<char>(file), {}};
    for (const vg810_cc_algorithm* a : built_ins()) {
        CAPTURE(a->name);
        CHECK_THAT(page, ContainsSubstring("### `" + std::string(a->name) + "`\n\n" + parameter_table(*a)));
    }
}
