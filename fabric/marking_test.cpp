// SPDX-License-Identifier: Apache-2.0
#include "fabric/marking.h"

#include "core/checksum.h"
#include "fabric/classifier.h"
#include "fabric/testing/station.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>

using namespace vg810;
using namespace vg810::fabric;

namespace {
const mac_address a = mac_address::from_u64(0x02000000000a), b = mac_address::from_u64(0x02000000000b);

double share(const marker& m, bytes depth) {
    random_stream random(1, "test");
    int hits = 0;
    for (int i = 0; i < 100'000; ++i)
        hits += m.marks(depth, random);
    return hits / 100'000.0;
}

frame_ptr ipv4_frame(frame_pool& pool, std::uint8_t tos) {
    frame_ptr f = testing::make_udp(pool, a, b, 7, 100);
    ipv4_view<std::byte>(f->stored().data() + 14).set_tos(tos);
    fill_ipv4_checksum(f->stored(), parse(f->stored()));
    classify(*f);
    return f;
}
} // namespace

TEST_CASE("Marking rises in a straight line from kmin to pmax at kmax, and is certain above") {
    const marker m({.priorities = {}, .kmin = 5'000, .kmax = 200'000, .pmax = 0.1});
    CHECK(share(m, 0) == 0);
    CHECK(share(m, 5'000) == 0);
    CHECK_THAT(share(m, 102'500), Catch::Matchers::WithinAbs(0.05, 0.003));
    CHECK_THAT(share(m, 200'000), Catch::Matchers::WithinAbs(0.1, 0.004));
    CHECK(share(m, 200'001) == 1);
    CHECK(share({}, 1'000'000'000) == 0);
    const marker step({.priorities = {}, .kmin = 8'000, .kmax = 8'000, .pmax = 0});
    CHECK(share(step, 8'000) == 0);
    CHECK(share(step, 8'001) == 1);
}

TEST_CASE("A mark changes the two ECN bits and IPv4's checksum, once, in ECN-capable frames only") {
    frame_pool pool;
    frame_ptr f = ipv4_frame(pool, 0xb9); // DSCP 46, ECT(1)
    CHECK(mark_congestion(*f));
    const auto s = std::as_const(*f).stored();
    CHECK(ipv4_view(s.data() + 14).tos() == 0xbb);
    CHECK(check_ipv4_header(s, parse(s)) == checksum_verdict::good);
    CHECK_FALSE(mark_congestion(*f));
    frame_ptr plain = ipv4_frame(pool, 0xb8);
    CHECK_FALSE(mark_congestion(*plain));
    CHECK(ipv4_view(std::as_const(*plain).stored().data() + 14).tos() == 0xb8);
}

TEST_CASE("IPv6 is marked in its traffic class, and DSCPs are written without touching ECN") {
    frame_pool pool;
    frame_ptr f = testing::make_frame(pool, a, b, 100, 0, 100);
    ethernet_view<std::byte>(f->stored().data()).set_type(ethertype::ipv6);
    const ipv6_view<std::byte> ip(f->stored().data() + 14);
    ip.set_version_class_label(0x02, 0xabcde);
    ip.set_payload_length(46);
    classify(*f);
    CHECK(mark_congestion(*f));
    CHECK(ip.traffic_class() == 0x03);
    CHECK(ip.flow_label() == 0xabcde);
    set_dscp(*f, 26);
    CHECK(ip.traffic_class() == (26 << 2 | 3));
    CHECK(ip.version() == 6);
    frame_ptr v4 = ipv4_frame(pool, 0xff);
    set_dscp(*v4, 0);
    const auto s = std::as_const(*v4).stored();
    CHECK(ipv4_view(s.data() + 14).tos() == 3);
    CHECK(check_ipv4_header(s, parse(s)) == checksum_verdict::good);
}
