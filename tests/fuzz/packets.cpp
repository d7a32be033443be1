// SPDX-License-Identifier: Apache-2.0
#include "fuzz/packets.h"

#include "core/checksum.h"

#include <algorithm>

namespace vg810::fuzz {

namespace {

constexpr std::uint16_t experimental = 0x88b5; // IEEE 802: local experimental

/// Grows a frame header by header.
class builder {
  public:
    builder(mac_address to, mac_address from) : frame_(12) {
        to.store(frame_.data());
        from.store(frame_.data() + 6);
    }
    std::size_t size() const { return frame_.size(); }
    std::byte& at(std::size_t i) { return frame_[i]; }
    /// Room for n octets; valid until the next one is added.
    std::byte* add(std::size_t n) {
        frame_.resize(frame_.size() + n);
        return frame_.data() + frame_.size() - n;
    }
    void add16(std::uint16_t v) { store_be<std::uint16_t>(add(2), v); }
    void fill(std::size_t length, std::uint64_t number) {
        const std::size_t from = frame_.size();
        frame_.resize(std::max(length, from));
        for (std::size_t i = from; i < frame_.size(); ++i)
            frame_[i] = static_cast<std::byte>(number + i * 7 + (number >> 8) * (i & 3));
    }
    octets take() { return std::move(frame_); }

  private:
    octets frame_;
};

void add_ipv4(builder& b, std::size_t options, std::uint8_t protocol, std::size_t payload,
              std::uint16_t fragment) {
    b.add16(ethertype::ipv4);
    const std::size_t header = ipv4_header_bytes + options;
    const ipv4_view<std::byte> ip(b.add(header));
    ip.set_version_and_header_bytes(static_cast<unsigned>(header));
    ip.set_total_length(static_cast<std::uint16_t>(header + payload));
    ip.set_flags_and_offset(fragment);
    ip.set_ttl(64);
    ip.set_protocol(protocol);
    ip.set_source(ipv4_address(0x0a000001));
    ip.set_destination(ipv4_address(0x0a000002));
    std::fill_n(ip.data() + ipv4_header_bytes, options, std::byte{1}); // RFC 791: no operation
}

void add_ipv6(builder& b, dice& d, unsigned extensions, std::uint8_t protocol, std::size_t payload) {
    b.add16(ethertype::ipv6);
    std::size_t next = b.size() + 6; // where the type of what follows goes
    const ipv6_view<std::byte> ip(b.add(ipv6_header_bytes));
    ip.set_version_class_label(0, static_cast<std::uint32_t>(d.below(1 << 20)));
    ip.set_payload_length(static_cast<std::uint16_t>(8 * extensions + payload));
    ip.set_hop_limit(64);
    ip.data()[15] = std::byte{1};
    ip.data()[31] = std::byte{2};
    static constexpr std::array kinds{ip_protocol::hop_by_hop, ip_protocol::routing, ip_protocol::destination,
                                      ip_protocol::fragment, ip_protocol::authentication};
    for (unsigned i = 0; i < extensions; ++i) {
        b.at(next) = std::byte{i == 0 ? d.pick(kinds) : ip_protocol::destination};
        next = b.size();
        b.add(8);
    }
    b.at(next) = std::byte{protocol};
}

void add_l4(builder& b, std::uint8_t protocol, std::size_t length, std::uint64_t number) {
    if (protocol == ip_protocol::tcp) {
        const tcp_view<std::byte> t(b.add(tcp_header_bytes));
        t.set_source_port(static_cast<std::uint16_t>(number));
        t.set_destination_port(80);
        t.set_sequence(static_cast<std::uint32_t>(number * 1000));
        t.set_header_bytes(tcp_header_bytes);
        t.set_flags(static_cast<std::uint8_t>(tcp_view<std::byte>::ack | (number & 0xff)));
    } else if (protocol == ip_protocol::udp) {
        const udp_view<std::byte> u(b.add(udp_header_bytes));
        u.set_source_port(static_cast<std::uint16_t>(number));
        u.set_destination_port(4791);
        u.set_length(static_cast<std::uint16_t>(length));
    }
}

std::size_t l4_header_bytes(std::uint8_t protocol) {
    return protocol == ip_protocol::tcp   ? tcp_header_bytes
           : protocol == ip_protocol::udp ? udp_header_bytes
                                          : 0;
}

void fill_checksums(octets& frame) {
    const parse_result p = parse(frame);
    if (p.l3 == l3_type::ipv4)
        fill_ipv4_checksum(frame, p);
    if (p.l4 == l4_type::tcp || p.l4 == l4_type::udp)
        fill_l4_checksum(frame, p);
}

octets make_ip(dice& d, builder b, std::size_t length) {
    static constexpr std::array protocols{ip_protocol::tcp, ip_protocol::udp, ip_protocol::tcp,
                                          ip_protocol::udp, ip_protocol::icmp};
    const std::uint8_t protocol = d.pick(protocols);
    const bool v6 = d.one_in(3);
    const std::size_t options = v6 ? 0 : d.one_in(4) ? 4 * d.between(1, 10) : 0;
    const unsigned extensions = v6 && d.one_in(3) ? static_cast<unsigned>(d.between(1, 3)) : 0;
    const std::size_t headers =
        b.size() + 2 + (v6 ? ipv6_header_bytes : ipv4_header_bytes) + options + 8 * extensions;
    const std::size_t payload = std::max(length, headers + l4_header_bytes(protocol)) - headers;
    const std::uint64_t number = d.bits();
    if (v6)
        add_ipv6(b, d, extensions, protocol, payload);
    else
        add_ipv4(b, options, protocol, payload,
                 d.one_in(8) ? static_cast<std::uint16_t>(d.twist(0x2000, 16)) : 0x4000);
    add_l4(b, protocol, payload, number);
    b.fill(headers + payload, number);
    octets frame = b.take();
    fill_checksums(frame);
    return frame;
}

octets make_ipv4(mac_address to, mac_address from, std::uint8_t protocol, std::size_t length,
                 std::uint64_t number) {
    builder b(to, from);
    const std::size_t payload = length - ethernet_header_bytes - ipv4_header_bytes;
    add_ipv4(b, 0, protocol, payload, 0);
    add_l4(b, protocol, payload, number);
    b.fill(length, number);
    octets frame = b.take();
    fill_checksums(frame);
    return frame;
}

} // namespace

octets make_plain(mac_address to, mac_address from, std::size_t length, std::uint64_t number) {
    builder b(to, from);
    b.add16(experimental);
    b.fill(length, number);
    return b.take();
}

octets make_udp(mac_address to, mac_address from, std::size_t length, std::uint64_t number) {
    return make_ipv4(to, from, ip_protocol::udp, length, number);
}

octets make_tcp(mac_address to, mac_address from, std::size_t length, std::uint64_t number) {
    return make_ipv4(to, from, ip_protocol::tcp, length, number);
}

void leave_checksum_to_card(std::span<std::byte> frame, send_options& o) {
    const parse_result p = parse(frame);
    if (p.l4 != l4_type::tcp && p.l4 != l4_type::udp)
        return;
    o.l4_checksum = true;
    o.l3_checksum = p.l3 == l3_type::ipv4;
    o.l3_offset = static_cast<std::uint8_t>(p.l3_offset);
    o.l4_offset = static_cast<std::uint8_t>(p.l4_offset);
    o.checksum_offset = p.l4 == l4_type::tcp ? 16 : 6;
    o.header_length = static_cast<std::uint8_t>(p.payload_offset);
    store_be<std::uint16_t>(frame.data() + p.l4_offset + o.checksum_offset,
                            pseudo_header_sum(frame, p, p.l4_bytes).folded());
    if (o.l3_checksum)
        ipv4_view<std::byte>(frame.data() + p.l3_offset).set_checksum(0);
}

octets make_any(dice& d, mac_address to, mac_address from, std::size_t longest) {
    const std::size_t length =
        d.one_in(4) ? d.between(60, longest) : d.between(60, std::min<std::size_t>(longest, 600));
    builder b(to, from);
    for (unsigned tags = d.one_in(3) ? static_cast<unsigned>(d.between(1, 2)) : 0; tags > 0; --tags) {
        b.add16(tags == 2 || d.one_in(4) ? ethertype::service_vlan : ethertype::vlan);
        b.add16(static_cast<std::uint16_t>(d.one_in(2) ? d.below(8) : d.bits()));
    }
    if (!d.one_in(5))
        return make_ip(d, std::move(b), length);
    const bool arp = d.one_in(2);
    b.add16(arp ? ethertype::arp : experimental);
    if (arp)
        arp_view<std::byte>(b.add(arp_bytes)).fill(1, from, {}, to, {});
    b.fill(length, d.bits());
    return b.take();
}

void spoil(dice& d, octets& frame) {
    if (d.one_in(8)) {
        frame.resize(d.between(ethernet_header_bytes, frame.size()));
        return;
    }
    const parse_result p = parse(frame);
    // Type, version and header length, lengths, fragment, protocol, TCP's header length: where parsers
    // decide.
    const std::array<std::size_t, 10> places{12,
                                             13,
                                             p.l3_offset,
                                             p.l3_offset + 2u,
                                             p.l3_offset + 3u,
                                             p.l3_offset + 6u,
                                             p.l3_offset + 9u,
                                             p.l4_offset + 4u,
                                             p.l4_offset + 12u,
                                             d.below(80)};
    const std::size_t at = std::min(d.pick(places), frame.size() - 1);
    frame[at] = static_cast<std::byte>(d.twist(std::to_integer<std::uint64_t>(frame[at]), 8));
}

} // namespace vg810::fuzz
