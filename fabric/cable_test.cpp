// SPDX-License-Identifier: Apache-2.0
#include "fabric/cable.h"

#include "fabric/testing/station.h"

#include <catch2/catch_test_macros.hpp>

using namespace vg810;
using namespace vg810::fabric;
using namespace vg810::fabric::testing;

namespace {

const mac_address left_mac = mac_address::from_u64(0x020000000001),
                  right_mac = mac_address::from_u64(0x020000000002);

struct pair_of_stations {
    explicit pair_of_stations(const cable_parameters& p)
        : wire(p, left_domain, right_domain), left(left_domain, "left", left_mac, p.rate),
          right(right_domain, "right", right_mac, p.rate) {
        wire.plug(cable_side::a, left);
        wire.plug(cable_side::b, right);
        left.plug(wire.end(cable_side::a));
        right.plug(wire.end(cable_side::b));
    }
    void run() {
        while (!left_domain.empty() || !right_domain.empty()) {
            scheduler& next = left_domain.next_time() < right_domain.next_time() ? left_domain : right_domain;
            next.run_before(next.next_time() + 1_ps);
        }
    }
    frame_ptr frame_of(bytes length, std::uint64_t number = 0) {
        return make_frame(pool, right_mac, left_mac, length, number);
    }
    frame_pool pool;
    scheduler left_domain{"left"}, right_domain{"right"};
    cable wire;
    station left, right;
};

cable_parameters metres(std::int64_t m) {
    cable_parameters p;
    p.name = "wire";
    p.length = millimetres{m * 1000};
    return p;
}

} // namespace

TEST_CASE("A frame takes its bits, both PHYs and the glass") {
    CHECK(default_phy(25_gbps).receive == 40_ns + 204'800_ps); // RS(528,514): 5,280 bits at 25.78125 GBd
    CHECK(default_phy(100_gbps).receive == 40_ns + 51'200_ps);
    CHECK(default_phy(10_gbps).total() == 80_ns);

    pair_of_stations t(metres(20));
    t.left.send_at(1_us, t.frame_of(60));
    t.run();
    REQUIRE(t.right.arrivals.size() == 1);
    // 72 octets at 320 ps, 80 ns + 204.8 ns, 20 m at 5 ns
    const picoseconds expected = 23'040_ps + 284'800_ps + 100_ns;
    CHECK(t.right.arrivals[0].at == 1_us + expected);
    CHECK(t.right.arrivals[0].first_bit == 1_us);
    CHECK(t.wire.latency(cable_side::a, 60) == expected);
    CHECK(t.wire.min_latency(cable_side::a) == expected);
}

TEST_CASE("PHYs may differ: each direction has its own delay") {
    cable_parameters p = metres(0);
    p.phy = {phy_latency{1_ns, 2_ns}, phy_latency{10_ns, 20_ns}};
    pair_of_stations t(p);
    CHECK(t.wire.latency(cable_side::a, 60) == 23'040_ps + 21_ns);
    CHECK(t.wire.latency(cable_side::b, 60) == 23'040_ps + 12_ns);
}

TEST_CASE("With the end of the gap as arrival, the gap counts once") {
    cable_parameters p = metres(0);
    p.phy = {};
    p.arrival = arrival_rule::end_of_gap;
    pair_of_stations t(p);
    t.left.send_at(0_ns, t.frame_of(60));
    t.left.send_at(0_ns, t.frame_of(60));
    t.run();
    REQUIRE(t.right.arrivals.size() == 2);
    CHECK(t.right.arrivals[0].at == 320_ps * 84);
    CHECK(t.right.arrivals[1].at == 320_ps * 84 * 2);
}

TEST_CASE("A runt arrives no earlier than the cable's promise") {
    pair_of_stations t(metres(1));
    t.left.send_at(0_ns, t.frame_of(30));
    t.run();
    REQUIRE(t.right.arrivals.size() == 1);
    CHECK(t.right.arrivals[0].at == t.wire.min_latency(cable_side::a));
}

TEST_CASE("The transmitter's signal reaches the other end, off and on") {
    pair_of_stations t(metres(1));
    t.left.light();
    t.run();
    CHECK(t.right.signals == std::vector{true});
    CHECK(t.left.signals.empty());
    t.wire.end(cable_side::a).set_signal(false, 25_gbps);
    t.wire.end(cable_side::a).set_signal(false, 25_gbps);
    t.run();
    CHECK(t.right.signals == std::vector{true, false});
}

TEST_CASE("A cut loses what is under way, tells both ends, and mending brings the link back") {
    pair_of_stations t(metres(2000)); // 10 us
    t.left.light();
    t.right.light();
    t.left.send_at(15_us, t.frame_of(60, 1)); // arrives after the mending, but was on the cable when it broke
    t.left.send_at(20_us, t.frame_of(60, 2)); // sent into a broken cable
    t.left.send_at(23_us, t.frame_of(60, 3)); // sent after the mending
    t.left.send_at(5_us, t.frame_of(60, 0));  // arrives before the cut
    t.wire.cut_at(18_us);
    t.wire.restore_at(22_us);
    t.run();
    CHECK(t.left.signals == std::vector{true, false, true});
    CHECK(t.right.signals == std::vector{true, false, true});
    REQUIRE(t.right.arrivals.size() == 2);
    CHECK(t.right.arrivals[0].number == 0);
    CHECK(t.right.arrivals[1].number == 3);
    const auto& count = t.wire.count(cable_side::a);
    CHECK(count.sent == 4);
    CHECK(count.delivered == 2);
    CHECK(count.lost == 2);
    CHECK(t.pool.in_use() == 0);
}

TEST_CASE("A transmitter turned on while the cable is cut is seen when it is mended") {
    pair_of_stations t(metres(1));
    t.wire.cut_at(0_ns);
    t.left.light();
    t.wire.restore_at(5_us);
    t.run();
    CHECK(t.right.signals == std::vector{true});
}

TEST_CASE("A loose end hears nothing and loses nothing but the frame") {
    frame_pool pool;
    scheduler domain("both");
    cable wire(metres(1), domain, domain);
    station left(domain, "left", left_mac, 25_gbps);
    left.plug(wire.end(cable_side::a));
    left.light();
    left.send_at(0_ns, make_frame(pool, right_mac, left_mac, 60, 0));
    domain.run_before(never);
    CHECK(wire.count(cable_side::a).unheard == 1);
    CHECK(pool.in_use() == 0);
}

TEST_CASE("Taps see every frame of both ways with the time of its first bit") {
    struct note final : wire_tap {
        void frame_sent(cable_side from, const frame& f, picoseconds first_bit) override {
            seen.emplace_back(from, f.length(), first_bit);
        }
        std::vector<std::tuple<cable_side, bytes, picoseconds>> seen;
    } tap;
    pair_of_stations t(metres(1));
    t.wire.add_tap(tap);
    t.left.send_at(1_us, t.frame_of(60));
    t.left.send_at(1_us, t.frame_of(100));
    t.right.send_at(2_us, t.frame_of(200));
    t.run();
    REQUIRE(tap.seen.size() == 3);
    CHECK(tap.seen[0] == std::tuple(cable_side::a, bytes{60}, 1_us));
    CHECK(tap.seen[1] == std::tuple(cable_side::a, bytes{100}, 1_us + 320_ps * 84));
    CHECK(tap.seen[2] == std::tuple(cable_side::b, bytes{200}, 2_us));
}

TEST_CASE("Impossible cables are refused") {
    scheduler domain("both");
    CHECK_THROWS_AS(cable(metres(-1), domain, domain), std::invalid_argument);
    cable_parameters p = metres(1);
    p.phy[1].receive = picoseconds(-1);
    CHECK_THROWS_AS(cable(p, domain, domain), std::invalid_argument);
}

namespace {
/// Asks for frames at other times than a station does.
struct early_listener final : wire_receiver {
    early_listener(scheduler& c, arrival_request a) : clock(c), wanted(a) {}
    void frame_arrived(frame_ptr) override { at.push_back(clock.now()); }
    void signal_changed(bool, bits_per_second) override {}
    arrival_request arrival() const override { return wanted; }
    scheduler& clock;
    arrival_request wanted;
    std::vector<picoseconds> at;
};
} // namespace

TEST_CASE("A receiver is handed frames when it asks for them: with the header, and after its own latency") {
    pair_of_stations t(metres(0));
    early_listener ear(t.right_domain, {.header = 128, .latency = 300_ns, .control = 50_ns});
    t.wire.plug(cable_side::b, ear);
    const picoseconds phy = default_phy(25_gbps).total();
    CHECK(t.wire.min_latency(cable_side::a) == 320_ps * 72 + phy + 50_ns);
    CHECK(t.wire.latency(cable_side::a, 60) == 320_ps * 72 + phy);
    t.left.send_at(1_us, t.frame_of(1000)); // with 128 octets of it
    t.left.send_at(2_us, t.frame_of(100));  // whole: it is shorter
    frame_ptr pause = t.frame_of(60);
    pause->labels.control = true;
    t.left.send_at(3_us, std::move(pause));
    t.run();
    REQUIRE(ear.at.size() == 3);
    CHECK(ear.at[0] == 1_us + 320_ps * (8 + 128) + phy + 300_ns);
    CHECK(ear.at[1] == 2_us + 320_ps * (8 + 104) + phy + 300_ns);
    CHECK(ear.at[2] == 3_us + 320_ps * 72 + phy + 50_ns);
}

TEST_CASE("A frame that was in before the cut survives the receiver's latency") {
    pair_of_stations t(metres(0));
    early_listener ear(t.right_domain, {.latency = 10_us});
    t.wire.plug(cable_side::b, ear);
    t.left.send_at(1_us, t.frame_of(60)); // in at 1.3 us
    t.left.send_at(2_us, t.frame_of(60)); // under way at the cut
    t.wire.cut_at(2_us + 10_ns);
    t.wire.restore_at(3_us);
    t.run();
    CHECK(ear.at.size() == 1);
    CHECK(t.wire.count(cable_side::a).lost == 1);
}

TEST_CASE("A receiver that wants frames before their shortest length is refused") {
    pair_of_stations t(metres(0));
    early_listener ear(t.right_domain, {.header = 63});
    CHECK_THROWS_AS(t.wire.plug(cable_side::b, ear), std::invalid_argument);
}
