// SPDX-License-Identifier: Apache-2.0
#include "model/host_if/rss.h"

#include <catch2/catch_test_macros.hpp>

#include <cstring>
#include <vector>

using namespace vg810;

namespace {

/// Microsoft, "Verifying the RSS hash calculation": the key of all its vectors.
constexpr std::array<unsigned char, 40> published_key{
    0x6d, 0x5a, 0x56, 0xda, 0x25, 0x5b, 0x0e, 0xc2, 0x41, 0x67, 0x25, 0x3d, 0x43, 0xa3,
    0x8f, 0xb0, 0xd0, 0xca, 0x2b, 0xcb, 0xae, 0x7b, 0x30, 0xb4, 0x77, 0xcb, 0x2d, 0xa3,
    0x80, 0x30, 0xf2, 0x0c, 0x6a, 0x42, 0xb7, 0x3b, 0xbe, 0xac, 0x01, 0xfa};

toeplitz::key_type key() {
    toeplitz::key_type k;
    std::memcpy(k.data(), published_key.data(), k.size());
    return k;
}

std::vector<std::byte> ipv4_frame(ipv4_address from, ipv4_address to, std::uint16_t sport,
                                  std::uint16_t dport, std::uint8_t protocol) {
    std::vector<std::byte> f(60);
    ethernet_view<std::byte>(f.data()).set_type(ethertype::ipv4);
    ipv4_view<std::byte> ip(f.data() + 14);
    ip.set_version_and_header_bytes(20);
    ip.set_total_length(40);
    ip.set_protocol(protocol);
    ip.set_source(from);
    ip.set_destination(to);
    tcp_view<std::byte> tcp(f.data() + 34);
    tcp.set_source_port(sport);
    tcp.set_destination_port(dport);
    if (protocol == ip_protocol::tcp)
        tcp.set_header_bytes(20);
    else
        udp_view<std::byte>(f.data() + 34).set_length(20);
    return f;
}

std::vector<std::byte> ipv6_frame(ipv6_address from, ipv6_address to, std::uint16_t sport,
                                  std::uint16_t dport, std::uint8_t protocol) {
    std::vector<std::byte> f(74);
    ethernet_view<std::byte>(f.data()).set_type(ethertype::ipv6);
    ipv6_view<std::byte> ip(f.data() + 14);
    ip.set_version_class_label(0, 0);
    ip.set_payload_length(20);
    ip.set_next_header(protocol);
    ip.set_source(from);
    ip.set_destination(to);
    tcp_view<std::byte> tcp(f.data() + 54);
    tcp.set_source_port(sport);
    tcp.set_destination_port(dport);
    tcp.set_header_bytes(20);
    return f;
}

constexpr std::uint32_t all_types = 0xf;

rss::table_type identity_table() {
    rss::table_type t;
    for (std::size_t i = 0; i < t.size(); ++i)
        t[i] = static_cast<std::uint16_t>(i);
    return t;
}

} // namespace

TEST_CASE("RSS: the published IPv4 vectors") {
    struct vector {
        const char *to, *from;
        std::uint16_t dport, sport;
        std::uint32_t addresses, ports;
    };
    const vector vectors[] = {
        {"161.142.100.80", "66.9.149.187", 1766, 2794, 0x323e8fc2, 0x51ccc178},
        {"65.69.140.83", "199.92.111.2", 4739, 14230, 0xd718262a, 0xc626b0ea},
        {"12.22.207.184", "24.19.198.95", 38024, 12898, 0xd2d0a5de, 0x5c2b394a},
        {"209.142.163.6", "38.27.205.30", 2217, 48228, 0x82989176, 0xafc7327f},
        {"202.188.127.2", "153.39.163.191", 1303, 44251, 0x5d1809c5, 0x10e828a2},
    };
    rss r;
    for (const vector& v : vectors) {
        const auto from = *ipv4_address::parse(v.from), to = *ipv4_address::parse(v.to);
        for (std::uint8_t protocol : {ip_protocol::tcp, ip_protocol::udp}) {
            const auto f = ipv4_frame(from, to, v.sport, v.dport, protocol);
            r.configure(true, all_types, key(), identity_table());
            auto got = r.select(f, parse(f));
            CHECK(got.hash == v.ports);
            CHECK(got.type == regs::rss_hash_type::ipv4_l4);
            CHECK(got.queue == v.ports % 128);
            r.configure(true, regs::rss_config_hash_types::ipv4::mask, key(), identity_table());
            got = r.select(f, parse(f));
            CHECK(got.hash == v.addresses);
            CHECK(got.type == regs::rss_hash_type::ipv4);
        }
    }
}

TEST_CASE("RSS: the published IPv6 vectors") {
    struct vector {
        const char *to, *from;
        std::uint16_t dport, sport;
        std::uint32_t addresses, ports;
    };
    const vector vectors[] = {
        {"3ffe:2501:200:3::1", "3ffe:2501:200:1fff::7", 1766, 2794, 0x2cc18cd5, 0x40207d3d},
        {"ff02::1", "3ffe:501:8::260:97ff:fe40:efab", 4739, 14230, 0x0f0c461c, 0xdde51bbf},
        {"fe80::200:f8ff:fe21:67cf", "3ffe:1900:4545:3:200:f8ff:fe21:67cf", 38024, 44251, 0x4b61e985,
         0x02d1feef},
    };
    rss r;
    for (const vector& v : vectors) {
        const auto f = ipv6_frame(*ipv6_address::parse(v.from), *ipv6_address::parse(v.to), v.sport, v.dport,
                                  ip_protocol::tcp);
        r.configure(true, all_types, key(), identity_table());
        CHECK(r.select(f, parse(f)).hash == v.ports);
        CHECK(r.select(f, parse(f)).type == regs::rss_hash_type::ipv6_l4);
        r.configure(true, regs::rss_config_hash_types::ipv6::mask, key(), identity_table());
        CHECK(r.select(f, parse(f)).hash == v.addresses);
    }
}

TEST_CASE("RSS: what is not hashed goes to the first entry's queue") {
    rss r;
    auto f = ipv4_frame(ipv4_address(1), ipv4_address(2), 3, 4, ip_protocol::tcp);
    rss::table_type table = identity_table();
    table[0] = 9;
    r.configure(false, all_types, key(), table);
    CHECK(r.select(f, parse(f)).queue == 9);
    CHECK(r.select(f, parse(f)).type == regs::rss_hash_type::none);
    r.configure(true, regs::rss_config_hash_types::ipv6::mask, key(), table);
    CHECK(r.select(f, parse(f)).queue == 9);

    r.configure(true, all_types, key(), table);
    ipv4_view<std::byte>(f.data() + 14).set_flags_and_offset(0x2000);
    CHECK(r.select(f, parse(f)).type ==
          regs::rss_hash_type::ipv4); // RFC 791 fragments: ports are not in each
    ethernet_view<std::byte>(f.data()).set_type(ethertype::arp);
    CHECK(r.select(f, parse(f)).type == regs::rss_hash_type::none);
}
