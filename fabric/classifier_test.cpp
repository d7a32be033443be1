// SPDX-License-Identifier: Apache-2.0
#include "fabric/classifier.h"

#include "core/ethernet.h"
#include "core/telemetry.h"
#include "fabric/testing/station.h"

#include <catch2/catch_test_macros.hpp>

using namespace vg810;
using namespace vg810::fabric;

namespace {
const mac_address a = mac_address::from_u64(0x02000000000a), b = mac_address::from_u64(0x02000000000b);

frame_ptr udp(frame_pool& pool, std::uint8_t tos, std::uint16_t to_port = 4791) {
    frame_ptr f = testing::make_udp(pool, a, b, 7, 120);
    ipv4_view<std::byte>(f->stored().data() + 14).set_tos(tos);
    udp_view<std::byte>(f->stored().data() + 34).set_destination_port(to_port);
    classify(*f);
    return f;
}
frame_ptr tagged(frame_pool& pool, unsigned pcp) {
    frame_ptr f = testing::make_frame(pool, a, b, 100, 0);
    ethernet_view<std::byte>(f->stored().data()).set_type(ethertype::vlan);
    store_be(f->stored().data() + 14, static_cast<std::uint16_t>(pcp << 13 | 5));
    classify(*f);
    return f;
}
} // namespace

TEST_CASE("Labels say where IP is, whether ECN is spoken and where telemetry goes") {
    frame_pool pool;
    frame_ptr f = udp(pool, 2);
    CHECK(f->labels.classified);
    CHECK(f->labels.l3_offset == 14);
    CHECK(f->labels.ecn_capable);
    CHECK_FALSE(f->labels.ipv6);
    CHECK(f->labels.telemetry_offset == 0);
    CHECK(udp(pool, 0, telemetry_udp_port)->labels.telemetry_offset == 42);
    CHECK_FALSE(udp(pool, 0)->labels.ecn_capable);
    frame_ptr raw = testing::make_frame(pool, a, b, 100, 0);
    classify(*raw);
    CHECK(raw->labels.l3_offset == 0);
}

TEST_CASE("A block that is not stored completely is none") {
    frame_pool pool;
    frame_ptr f = pool.make(500, 80);
    const frame_ptr whole = udp(pool, 0, telemetry_udp_port);
    std::ranges::copy(std::as_const(*whole).stored().first(80), f->stored().begin());
    classify(*f);
    CHECK(f->labels.telemetry_offset == 0);
}

TEST_CASE("Priorities come from the port, the DSCP or the PCP, as trusted") {
    frame_pool pool;
    trust_parameters t;
    t.default_priority = 1;
    CHECK(priority_map(t).of(*udp(pool, 26 << 2)) == 1);
    t.mode = trust_mode::dscp;
    CHECK(priority_map(t).of(*udp(pool, 26 << 2)) == 3);
    CHECK(priority_map(t).of(*udp(pool, 48 << 2 | 3)) == 6);
    CHECK(priority_map(t).of(*tagged(pool, 5)) == 1); // no IP
    t.dscp_map.assign(64, 0);
    t.dscp_map[26] = 5;
    CHECK(priority_map(t).of(*udp(pool, 26 << 2)) == 5);
    t.mode = trust_mode::pcp;
    CHECK(priority_map(t).of(*tagged(pool, 5)) == 5);
    CHECK(priority_map(t).of(*udp(pool, 26 << 2)) == 1);
}
