// SPDX-License-Identifier: Apache-2.0
// Row F7: HPCC against DCQCN, after Li et al., "HPCC: High Precision Congestion Control", SIGCOMM 2019,
// figure 9: 25G cards, 100G uplinks, Kmin/Kmax 100/400 KB, PFC at 11% of the free buffer, T 9 us, eta 95%,
// maxStage 5, W_AI 80 B, base round trips 5.4 us in the rack and 8.5 us across. The set-up leaves open, and
// here is: Pmax 20% (that paper's simulations), a buffer of 32 MB, cables such that the base round trips are
// the published ones, DCQCN with the vendors' presets and their 4 us between CNPs, all hosts of a test in one
// rack, joining flows that last. Path MTU 1024. Tolerance 25%, else ordering. The vendors' byte counter of
// 32767 octets raises rates every 10 us, which a flow that is not back within 2 ms cannot have had: each
// DCQCN figure is measured with the 10 MB of DCQCN's paper, too. Known misses are marked so and told of in
// docs/validation.md.
#include "scenarios/wire/testing/probes.h"
#include "scenarios/wire/testing/rack.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>

using namespace vg810;
using namespace vg810::scenarios;
using namespace vg810::scenarios::testing;
using Catch::Matchers::WithinRel;

namespace {

constexpr bytes endless = 2'000'000'000;

/// Hosts host0 .. host8 in the first rack, host9 in the other.
fabric::topology testbed() {
    fabric::fabric_options o = ideal();
    o.host_length = {229'200};
    o.spine_length = {144'800};
    fabric::topology t = fabric::leaf_spine(2, 1, fabric::numbered_hosts({9, 1}), o);
    for (fabric::switch_parameters& s : t.switches) {
        s.trust.mode = fabric::trust_mode::dscp;
        s.pfc.priorities = {3};
        s.buffer.total = 32'000'000;
        s.buffer.headroom = 100'000;
        s.buffer.alpha = 0.11;
        s.marking = {{.priorities = {3}, .kmin = 100'000, .kmax = 400'000, .pmax = 0.2}};
    }
    return t;
}

constexpr cc::parameter_value hpcc_values[] = {
    {"eta", 0.95}, {"max_stage", 5}, {"w_ai", 80}, {"base_rtt", 9e6}};

/// The byte counter of DCQCN's paper instead of the vendors' 32767.
constexpr cc::parameter_value slow_bytes[] = {{"rpg_byte_reset", 10e6}};

std::unique_ptr<rack> run_with(const vg810_cc_algorithm& algorithm, bool by_time = false) {
    std::span<const cc::parameter_value> values;
    if (&algorithm == &cc::hpcc)
        values = hpcc_values;
    else if (&algorithm == &cc::dcqcn && by_time)
        values = slow_bytes;
    return std::make_unique<rack>(testbed(), lossless_host(), algorithm, values);
}

/// Round trip of a message of 1 KB between idle hosts, us.
double idle_round_trip(const std::string& to) {
    const auto r = run_with(cc::none);
    r->send("host0", to, 1'000, 0, message_kind::send);
    r->run();
    return (r->record("host0").ended.at(0).ended - settled).as_seconds() * 1e6;
}

constexpr picoseconds joined = 3_ms;
std::size_t port_of_sink() {
    return 8;
}

/// The queue before the sink, every microsecond, from when seven senders join a long flow.
series queue_of_incast(const vg810_cc_algorithm& algorithm, bool by_time = false) {
    const auto r = run_with(algorithm, by_time);
    r->send("host0", "host8", endless, 0, message_kind::send);
    wait_until(*r, joined);
    for (std::size_t i = 1; i < 8; ++i)
        r->send("host" + std::to_string(i), "host8", endless, 0, message_kind::send);
    return watch_queue(*r, "leaf0", port_of_sink(), joined + 1_ms, 1_us);
}

/// Median round trip of 1 KB messages, one every 50 us, through two long flows, us.
double mouse_us(const vg810_cc_algorithm& algorithm, bool by_time = false) {
    const auto r = run_with(algorithm, by_time);
    r->send("host0", "host8", endless, 0, message_kind::send);
    r->send("host1", "host8", endless, 0, message_kind::send);
    wait_until(*r, 5_ms);
    const connection c = r->send("host2", "host8", 1'000, 0, message_kind::send);
    for (std::int64_t i = 1; i < 400; ++i) {
        wait_until(*r, 5_ms + 50_us * i);
        r->at("host2").post(c, message_kind::send, 1'000, static_cast<std::uint64_t>(i));
    }
    wait_until(*r, 26_ms);
    std::vector<double> took;
    for (const message_end& e : r->record("host2").ended)
        took.push_back((e.ended - e.posted).as_seconds() * 1e6);
    REQUIRE(took.size() > 300);
    std::sort(took.begin(), took.end());
    return took[took.size() / 2];
}

/// Rate of a long flow from 1.9 to 2 ms after a burst of 1 MB from another host has ended, Gb/s on the wire.
double rate_after_burst(const vg810_cc_algorithm& algorithm, bool by_time = false) {
    const auto r = run_with(algorithm, by_time);
    r->send("host0", "host8", endless, 0, message_kind::send);
    wait_until(*r, 3_ms);
    r->send("host1", "host8", 1'000'000, 1, message_kind::send);
    picoseconds t = 3_ms;
    while (r->record("host1").ended.empty() && t < 50_ms)
        wait_until(*r, t += 1_us);
    REQUIRE(r->record("host1").ended.size() == 1);
    wait_until(*r, t + 1'900_us);
    const std::uint64_t before = wire_octets(*r, "host0");
    wait_until(*r, t + 2_ms);
    return static_cast<double>(wire_octets(*r, "host0") - before) * 8 / 100e-6 / 1e9;
}

} // namespace

TEST_CASE("F7: base round trips of the testbed") {
    UNSCOPED_INFO("1 KB in the rack, us");
    CHECK_THAT(idle_round_trip("host8"), WithinRel(5.4, 0.05));
    UNSCOPED_INFO("1 KB across, us");
    CHECK_THAT(idle_round_trip("host9"), WithinRel(8.5, 0.05));
}

TEST_CASE("F7: seven senders join one long flow, DCQCN", "[!shouldfail]") {
    const series queue = queue_of_incast(cc::dcqcn);
    UNSCOPED_INFO("deepest queue, KB");
    CHECK_THAT(queue.values[queue.peak_index()] / 1e3, WithinRel(550, 0.25));
}

TEST_CASE("F7: seven senders join one long flow, DCQCN with the paper's byte counter", "[!shouldfail]") {
    const series queue = queue_of_incast(cc::dcqcn, true);
    UNSCOPED_INFO("deepest queue, KB");
    CHECK_THAT(queue.values[queue.peak_index()] / 1e3, WithinRel(550, 0.25));
}

// "Drains after one RTT": the queue turns within one round trip T after the joiners' first octets are there,
// half a round trip after they began; what is left 100 us after that beginning is below a tenth of DCQCN's
// 550 KB, a bound of ours.
TEST_CASE("F7: seven senders join one long flow, HPCC") {
    const series queue = queue_of_incast(cc::hpcc);
    UNSCOPED_INFO("the queue turns after, us");
    CHECK((queue.time_of(queue.peak_index()) - joined).as_seconds() * 1e6 < 1.5 * 9);
    UNSCOPED_INFO("deepest queue, KB");
    CHECK(queue.values[queue.peak_index()] / 1e3 < 550.0);
}

TEST_CASE("F7: 100 us after seven senders joined, HPCC's queue is gone", "[!shouldfail]") {
    const series queue = queue_of_incast(cc::hpcc);
    UNSCOPED_INFO("queue 100 us after the seven began, KB");
    CHECK(queue.values[100] / 1e3 < 55.0);
}

TEST_CASE("F7: mice of 1 KB through two elephants, HPCC") {
    const double measured = mouse_us(cc::hpcc);
    UNSCOPED_INFO("median round trip, us");
    CHECK_THAT(measured, WithinRel(5.4, 0.25));
}

TEST_CASE("F7: mice of 1 KB through two elephants, DCQCN", "[!shouldfail]") {
    const double measured = mouse_us(cc::dcqcn);
    UNSCOPED_INFO("median round trip, us");
    CHECK(measured > 35.0);
}

TEST_CASE("F7: mice of 1 KB through two elephants, DCQCN with the paper's byte counter", "[!shouldfail]") {
    const double measured = mouse_us(cc::dcqcn, true);
    UNSCOPED_INFO("median round trip, us");
    CHECK(measured > 35.0);
}

TEST_CASE("F7: DCQCN is not back at line rate 2 ms after a burst of 1 MB", "[!shouldfail]") {
    const double measured = rate_after_burst(cc::dcqcn);
    UNSCOPED_INFO("rate of the long flow, Gb/s");
    CHECK(measured < 0.99 * 25);
}

TEST_CASE("F7: DCQCN with the paper's byte counter is not back 2 ms after a burst of 1 MB") {
    const double measured = rate_after_burst(cc::dcqcn, true);
    UNSCOPED_INFO("rate of the long flow, Gb/s");
    CHECK(measured < 0.99 * 25);
}
