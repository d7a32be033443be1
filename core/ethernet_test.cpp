// SPDX-License-Identifier: Apache-2.0
#include "core/ethernet.h"

#include <catch2/catch_test_macros.hpp>

#include <array>
#include <string>
#include <vector>

using namespace vg810;

namespace {

std::vector<std::byte> hex(std::string_view text) {
    std::vector<std::byte> out;
    std::string digits;
    for (char c : text)
        if (c != ' ')
            digits += c;
    for (std::size_t i = 0; i + 1 < digits.size(); i += 2)
        out.push_back(static_cast<std::byte>(std::stoul(digits.substr(i, 2), nullptr, 16)));
    return out;
}

const std::string_view addresses = "020000000002 020000000001 ";
/// 46 octets: 20 IP, 8 UDP, 4 data, behind them Ethernet padding.
const std::string_view udp4 = "4500 0020 1234 4000 4011 0000 0a000001 0a000002 1f90 0035 000c 0000 deadbeef"
                              "0000 0000 0000 0000 0000 0000 0000";

} // namespace

TEST_CASE("Addresses parse strictly and print canonically") {
    CHECK(mac_address::parse("02:00:5e:00:53:Af")->to_string() == "02:00:5e:00:53:af");
    CHECK(mac_address::parse("02-00-5e-00-53-af")->to_u64() == 0x02005e0053af);
    for (const char* bad : {"", "02:00:5e:00:53", "02:00:5e:00:53:0g", "02:00:5e:00:53-af",
                            "02:00:5e:00:53:af:", "2:0:5e:0:53:af"})
        CHECK_FALSE(mac_address::parse(bad));
    CHECK(mac_address::broadcast().is_broadcast());
    CHECK(mac_address::parse("01:80:c2:00:00:01")->is_group());
    CHECK_FALSE(mac_address::parse("02:00:00:00:00:01")->is_group());

    CHECK(ipv4_address::parse("10.0.0.1")->value() == 0x0a000001);
    CHECK(ipv4_address(0xc0a80101).to_string() == "192.168.1.1");
    for (const char* bad : {"", "10.0.0", "10.0.0.256", "10.0.0.1.2", "10.0.0.1 "})
        CHECK_FALSE(ipv4_address::parse(bad));

    CHECK(ipv6_address::parse("2001:DB8:0::1")->to_string() == "2001:db8::1");
    CHECK_FALSE(ipv6_address::parse("2001:db8::1::"));
}

TEST_CASE("A tagged UDP datagram is taken apart") {
    const auto f = hex(std::string(addresses) + "88a8 2064 8100 6065 0800" + std::string(udp4));
    const parse_result r = parse(f);
    CHECK(r.vlan_tags == 2);
    CHECK(r.vlan_tci == 0x2064);
    CHECK(r.ethertype == ethertype::ipv4);
    CHECK(r.l3 == l3_type::ipv4);
    CHECK(r.l4 == l4_type::udp);
    CHECK(r.l3_offset == 22);
    CHECK(r.l4_offset == 42);
    CHECK(r.l4_bytes == 12); // without the padding
    CHECK(r.payload_offset == 50);
    CHECK_FALSE(r.malformed);
    CHECK(udp_view(f.data() + r.l4_offset).destination_port() == 53);
    CHECK(ipv4_view(f.data() + r.l3_offset).destination() == ipv4_address(0x0a000002));
    CHECK(ipv4_view(f.data() + r.l3_offset).dont_fragment());
}

TEST_CASE("Every truncation of a frame is answered without reading behind it") {
    const auto whole = hex(std::string(addresses) + "8100 2064 0800" + std::string(udp4));
    const std::size_t l4_end = 14 + 4 + 20 + 8;
    for (std::size_t n = 0; n <= whole.size(); ++n) {
        const std::vector<std::byte> part(whole.begin(),
                                          whole.begin() + n); // its own block: ASan sees an overrun
        const parse_result r = parse(part, whole.size());
        CHECK((r.l4 == l4_type::udp) == (n >= l4_end));
        CHECK((r.l3 == l3_type::ipv4) == (n >= l4_end - 8));
        CHECK_FALSE(r.malformed);
    }
}

TEST_CASE("Lengths that do not fit are malformed, not believed") {
    auto f = hex(std::string(addresses) + "0800" + std::string(udp4));
    SECTION("IP length beyond the frame") {
        store_be<std::uint16_t>(f.data() + 16, static_cast<std::uint16_t>(f.size() - 13));
        CHECK(parse(f).malformed);
        CHECK(parse(f).l3 == l3_type::none);
    }
    SECTION("IP header longer than the datagram") {
        f[14] = std::byte{0x4f};
        CHECK(parse(f).malformed);
    }
    SECTION("IP header shorter than a header") {
        f[14] = std::byte{0x44};
        CHECK(parse(f).malformed);
    }
    SECTION("UDP length beyond IP's") {
        store_be<std::uint16_t>(f.data() + 38, 13);
        CHECK(parse(f).malformed);
        CHECK(parse(f).l3 == l3_type::ipv4);
        CHECK(parse(f).l4 == l4_type::none);
    }
    SECTION("version") {
        f[14] = std::byte{0x65};
        CHECK(parse(f).malformed);
    }
}

TEST_CASE("Fragments have no L4, whether first or later") {
    auto f = hex(std::string(addresses) + "0800" + std::string(udp4));
    for (std::uint16_t field : {0x2000, 0x0001, 0x2001}) {
        store_be<std::uint16_t>(f.data() + 20, field);
        const parse_result r = parse(f);
        CHECK(r.fragment);
        CHECK(r.l4 == l4_type::none);
        CHECK(r.l4_offset == 34);
        CHECK(r.protocol == ip_protocol::udp);
    }
}

TEST_CASE("IPv6 extension headers are walked, and the walk ends") {
    const std::string ip = std::string(addresses) + "86dd 60012345";
    const std::string hosts = "20010db8000000000000000000000001 20010db8000000000000000000000002";
    const std::string tcp = "1f900050 00000001 00000002 50100100 00000000";
    SECTION("hop-by-hop, then TCP") {
        const auto f = hex(ip + "001c 00 40" + hosts + "0600 010400000000" + tcp);
        const parse_result r = parse(f);
        CHECK(r.l3 == l3_type::ipv6);
        CHECK(r.l4 == l4_type::tcp);
        CHECK(r.ip_options);
        CHECK(r.l4_offset == 14 + 40 + 8);
        CHECK(r.l4_bytes == 20);
        CHECK(r.payload_offset == f.size());
        CHECK(ipv6_view(f.data() + 14).flow_label() == 0x12345);
    }
    SECTION("a fragment") {
        const auto f = hex(ip + "001c 2c 40" + hosts + "0600 0009 00000007" + tcp);
        const parse_result r = parse(f);
        CHECK(r.fragment);
        CHECK(r.l4 == l4_type::none);
        CHECK(r.protocol == ip_protocol::tcp);
        CHECK(r.l4_offset == 14 + 40 + 8);
    }
    SECTION("an atomic fragment is whole (RFC 6946)") {
        const auto f = hex(ip + "001c 2c 40" + hosts + "0600 0000 00000007" + tcp);
        CHECK(parse(f).l4 == l4_type::tcp);
    }
    SECTION("an extension header that claims more than there is") {
        const auto f = hex(ip + "001c 00 40" + hosts + "0609 010400000000" + tcp);
        CHECK(parse(f).malformed);
        CHECK(parse(f).l4 == l4_type::none);
    }
}

TEST_CASE("ARP fields are where RFC 826 puts them") {
    std::array<std::byte, ethernet_header_bytes + arp_bytes> f{};
    ethernet_view eth(f.data());
    eth.set_destination(mac_address::broadcast());
    eth.set_source(mac_address::from_u64(0x020000000001));
    eth.set_type(ethertype::arp);
    const arp_view<std::byte> arp(f.data() + ethernet_header_bytes);
    arp.fill(arp.request, eth.source(), ipv4_address(0x0a000001), {}, ipv4_address(0x0a000002));
    CHECK(hex("ffffffffffff 020000000001 0806 0001 0800 06 04 0001 020000000001 0a000001 000000000000 "
              "0a000002") == std::vector(f.begin(), f.end()));
    CHECK(parse(f).l3 == l3_type::arp);
    CHECK(arp.target_ip().to_string() == "10.0.0.2");
}
