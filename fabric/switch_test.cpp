// SPDX-License-Identifier: Apache-2.0
#include "fabric/switch.h"

#include "core/checksum.h"
#include "fabric/testing/bench.h"

#include <catch2/catch_test_macros.hpp>

using namespace vg810;
using namespace vg810::fabric;
using namespace vg810::fabric::testing;

namespace {

std::vector<host> hosts(std::size_t n) {
    std::vector<host> out;
    for (placed_host& h : numbered_hosts(1, n))
        out.push_back(std::move(h.station));
    return out;
}

struct one_switch : bench {
    explicit one_switch(const fabric_options& o, std::size_t n = 3)
        : bench(single_switch(hosts(n), o), domain_split::shared, false) {}
    station& host_at(int i) { return at("host" + std::to_string(i) + ".0"); }
    ethernet_switch& sw() { return net->find_switch("switch0"); }
    frame_ptr frame_of(int from, int to, bytes length, std::uint64_t number = 0) {
        return make_frame(pool, host_at(to).mac(), host_at(from).mac(), length, number);
    }
};

} // namespace

TEST_CASE("Two senders share one output: frames keep their order and the wire its exact gaps") {
    one_switch t(ideal({1'000}));
    for (std::uint64_t i = 0; i < 50; ++i) {
        t.host_at(0).send_at(settled, t.frame_of(0, 2, 1000, i));
        t.host_at(1).send_at(settled, t.frame_of(1, 2, 500, 1000 + i));
    }
    t.run();
    const auto& got = t.host_at(2).arrivals;
    REQUIRE(got.size() == 100);
    std::uint64_t next[2] = {0, 1000};
    for (std::size_t i = 0; i < got.size(); ++i) {
        CHECK(got[i].number == next[got[i].number >= 1000]++);
        if (i >
            0) // busy from the first frame to the last: each starts where the gap of the one before it ends
            CHECK(got[i].first_bit - got[i - 1].first_bit == (25_gbps).time_for(got[i - 1].length + 24));
    }
}

TEST_CASE("The pipeline delays an idle frame once and does not slow a stream") {
    fabric_options o = ideal({1'000});
    o.pipeline = 3_us;
    one_switch t(o);
    for (std::uint64_t i = 0; i < 10; ++i)
        t.host_at(0).send_at(settled, t.frame_of(0, 1, 60, i));
    t.run();
    const auto& got = t.host_at(1).arrivals;
    REQUIRE(got.size() == 10);
    CHECK(got[0].at - settled == 3_us + (320_ps * 84 + 5_ns) * 2);
    CHECK(got[9].at - got[0].at == 320_ps * (84 * 9));
}

TEST_CASE("A full queue drops the newcomer, and every frame is accounted for") {
    fabric_options o = ideal({1'000});
    o.queue_limit = 10'000;
    one_switch t(o);
    for (std::uint64_t i = 0; i < 100; ++i)
        for (int from : {0, 1})
            t.host_at(from).send_at(settled, t.frame_of(from, 2, 1000, i));
    t.run();
    const port_counters& out = t.sw().count(2);
    CHECK(out.dropped(drop_reason::queue_full) > 50);
    CHECK(out.dropped(drop_reason::queue_full) == out.dropped());
    CHECK(t.host_at(2).arrivals.size() + out.dropped() == 200);
    CHECK(out.tx_frames == t.host_at(2).arrivals.size());
    CHECK(out.tx_octets == out.tx_frames * 1000);
    CHECK(out.deepest_queue == 10'000);
    CHECK(t.sw().count(0).rx_frames == 100);
    CHECK(t.sw().count(1).rx_octets == 100'000);
    CHECK(t.sw().queued(2) == 0);
    CHECK(t.pool.in_use() == 0);
}

TEST_CASE("Bad frames are dropped by reason where they come in") {
    topology topo = single_switch(hosts(3), ideal({1'000}));
    topo.switches[0].max_frame = 1518;
    bench b(topo, domain_split::shared, false);
    station &from = b.at("host0.0"), &to = b.at("host1.0");
    const auto send = [&](bytes length, mac_address target) {
        frame_ptr f = make_frame(b.pool, target, from.mac(), length, 0);
        from.send_at(settled, f);
        return f;
    };
    send(59, to.mac());
    send(1519, to.mac());
    send(1518, to.mac()); // passes
    send(60, to.mac())->fcs_bad = true;
    send(60, *mac_address::parse("01:80:c2:00:00:01")); // PAUSE
    send(60, *mac_address::parse("01:80:c2:00:00:0e")); // LLDP
    send(60, *mac_address::parse("01:80:c2:00:00:10")); // the first that bridges forward: floods
    send(60, from.mac());
    b.run();
    const port_counters& in = b.net->find_switch("switch0").count(0);
    CHECK(in.dropped(drop_reason::runt) == 1);
    CHECK(in.dropped(drop_reason::oversize) == 1);
    CHECK(in.dropped(drop_reason::bad_fcs) == 1);
    CHECK(in.dropped(drop_reason::link_local) == 2);
    CHECK(in.dropped(drop_reason::same_port) == 1);
    CHECK(in.dropped() == 6);
    CHECK(in.rx_frames == 3);
    CHECK(in.flooded == 1);
    CHECK(to.arrivals.size() == 2);
    CHECK(b.pool.in_use() == 0);
}

TEST_CASE("A port without link takes nothing; losing the link loses its queue") {
    topology topo = single_switch(hosts(3), ideal({1'000}));
    bench b(topo, domain_split::shared, false);
    ethernet_switch& sw = b.net->find_switch("switch0");
    b.net->find_link("host2.0").cut_at(settled + 2_us);
    for (std::uint64_t i = 0; i < 20; ++i) // 6.4 us of traffic from each of two senders
        for (const char* from : {"host0.0", "host1.0"})
            b.at(from).send_at(settled, make_frame(b.pool, b.at("host2.0").mac(), b.at(from).mac(), 976, i));
    b.run();
    CHECK_FALSE(sw.link_up(2));
    CHECK(sw.link_up(0));
    CHECK(sw.count(2).dropped(drop_reason::link_down) > 0);
    const std::uint64_t on_the_cable = b.net->find_link("host2.0").count(cable_side::b).lost;
    std::uint64_t refused = 0;
    for (port_index p : {0, 1})
        refused += sw.count(p).dropped(drop_reason::no_route);
    CHECK(refused > 0);
    CHECK(b.at("host2.0").arrivals.size() + on_the_cable + refused + sw.count(2).dropped() == 40);
    CHECK(b.pool.in_use() == 0);
}

TEST_CASE("A port stays down while the far end runs another rate") {
    scheduler clock("all");
    frame_pool pool;
    cable_parameters p;
    p.name = "wire";
    cable wire(p, clock, clock);
    ethernet_switch sw({.name = "switch"}, clock, pool);
    const port_index port = sw.add_port(wire.end(cable_side::a), 25_gbps);
    wire.plug(cable_side::a, sw.receiver(port));
    wire.end(cable_side::b).set_signal(true, 10_gbps);
    clock.run_before(never);
    CHECK_FALSE(sw.link_up(port));
    wire.end(cable_side::b).set_signal(true, 25_gbps);
    clock.run_before(never);
    CHECK(sw.link_up(port));
    wire.end(cable_side::b).set_signal(false, 25_gbps);
    clock.run_before(never);
    CHECK_FALSE(sw.link_up(port));
}

namespace {
struct routed : one_switch {
    routed() : one_switch(with_router()) {}
    static fabric_options with_router() {
        fabric_options o = ideal({1'000});
        o.router = gateway{router_mac, {gateway_ip}};
        return o;
    }
    static constexpr mac_address router_mac = mac_address::from_u64(0x0200000000fe);
    static constexpr ipv4_address gateway_ip{0x0a0000fe};
};
} // namespace

TEST_CASE("A frame to the router's address is passed on by IP, one hop older") {
    routed t;
    t.host_at(1).keep = true;
    for (std::uint8_t ttl : {64, 1}) {
        frame_ptr f = make_udp(t.pool, routed::router_mac, t.host_at(0).mac(), 7, 100);
        const ipv4_view<std::byte> ip(f->stored().data() + 14);
        ip.set_ttl(ttl);
        ip.set_destination(ipv4_address(10u << 24 | 2)); // host1
        fill_ipv4_checksum(f->stored(), parse(f->stored()));
        t.host_at(0).send_at(settled, std::move(f));
    }
    frame_ptr lost = make_udp(t.pool, routed::router_mac, t.host_at(0).mac(), 7, 100);
    ipv4_view<std::byte>(lost->stored().data() + 14).set_destination(ipv4_address(0x0b000001));
    t.host_at(0).send_at(settled, std::move(lost));
    t.run();
    REQUIRE(t.host_at(1).kept.size() == 1);
    const auto s = std::as_const(*t.host_at(1).kept[0]).stored();
    CHECK(ethernet_view(s.data()).source() == routed::router_mac);
    CHECK(ethernet_view(s.data()).destination() == t.host_at(1).mac());
    CHECK(ipv4_view(s.data() + 14).ttl() == 63);
    CHECK(check_ipv4_header(s, parse(s)) == checksum_verdict::good);
    CHECK(t.sw().count(0).dropped(drop_reason::ttl_expired) == 1);
    CHECK(t.sw().count(0).dropped(drop_reason::no_route) == 1);
}

TEST_CASE("The router answers ARP for its own address only; other questions are flooded") {
    routed t;
    t.host_at(0).keep = true;
    for (ipv4_address target : {routed::gateway_ip, ipv4_address(10u << 24 | 2)}) {
        frame_ptr f = make_frame(t.pool, mac_address::broadcast(), t.host_at(0).mac(), 60, 0);
        ethernet_view<std::byte>(f->stored().data()).set_type(ethertype::arp);
        arp_view<std::byte>(f->stored().data() + 14)
            .fill(arp_view<std::byte>::request, t.host_at(0).mac(), ipv4_address(10u << 24 | 1), {}, target);
        t.host_at(0).send_at(settled, std::move(f));
    }
    t.run();
    CHECK(t.host_at(1).arrivals.size() == 1);
    CHECK(t.host_at(2).arrivals.size() == 1);
    REQUIRE(t.host_at(0).kept.size() == 1);
    const auto s = std::as_const(*t.host_at(0).kept[0]).stored();
    CHECK(ethernet_view(s.data()).destination() == t.host_at(0).mac());
    const arp_view reply(s.data() + 14);
    CHECK(reply.operation() == reply.reply);
    CHECK(reply.sender_mac() == routed::router_mac);
    CHECK(reply.sender_ip() == routed::gateway_ip);
    CHECK(reply.target_ip() == ipv4_address(10u << 24 | 1));
}
