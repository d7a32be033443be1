// SPDX-License-Identifier: Apache-2.0
// The ring of Hu et al. ("Deadlocks in Datacenter Networks: Why Do They Form, and How to Avoid Them", HotNets
// 2016): switches A, B, C, D, all links 40G, 12 MB of buffer, PFC threshold 40 KB. L1 is A to B, L2 B to C,
// L3 C to D, L4 D to A. Flow 1 goes A-B-C-D, flow 2 C-D-A-B, flow 3 B-C, from and to a host of its own.
// What the paper leaves open: links of 20 m, frames of 1,000 octets, XON two frames below XOFF, and no time
// to react to a pause, as packet-level simulators have none. The third flow's rate that deadlocks is no sharp
// bound: it moves with these.
#include "fabric/cable.h"
#include "fabric/deadlock.h"
#include "fabric/testing/pfc_bench.h"

#include <catch2/catch_test_macros.hpp>

#include <array>

using namespace vg810;
using namespace vg810::fabric;
using namespace vg810::fabric::testing;

namespace {

constexpr picoseconds settled = 10_us;
constexpr port_index clockwise = 0, back = 1; // then the hosts' ports

struct ring {
    ring() {
        for (std::size_t i = 0; i < 4; ++i) {
            switch_parameters p = lossless_switch(12'000'000, 40'000, 40'000);
            p.name = std::string(1, static_cast<char>('A' + i));
            p.pfc.response_delay = {};
            switches.push_back(std::make_unique<ethernet_switch>(p, clock, pool));
        }
        for (std::size_t i = 0; i < 4; ++i)
            add_cable("L" + std::to_string(i + 1));
        for (std::size_t i = 0; i < 4; ++i) { // port 0 to the next, port 1 from the one before
            cable& on = *cables[i];
            cable& in = *cables[(i + 3) % 4];
            on.plug(cable_side::a, switches[i]->receiver(switches[i]->add_port(on.end(cable_side::a), rate)));
            in.plug(cable_side::b, switches[i]->receiver(switches[i]->add_port(in.end(cable_side::b), rate)));
            detector.add_link(*switches[i], clockwise, *switches[(i + 1) % 4], back);
        }
    }
    cable& add_cable(std::string name) {
        cable_parameters p;
        p.name = std::move(name);
        p.rate = rate;
        p.length = millimetres{20'000};
        p.phy = {};
        cables.push_back(std::make_unique<cable>(p, clock, clock));
        return *cables.back();
    }
    source& add_host(std::size_t at) {
        const mac_address own = mac_address::from_u64(0x020000000001 + hosts.size());
        const std::string name = "host" + std::to_string(hosts.size());
        hosts.push_back(std::make_unique<source>(clock, name, pool, own, rate));
        hosts.back()->response_delay = switches[at]->parameters().pfc.response_delay;
        cable& c = add_cable(name);
        c.plug(cable_side::a, *hosts.back());
        const port_index p = switches[at]->add_port(c.end(cable_side::b), rate);
        c.plug(cable_side::b, switches[at]->receiver(p));
        hosts.back()->plug(c.end(cable_side::a));
        for (std::size_t s = 0; s < 4; ++s) {
            forwarding_table& t = switches[s]->table();
            t.add_host(own, t.add_group({s == at ? p : clockwise}));
        }
        return *hosts.back();
    }
    void add_flow(std::size_t from, std::size_t to, std::optional<bits_per_second> limit, picoseconds stop) {
        source& sender = add_host(from);
        const mac_address sink = add_host(to).mac();
        flows.emplace_back(
            &sender, stream{.to = sink, .length = 1'000, .start = settled, .stop = stop, .rate = limit});
    }
    void start() {
        for (const auto& s : switches)
            s->power_on();
        for (auto& [host, what] : flows)
            host->run(what);
    }
    void run_until(picoseconds t) {
        clock.run_before(t);
        clock.advance_to(t);
    }
    /// How often the link's sender was told to stop.
    std::uint64_t pauses(std::size_t link) const {
        return switches[(link) % 4]->count(back).priority[3].tx_pause;
    }
    bool deadlocked() {
        detector.confirm();
        run_until(clock.now() + 1_ms);
        const auto cycle = detector.confirm();
        UNSCOPED_INFO("circle: " << cycle_name(cycle));
        return !cycle.empty();
    }

    static constexpr bits_per_second rate = 40_gbps;
    scheduler clock{"ring"};
    frame_pool pool;
    std::vector<std::unique_ptr<ethernet_switch>> switches;
    std::vector<std::unique_ptr<cable>> cables;
    std::vector<std::unique_ptr<source>> hosts;
    std::vector<std::pair<source*, stream>> flows;
    deadlock_detector detector;
};

constexpr std::size_t A = 0, B = 1, C = 2, D = 3;

void add_crossing_flows(ring& r, picoseconds stop) {
    r.add_flow(A, D, {}, stop);
    r.add_flow(C, B, {}, stop);
}

} // namespace

// Row F5. Tolerance: verdict.
TEST_CASE("F5: two crossing flows depend on each other in a circle, yet L1 and L3 never pause") {
    ring r;
    add_crossing_flows(r, never);
    r.start();
    r.run_until(20_ms);
    CHECK_FALSE(r.deadlocked());
    CHECK(r.pauses(1) == 0);
    CHECK(r.pauses(3) == 0);
    CHECK(r.pauses(2) > 0);
    CHECK(r.pauses(4) > 0);
    for (const auto& h : r.hosts)
        if (h->sent == 0)
            CHECK(h->received > 10'000);
}

// Row F5. Tolerance: verdict.
TEST_CASE("F5: a third flow deadlocks the ring, for longer than the flows last") {
    ring r;
    add_crossing_flows(r, 20_ms);
    r.add_flow(B, C, {}, 20_ms);
    r.start();
    r.run_until(40_ms);
    REQUIRE(r.deadlocked());
    CHECK(r.detector.find().size() == 4);
    const std::uint64_t got = r.hosts[1]->received;
    r.run_until(60_ms);
    CHECK(r.hosts[1]->received == got);
    CHECK(cycle_name(r.detector.find()) == "A.port0.prio3 -> B.port0.prio3 -> C.port0.prio3 -> "
                                           "D.port0.prio3 -> A.port0.prio3");
}

// Row F5. Tolerance: verdict.
TEST_CASE("F5: the third flow held to 2G is safe, 3G deadlocks") {
    for (const auto& [limit, verdict] : {std::pair{2_gbps, false}, std::pair{3_gbps, true}}) {
        ring r;
        add_crossing_flows(r, never);
        r.add_flow(B, C, limit, never);
        r.start();
        r.run_until(100_ms);
        UNSCOPED_INFO("third flow " << limit.count() / 1'000'000'000 << "G");
        CHECK(r.deadlocked() == verdict);
    }
}
