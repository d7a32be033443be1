// SPDX-License-Identifier: Apache-2.0
// Priority-based flow control against the standard's arithmetic and published results: headroom (802.1Qbb
// annex O), quanta, fairness among ports, thresholds of Zhu et al. (SIGCOMM 2015, section 4).
#include "fabric/headroom.h"
#include "fabric/testing/pfc_bench.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>

#include <algorithm>
#include <optional>

using namespace vg810;
using namespace vg810::fabric;
using namespace vg810::fabric::testing;
using Catch::Matchers::WithinAbs;
using Catch::Matchers::WithinRel;

namespace {

constexpr picoseconds settled = 10_us;

// Frames of 1,514 octets (1,538 on the wire with everything) fill a switch whose way out is shut, against the
// worst the other direction can do: a longest frame that starts at any phase. Returns frames dropped.
std::uint64_t drops_with(bits_per_second rate, bytes headroom, picoseconds phase) {
    switch_parameters p = lossless_switch(1'000'000, 40 * 1538, headroom);
    p.buffer.overhead = preamble_bytes + fcs_bytes + gap_bytes;
    p.pfc.response_delay = 614'400_ps;
    pfc_bench b(single_switch(plain_hosts(3), bare(rate, millimetres{100'000}, p)), p.pfc.response_delay);
    enum { sender, sink, backward };
    frame_pool& pool = b.pool;
    pfc_request shut;
    shut.enabled = 0b1000;
    shut.time[3] = 0xffff;
    // The sink shuts the way to it before anything is sent.
    b.run_until(settled);
    frame_ptr f = make_pfc_frame(pool, b.host_at(sink).mac(), shut);
    cable& to_sink = b.net.find_link("host1.0");
    const picoseconds at = settled;
    to_sink.end(cable_side::a).send(std::move(f), at, at + rate.time_for(72));
    b.host_at(sender).run({.to = b.host_at(sink).mac(), .frames = 200, .start = settled + 10_us});
    b.host_at(backward).obeyed = 0; // nothing stops it
    b.host_at(backward).run(
        {.to = b.host_at(sender).mac(), .start = settled + 9_us + phase, .stop = settled + 200_us});
    b.run_until(settled + 300_us);
    const ethernet_switch& sw = b.net.find_switch("switch0");
    REQUIRE(sw.count(0).priority[3].tx_pause > 0);
    CHECK(sw.dropped(drop_reason::headroom_full) == sw.count(0).dropped());
    return sw.dropped(drop_reason::headroom_full);
}

} // namespace

// Row C7, the standard's example: 10GBASE-T, 100 m at 5.556 ns/m, 2,000-octet frames, 37,888 bit times an
// interface. Tolerance: exact.
TEST_CASE("C7: the delay value of 802.1Qbb annex O") {
    pause_path example;
    example.rate = 10_gbps;
    example.max_frame = 2'000;
    example.cable = 555'600_ps;
    example.interface = example.rate.time_for(37'888 / 8);
    UNSCOPED_INFO("bit times");
    CHECK(pause_bit_times(example) == 126'024);
    pause_path p;
    p.cable = 500_ns;
    UNSCOPED_INFO("25G, 100 m, octets");
    CHECK(pause_headroom(p) == 8'205);
    p.rate = 100_gbps;
    UNSCOPED_INFO("100G, 100 m, octets");
    CHECK(pause_headroom(p) == 23'340);
}

// Row C7, at work. Tolerance: exact.
TEST_CASE("C7: headroom of the delay value loses nothing at any phase, one frame less does lose") {
    for (const bits_per_second rate : {25_gbps, 100_gbps}) {
        pause_path path;
        path.rate = rate;
        path.cable = 500_ns;
        const bytes needed = pause_headroom(path);
        std::uint64_t enough = 0, too_little = 0;
        for (int i = 0; i < 32; ++i) {
            const picoseconds phase(rate.time_for(1538).count() * i / 32);
            enough += drops_with(rate, needed, phase);
            too_little += drops_with(rate, needed - 1538, phase);
        }
        UNSCOPED_INFO(rate.count() / 1'000'000'000 << "G, drops with the delay value");
        CHECK(enough == 0);
        UNSCOPED_INFO("drops with one frame less");
        CHECK(too_little > 0);
    }
}

// Row C8. Tolerance: exact.
TEST_CASE("C8: a pause of n quanta holds a queue for n x 20.48 ns at 25G") {
    for (const std::uint16_t quanta : {100, 1'000}) {
        switch_parameters p = lossless_switch(1'000'000, 100'000, 100'000);
        p.pfc.response_delay = {};
        pfc_bench b(single_switch(plain_hosts(2), bare(25_gbps, {}, p)));
        b.host_at(0).run({.to = b.host_at(1).mac(), .length = 60, .frames = 1, .start = settled + 1_us});
        b.run_until(settled);
        pfc_request r;
        r.enabled = 0b1000;
        r.time[3] = quanta;
        const picoseconds at = settled;
        b.net.find_link("host1.0")
            .end(cable_side::a)
            .send(make_pfc_frame(b.pool, b.host_at(1).mac(), r), at, at + 320_ps * 72);
        b.run_until(1_ms);
        const picoseconds effect = at + 320_ps * 72;
        UNSCOPED_INFO(quanta << " quanta, from the pause's arrival to the frame's, ps");
        CHECK(b.host_at(1).last - effect == 20'480_ps * quanta + 320_ps * 72);
        CHECK(b.net.find_switch("switch0").paused_time(1, 3) == 20'480_ps * quanta);
    }
}

// Row C10, no congestion control, all links 25G. Tolerance: 3%. (A faster link between the switches has more
// under way when it is paused, holds more of the buffer and gets more than its half.)
TEST_CASE("C10: PFC is fair to ports, not to flows") {
    for (const std::size_t k : {2, 4}) {
        const switch_parameters p = lossless_switch(4'000'000, 40'000, 40'000);
        std::vector<placed_host> hosts = numbered_hosts(1, k + 2);
        for (std::size_t i = 2; i < hosts.size(); ++i)
            hosts[i].leaf = {1};
        fabric_options o = bare(25_gbps, millimetres{20'000}, p);
        o.spine_rate = 25_gbps;
        pfc_bench b(leaf_spine(2, 1, hosts, o), p.pfc.response_delay);
        for (std::size_t i = 1; i < k + 2; ++i)
            b.host_at(i).run({.to = b.host_at(0).mac(), .length = 1066, .start = settled});
        b.run_until(3_ms);
        auto before = b.host_at(0).from;
        b.run_until(23_ms);
        const auto gbps = [&](std::size_t i) {
            const mac_address m = b.host_at(i).mac();
            return static_cast<double>(b.host_at(0).from[m] - before[m]) * 1090 * 8 / 20e-3 / 1e9;
        };
        UNSCOPED_INFO(k << " far senders; near one, Gb/s");
        CHECK_THAT(gbps(1), WithinRel(12.5, 0.03));
        for (std::size_t i = 2; i < k + 2; ++i) {
            UNSCOPED_INFO("each far one, Gb/s");
            CHECK_THAT(gbps(i), WithinRel(12.5 / static_cast<double>(k), 0.03));
        }
        for (const auto& s : b.net.switches())
            for (port_index i = 0; i < s->ports(); ++i)
                CHECK(s->count(i).dropped() == 0);
    }
}

// Row F4, thresholds. Tolerance: exact (the paper's two decimals, rounded down).
TEST_CASE("F4: bounds of the thresholds of PFC and ECN") {
    const shared_threshold s{12e6, 32, 22.4e3};
    UNSCOPED_INFO("t_PFC, KB");
    CHECK_THAT(largest_pfc_threshold(s) / 1e3, WithinAbs(24.475, 1e-9));
    UNSCOPED_INFO("t_ECN, KB");
    CHECK_THAT(ecn_threshold_bound(s, 8) / 1e3, WithinAbs(21.7555555556, 1e-9));
}

namespace {

/// What comes first in an incast of senders that heed nothing but PFC.
struct first_seen final : switch_observer {
    void pause_sent(const ethernet_switch& sw, port_index, priority, bool, picoseconds) override {
        if (!marked_before_pause)
            marked_before_pause = sw.count(0).priority[3].ecn_marked;
    }
    std::optional<std::uint64_t> marked_before_pause;
};

std::uint64_t marks_before_pause(bytes static_xoff, bytes t_ecn) {
    switch_parameters p = lossless_switch(12'000'000, static_xoff, 22'400);
    p.pfc.priorities = {0, 1, 2, 3, 4, 5, 6, 7};
    p.buffer.alpha = 1; // beta / 8
    p.marking = {{.priorities = {3}, .kmin = t_ecn, .kmax = t_ecn, .pmax = 1}};
    pfc_bench b(single_switch(plain_hosts(32), bare(40_gbps, millimetres{20'000}, p)), p.pfc.response_delay);
    first_seen seen;
    b.net.find_switch("switch0").observe(&seen);
    for (std::size_t i = 1; i <= 4; ++i)
        b.host_at(i).run({.to = b.host_at(0).mac(), .length = 1066, .start = settled});
    b.run_until(5_ms);
    REQUIRE(seen.marked_before_pause);
    return *seen.marked_before_pause;
}

} // namespace

// Row F4. Tolerance: ordering.
TEST_CASE("F4: below its bound ECN marks before any PAUSE, far above it PAUSE comes first") {
    UNSCOPED_INFO("marks before the first PAUSE: dynamic t_PFC, t_ECN 21.7 KB");
    CHECK(marks_before_pause(0, 21'700) > 0);
    UNSCOPED_INFO("static t_PFC 24.47 KB, t_ECN 21.7 KB");
    CHECK(marks_before_pause(24'470, 21'700) > 0);
    UNSCOPED_INFO("static t_PFC 24.47 KB, t_ECN five times that");
    CHECK(marks_before_pause(24'470, 5 * 24'470) == 0);
}
