// SPDX-License-Identifier: Apache-2.0
#include "core/checksum.h"

#include <catch2/catch_test_macros.hpp>

#include <array>
#include <random>
#include <vector>

using namespace vg810;

namespace {
template <class... T> std::vector<std::byte> octets(T... v) {
    return {static_cast<std::byte>(v)...};
}
} // namespace

TEST_CASE("RFC 1071 section 3: the sum of 0001 f203 f4f5 f6f7 is ddf2") {
    const auto data = octets(0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7);
    CHECK(checksum_sum().add(data).folded() == 0xddf2);
    CHECK(internet_checksum(data) == 0x220d);
}

TEST_CASE("RFC 1624 section 4: dd2f becomes 0000 when 5555 becomes 3285") {
    CHECK(checksum_update(0xdd2f, 0x5555, 0x3285) == 0x0000);
}

TEST_CASE("A sum over pieces of any length equals the sum over the whole") {
    std::minstd_rand random(7);
    std::vector<std::byte> data(999);
    for (std::byte& b : data)
        b = static_cast<std::byte>(random());
    std::uint32_t plain = 0; // the definition, word by word
    for (std::size_t i = 0; i < data.size(); i += 2)
        plain += std::to_integer<std::uint32_t>(data[i]) << 8 |
                 (i + 1 < data.size() ? std::to_integer<std::uint32_t>(data[i + 1]) : 0);
    while (plain >> 16)
        plain = (plain & 0xffff) + (plain >> 16);
    CHECK(checksum_sum().add(data).folded() == plain);
    for (int round = 0; round < 100; ++round) {
        checksum_sum s;
        for (std::span<const std::byte> rest(data); !rest.empty();) {
            const std::size_t n = std::min<std::size_t>(rest.size(), random() % 40);
            s.add(rest.first(n));
            rest = rest.subspan(n);
        }
        CHECK(s.folded() == plain);
    }
}

TEST_CASE("A known IPv4 header has checksum b861, and one wrong bit shows") {
    auto f = octets(2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 0x08, 0x00, //
                    0x45, 0x00, 0x00, 0x73, 0x00, 0x00, 0x40, 0x00, 0x40, 0x11, 0xb8, 0x61, 0xc0, 0xa8, 0x00,
                    0x01, 0xc0, 0xa8, 0x00, 0xc7);
    f.resize(14 + 0x73);
    const parse_result p = parse(f);
    CHECK(check_ipv4_header(f, p) == checksum_verdict::good);
    f[22] ^= std::byte{1};
    CHECK(check_ipv4_header(f, p) == checksum_verdict::bad);
    f[22] ^= std::byte{1};
    store_be<std::uint16_t>(f.data() + 24, 0x1234);
    fill_ipv4_checksum(f, p);
    CHECK(load_be<std::uint16_t>(f.data() + 24) == 0xb861);
}

namespace {
/// An IPv4/UDP frame with `n` data octets from a generator, and Ethernet padding that must not count.
std::vector<std::byte> udp_frame(std::size_t n, unsigned seed) {
    std::vector<std::byte> f(14 + 28 + n + 5, std::byte{0xee});
    const ethernet_view<std::byte> eth(f.data());
    eth.set_type(ethertype::ipv4);
    const ipv4_view<std::byte> ip(f.data() + 14);
    ip.set_version_and_header_bytes(20);
    ip.set_tos(0);
    ip.set_total_length(static_cast<std::uint16_t>(28 + n));
    ip.set_flags_and_offset(0x4000);
    ip.set_protocol(ip_protocol::udp);
    ip.set_source(ipv4_address(0x0a000001));
    ip.set_destination(ipv4_address(0x0a000002));
    udp_view<std::byte>(f.data() + 34).set_length(static_cast<std::uint16_t>(8 + n));
    std::minstd_rand random(seed);
    for (std::size_t i = 0; i < n; ++i)
        f[42 + i] = static_cast<std::byte>(random());
    return f;
}
} // namespace

TEST_CASE("UDP checksums: filled ones check, damage shows, 0 means none over IPv4 only") {
    for (std::size_t n : {0, 1, 2, 3, 17, 1400}) {
        auto f = udp_frame(n, 3);
        const parse_result p = parse(f);
        REQUIRE(p.l4 == l4_type::udp);
        fill_l4_checksum(f, p);
        CHECK(check_l4(f, p) == checksum_verdict::good);
        f[34] ^= std::byte{4};
        CHECK(check_l4(f, p) == checksum_verdict::bad);
        store_be<std::uint16_t>(f.data() + 40, 0);
        CHECK(check_l4(f, p) == checksum_verdict::none);
    }
}

TEST_CASE("A UDP checksum that comes out as 0 is sent as ffff") {
    auto f = udp_frame(2, 1);
    const parse_result p = parse(f);
    // Choose the data so that the sum over everything else plus the data is ffff.
    store_be<std::uint16_t>(f.data() + 40, 0);
    store_be<std::uint16_t>(f.data() + 42, 0);
    const std::uint16_t rest = pseudo_header_sum(f, p, 10).add(std::span(f).subspan(34, 10)).folded();
    store_be<std::uint16_t>(f.data() + 42, static_cast<std::uint16_t>(0xffff - rest));
    fill_l4_checksum(f, p);
    CHECK(load_be<std::uint16_t>(f.data() + 40) == 0xffff);
    CHECK(check_l4(f, p) == checksum_verdict::good);
}

TEST_CASE("TCP over IPv6: a value computed by another implementation") {
    // 2001:db8::1 to 2001:db8::2, ports 8080 to 80, seq 1, ack 2, ACK, window 256, data "hello".
    // Pseudo header by hand: 2*(2001+0db8)+1+2 + 0x19 + 6 = 5b94; TCP: 1f90+0050+0001+0002+5010+0100 = 70f3;
    // data: 6865+6c6c+6f00 = 143d1; sum 5b94+70f3+143d1 = 21058, folded 105a, complement efa5.
    std::vector<std::byte> f(14 + 40 + 25);
    ethernet_view<std::byte>(f.data()).set_type(ethertype::ipv6);
    const ipv6_view<std::byte> ip(f.data() + 14);
    ip.set_version_class_label(0, 0);
    ip.set_payload_length(25);
    ip.set_next_header(ip_protocol::tcp);
    ip.set_source(*ipv6_address::parse("2001:db8::1"));
    ip.set_destination(*ipv6_address::parse("2001:db8::2"));
    const tcp_view<std::byte> tcp(f.data() + 54);
    tcp.set_source_port(8080);
    tcp.set_destination_port(80);
    tcp.set_sequence(1);
    tcp.set_acknowledgment(2);
    tcp.set_header_bytes(20);
    tcp.set_flags(tcp.ack);
    tcp.set_window(256);
    std::memcpy(f.data() + 74, "hello", 5);
    const parse_result p = parse(f);
    REQUIRE(p.l4 == l4_type::tcp);
    fill_l4_checksum(f, p);
    CHECK(tcp.checksum() == 0xefa5);
    CHECK(check_l4(f, p) == checksum_verdict::good);
}
