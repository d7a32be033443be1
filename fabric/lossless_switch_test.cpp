// SPDX-License-Identifier: Apache-2.0
// What a switch does with pauses, classes, marks and early frames, seen from its neighbours.
#include "fabric/testing/pfc_bench.h"

#include "core/telemetry.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>

using namespace vg810;
using namespace vg810::fabric;
using namespace vg810::fabric::testing;
using Catch::Matchers::WithinRel;

namespace {

constexpr picoseconds settled = 10_us;

struct bench : pfc_bench {
    explicit bench(const switch_parameters& p, std::size_t n = 3, picoseconds pipeline = {})
        : pfc_bench(single_switch(plain_hosts(n), options(p, pipeline)), p.pfc.response_delay) {}
    static fabric_options options(const switch_parameters& p, picoseconds pipeline) {
        fabric_options o = bare(25_gbps, millimetres{2'000}, p);
        o.pipeline = pipeline;
        return o;
    }
    ethernet_switch& sw() { return net.find_switch("switch0"); }
    /// The host at `i` asks the switch to pause priority 3.
    void pause_from(std::size_t i, std::uint16_t quanta) {
        pfc_request r;
        r.enabled = 0b1000;
        r.time[3] = quanta;
        const picoseconds now = sw().now();
        net.find_link("host" + std::to_string(i) + ".0")
            .end(cable_side::a)
            .send(make_pfc_frame(pool, host_at(i).mac(), r), now, now + 320_ps * 72);
    }
};

struct log final : switch_observer {
    struct pause {
        port_index port;
        picoseconds since, until;
    };
    void pause_sent(const ethernet_switch&, port_index, priority, bool stop, picoseconds at) override {
        ++(stop ? xoff : xon);
        if (stop)
            sent_at.push_back(at);
    }
    void paused(const ethernet_switch&, port_index p, priority, picoseconds since,
                picoseconds until) override {
        pauses.push_back({p, since, until});
    }
    void storm(const ethernet_switch&, port_index, priority, bool began, picoseconds at) override {
        storms.emplace_back(began, at);
    }
    int xoff = 0, xon = 0;
    std::vector<picoseconds> sent_at;
    std::vector<pause> pauses;
    std::vector<std::pair<bool, picoseconds>> storms;
};

} // namespace

TEST_CASE("An incast without loss: the switch pauses its senders, and every frame arrives") {
    const switch_parameters p = lossless_switch(1'000'000, 30'000, 20'000);
    bench b(p, 5);
    for (std::size_t i = 1; i < 5; ++i)
        b.host_at(i).run({.to = b.host_at(0).mac(), .frames = 1'000, .start = settled});
    b.run_until(10_ms);
    CHECK(b.host_at(0).received == 4'000);
    for (port_index i = 0; i < 5; ++i)
        CHECK(b.sw().count(i).dropped() == 0);
    CHECK(b.host_at(1).pauses > 0);
    CHECK(b.sw().count(1).priority[3].tx_pause == b.host_at(1).pauses);
    CHECK(b.sw().buffer().shared_used() == 0);
    CHECK(b.sw().buffer().deepest_headroom(1, 3) > 0);
    CHECK_FALSE(b.sw().buffer().paused(1, 3));
    CHECK(b.pool.in_use() == 0);
    // 4,000 frames of 1,538 octets, and the wire is never idle for longer than pauses take to travel.
    CHECK_THAT((b.host_at(0).last - settled).as_seconds(), WithinRel(4'000 * 1538 * 320e-12, 0.01));
}

TEST_CASE("The same incast loses frames when nobody obeys") {
    const switch_parameters p = lossless_switch(1'000'000, 30'000, 20'000);
    bench b(p, 5);
    for (std::size_t i = 1; i < 5; ++i) {
        b.host_at(i).deaf = true;
        b.host_at(i).run({.to = b.host_at(0).mac(), .frames = 1'000, .start = settled});
    }
    b.run_until(10_ms);
    CHECK(b.sw().dropped(drop_reason::headroom_full) > 0);
    CHECK(b.host_at(0).received + b.sw().dropped(drop_reason::headroom_full) == 4'000);
    CHECK(b.sw().count(1).priority[3].dropped(drop_reason::headroom_full) ==
          b.sw().count(1).dropped(drop_reason::headroom_full));
}

TEST_CASE("XOFF is repeated while the queue is over, and one pause is one in the log") {
    switch_parameters p = lossless_switch(1'000'000, 10'000, 100'000);
    p.pfc.pause_quanta = 1'000; // 20.48 us
    p.pfc.refresh_quanta = 500;
    bench b(p);
    log seen;
    b.sw().observe(&seen);
    b.run_until(settled);
    b.pause_from(1, 0xffff);
    b.host_at(0).run({.to = b.host_at(1).mac(), .start = settled + 1_us});
    b.run_until(settled + 500_us);
    CHECK(seen.xon == 0);
    REQUIRE(seen.xoff > 40);
    for (std::size_t i = 1; i < seen.sent_at.size(); ++i)
        CHECK(seen.sent_at[i] - seen.sent_at[i - 1] == 20'480_ps * 500);
    CHECK(b.host_at(0).sent < 30);
    CHECK(b.sw().paused(1, 3));
    CHECK(b.sw().blocked().size() == 1);
    CHECK(b.sw().blocked()[0].from[0].ingress == 0);
    b.pause_from(1, 0xffff); // goes on
    b.run_until(settled + 600_us);
    CHECK(seen.pauses.empty());
    b.pause_from(1, 0);
    b.run_until(settled + 700_us);
    CHECK(seen.xon > 0);
    REQUIRE(seen.pauses.size() == 1);
    CHECK(seen.pauses[0].port == 1);
    CHECK(seen.pauses[0].until - seen.pauses[0].since == b.sw().paused_time(1, 3));
    CHECK(b.sw().paused_time(1, 3) == 600_us);
    CHECK(b.sw().count(1).priority[3].rx_pause == 3);
}

TEST_CASE(
    "A frame under way is finished, other priorities go on, and the pause takes effect after its delay") {
    switch_parameters p = lossless_switch(1'000'000, 100'000, 100'000);
    p.pfc.response_delay = 300_ns;
    bench b(p, 3);
    b.host_at(0).run({.to = b.host_at(1).mac(), .frames = 100, .start = settled});
    b.run_until(settled + 5_us);
    b.pause_from(1, 1'000);
    b.run_until(settled + 15_us);
    // Effect at 5 us + 72 octets + 10 ns + 300 ns; a frame that started before arrives whole.
    const picoseconds effect = settled + 5_us + 320_ps * 72 + 10_ns + 300_ns;
    CHECK(b.host_at(1).last > effect - 320_ps * 1538);
    CHECK(b.host_at(1).last <= effect + 320_ps * 1526 + 10_ns);
    CHECK(b.sw().queued(1, 3) > 0);
    b.run_until(1_ms);
    CHECK(b.host_at(1).received == 100);
}

TEST_CASE("Losing the link forgets its pauses and frees the buffer") {
    bench b(lossless_switch(1'000'000, 10'000, 100'000));
    b.run_until(settled);
    b.pause_from(1, 0xffff);
    b.host_at(0).run({.to = b.host_at(1).mac(), .start = settled + 1_us, .stop = settled + 50_us});
    b.net.find_link("host1.0").cut_at(settled + 100_us);
    b.run_until(settled + 99_us);
    CHECK(b.sw().buffer().paused(0, 3));
    b.run_until(settled + 150_us);
    CHECK(b.sw().count(1).dropped(drop_reason::link_down) > 0);
    CHECK(b.sw().buffer().shared_used() == 0);
    CHECK_FALSE(b.sw().buffer().paused(0, 3));
    CHECK_FALSE(b.sw().paused(1, 3));
    CHECK(b.sw().paused_time(1, 3) < 101_us);
}

TEST_CASE("The watchdog ends a storm by dropping, and the queue is lossless again after it") {
    switch_parameters p = lossless_switch(1'000'000, 10'000, 100'000);
    p.watchdog = {.on = true, .detection = 200_us, .restoration = 100_us, .action = storm_action::drop};
    bench b(p);
    log seen;
    b.sw().observe(&seen);
    b.run_until(settled);
    b.pause_from(1, 0xffff); // 1.34 ms
    b.host_at(0).run({.to = b.host_at(1).mac(), .start = settled + 1_us, .rate = 1_gbps});
    b.run_until(3_ms);
    REQUIRE(seen.storms.size() == 2);
    CHECK(seen.storms[0].first);
    CHECK(seen.storms[0].second > settled + 200_us);
    CHECK(seen.storms[0].second < settled + 220_us);
    CHECK_FALSE(seen.storms[1].first);
    CHECK(seen.storms[1].second - settled >= 20'480_ps * 0xffff + 100_us);
    CHECK(seen.storms[1].second - settled < 20'480_ps * 0xffff + 101_us);
    CHECK(b.sw().count(1).priority[3].storms == 1);
    CHECK(b.sw().count(1).priority[3].restored == 1);
    const std::uint64_t lost = b.sw().count(1).dropped(drop_reason::storm);
    CHECK(lost > 0);
    CHECK(b.host_at(1).received > 100);
    b.run_until(4_ms);
    CHECK(b.sw().count(1).dropped(drop_reason::storm) == lost);
}

TEST_CASE("The watchdog that forwards sends in spite of the pause; short pauses do not wake it") {
    switch_parameters p = lossless_switch(1'000'000, 10'000, 100'000);
    p.watchdog = {.on = true, .detection = 200_us, .restoration = 100_us, .action = storm_action::forward};
    bench b(p);
    b.run_until(settled);
    b.pause_from(1, 0xffff);
    b.host_at(0).run({.to = b.host_at(1).mac(), .frames = 10, .start = settled + 1_us});
    b.run_until(settled + 400_us);
    CHECK(b.host_at(1).received == 10);
    CHECK(b.sw().count(1).priority[3].storms == 1);
    bench calm(p);
    calm.run_until(settled);
    calm.pause_from(1, 9'000); // 184 us
    calm.host_at(0).run({.to = calm.host_at(1).mac(), .frames = 10, .start = settled + 1_us});
    calm.run_until(1_ms);
    CHECK(calm.sw().count(1).priority[3].storms == 0);
    CHECK(calm.host_at(1).received == 10);
}

TEST_CASE("Classes share a congested port by weight, and a strict one takes what it wants") {
    switch_parameters p = lossless_switch(4'000'000, 30'000, 30'000);
    p.trust.mode = trust_mode::dscp;
    p.pfc.priorities = {1, 2, 6};
    p.classes = {
        {.priority = 1, .weight = 75}, {.priority = 2, .weight = 25}, {.priority = 6, .strict = true}};
    bench b(p, 4);
    const priority of[] = {0, 1, 2, 6};
    for (std::size_t i = 1; i < 4; ++i) {
        b.host_at(i).obeyed = of[i];
        stream s{.to = b.host_at(0).mac(), .start = settled, .tos = static_cast<std::uint8_t>(of[i] << 5)};
        if (of[i] == 6)
            s.rate = 5_gbps;
        b.host_at(i).run(s);
    }
    b.run_until(10_ms);
    auto before = b.host_at(0).from;
    b.run_until(30_ms);
    const auto gbps = [&](std::size_t i) {
        const mac_address m = b.host_at(i).mac();
        return static_cast<double>(b.host_at(0).from[m] - before[m]) * 1538 * 8 / 20e-3 / 1e9;
    };
    CHECK_THAT(gbps(3), WithinRel(5.0, 0.01));
    CHECK_THAT(gbps(1), WithinRel(15.0, 0.01));
    CHECK_THAT(gbps(2), WithinRel(5.0, 0.01));
}

TEST_CASE("A queue above Kmin marks ECN-capable frames, at either end of the queue, repeatably") {
    for (const marking_point at : {marking_point::dequeue, marking_point::enqueue}) {
        std::uint64_t marked[2] = {};
        for (std::uint64_t& m : marked) {
            switch_parameters p = lossless_switch(1'000'000, 100'000, 100'000);
            p.marking = {{.priorities = {3}, .kmin = 5'000, .kmax = 50'000, .pmax = 0.5}};
            p.mark_at = at;
            bench b(p);
            for (std::size_t i = 1; i < 3; ++i)
                b.host_at(i).run({.to = b.host_at(0).mac(), .frames = 100, .start = settled});
            b.run_until(1_ms);
            m = b.host_at(0).marked;
            CHECK(b.sw().count(0).priority[3].ecn_marked == m);
        }
        CHECK(marked[0] > 20);
        CHECK(marked[0] < 180);
        CHECK(marked[0] == marked[1]);
    }
}

TEST_CASE("Frames that are not ECN-capable are dropped instead, if so wanted") {
    switch_parameters p;
    p.marking = {{.priorities = {0}, .kmin = 5'000, .kmax = 20'000, .pmax = 1, .drop_others = true}};
    bench b(p);
    for (std::size_t i = 1; i < 3; ++i)
        b.host_at(i).run({.to = b.host_at(0).mac(), .frames = 100, .start = settled, .tos = 0});
    b.run_until(1_ms);
    CHECK(b.sw().count(0).dropped(drop_reason::early) > 10);
    CHECK(b.host_at(0).received + b.sw().count(0).dropped(drop_reason::early) == 200);
    CHECK(b.sw().count(0).deepest_queue <= 23'000);
}

TEST_CASE("Cut-through sends on behind the header, and waits for the last bit where the way out is faster") {
    switch_parameters p;
    p.mode = switching::cut_through;
    p.cut_through_bytes = 128;
    bench b(p, 2, 200_ns);
    b.host_at(0).run({.to = b.host_at(1).mac(), .length = 1514, .frames = 1, .start = settled});
    b.run_until(1_ms);
    // Header in, pipeline, the whole frame out; 2 m of cable each.
    CHECK(b.host_at(1).last - settled == 320_ps * (8 + 128) + 200_ns + 320_ps * 1526 + 20_ns);

    std::vector<placed_host> hosts = numbered_hosts(2, 1);
    fabric_options o = bench::options(p, 200_ns);
    pfc_bench across(leaf_spine(2, 1, hosts, o), {});
    across.host_at(0).run({.to = across.host_at(1).mac(), .length = 1514, .frames = 1, .start = settled});
    across.run_until(1_ms);
    // 25G to 100G waits for the frame; 100G to 100G and 100G to 25G do not.
    CHECK(across.host_at(1).last - settled ==
          320_ps * 1526 + 200_ns + 80_ps * 136 + 200_ns + 80_ps * 136 + 200_ns + 320_ps * 1526 + 40_ns);
}

TEST_CASE("With cut-through a damaged frame is passed on, still damaged") {
    switch_parameters p;
    p.mode = switching::cut_through;
    bench b(p, 2);
    b.run_until(settled);
    for (const bytes length : {1000, 60}) {
        frame_ptr f = make_udp(b.pool, b.host_at(1).mac(), b.host_at(0).mac(), 1, length);
        f->fcs_bad = true;
        const picoseconds now = b.sw().now();
        b.net.find_link("host0.0").end(cable_side::a).send(std::move(f), now, now + 320_ps * (length + 12));
        b.run_until(b.sw().now() + 10_us);
    }
    CHECK(b.host_at(1).received == 1);
    CHECK(b.sw().count(0).cut_through_bad == 1);
    CHECK(b.sw().count(0).dropped(drop_reason::bad_fcs) == 1);
}

TEST_CASE("Telemetry says when a frame left, what the port had sent and what was left behind") {
    bench b({}, 3);
    b.run_until(settled);
    struct keeper final : wire_tap {
        void frame_sent(cable_side from, const frame& f, picoseconds at) override {
            if (from == cable_side::b)
                entries.emplace_back(telemetry_view(f.stored().data() + 42).entry(0), at);
        }
        std::vector<std::pair<telemetry_entry, picoseconds>> entries;
    } tap;
    b.net.find_link("host0.0").add_tap(tap);
    for (std::size_t from = 1; from < 3; ++from)
        for (int i = 0; i < 20; ++i) {
            frame_ptr f = make_udp(b.pool, b.host_at(0).mac(), b.host_at(from).mac(), 1, 1000);
            udp_view<std::byte>(f->stored().data() + 34).set_destination_port(telemetry_udp_port);
            const picoseconds first = settled + 320_ps * (1024 * i);
            b.net.find_link("host" + std::to_string(from) + ".0")
                .end(cable_side::a)
                .send(std::move(f), first, first + 320_ps * 1012);
        }
    b.run_until(1_ms);
    REQUIRE(tap.entries.size() == 40);
    for (std::size_t i = 0; i < 40; ++i) {
        const auto& [e, at] = tap.entries[i];
        CHECK(telemetry_rate(e.rate_code) == 25_gbps);
        CHECK(e.time_ns == static_cast<std::uint64_t>(at.floor_ns()));
        CHECK(e.tx_units == 1024 * i / 128);
    }
    CHECK(tap.entries[0].first.queue_units == 0);
    CHECK(tap.entries[20].first.queue_units > 100);
    CHECK(tap.entries[39].first.queue_units == 0);
}
