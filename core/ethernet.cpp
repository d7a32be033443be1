// SPDX-License-Identifier: Apache-2.0
#include "core/ethernet.h"

namespace vg810 {

namespace {

using octets = std::span<const std::byte>;

bool is_tag(std::uint16_t type) {
    return type == ethertype::vlan || type == ethertype::service_vlan;
}

bool is_extension(std::uint8_t next) {
    return next == ip_protocol::hop_by_hop || next == ip_protocol::routing ||
           next == ip_protocol::destination || next == ip_protocol::authentication ||
           next == ip_protocol::fragment;
}

void parse_l4(octets s, parse_result& r) {
    const std::size_t room = s.size() > r.l4_offset ? s.size() - r.l4_offset : 0;
    switch (r.protocol) {
    case ip_protocol::tcp: {
        if (room < tcp_header_bytes)
            return;
        const unsigned n = tcp_view(s.data() + r.l4_offset).header_bytes();
        if (n < tcp_header_bytes || n > r.l4_bytes) {
            r.malformed = true;
            return;
        }
        if (room < n)
            return;
        r.l4 = l4_type::tcp;
        r.payload_offset = static_cast<std::uint16_t>(r.l4_offset + n);
        return;
    }
    case ip_protocol::udp: {
        if (room < udp_header_bytes)
            return;
        const std::uint16_t n = udp_view(s.data() + r.l4_offset).length();
        if (n < udp_header_bytes || n > r.l4_bytes) {
            r.malformed = true;
            return;
        }
        r.l4 = l4_type::udp;
        r.payload_offset = static_cast<std::uint16_t>(r.l4_offset + udp_header_bytes);
        return;
    }
    case ip_protocol::icmp:
    case ip_protocol::icmpv6:
        r.l4 = l4_type::icmp;
        return;
    default:
        r.l4 = l4_type::other;
    }
}

void parse_ipv4(octets s, std::size_t length, parse_result& r) {
    if (s.size() < r.l3_offset + ipv4_header_bytes)
        return;
    const ipv4_view ip(s.data() + r.l3_offset);
    const unsigned n = ip.header_bytes();
    if (ip.version() != 4 || n < ipv4_header_bytes || ip.total_length() < n ||
        r.l3_offset + std::size_t{ip.total_length()} > length) {
        r.malformed = true;
        return;
    }
    if (s.size() < r.l3_offset + n)
        return;
    r.l3 = l3_type::ipv4;
    r.protocol = ip.protocol();
    r.ip_options = n > ipv4_header_bytes;
    r.fragment = ip.more_fragments() || ip.fragment_offset() != 0;
    r.l4_offset = static_cast<std::uint16_t>(r.l3_offset + n);
    r.l4_bytes = static_cast<std::uint16_t>(ip.total_length() - n);
    if (!r.fragment)
        parse_l4(s, r);
}

// RFC 8200 4: a chain of headers, each naming the next; bounded by the datagram's own length.
void parse_ipv6(octets s, std::size_t length, parse_result& r) {
    if (s.size() < r.l3_offset + ipv6_header_bytes)
        return;
    const ipv6_view ip(s.data() + r.l3_offset);
    const std::size_t end = r.l3_offset + ipv6_header_bytes + ip.payload_length();
    if (ip.version() != 6 || end > length) {
        r.malformed = true;
        return;
    }
    r.l3 = l3_type::ipv6;
    std::size_t at = r.l3_offset + ipv6_header_bytes;
    std::uint8_t next = ip.next_header();
    while (is_extension(next)) {
        r.ip_options = true;
        if (at + 8 > end) {
            r.malformed = true;
            return;
        }
        if (at + 8 > s.size())
            return;
        const auto octet = [&](std::size_t i) { return std::to_integer<std::uint8_t>(s[at + i]); };
        std::size_t n = (std::size_t{octet(1)} + 1) * 8;
        if (next == ip_protocol::authentication)
            n = (std::size_t{octet(1)} + 2) * 4; // RFC 4302 2.2
        if (next == ip_protocol::fragment) {
            n = 8;
            r.fragment = r.fragment || (load_be<std::uint16_t>(s.data() + at + 2) & 0xfff9) != 0;
        }
        next = octet(0);
        if (at + n > end) {
            r.malformed = true;
            return;
        }
        at += n;
        if (r.fragment)
            break; // what follows is fragment data
    }
    r.protocol = next;
    r.l4_offset = static_cast<std::uint16_t>(at);
    r.l4_bytes = static_cast<std::uint16_t>(end - at);
    if (!r.fragment && next != ip_protocol::no_next)
        parse_l4(s, r);
}

} // namespace

parse_result parse(octets s, std::size_t length) {
    parse_result r;
    if (s.size() < ethernet_header_bytes)
        return r;
    std::size_t at = ethernet_header_bytes;
    r.ethertype = load_be<std::uint16_t>(s.data() + 12);
    while (is_tag(r.ethertype) && r.vlan_tags < 2 && s.size() >= at + vlan_tag_bytes) {
        if (r.vlan_tags++ == 0)
            r.vlan_tci = load_be<std::uint16_t>(s.data() + at);
        r.ethertype = load_be<std::uint16_t>(s.data() + at + 2);
        at += vlan_tag_bytes;
    }
    r.l3_offset = static_cast<std::uint16_t>(at);
    if (r.ethertype == ethertype::ipv4)
        parse_ipv4(s, length, r);
    else if (r.ethertype == ethertype::ipv6)
        parse_ipv6(s, length, r);
    else if (r.ethertype == ethertype::arp && s.size() >= at + arp_bytes &&
             arp_view(s.data() + at).is_ethernet_ipv4())
        r.l3 = l3_type::arp;
    return r;
}

} // namespace vg810
