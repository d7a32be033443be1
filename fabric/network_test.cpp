// SPDX-License-Identifier: Apache-2.0
#include "fabric/network.h"

#include "fabric/testing/bench.h"

#include <catch2/catch_test_macros.hpp>

#include <cmath>
#include <set>

using namespace vg810;
using namespace vg810::fabric;
using namespace vg810::fabric::testing;

namespace {

/// Sends one frame over the idle network and compares its time with the closed form.
void check_idle_latency(bench& b, const std::string& from, const std::string& to, bytes length) {
    b.at(from).send_at(settled, make_frame(b.pool, b.at(to).mac(), b.at(from).mac(), length, 1));
    b.run();
    REQUIRE(b.at(to).arrivals.size() == 1);
    const picoseconds measured = b.at(to).arrivals[0].at - settled;
    const std::string from_host = from.substr(0, from.find('.')), to_host = to.substr(0, to.find('.'));
    CHECK(measured == b.net->closed_form_latency(from_host, 0, to_host, 0, length).total());
}

} // namespace

TEST_CASE("The closed form adds up what the parameters say") {
    fabric_options o; // defaults: PHYs, 3 m and 20 m, 400 ns pipeline
    bench b(leaf_spine(2, 2, numbered_hosts(2, 1), o), domain_split::per_switch, true);
    check_idle_latency(b, "host0.0", "host1.0", 1514);
    const auto l = b.net->closed_form_latency("host0", 0, "host1", 0, 1514);
    CHECK(l.serialisation == 320_ps * (1526 * 2) + 80_ps * (1526 * 2));
    CHECK(l.phy == (80_ns + 204'800_ps) * 2 + (80_ns + 51'200_ps) * 2);
    CHECK(l.propagation == 5_ns * (3 + 20 + 20 + 3));
    CHECK(l.pipeline == 400_ns * 3);
    CHECK(l.gaps == 0_ns);
    CHECK(l.links == 4);
}

TEST_CASE("A broadcast reaches every other host port once, whatever the number of spines") {
    for (std::size_t spines : {1, 2, 3}) {
        bench b(leaf_spine(3, spines, numbered_hosts(3, 2, 2), ideal({1'000})), domain_split::per_switch,
                true);
        std::uint64_t number = 0;
        for (auto& [name, s] : b.stations())
            s->send_at(settled + 1_us * static_cast<std::int64_t>(number),
                       make_frame(b.pool, mac_address::broadcast(), s->mac(), 60, number)),
                ++number;
        b.run();
        for (auto& [name, s] : b.stations()) {
            std::set<std::uint64_t> seen;
            for (const auto& a : s->arrivals) {
                CHECK(seen.insert(a.number).second);
                CHECK(a.source != s->mac());
            }
            CHECK(seen.size() == b.stations().size() - 1);
        }
        for (const auto& sw : b.net->switches())
            for (std::size_t r = 0; r < drop_reason_names.size(); ++r)
                CHECK(sw->dropped(static_cast<drop_reason>(r)) == 0);
        CHECK(b.pool.in_use() == 0);
    }
}

TEST_CASE("An unknown address is flooded, a known one is not") {
    bench b(leaf_spine(2, 2, numbered_hosts(2, 2), ideal({1'000})), domain_split::per_switch, true);
    const mac_address stranger = mac_address::from_u64(0x02ffffffffff);
    b.at("host0.0").send_at(settled, make_frame(b.pool, stranger, b.at("host0.0").mac(), 60, 1));
    b.at("host0.0").send_at(settled, make_frame(b.pool, b.at("host3.0").mac(), b.at("host0.0").mac(), 60, 2));
    b.run();
    CHECK(b.at("host0.0").arrivals.empty());
    CHECK(b.at("host1.0").arrivals.size() == 1);
    CHECK(b.at("host2.0").arrivals.size() == 1);
    CHECK(b.at("host3.0").arrivals.size() == 2);
}

TEST_CASE("Flows spread over the spines, and no flow is reordered") {
    bench b(leaf_spine(2, 4, numbered_hosts(2, 1), ideal({1'000})), domain_split::per_switch, true);
    station &from = b.at("host0.0"), &to = b.at("host1.0");
    to.keep = true;
    constexpr unsigned flows = 200, rounds = 5;
    for (unsigned r = 0; r < rounds; ++r)
        for (unsigned flow = 0; flow < flows; ++flow) {
            frame_ptr f = make_udp(b.pool, to.mac(), from.mac(), static_cast<std::uint16_t>(10'000 + flow),
                                   (flow + r) % 3 ? 100 : 1500);
            ipv4_view<std::byte>(f->stored().data() + 14).set_identification(static_cast<std::uint16_t>(r));
            from.send_at(settled, std::move(f));
        }
    b.run();
    REQUIRE(to.kept.size() == flows * rounds);
    std::map<std::uint16_t, std::uint16_t> next;
    for (const frame_ptr& f : to.kept) {
        const auto s = std::as_const(*f).stored();
        CHECK(ipv4_view(s.data() + 14).identification() == next[udp_view(s.data() + 34).source_port()]++);
    }
    for (int spine = 0; spine < 4; ++spine) {
        const auto& sw = b.net->find_switch("spine" + std::to_string(spine));
        CHECK(sw.count(1).tx_frames > flows * rounds / 4 * 0.7);
        CHECK(sw.count(1).tx_frames < flows * rounds / 4 * 1.3);
    }
}

TEST_CASE("The cut into domains changes nothing") {
    std::vector<std::map<std::string, std::vector<station::arrival>>> results;
    std::vector<std::uint64_t> drops;
    for (const auto& [split, own] : {std::pair{domain_split::shared, false},
                                     {domain_split::shared, true},
                                     {domain_split::per_switch, false},
                                     {domain_split::per_switch, true}}) {
        fabric_options o;
        o.queue_limit = 12'000; // so that incast drops, too
        bench b(leaf_spine(3, 2, numbered_hosts(3, 3), o), split, own);
        std::uint64_t x = 1;
        std::vector<station*> all;
        for (auto& [name, s] : b.stations())
            all.push_back(s.get());
        for (std::uint64_t i = 0; i < 3000; ++i) {
            x = x * 6364136223846793005u + 1442695040888963407u;
            station &from = *all[(x >> 33) % all.size()], &to = *all[(x >> 43) % 3];
            const mac_address target = x >> 60 == 0 ? mac_address::broadcast() : to.mac();
            // Many senders start in the same instant: ties are part of the test.
            from.send_at(settled + 100_ns * static_cast<std::int64_t>(i / 8),
                         make_frame(b.pool, target, from.mac(), 60 + (x >> 50) % 1400, i));
        }
        b.run();
        auto& log = results.emplace_back();
        for (auto& [name, s] : b.stations())
            log[name] = s->arrivals;
        drops.push_back(b.net->find_switch("leaf0").dropped(drop_reason::queue_full));
    }
    CHECK(drops[0] > 10);
    CHECK(results[0].size() == 9);
    for (std::size_t i = 1; i < results.size(); ++i) {
        CHECK(results[i] == results[0]);
        CHECK(drops[i] == drops[0]);
    }
}

TEST_CASE("Channels join each pair of domains once, in both directions, with the shortest latency") {
    topology t = leaf_spine(2, 1, numbered_hosts(2, 1, 2), fabric_options{});
    t.links[0].cable.length = millimetres{1000};
    bench b(t, domain_split::per_switch, true);
    const auto channels = b.net->channels();
    CHECK(channels.size() == 2 * (2 + 2)); // two hosts (of two ports each) and two leaves, both ways
    scheduler& host0 = b.net->host_clock("host0");
    scheduler& leaf0 = b.net->find_switch("leaf0").clock();
    std::set<std::pair<scheduler*, scheduler*>> pairs;
    for (const auto& c : channels) {
        CHECK(pairs.insert({c.from, c.to}).second);
        CHECK(c.latency > 0_ps);
        if (c.from == &host0 && c.to == &leaf0)
            CHECK(c.latency == b.net->find_link("host0.0").min_latency(cable_side::a)); // the shorter of two
        if (c.from == &host0 && c.to == &leaf0)
            CHECK(c.latency == b.net->find_link("host0.0").latency(cable_side::a, 60) + 400_ns);
    }
    REQUIRE(b.net->domains().size() == 3);
    for (const auto& d : b.net->domains())
        CHECK(d.pass_through == 0_ns); // the pipeline is part of the channel
    bench together(t, domain_split::shared, false);
    CHECK(together.net->channels().empty());
    REQUIRE(together.net->domains().size() == 1);
    CHECK(together.net->domains()[0].pass_through == 0_ns); // its hosts may answer at once
}

TEST_CASE("Two hosts back to back need no switch") {
    const auto placed = numbered_hosts(1, 2, 2);
    bench b(back_to_back({placed[0].station, placed[1].station}, fabric_options{}), domain_split::shared,
            true);
    b.at("host0.1").send_at(settled, make_frame(b.pool, b.at("host1.1").mac(), b.at("host0.1").mac(), 60, 1));
    b.run();
    REQUIRE(b.at("host1.1").arrivals.size() == 1);
    CHECK(b.at("host1.0").arrivals.empty());
    CHECK(b.at("host1.1").arrivals[0].at - settled ==
          b.net->closed_form_latency("host0", 1, "host1", 1, 60).total());
    CHECK_THROWS_AS(b.net->closed_form_latency("host0", 0, "host1", 1, 60), std::out_of_range);
    CHECK(b.net->link_names() == std::vector<std::string>{"host0.0-host1.0", "host0.1-host1.1"});
}

TEST_CASE("A leaf with a broken uplink sends over the others") {
    bench b(leaf_spine(2, 2, numbered_hosts(2, 1), ideal({1'000})), domain_split::per_switch, true);
    b.net->find_link("leaf0-spine0").cut_at(settled);
    for (std::uint16_t flow = 0; flow < 40; ++flow)
        b.at("host0.0").send_at(settled + 5_us, make_udp(b.pool, b.at("host1.0").mac(), b.at("host0.0").mac(),
                                                         static_cast<std::uint16_t>(5000 + flow), 200));
    b.run();
    CHECK(b.at("host1.0").arrivals.size() == 40);
    CHECK(b.net->find_link("leaf0-spine1").count(cable_side::a).delivered == 40);
}

TEST_CASE("Unknown names are answered with the known ones") {
    bench b(leaf_spine(2, 1, numbered_hosts(2, 1), ideal()), domain_split::shared, false);
    try {
        b.net->find_link("leaf0-spine7");
        FAIL("found a link that is not there");
    } catch (const std::out_of_range& e) {
        CHECK(std::string(e.what()).find("leaf0-spine0") != std::string::npos);
    }
    CHECK_THROWS_AS(b.net->find_switch("spine7"), std::out_of_range);
    CHECK_THROWS_AS(b.net->host_clock("host9"), std::out_of_range);
}

TEST_CASE("Host ports are numbered in the topology's order, and a switch finds them by number or address") {
    bench b(leaf_spine(2, 2, numbered_hosts(2, 2, 2), ideal()), domain_split::shared, false);
    CHECK(b.net->stations().size() == 8);
    CHECK(b.net->station_of("host0", 0) == 0);
    CHECK(b.net->station_of("host3", 1) == 7);
    CHECK_THROWS_AS(b.net->station_of("host3", 2), std::out_of_range);
    for (const auto& sw : b.net->switches()) {
        CHECK(sw->table().hosts() == 8);
        for (station_index s = 0; s < 8; ++s)
            CHECK(sw->table().find(s)->live == sw->table().find(b.net->stations().mac(s))->live);
        CHECK_FALSE(sw->table().find(station_index{8}));
        CHECK_FALSE(sw->table().find(unknown_station));
    }
}
