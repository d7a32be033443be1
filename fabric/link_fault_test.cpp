// SPDX-License-Identifier: Apache-2.0
#include "fabric/link_fault.h"

#include "fabric/shapes.h"
#include "fabric/testing/bench.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cmath>

using namespace vg810;
using namespace vg810::fabric;
using namespace vg810::fabric::testing;

namespace {

link_fault on(std::string link, fault_kind kind) {
    link_fault f;
    f.link = std::move(link);
    f.kind = kind;
    return f;
}

/// host0 sends `frames` frames of `length` octets to host1, a microsecond apart, over one switch.
struct run {
    run(const std::vector<link_fault>& faults, unsigned frames, bytes length, std::uint64_t seed = 1,
        picoseconds apart = 1_us)
        : b(chain(1, numbered_hosts(1, 2), ideal({0})), domain_split::shared, false) {
        apply_faults(*b.net, faults, seed);
        for (unsigned i = 0; i < frames; ++i)
            b.at("host0.0").send_at(settled + apart * i, make_frame(b.pool, b.at("host1.0").mac(),
                                                                    b.at("host0.0").mac(), length, i));
        b.run();
        for (const auto& a : b.at("host1.0").arrivals)
            got.push_back(a.number);
    }
    const cable_direction::counters& sent() { return b.net->find_link("host0.0").count(cable_side::a); }
    bench b;
    std::vector<std::uint64_t> got;
};

std::string complaint(const link_fault& f, const std::vector<link_fault>& before = {}) {
    auto all = before;
    all.push_back(f);
    try {
        run(all, 0, 60);
    } catch (const topology_error& e) {
        return e.what();
    }
    return "";
}

} // namespace

TEST_CASE("A loss fault takes exactly every k-th frame of its way, and short ones if told so") {
    link_fault f = on("host0.0", fault_kind::loss);
    f.way = fault_way::a_to_b;
    f.every = 4;
    run r({f}, 12, 100);
    CHECK(r.got == std::vector<std::uint64_t>{0, 1, 2, 4, 5, 6, 8, 9, 10});
    CHECK(r.sent().taken == 3);
    f.at_least = 101;
    CHECK(run({f}, 12, 100).got.size() == 12);
    CHECK(run({f}, 12, 101).got.size() == 9);
    f.way = fault_way::b_to_a;
    CHECK(run({f}, 12, 101).got.size() == 12);
}

TEST_CASE("Bit errors damage 1 - (1 - BER)^bits of the frames, by the seed alone") {
    link_fault f = on("host0.0", fault_kind::bit_errors);
    f.bit_error_rate = 1e-5;
    constexpr unsigned frames = 20'000;
    run r({f}, frames, 1000);
    const double expected = 1 - std::pow(1 - 1e-5, 1004 * 8); // 7.7%
    const auto damaged = static_cast<double>(r.sent().damaged);
    CHECK(std::abs(damaged / frames - expected) < 4 * std::sqrt(expected / frames));
    const auto& sw = r.b.net->find_switch("switch0");
    CHECK(sw.dropped(drop_reason::bad_fcs) == r.sent().damaged);
    CHECK(r.got.size() == frames - r.sent().damaged);
    CHECK(run({f}, 2'000, 1000, 7).got == run({f}, 2'000, 1000, 7).got);
    CHECK(run({f}, 2'000, 1000, 7).got != run({f}, 2'000, 1000, 8).got);
    f.bit_error_rate = 1e-15;
    CHECK(run({f}, 2'000, 1000).sent().damaged == 0);
    f.bit_error_rate = 0.5;
    CHECK(run({f}, 2'000, 1000).sent().damaged == 2'000);
}

TEST_CASE("A fault lasts from its beginning to its end") {
    link_fault f = on("host0.0", fault_kind::loss);
    f.every = 1;
    f.at = settled + 3_us;
    f.until = settled + 6_us;
    CHECK(run({f}, 8, 100).got == std::vector<std::uint64_t>{0, 1, 2, 6, 7});
}

TEST_CASE("A delay holds frames up and keeps them in order when it ends") {
    link_fault f = on("host0.0", fault_kind::delay);
    f.extra = 5_us;
    f.at = settled + 2_us;
    f.until = settled + 4_us;
    run plain({}, 12, 100), late({f}, 12, 100);
    CHECK(late.got == plain.got);
    const auto &a = plain.b.at("host1.0").arrivals, &b = late.b.at("host1.0").arrivals;
    CHECK(b[1].at == a[1].at);
    CHECK(b[2].at == a[2].at + 5_us);
    CHECK(b[3].at == a[3].at + 5_us);
    CHECK(b[4].at > b[3].at); // sent in time, behind a late one
    CHECK(b[11].at == a[11].at);
}

TEST_CASE("A flapping link goes down and comes up as often as told") {
    link_fault f = on("host0.0", fault_kind::flapping);
    f.at = settled + 5_us;
    f.period = 10_us;
    f.down_share = 0.4;
    f.count = 2;
    run r({f}, 40, 100);
    CHECK(r.b.at("host0.0").signals == std::vector<bool>{true, false, true, false, true});
    CHECK(r.sent().lost == 8);
    CHECK(r.got.size() == 32);
    link_fault down = on("host0.0", fault_kind::down);
    down.at = settled + 30_us;
    CHECK(run({down}, 40, 100).got.size() == 30);
}

TEST_CASE("A degraded link is sent into at its lower rate, and at its own again afterwards") {
    link_fault f = on("host1.0", fault_kind::degraded);
    f.rate = 10_gbps;
    f.until = settled + 100_us;
    run r({f}, 400, 1476, 1, 480_ns); // a slot of 1500 octets at 25 Gb/s
    const auto& a = r.b.at("host1.0").arrivals;
    REQUIRE(a.size() == 400);
    CHECK(a[1].at - a[0].at == 1200_ns);
    CHECK(a[50].at - a[49].at == 1200_ns);
    CHECK(a[399].at - a[398].at == 480_ns);
    // 0.72 us more came in than went out every 1.2 us.
    CHECK(r.b.net->find_switch("switch0").count(1).deepest_queue > 100 * 1476);
}

TEST_CASE("Faults that make no sense are refused with the link and the reason") {
    CHECK(complaint(on("host7.0", fault_kind::down)).find("fault on link host7.0: there is no link") == 0);
    CHECK(complaint(on("host0.0", fault_kind::loss)) ==
          "fault on link host0.0: loss needs `every`, 1 or more");
    CHECK(complaint(on("host0.0", fault_kind::bit_errors)) ==
          "fault on link host0.0: bit-errors need a bit_error_rate above 0, up to 0.5");
    CHECK(complaint(on("host0.0", fault_kind::delay)) ==
          "fault on link host0.0: delay needs `extra`, above 0");
    link_fault f = on("host0.0", fault_kind::degraded);
    CHECK(complaint(f) == "fault on link host0.0: a degraded link needs a rate");
    f.rate = 25_gbps;
    CHECK(complaint(f) == "fault on link host0.0: the rate of a degraded link must be below its own");
    f = on("host0.0", fault_kind::down);
    f.at = 5_us;
    f.until = 5_us;
    CHECK(complaint(f) == "fault on link host0.0: it ends before it begins");
    f.until = 9_us;
    link_fault later = f;
    later.at = 8_us;
    later.until.reset();
    CHECK(complaint(later, {f}) ==
          "fault on link host0.0: another fault of that kind is on at the same time");
    later.at = 9_us;
    CHECK(complaint(later, {f}) == "");
    f.way = fault_way::a_to_b;
    CHECK(complaint(f) == "fault on link host0.0: this kind concerns both ways of a link");
    f = on("host0.0", fault_kind::flapping);
    f.down_share = 1;
    CHECK(complaint(f).find("flapping needs") != std::string::npos);
}
