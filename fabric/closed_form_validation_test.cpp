// SPDX-License-Identifier: Apache-2.0
// What arithmetic says about links and store-and-forward switches, measured with the real objects. The rows
// count RoCEv2 frames as payload plus 82 octets (preamble 8, Ethernet 14, IPv4 20, UDP 8, BTH 12, ICRC 4, FCS
// 4, gap 12), the gap at every hop, arrival at its end; links of 1 us; no latency in devices.
#include "fabric/testing/bench.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>

#include <algorithm>

using namespace vg810;
using namespace vg810::fabric;
using namespace vg810::fabric::testing;
using Catch::Matchers::WithinAbs;
using Catch::Matchers::WithinRel;

namespace {

constexpr bytes roce_frame(bytes payload) {
    return payload + 82 - preamble_bytes - fcs_bytes - gap_bytes;
}

/// A message of `octets` in frames of at most `path_mtu` of payload, all handed over at `settled`.
std::uint64_t send_message(bench& b, const std::string& from, const std::string& to, bytes octets,
                           bytes path_mtu) {
    std::uint64_t frames = 0;
    for (bytes left = octets; left > 0; left -= std::min(left, path_mtu))
        b.at(from).send_at(settled, make_frame(b.pool, b.at(to).mac(), b.at(from).mac(),
                                               roce_frame(std::min(left, path_mtu)), frames++));
    return frames;
}

double last_arrival_us(bench& b, const std::string& at) {
    return (b.at(at).arrivals.back().at - settled).as_seconds() * 1e6;
}

topology two_racks() {
    return leaf_spine(2, 1, numbered_hosts(2, 2), ideal());
}

} // namespace

// Row C1. Tolerance: 0.1%.
TEST_CASE("C1: goodput of one flow at 25G by path MTU") {
    const struct {
        bytes path_mtu;
        double gbps;
    } rows[] = {{256, 18.935}, {512, 21.549}, {1024, 23.146}, {2048, 24.038}, {4096, 24.509}};
    for (const auto& row : rows) {
        bench b(two_racks(), domain_split::per_switch, false);
        const std::uint64_t frames = send_message(b, "host0.0", "host2.0", row.path_mtu * 2000, row.path_mtu);
        b.run();
        const auto& got = b.at("host2.0").arrivals;
        REQUIRE(got.size() == frames);
        const double seconds = (got.back().at - got.front().at).as_seconds();
        UNSCOPED_INFO("path MTU " << row.path_mtu << ", Gb/s");
        CHECK_THAT(static_cast<double>((frames - 1) * row.path_mtu) * 8 / seconds / 1e9,
                   WithinRel(row.gbps, 0.001));
    }
}

// Row C2. Tolerance: 1 ns.
TEST_CASE("C2: idle latency across the spine (25/100/100/25) and in the rack") {
    const struct {
        bytes payload;
        double across_us, rack_us;
    } rows[] = {{64, 4.117, 2.093}, {1024, 4.885, 2.708}, {4096, 7.342, 4.674}};
    for (const auto& row : rows) {
        bench across(two_racks(), domain_split::per_switch, true);
        send_message(across, "host0.0", "host2.0", row.payload, row.payload);
        across.run();
        UNSCOPED_INFO("payload " << row.payload << ", across the spine, us");
        CHECK_THAT(last_arrival_us(across, "host2.0"), WithinAbs(row.across_us, 0.001));
        bench rack(two_racks(), domain_split::per_switch, true);
        send_message(rack, "host0.0", "host1.0", row.payload, row.payload);
        rack.run();
        UNSCOPED_INFO("payload " << row.payload << ", in the rack, us");
        CHECK_THAT(last_arrival_us(rack, "host1.0"), WithinAbs(row.rack_us, 0.001));
    }
}

// Row C3. Tolerance: 0.1%.
TEST_CASE("C3: a message of 1 MiB across the spine") {
    bench b(two_racks(), domain_split::per_switch, false);
    const std::uint64_t frames = send_message(b, "host0.0", "host2.0", 1 << 20, 1024);
    b.run();
    REQUIRE(b.at("host2.0").arrivals.size() == frames);
    UNSCOPED_INFO("path MTU 1024, last octet there, us");
    CHECK_THAT(last_arrival_us(b, "host2.0"), WithinRel(366.94, 0.001));
}

// Row C4, losslessness by a buffer that holds everything. Tolerance: 1%.
TEST_CASE("C4: incast into one 25G port") {
    const struct {
        std::size_t senders;
        bytes each;
        double ms;
    } rows[] = {{7, 1'000'000, 2.419}, {60, 500'000, 10.369}};
    for (const auto& row : rows) {
        fabric_options o = ideal();
        o.queue_limit = 64 << 20;
        bench b(leaf_spine(1, 0, numbered_hosts(1, row.senders + 1), o), domain_split::per_switch, false);
        const std::string sink = "host" + std::to_string(row.senders) + ".0";
        std::uint64_t frames = 0;
        for (std::size_t i = 0; i < row.senders; ++i)
            frames += send_message(b, "host" + std::to_string(i) + ".0", sink, row.each, 1024);
        b.run();
        REQUIRE(b.at(sink).arrivals.size() == frames);
        UNSCOPED_INFO(row.senders << " senders of " << row.each << " octets, last octet there, ms");
        CHECK_THAT(last_arrival_us(b, sink) / 1000, WithinRel(row.ms, 0.01));
    }
}

// Row C6: 84 octets a slot at 25G. Tolerance: 0.1%.
TEST_CASE("C6: minimum frames pass at 37.2 Mpps a port, 74.4 with both") {
    bench b(leaf_spine(1, 0, numbered_hosts(1, 2, 2), ideal()), domain_split::per_switch, false);
    constexpr std::uint64_t frames = 2000;
    for (std::uint64_t i = 0; i < frames; ++i)
        for (const std::string port : {".0", ".1"})
            b.at("host0" + port)
                .send_at(settled, make_frame(b.pool, b.at("host1" + port).mac(), b.at("host0" + port).mac(),
                                             min_frame_bytes, i));
    b.run();
    double both = 0;
    for (const char* port : {"host1.0", "host1.1"}) {
        const auto& got = b.at(port).arrivals;
        REQUIRE(got.size() == frames);
        const double rate = (frames - 1) / (got.back().at - got.front().at).as_seconds();
        UNSCOPED_INFO("one port, frames/s");
        CHECK_THAT(rate, WithinRel(37.2e6, 0.001));
        both += rate;
    }
    UNSCOPED_INFO("both ports, frames/s");
    CHECK_THAT(both, WithinRel(74.4e6, 0.001));
}
