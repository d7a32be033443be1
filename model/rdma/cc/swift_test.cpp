// SPDX-License-Identifier: Apache-2.0
// Swift, step by step.
#include "model/rdma/cc/testing/flow_bench.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>

using namespace vg810;
using namespace vg810::cc;
using namespace vg810::cc::testing;
using Catch::Matchers::WithinAbs;

namespace {

constexpr std::uint32_t mtu = 1024;

flow_bench plain(std::vector<parameter_value> more = {}, std::uint32_t hops = 0, double cwnd = 10,
                 double fs_range = 0) {
    more.push_back({"fs_range", fs_range});
    more.push_back({"initial_cwnd", cwnd});
    return flow_bench(swift, std::move(more), {25_gbps, 8_us, mtu, hops});
}

double packets(const flow_bench& b) {
    return static_cast<double>(b.under.window()) / mtu;
}

// The window is told in whole octets.
constexpr double grain = 1.0 / mtu;

} // namespace

TEST_CASE("a new flow may send what its line sends in an idle round trip, unpaced") {
    flow_bench b(swift);
    CHECK_THAT(packets(b), WithinAbs(25e9 * 8e-6 / 8 / (mtu + 82), grain));
    CHECK(b.gbps() == 25);
}

TEST_CASE("below the target the window grows by ai a round trip") {
    flow_bench b = plain();
    b.ack(us(1), mtu, us(24));
    CHECK_THAT(packets(b), WithinAbs(10.1, grain));
    b.ack(us(2), 5 * mtu, us(24));
    CHECK_THAT(packets(b), WithinAbs(10.1 + 5 / 10.1, grain));
}

TEST_CASE("above the target it shrinks by how far it is above, once a round trip, at most by max_mdf") {
    flow_bench b = plain();
    b.ack(us(100), mtu, us(50));
    CHECK_THAT(packets(b), WithinAbs(10 * (1 - 0.8 * 25 / 50), grain));
    b.ack(us(149), mtu, us(50));
    CHECK_THAT(packets(b), WithinAbs(6, grain));
    b.ack(us(150), mtu, us(50));
    CHECK_THAT(packets(b), WithinAbs(3.6, grain));
    b.ack(us(5000), mtu, us(2500));
    CHECK_THAT(packets(b), WithinAbs(1.8, grain));
}

TEST_CASE("topology scaling: each switch on the path adds to the target") {
    flow_bench near = plain({}, 1);
    flow_bench far = plain({}, 5);
    near.ack(us(1), mtu, us(28));
    far.ack(us(1), mtu, us(28));
    CHECK(packets(near) < 10);
    CHECK(packets(far) > 10);
}

TEST_CASE("flow scaling: the target at a window of one packet is 14.695 us above the base") {
    // 50 us / (1/sqrt(0.1) - 1/sqrt(100)) x (1/sqrt(1) - 1/sqrt(100))
    for (const double rtt : {39.69, 39.70}) {
        CAPTURE(rtt);
        flow_bench b = plain({}, 0, 1, 50e6);
        b.ack(us(1), mtu / 2, us(rtt));
        CHECK((packets(b) > 1) == (rtt < 39.695));
    }
    // At fs_max_cwnd and above nothing is added, at fs_min_cwnd and below fs_range.
    flow_bench wide = plain({}, 0, 100, 50e6);
    wide.ack(us(1), mtu, us(25.1));
    CHECK(packets(wide) < 100);
}

TEST_CASE("below one packet the flow keeps a window of one and is paced") {
    flow_bench b = plain({}, 0, 1);
    b.ack(us(1), mtu, us(100));
    CHECK(b.under.window() == mtu);
    // One packet every 200 us: 0.5 of a window in 100 us.
    CHECK_THAT(static_cast<double>(b.under.rate()), WithinAbs((mtu + 82) * 8 / 200e-6, 1));
    // Growth below one packet is ai for each packet acknowledged.
    b.ack(us(200), mtu, us(20));
    CHECK_THAT(packets(b), WithinAbs(1.5, grain));
    CHECK(b.gbps() == 25);
}

TEST_CASE("the far host's delay counts against its own target only") {
    flow_bench b = plain({{"endpoint_weight", 1}});
    b.ack(us(1), mtu, us(60), us(40)); // fabric 20 us, host 40 us: both below
    CHECK_THAT(packets(b), WithinAbs(10.1, grain));
    b.ack(us(2), mtu, us(120), us(100)); // host twice its target
    CHECK_THAT(packets(b), WithinAbs(10.1 * (1 - 0.8 * 50 / 100), grain));
}

TEST_CASE("a loss takes max_mdf, once a round trip; timeouts in a row leave the least window") {
    flow_bench b = plain();
    b.ack(us(1), mtu, us(20));
    b.nak(us(2));
    CHECK_THAT(packets(b), WithinAbs(5.05, grain));
    b.nak(us(3));
    CHECK_THAT(packets(b), WithinAbs(5.05, grain));
    b.timeout(us(4));
    CHECK_THAT(packets(b), WithinAbs(5.05, grain));
    b.timeout(us(5000));
    CHECK_THAT(packets(b), WithinAbs(2.525, grain));
    for (int i = 0; i < 3; ++i)
        b.timeout(us(5001 + i));
    CHECK(b.under.window() == mtu);
    // 0.001 packets in 20 us
    CHECK_THAT(static_cast<double>(b.under.rate()), WithinAbs(VG810_CC_LEAST_RATE, 1));
    CHECK(b.made.misdeeds() == 0);
}
