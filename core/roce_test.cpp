// SPDX-License-Identifier: Apache-2.0
#include "core/roce.h"

#include "core/checksum.h"

#include <algorithm>
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <vector>

using namespace vg810;

namespace {

/// CRC-32 (IEEE 802.3), bit by bit: independent of the library's.
std::uint32_t slow_crc(const std::vector<std::uint8_t>& octets) {
    std::uint32_t crc = 0xffff'ffff;
    for (const std::uint8_t o : octets) {
        crc ^= o;
        for (int bit = 0; bit < 8; ++bit)
            crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0xedb8'8320u : 0);
    }
    return ~crc;
}

std::span<const std::byte> bytes_of(const std::vector<std::uint8_t>& v) {
    return std::as_bytes(std::span(v));
}

/// IPv4, UDP, BTH of an RDMA WRITE only without RETH's worth of data behind: what the ICRC looks at.
std::vector<std::uint8_t> packet_v4() {
    return {0x45, 0x68, 0x00, 0x34, 0x12, 0x34, 0x40, 0x00, 0x40, 0x11, 0xab, 0xcd, 10,   0,
            0,    1,    10,   0,    0,    2,    0xc0, 0x12, 0x12, 0xb7, 0x00, 0x20, 0x11, 0x22, //
            0x11, 0x40, 0xff, 0xff, 0x80, 0x00, 0x00, 0x07, 0x00, 0x00, 0x00, 0x2a,             //
            0x1f, 0x00, 0x00, 0x05};
}

std::uint32_t expected_icrc(std::vector<std::uint8_t> p, std::initializer_list<std::size_t> ones) {
    for (const std::size_t i : ones)
        p[i] = 0xff;
    p.insert(p.begin(), 8, 0xff);
    return slow_crc(p);
}

} // namespace

TEST_CASE("the ICRC covers what routers leave alone, over IPv4") {
    const auto p = packet_v4();
    const std::uint32_t icrc = icrc_of(bytes_of(p));
    CHECK(icrc == expected_icrc(p, {1, 8, 10, 11, 26, 27, 32}));
    for (const std::size_t free : {1u, 8u, 10u, 11u, 26u, 27u, 32u}) { // ToS, TTL, checksums, BTH byte 4
        auto changed = p;
        changed[free] ^= 0x55;
        CHECK(icrc_of(bytes_of(changed)) == icrc);
    }
    for (const std::size_t covered : {0u, 2u, 12u, 19u, 20u, 24u, 28u, 33u, 39u, 43u}) {
        auto changed = p;
        changed[covered] ^= covered == 0 ? 0x80 : 0x01;
        if (covered != 0)
            CHECK(icrc_of(bytes_of(changed)) != icrc);
    }
}

TEST_CASE("the ICRC over IPv6 leaves out traffic class, flow label and hop limit") {
    std::vector<std::uint8_t> p(40 + 8 + 12 + 4, 0x21);
    p[0] = 0x6a;
    const std::uint32_t icrc = icrc_of(bytes_of(p));
    auto masked = p;
    masked[0] |= 0x0f;
    CHECK(icrc == expected_icrc(masked, {1, 2, 3, 7, 46, 47, 52}));
    for (const std::size_t free : {1u, 2u, 3u, 7u, 46u, 47u, 52u}) {
        auto changed = p;
        changed[free] ^= 0x77;
        CHECK(icrc_of(bytes_of(changed)) == icrc);
    }
    auto changed = p;
    changed[8] ^= 1;
    CHECK(icrc_of(bytes_of(changed)) != icrc);
}

TEST_CASE("BTH, RETH and AETH fields lie where chapter 9 puts them") {
    std::array<std::byte, 28> room{};
    bth_view<std::byte>(room.data()).fill(opcode::write_only, 3, 0x123456, true, 0xabcdef);
    const std::array<unsigned, 12> want{0x0a, 0x70, 0xff, 0xff, 0x00, 0x12,
                                        0x34, 0x56, 0x80, 0xab, 0xcd, 0xef};
    for (std::size_t i = 0; i < want.size(); ++i)
        CHECK(std::to_integer<unsigned>(room[i]) == want[i]);
    const bth_view b(std::as_const(room).data());
    CHECK(b.op() == opcode::write_only);
    CHECK(b.pad() == 3);
    CHECK(b.destination() == 0x123456);
    CHECK(b.ack_request());
    CHECK(b.psn() == 0xabcdef);
    CHECK(!b.becn());
    CHECK(b.version() == 0);
    reth_view<std::byte>(room.data() + 12).fill(0x0102030405060708, 0x11121314, 0x21222324);
    CHECK(std::to_integer<unsigned>(room[12]) == 1);
    CHECK(std::to_integer<unsigned>(room[19]) == 8);
    CHECK(std::to_integer<unsigned>(room[20]) == 0x11);
    CHECK(std::to_integer<unsigned>(room[27]) == 0x24);
    aeth_view<std::byte>(room.data()).fill(make_syndrome(syndrome_kind::nak, 0), 0x1000002);
    CHECK(std::to_integer<unsigned>(room[0]) == 0x60);
    CHECK(aeth_view(std::as_const(room).data()).msn() == 2);
    CHECK(kind_of(0x60) == syndrome_kind::nak);
    CHECK(kind_of(0x2c) == syndrome_kind::rnr_nak);
    CHECK(low_five_of(0x2c) == 12);
}

TEST_CASE("a BTH is found behind UDP port 4791 only, and only when its headers are whole") {
    frame_pool pool;
    const auto p = packet_v4();
    const auto make = [&](std::size_t stored, std::uint16_t port) {
        frame_ptr f = pool.make(14 + p.size() + 4, 14 + stored);
        std::ranges::fill(f->stored(), std::byte{0});
        ethernet_view<std::byte>(f->stored().data()).set_type(ethertype::ipv4);
        std::ranges::copy(bytes_of(p).first(stored), f->stored().begin() + 14);
        ipv4_view<std::byte>(f->stored().data() + 14)
            .set_total_length(static_cast<std::uint16_t>(p.size() + 4));
        udp_view<std::byte>(f->stored().data() + 34).set_destination_port(port);
        udp_view<std::byte>(f->stored().data() + 34)
            .set_length(static_cast<std::uint16_t>(p.size() - 20 + 4));
        return f;
    };
    CHECK(find_bth(*make(44, 4791)) == std::optional<std::size_t>(42));
    CHECK(!find_bth(*make(43, 4791))); // its AETH is cut
    CHECK(!find_bth(*make(44, 4790)));
    const frame_ptr unknown = make(44, 4791);
    unknown->stored()[42] = std::byte{0x1f};
    CHECK(!find_bth(*unknown));
}

TEST_CASE("the UDP source port follows the flow label") {
    CHECK(udp_source_port(0) == 0xc000);
    CHECK(udp_source_port(0xfffff) == (0xc000 | (0x3fff ^ 0x3f)));
}
