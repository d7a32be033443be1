// SPDX-License-Identifier: Apache-2.0
// Whatever an algorithm answers, the transport gets a usable decision, and the user hears of it.
#include "model/rdma/cc/flow_control.h"
#include "model/rdma/cc/testing/script_algorithm.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

using namespace vg810;
using namespace vg810::cc;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;
using testing::event_at;
using testing::script_algorithm;

namespace {

constexpr flow_facts facts{25_gbps, 8_us, 1024, 3};

struct bench {
    script_algorithm script;
    algorithm made;
    std::vector<std::string> reports;
    flow under;

    bench() : made(script.table, {}, "./my_cc.so"), under((report(), made), facts, 0_ps) {}
    void report() {
        made.report_to([this](const std::string& text) { reports.push_back(text); });
    }
    void decide(script_algorithm::answer_function answer, std::uint64_t now = 1'000'000) {
        script.answer = std::move(answer);
        under.tell(event_at(now, VG810_CC_ACK));
    }
};

constexpr vg810_cc_parameter two_parameters[] = {
    {"gain", "", "how much", 0.5, 0.0, 1.0},
    {"target", "ps", "delay to aim at", 25e6, 1e6, 1e9},
};

} // namespace

TEST_CASE("a flow starts at line rate without a window, and its algorithm is told so") {
    bench b;
    CHECK(b.script.first.rate == 25'000'000'000);
    CHECK(b.script.first.window == VG810_CC_NO_WINDOW);
    CHECK(b.under.rate() == 25'000'000'000);
    CHECK(b.under.window() == VG810_CC_NO_WINDOW);
    CHECK(b.under.next_deadline() == never);
}

TEST_CASE("a sensible decision is taken as it is") {
    bench b;
    b.decide([](void*, const vg810_cc_event&, vg810_cc_action& a) {
        a.rate = 3'000'000'000;
        a.window = 1024;
    });
    CHECK(b.under.rate() == 3'000'000'000);
    CHECK(b.under.window() == 1024);
    CHECK(b.made.misdeeds() == 0);
    CHECK(b.reports.empty());
}

TEST_CASE("rates and windows without sense are clamped, counted, and reported once by name") {
    bench b;
    struct wrong {
        std::uint64_t rate, window, used_rate, used_window;
        misdeed kind;
    };
    const wrong cases[] = {
        {0, 5000, VG810_CC_LEAST_RATE, 5000, misdeed::rate_too_low},
        {25'000'000'001, 5000, 25'000'000'000, 5000, misdeed::rate_too_high},
        {UINT64_MAX, 5000, 25'000'000'000, 5000, misdeed::rate_too_high},
        {1'000'000, 0, 1'000'000, 1024, misdeed::window_too_low},
        {1'000'000, 1023, 1'000'000, 1024, misdeed::window_too_low},
    };
    for (const wrong& w : cases) {
        CAPTURE(w.rate, w.window);
        const std::uint64_t before = b.made.count(w.kind);
        b.decide([&](void*, const vg810_cc_event&, vg810_cc_action& a) {
            a.rate = w.rate;
            a.window = w.window;
        });
        CHECK(b.under.rate() == w.used_rate);
        CHECK(b.under.window() == w.used_window);
        CHECK(b.made.count(w.kind) == before + 1);
    }
    CHECK(b.made.misdeeds() == 5);
    REQUIRE(b.reports.size() == 3);
    CHECK_THAT(b.reports[0], ContainsSubstring("./my_cc.so (script) set a rate of 0 bit/s; 1000000 is used"));
    CHECK_THAT(b.reports[2], ContainsSubstring("set a window of 0 octets"));
}

TEST_CASE("a line slower than the least rate is used at its own rate") {
    script_algorithm script;
    algorithm made(script.table);
    flow slow(made, {bits_per_second(500'000), 0_ps, 256, 0}, 0_ps);
    script.answer = [](void*, const vg810_cc_event&, vg810_cc_action& a) { a.rate = 7; };
    slow.tell(event_at(5, VG810_CC_ACK));
    CHECK(slow.rate() == 500'000);
}

TEST_CASE("timers run out at their deadline, in order, and may be set anew from their own event") {
    bench b;
    b.decide([](void*, const vg810_cc_event&, vg810_cc_action& a) {
        a.set_timers = 0b1011;
        a.timer_delay[0] = 3'000'000;
        a.timer_delay[1] = 2'000'000;
        a.timer_delay[3] = 2'000'000;
    });
    CHECK(b.under.next_deadline() == 3_us);
    b.script.heard.clear();
    b.script.answer = [](void*, const vg810_cc_event& e, vg810_cc_action& a) {
        if (e.timer == 1) {
            a.set_timers = 1 << 1;
            a.timer_delay[1] = 5'000'000;
        }
    };
    b.under.run_timers(2_us);
    CHECK(b.script.heard.empty());
    b.under.run_timers(3_us);
    REQUIRE(b.script.heard.size() == 2);
    CHECK(b.script.heard[0].timer == 1);
    CHECK(b.script.heard[1].timer == 3);
    CHECK(b.script.heard[1].kind == VG810_CC_TIMER);
    CHECK(b.script.heard[1].now == 3'000'000);
    CHECK(b.under.next_deadline() == 4_us);
    b.decide([](void*, const vg810_cc_event&, vg810_cc_action& a) { a.stop_timers = 0b1111; });
    CHECK(b.under.next_deadline() == never);
}

TEST_CASE("a timer of no length, of ages or of no number neither stops time nor overflows it") {
    bench b;
    b.decide([](void*, const vg810_cc_event&, vg810_cc_action& a) { a.set_timers = 1; });
    CHECK(b.under.next_deadline() == picoseconds(1'000'000 + VG810_CC_LEAST_DELAY));
    CHECK(b.made.count(misdeed::timer_too_short) == 1);
    b.decide([](void*, const vg810_cc_event&, vg810_cc_action& a) {
        a.set_timers = 1;
        a.timer_delay[0] = UINT64_MAX;
    });
    CHECK(b.under.next_deadline() == picoseconds(1'000'000 + VG810_CC_LONGEST_DELAY));
    CHECK(b.made.count(misdeed::timer_too_long) == 1);
    b.decide([](void*, const vg810_cc_event&, vg810_cc_action& a) { a.stop_timers = 0b110001; });
    CHECK(b.under.next_deadline() == never);
    CHECK(b.made.count(misdeed::timer_unknown) == 1);
    CHECK(b.reports.size() == 3);
}

TEST_CASE("an algorithm hears only of what it asked for") {
    script_algorithm script;
    script.table.events = 1u << VG810_CC_CNP;
    algorithm made(script.table);
    flow f(made, facts, 0_ps);
    CHECK_FALSE(f.wants(VG810_CC_SENT));
    CHECK(f.wants(VG810_CC_CNP));
    for (const auto kind : {VG810_CC_ACK, VG810_CC_NAK, VG810_CC_CNP, VG810_CC_SENT, VG810_CC_TIMEOUT})
        f.tell(event_at(1, kind));
    REQUIRE(script.heard.size() == 1);
    CHECK(script.heard[0].kind == VG810_CC_CNP);
}

TEST_CASE("what is written behind a flow's state does not reach the next flow, and is reported") {
    bench b;
    flow neighbour(b.made, facts, 0_ps);
    b.decide([](void* state, const vg810_cc_event&, vg810_cc_action&) { std::memset(state, 0xff, 24); });
    CHECK(b.made.count(misdeed::state_overrun) == 1);
    CHECK_THAT(b.reports.at(0), ContainsSubstring("wrote behind the 12 octets of its state"));
    neighbour.tell(event_at(2, VG810_CC_ACK));
    CHECK(b.made.count(misdeed::state_overrun) == 1 + 1); // the script does it at each event
    b.script.answer = nullptr;
    neighbour.tell(event_at(3, VG810_CC_ACK));
    b.under.tell(event_at(4, VG810_CC_ACK));
    CHECK(b.made.count(misdeed::state_overrun) == 2);
}

TEST_CASE("an exception of an algorithm leaves the decision as it was") {
    bench b;
    b.decide([](void*, const vg810_cc_event&, vg810_cc_action& a) { a.rate = 2'000'000'000; });
    b.decide([](void*, const vg810_cc_event&, vg810_cc_action& a) {
        a.rate = 5'000'000;
        throw std::runtime_error("lost");
    });
    CHECK(b.under.rate() == 2'000'000'000);
    CHECK(b.made.count(misdeed::threw) == 1);
}

TEST_CASE("a flow's state is zero at its start, though another flow had the place before") {
    script_algorithm script;
    algorithm made(script.table);
    script.answer = [](void* state, const vg810_cc_event&, vg810_cc_action& a) {
        std::uint32_t word = 0;
        std::memcpy(&word, state, sizeof word);
        a.window = 2000 + word;
        std::memset(state, 0x01, 12);
    };
    for (int i = 0; i < 100; ++i) {
        flow f(made, facts, 0_ps);
        f.tell(event_at(1, VG810_CC_ACK));
        CHECK(f.window() == 2000);
        flow moved = std::move(f);
        moved.tell(event_at(2, VG810_CC_ACK));
        CHECK(moved.window() == 2000 + 0x01010101);
    }
}

TEST_CASE("an algorithm may refuse a flow, with its name in the message") {
    script_algorithm script;
    script.start_answer = -3;
    algorithm made(script.table, {}, "./my_cc.so");
    CHECK_THROWS_MATCHES(flow(made, facts, 0_ps), std::runtime_error,
                         MessageMatches(ContainsSubstring("./my_cc.so") && ContainsSubstring("-3")));
    script.start_answer = 0;
    CHECK_THROWS_AS(flow(made, (flow_facts{25_gbps, 0_ps, 0, 0}), 0_ps), std::invalid_argument);
}

TEST_CASE("parameters keep their preset unless given, and are checked against the table") {
    script_algorithm script;
    script.table.parameters = two_parameters;
    script.table.parameter_count = 2;
    const parameter_value one[] = {{"target", 30e6}};
    algorithm made(script.table, one);
    CHECK(made.values()[0] == 0.5);
    CHECK(made.values()[1] == 30e6);

    const auto refused = [&](std::vector<parameter_value> values, const std::string& words) {
        CAPTURE(words);
        CHECK_THROWS_MATCHES(algorithm(script.table, values), std::invalid_argument,
                             MessageMatches(ContainsSubstring(words)));
    };
    refused({{"gian", 1}}, "no parameter 'gian'; there are: gain, target");
    refused({{"gain", 1.01}}, "gain = 1.01 is out of range: 0 .. 1");
    refused({{"gain", std::numeric_limits<double>::quiet_NaN()}}, "out of range");
    refused({{"gain", 0.1}, {"gain", 0.2}}, "given twice");
}

TEST_CASE("a table that breaks the interface is refused, with the reason") {
    script_algorithm script;
    const auto refused = [&](auto spoil, const std::string& words) {
        vg810_cc_algorithm t = script.table;
        spoil(t);
        CAPTURE(words);
        CHECK_THROWS_MATCHES(algorithm(t, {}, "x.so"), std::invalid_argument,
                             MessageMatches(ContainsSubstring("x.so: ") && ContainsSubstring(words)));
    };
    refused([](auto& t) { t.abi = 2; }, "built for version 2");
    refused([](auto& t) { t.size -= 8; }, "build it again with this vg810's header");
    refused([](auto& t) { t.name = nullptr; }, "gives no name");
    refused([](auto& t) { t.event = nullptr; }, "lacks start() or event()");
    refused([](auto& t) { t.state_bytes = VG810_CC_STATE_LIMIT + 1; }, "at most 512");
    refused([](auto& t) { t.parameter_count = 1; }, "counts parameters and has none");
    static constexpr vg810_cc_parameter off[] = {{"gain", "", "", 2, 0, 1}};
    refused([](auto& t) { t.parameters = off, t.parameter_count = 1; }, "preset 2 outside its range 0 .. 1");
    static constexpr vg810_cc_parameter twin[] = {{"gain", "", "", 0, 0, 1}, {"gain", "", "", 0, 0, 1}};
    refused([](auto& t) { t.parameters = twin, t.parameter_count = 2; }, "twice in its table");
}
