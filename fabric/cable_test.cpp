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
