// SPDX-License-Identifier: Apache-2.0
// What arithmetic says about messages over reliable connections, measured with wire hosts: the card's
// transport, its acknowledgements on the way back, lossless switches. Frames are counted as in
// fabric/closed_form_validation_test.cpp: payload plus 82 octets, the gap at every hop, arrival at its end,
// links of 1 us, no latency in devices. SENDs unless a row says otherwise: their packets have no header
// beyond the BTH.
#include "scenarios/wire/testing/rack.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>

#include <algorithm>

using namespace vg810;
using namespace vg810::scenarios;
using namespace vg810::scenarios::testing;
using Catch::Matchers::WithinAbs;
using Catch::Matchers::WithinRel;

namespace {

double after_start_us(picoseconds t) {
    return (t - settled).as_seconds() * 1e6;
}

std::string host(std::size_t i) {
    return "host" + std::to_string(i);
}

/// One lossless switch with so many hosts.
fabric::topology star(std::size_t hosts, const fabric::fabric_options& o = ideal()) {
    fabric::topology t = lossless(fabric::leaf_spine(1, 0, fabric::numbered_hosts(1, hosts), o));
    if (hosts > 64)
        t.switches[0].buffer.total = 64 << 20; // room for everybody's headroom
    return t;
}

/// Ring all-reduce by reduce-scatter and all-gather: in each of 2(N-1) steps everybody passes on the part
/// that came in the step before.
class ring_member final : public message_listener {
  public:
    ring_member(wire_host& self, bytes part, std::uint64_t steps) : self_(self), part_(part), steps_(steps) {
        self.listen(*this);
    }
    void join(wire_host& next) { to_next_ = self_.connect(next, {}).here; }
    void begin() { self_.post(to_next_, message_kind::send, part_, 1); }
    void message_ended(connection, const message_end&) override {}
    void message_arrived(connection, std::uint64_t step, bytes) override {
        if (step < steps_)
            self_.post(to_next_, message_kind::send, part_, step + 1);
        else
            done = self_.now();
    }
    picoseconds done = never;

  private:
    wire_host& self_;
    bytes part_;
    std::uint64_t steps_;
    connection to_next_ = 0;
};

/// Time until the last of `n` hosts on one switch has all of the sum.
double all_reduce_ms(std::size_t n, bytes whole) {
    rack r(star(n), lossless_host());
    std::vector<std::unique_ptr<ring_member>> all;
    for (std::size_t i = 0; i < n; ++i)
        all.push_back(std::make_unique<ring_member>(r.at(host(i)), whole / n, 2 * (n - 1)));
    for (std::size_t i = 0; i < n; ++i)
        all[i]->join(r.at(host((i + 1) % n)));
    for (auto& member : all)
        member->begin();
    r.run();
    picoseconds last{};
    for (const auto& member : all)
        last = std::max(last, member->done);
    return after_start_us(last) / 1000;
}

} // namespace

// Row C1: the second of two messages, so that the path is full. Tolerance: 0.1%.
TEST_CASE("C1: goodput of one reliable connection at 25G by path MTU") {
    const struct {
        bytes path_mtu;
        double gbps;
    } rows[] = {{256, 18.935}, {512, 21.549}, {1024, 23.146}, {2048, 24.038}, {4096, 24.509}};
    for (const auto& row : rows) {
        rack r(lossless(two_racks()), lossless_host(row.path_mtu));
        const bytes length = row.path_mtu * 2000;
        const connection c = r.send("host0", "host2", length, 1, message_kind::send);
        r.at("host0").post(c, message_kind::send, length, 2);
        r.run();
        const auto& got = r.record("host2").arrived;
        REQUIRE(got.size() == 2);
        UNSCOPED_INFO("path MTU " << row.path_mtu << ", Gb/s");
        CHECK_THAT(static_cast<double>(length) * 8 / (got[1].at - got[0].at).as_seconds() / 1e9,
                   WithinRel(row.gbps, 0.001));
    }
}

// Row C2, SENDs of one packet. Tolerance: 1 ns.
TEST_CASE("C2: idle latency of a SEND across the spine (25/100/100/25) and in the rack") {
    const struct {
        bytes payload;
        double across_us, rack_us;
    } rows[] = {{64, 4.117, 2.093}, {1024, 4.885, 2.708}, {4096, 7.342, 4.674}};
    for (const auto& row : rows)
        for (const bool across : {true, false}) {
            const std::string to = across ? "host2" : "host1";
            rack r(lossless(two_racks()), lossless_host(4096));
            r.send("host0", to, row.payload, 1, message_kind::send);
            r.run();
            REQUIRE(r.record(to).arrived.size() == 1);
            UNSCOPED_INFO("payload " << row.payload
                                     << (across ? ", across the spine, us" : ", in the rack, us"));
            CHECK_THAT(after_start_us(r.record(to).arrived[0].at),
                       WithinAbs(across ? row.across_us : row.rack_us, 0.001));
        }
}

// Row C2, WRITEs of one packet with their RETH. A wire host's WRITE carries immediate data, for the target to
// hear of it: 4 octets more on two links of 25G and two of 100G, 3.2 ns, taken off what was measured.
// Tolerance: 1 ns.
TEST_CASE("C2: idle latency of a WRITE across the spine") {
    const struct {
        bytes payload;
        double us;
    } rows[] = {{64, 4.130}, {1024, 4.898}, {4096, 7.355}};
    for (const auto& row : rows) {
        rack r(lossless(two_racks()), lossless_host(4096));
        r.send("host0", "host2", row.payload, 1, message_kind::write);
        r.run();
        REQUIRE(r.record("host2").arrived.size() == 1);
        UNSCOPED_INFO("payload " << row.payload << ", without the time of its immediate data, us");
        CHECK_THAT(after_start_us(r.record("host2").arrived[0].at) - 0.0032, WithinAbs(row.us, 0.001));
    }
}

// Row C3. Tolerance: 0.1%.
TEST_CASE("C3: a SEND of 1 MiB across the spine") {
    rack r(lossless(two_racks()), lossless_host());
    r.send("host0", "host2", 1 << 20, 1, message_kind::send);
    r.run();
    REQUIRE(r.record("host2").arrived.size() == 1);
    UNSCOPED_INFO("path MTU 1024, last octet there, us");
    CHECK_THAT(after_start_us(r.record("host2").arrived[0].at), WithinRel(366.94, 0.001));
}

// Row C4, lossless by PFC, without congestion control. Tolerance: 1%.
TEST_CASE("C4: incast of SENDs into one 25G port under PFC") {
    const struct {
        std::size_t senders;
        bytes each;
        double ms;
    } rows[] = {{7, 1'000'000, 2.419}, {60, 500'000, 10.369}};
    for (const auto& row : rows) {
        rack r(star(row.senders + 1), lossless_host());
        const std::string sink = host(row.senders);
        for (std::size_t i = 0; i < row.senders; ++i)
            r.send(host(i), sink, row.each, i, message_kind::send);
        r.run();
        const auto& got = r.record(sink).arrived;
        REQUIRE(got.size() == row.senders);
        CHECK(r.net.find_switch("leaf0").dropped(fabric::drop_reason::headroom_full) == 0);
        UNSCOPED_INFO(row.senders << " senders of " << row.each << " octets, last octet there, ms");
        CHECK_THAT(after_start_us(got.back().at) / 1000, WithinRel(row.ms, 0.01));
    }
}

// Row C5, on one switch. To the bandwidth term 2(N-1)/N x S/B each of 2(N-1) steps adds the idle path's: two
// links of 1 us and one frame of 1106 octets once more, 2.354 us. The row's 256 MB over 128 hosts take too
// long for every day: 16 MB, whose bandwidth term is a sixteenth. Tolerance: 1%.
TEST_CASE("C5: ring all-reduce, path MTU 1024") {
    const struct {
        std::size_t hosts;
        bytes whole;
        double bandwidth_ms;
    } rows[] = {{8, 64'000'000, 38.711}, {16, 256'000'000, 165.90}, {128, 16'000'000, 175.58 / 16}};
    constexpr double step_ms = 0.002 + 1106 * 0.32e-6;
    for (const auto& row : rows) {
        const double measured = all_reduce_ms(row.hosts, row.whole);
        UNSCOPED_INFO(row.hosts << " hosts, " << row.whole / 1'000'000 << " MB, ms");
        CHECK_THAT(measured,
                   WithinRel(row.bandwidth_ms + 2.0 * static_cast<double>(row.hosts - 1) * step_ms, 0.01));
    }
}

// Row C6: empty SENDs, padded to 64 octets with FCS, a slot of 84. "Both ports" are those of two hosts, for
// a wire host has one. Tolerance: 0.1%.
TEST_CASE("C6: empty SENDs pass at 37.2 M/s a port, 74.4 with two") {
    rack r(star(4), lossless_host());
    constexpr std::uint64_t messages = 4000;
    for (const auto& [from, to] : {std::pair{"host0", "host1"}, std::pair{"host2", "host3"}}) {
        const connection c = r.send(from, to, 0, 0, message_kind::send);
        for (std::uint64_t i = 1; i < messages; ++i)
            r.at(from).post(c, message_kind::send, 0, i);
    }
    r.run();
    double both = 0;
    for (const char* to : {"host1", "host3"}) {
        const auto& got = r.record(to).arrived;
        REQUIRE(got.size() == messages);
        const double rate = (messages - 1) / (got.back().at - got.front().at).as_seconds();
        UNSCOPED_INFO("one port, messages/s");
        CHECK_THAT(rate, WithinRel(37.2e6, 0.001));
        both += rate;
    }
    UNSCOPED_INFO("both ports, messages/s");
    CHECK_THAT(both, WithinRel(74.4e6, 0.001));
}

// Row C9: every 256th data frame on the wire lost, retransmissions counted, hence 1 - W/k; W, the frames in
// flight in a NAK loop of 8.5 us: two cables such that frame, NAK and both ways take that long. Tolerance:
// 5%.
TEST_CASE("C9: go-back-N with every 256th frame on the wire lost") {
    fabric::fabric_options o = ideal({811'860});
    const auto hosts = fabric::numbered_hosts(1, 2);
    rack r(fabric::back_to_back({hosts[0].station, hosts[1].station}, o), lossless_host());
    fabric::link_fault f;
    f.link = "host0.0-host1.0";
    f.kind = fabric::fault_kind::loss;
    f.every = 256;
    f.at_least = 1000;
    f.way = fabric::fault_way::a_to_b;
    fabric::apply_faults(r.net, {f}, 1);
    constexpr bytes length = 40'000'000;
    r.send("host0", "host1", length, 1, message_kind::send);
    r.run();
    REQUIRE(r.record("host1").arrived.size() == 1);
    const double gbps =
        static_cast<double>(length) * 8 / (r.record("host1").arrived[0].at - settled).as_seconds() / 1e9;
    UNSCOPED_INFO("goodput factor, of 23.146 Gb/s");
    CHECK_THAT(gbps / 23.146, WithinRel(0.906, 0.05));
}
