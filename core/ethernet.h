// SPDX-License-Identifier: Apache-2.0
// The protocols that card and fabric look at: field access in place, and one parser that finds the headers of
// a frame. Followed: IEEE 802.3 and 802.1Q (tags), RFC 826, 791, 8200, 768, 9293. A frame starts with its
// destination address (no preamble) and has no FCS.
#pragma once

#include "core/address.h"
#include "core/endian.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

namespace vg810 {

namespace ethertype {
inline constexpr std::uint16_t ipv4 = 0x0800;
inline constexpr std::uint16_t arp = 0x0806;
inline constexpr std::uint16_t vlan = 0x8100;         ///< 802.1Q customer tag
inline constexpr std::uint16_t service_vlan = 0x88a8; ///< 802.1ad service tag
inline constexpr std::uint16_t ipv6 = 0x86dd;
inline constexpr std::uint16_t mac_control = 0x8808; ///< PAUSE and PFC
} // namespace ethertype

namespace ip_protocol {
inline constexpr std::uint8_t hop_by_hop = 0;
inline constexpr std::uint8_t icmp = 1;
inline constexpr std::uint8_t tcp = 6;
inline constexpr std::uint8_t udp = 17;
inline constexpr std::uint8_t routing = 43;
inline constexpr std::uint8_t fragment = 44;
inline constexpr std::uint8_t authentication = 51;
inline constexpr std::uint8_t icmpv6 = 58;
inline constexpr std::uint8_t no_next = 59;
inline constexpr std::uint8_t destination = 60;
} // namespace ip_protocol

inline constexpr std::size_t ethernet_header_bytes = 14;
inline constexpr std::size_t vlan_tag_bytes = 4;
inline constexpr std::size_t arp_bytes = 28;         ///< Ethernet and IPv4 addresses
inline constexpr std::size_t ipv4_header_bytes = 20; ///< without options
inline constexpr std::size_t ipv6_header_bytes = 40;
inline constexpr std::size_t udp_header_bytes = 8;
inline constexpr std::size_t tcp_header_bytes = 20; ///< without options

/// Base of the header views: `B` is std::byte (fields can be set) or const std::byte (read only). A view does
/// not check bounds: whoever makes one has seen enough octets, by parse() or by construction.
template <class B> class header_view {
  public:
    explicit header_view(B* p) : p_(p) {}
    B* data() const { return p_; }

  protected:
    template <std::unsigned_integral T> T get(std::size_t offset) const { return load_be<T>(p_ + offset); }
    template <std::unsigned_integral T>
    void set(std::size_t offset, T v) const requires(!std::is_const_v<B>) {
        store_be<T>(p_ + offset, v);
    }
    B* p_;
};

/// IEEE 802.3 3.2: addresses and type.
template <class B> class ethernet_view : public header_view<B> {
  public:
    explicit ethernet_view(B* p) : header_view<B>(p) {}
    mac_address destination() const { return mac_address::load(this->p_); }
    mac_address source() const { return mac_address::load(this->p_ + 6); }
    std::uint16_t type() const { return this->template get<std::uint16_t>(12); }
    void set_destination(mac_address m) const { m.store(this->p_); }
    void set_source(mac_address m) const { m.store(this->p_ + 6); }
    void set_type(std::uint16_t t) const { this->set(12, t); }
};

/// RFC 826 with Ethernet (6) and IPv4 (4) addresses.
template <class B> class arp_view : public header_view<B> {
  public:
    explicit arp_view(B* p) : header_view<B>(p) {}
    static constexpr std::uint16_t request = 1, reply = 2;
    /// Ethernet, IPv4, with their address lengths: the only form looked at.
    bool is_ethernet_ipv4() const {
        return this->template get<std::uint16_t>(0) == 1 &&
               this->template get<std::uint16_t>(2) == ethertype::ipv4 &&
               this->template get<std::uint16_t>(4) == 0x0604;
    }
    std::uint16_t operation() const { return this->template get<std::uint16_t>(6); }
    mac_address sender_mac() const { return mac_address::load(this->p_ + 8); }
    ipv4_address sender_ip() const { return ipv4_address::load(this->p_ + 14); }
    mac_address target_mac() const { return mac_address::load(this->p_ + 18); }
    ipv4_address target_ip() const { return ipv4_address::load(this->p_ + 24); }
    void fill(std::uint16_t operation, mac_address sha, ipv4_address spa, mac_address tha,
              ipv4_address tpa) const {
        this->set(0, std::uint16_t{1});
        this->set(2, ethertype::ipv4);
        this->set(4, std::uint16_t{0x0604});
        this->set(6, operation);
        sha.store(this->p_ + 8);
        spa.store(this->p_ + 14);
        tha.store(this->p_ + 18);
        tpa.store(this->p_ + 24);
    }
};

/// RFC 791 3.1.
template <class B> class ipv4_view : public header_view<B> {
  public:
    explicit ipv4_view(B* p) : header_view<B>(p) {}
    unsigned version() const { return this->template get<std::uint8_t>(0) >> 4; }
    /// Octets, 0 .. 60; below 20 is malformed.
    unsigned header_bytes() const { return (this->template get<std::uint8_t>(0) & 15u) * 4; }
    std::uint8_t tos() const { return this->template get<std::uint8_t>(1); }
    std::uint16_t total_length() const { return this->template get<std::uint16_t>(2); }
    std::uint16_t identification() const { return this->template get<std::uint16_t>(4); }
    bool dont_fragment() const { return this->template get<std::uint16_t>(6) & 0x4000; }
    bool more_fragments() const { return this->template get<std::uint16_t>(6) & 0x2000; }
    /// Octets.
    unsigned fragment_offset() const { return (this->template get<std::uint16_t>(6) & 0x1fffu) * 8; }
    std::uint8_t ttl() const { return this->template get<std::uint8_t>(8); }
    std::uint8_t protocol() const { return this->template get<std::uint8_t>(9); }
    std::uint16_t checksum() const { return this->template get<std::uint16_t>(10); }
    ipv4_address source() const { return ipv4_address::load(this->p_ + 12); }
    ipv4_address destination() const { return ipv4_address::load(this->p_ + 16); }
    void set_version_and_header_bytes(unsigned n) const {
        this->set(0, static_cast<std::uint8_t>(0x40 | n / 4));
    }
    void set_tos(std::uint8_t v) const { this->set(1, v); }
    void set_total_length(std::uint16_t v) const { this->set(2, v); }
    void set_identification(std::uint16_t v) const { this->set(4, v); }
    void set_flags_and_offset(std::uint16_t v) const { this->set(6, v); }
    void set_ttl(std::uint8_t v) const { this->set(8, v); }
    void set_protocol(std::uint8_t v) const { this->set(9, v); }
    void set_checksum(std::uint16_t v) const { this->set(10, v); }
    void set_source(ipv4_address a) const { a.store(this->p_ + 12); }
    void set_destination(ipv4_address a) const { a.store(this->p_ + 16); }
};

/// RFC 8200 3.
template <class B> class ipv6_view : public header_view<B> {
  public:
    explicit ipv6_view(B* p) : header_view<B>(p) {}
    unsigned version() const { return this->template get<std::uint8_t>(0) >> 4; }
    std::uint8_t traffic_class() const {
        return static_cast<std::uint8_t>(this->template get<std::uint32_t>(0) >> 20);
    }
    std::uint32_t flow_label() const { return this->template get<std::uint32_t>(0) & 0xfffff; }
    std::uint16_t payload_length() const { return this->template get<std::uint16_t>(4); }
    std::uint8_t next_header() const { return this->template get<std::uint8_t>(6); }
    std::uint8_t hop_limit() const { return this->template get<std::uint8_t>(7); }
    ipv6_address source() const { return ipv6_address::load(this->p_ + 8); }
    ipv6_address destination() const { return ipv6_address::load(this->p_ + 24); }
    void set_version_class_label(std::uint8_t traffic_class, std::uint32_t flow_label) const {
        this->set(0, 6u << 28 | std::uint32_t{traffic_class} << 20 | (flow_label & 0xfffff));
    }
    void set_payload_length(std::uint16_t v) const { this->set(4, v); }
    void set_next_header(std::uint8_t v) const { this->set(6, v); }
    void set_hop_limit(std::uint8_t v) const { this->set(7, v); }
    void set_source(const ipv6_address& a) const { a.store(this->p_ + 8); }
    void set_destination(const ipv6_address& a) const { a.store(this->p_ + 24); }
};

/// RFC 768.
template <class B> class udp_view : public header_view<B> {
  public:
    explicit udp_view(B* p) : header_view<B>(p) {}
    std::uint16_t source_port() const { return this->template get<std::uint16_t>(0); }
    std::uint16_t destination_port() const { return this->template get<std::uint16_t>(2); }
    std::uint16_t length() const { return this->template get<std::uint16_t>(4); }
    std::uint16_t checksum() const { return this->template get<std::uint16_t>(6); }
    void set_source_port(std::uint16_t v) const { this->set(0, v); }
    void set_destination_port(std::uint16_t v) const { this->set(2, v); }
    void set_length(std::uint16_t v) const { this->set(4, v); }
    void set_checksum(std::uint16_t v) const { this->set(6, v); }
};

/// RFC 9293 3.1.
template <class B> class tcp_view : public header_view<B> {
  public:
    explicit tcp_view(B* p) : header_view<B>(p) {}
    static constexpr std::uint8_t fin = 1, syn = 2, rst = 4, psh = 8, ack = 16, urg = 32, ece = 64, cwr = 128;
    std::uint16_t source_port() const { return this->template get<std::uint16_t>(0); }
    std::uint16_t destination_port() const { return this->template get<std::uint16_t>(2); }
    std::uint32_t sequence() const { return this->template get<std::uint32_t>(4); }
    std::uint32_t acknowledgment() const { return this->template get<std::uint32_t>(8); }
    /// Octets, 0 .. 60; below 20 is malformed.
    unsigned header_bytes() const { return (this->template get<std::uint8_t>(12) >> 4) * 4u; }
    std::uint8_t flags() const { return this->template get<std::uint8_t>(13); }
    std::uint16_t checksum() const { return this->template get<std::uint16_t>(16); }
    void set_source_port(std::uint16_t v) const { this->set(0, v); }
    void set_destination_port(std::uint16_t v) const { this->set(2, v); }
    void set_sequence(std::uint32_t v) const { this->set(4, v); }
    void set_acknowledgment(std::uint32_t v) const { this->set(8, v); }
    void set_header_bytes(unsigned n) const { this->set(12, static_cast<std::uint8_t>(n / 4 << 4)); }
    void set_flags(std::uint8_t v) const { this->set(13, v); }
    void set_window(std::uint16_t v) const { this->set(14, v); }
    void set_checksum(std::uint16_t v) const { this->set(16, v); }
    void set_urgent(std::uint16_t v) const { this->set(18, v); }
};

enum class l3_type : std::uint8_t { none, ipv4, ipv6, arp };
enum class l4_type : std::uint8_t { none, tcp, udp, icmp, other };

/// Where the headers of a frame are. Offsets are octets from the destination address.
/// A layer is named only when its fixed header (and IPv4/TCP options) is stored completely and its lengths
/// make sense.
struct parse_result {
    std::uint16_t ethertype = 0; ///< behind the tags
    std::uint16_t vlan_tci = 0;  ///< outermost tag's PCP, DEI, VID
    std::uint8_t vlan_tags = 0;  ///< 0 .. 2
    l3_type l3 = l3_type::none;
    l4_type l4 = l4_type::none;
    std::uint8_t protocol = 0;   ///< IP protocol behind IPv6 extension headers; also for fragments
    bool ip_options = false;     ///< IPv4 options or IPv6 extension headers are present
    bool fragment = false;       ///< part of a fragmented datagram: l4 is none, but see l4_offset
    bool malformed = false;      ///< a header claims what the frame does not have
    std::uint16_t l3_offset = 0; ///< end of type and tags
    std::uint16_t l4_offset = 0; ///< end of the IP headers; 0 without IP
    std::uint16_t l4_bytes = 0;  ///< L4 header and payload by the IP length field (Ethernet padding excluded)
    std::uint16_t payload_offset = 0; ///< end of the TCP or UDP header; 0 without
};

/// Finds the headers. `stored`: the first octets of the frame; `length`: its whole length (>= stored.size()),
/// against which IP's lengths are checked.
parse_result parse(std::span<const std::byte> stored, std::size_t length);
inline parse_result parse(std::span<const std::byte> frame) {
    return parse(frame, frame.size());
}

} // namespace vg810
