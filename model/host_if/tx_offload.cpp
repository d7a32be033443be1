// SPDX-License-Identifier: Apache-2.0
#include "model/host_if/tx_offload.h"

#include "core/checksum.h"
#include "core/ethernet.h"

#include <algorithm>
#include <cstring>

namespace vg810 {

using descriptor_flags = regs::tx_descriptor_flags;
using features = regs::DEVICE_FEATURES;
using status = regs::completion_status;

tx_offload read_offload(regs::tx_descriptor_const_view d) {
    tx_offload o;
    o.l3_checksum = descriptor_flags::l3_checksum::get(d.flags());
    o.l4_checksum = descriptor_flags::l4_checksum::get(d.flags());
    o.tso = descriptor_flags::tso::get(d.flags());
    o.insert_vlan = descriptor_flags::vlan_insert::get(d.flags());
    o.vlan_tci = d.vlan_tci();
    o.l3_offset = d.l3_offset();
    o.l4_offset = d.l4_offset();
    o.checksum_offset = d.checksum_offset();
    o.header_length = d.header_length();
    o.mss = d.mss();
    return o;
}

namespace {

bool negotiated(const tx_offload& o, std::uint64_t f) {
    return (!(o.l3_checksum || o.l4_checksum) || features::tx_checksum::get(f)) &&
           (!o.tso || features::tso::get(f)) && (!o.insert_vlan || features::vlan_insert::get(f));
}

bool offsets_fit(const tx_offload& o, bytes length) {
    if ((o.l3_checksum || o.tso) &&
        (o.l3_offset < ethernet_header_bytes || o.l3_offset + ipv4_header_bytes > length))
        return false;
    if (o.l4_checksum && !o.tso &&
        (o.l4_offset < ethernet_header_bytes || std::size_t{o.l4_offset} + o.checksum_offset + 2 > length))
        return false;
    return !o.tso || (o.mss != 0 && o.l4_offset >= o.l3_offset + ipv4_header_bytes &&
                      o.header_length >= o.l4_offset + tcp_header_bytes && o.header_length < length);
}

} // namespace

status check_request(const tx_offload& o, bytes length, const tx_limits& limits) {
    if (!negotiated(o, limits.features) || length < ethernet_header_bytes || !offsets_fit(o, length))
        return status::bad_descriptor;
    const bytes tag = o.insert_vlan ? vlan_tag_bytes : 0;
    if (!o.tso)
        return length + tag > limits.max_frame ? status::too_long : status::ok;
    if (length - o.header_length > regs::max_tso_bytes)
        return status::too_long;
    return o.header_length + std::min<bytes>(o.mss, length - o.header_length) + tag > limits.max_frame
               ? status::too_long
               : status::ok;
}

std::uint32_t frame_count(const tx_offload& o, bytes length) {
    return o.tso ? static_cast<std::uint32_t>((length - o.header_length + o.mss - 1) / o.mss) : 1;
}

bytes needed_for(const tx_offload& o, bytes length, std::uint32_t n) {
    return o.tso ? std::min<bytes>(length, o.header_length + (n + bytes{1}) * o.mss) : length;
}

namespace {

/// The packet as it goes out, without the tag: headers and payload of one frame, at `at` in the frame.
struct layout {
    std::span<std::byte> octets; ///< from the destination address on; the tag, if any, is not counted
    std::byte* at(std::size_t offset) const { return octets.data() + offset; }
};

bool fill_ipv4(const tx_offload& o, const layout& f) {
    const ipv4_view<std::byte> ip(f.at(o.l3_offset));
    const std::size_t n = ip.header_bytes();
    if (ip.version() != 4 || n < ipv4_header_bytes || o.l3_offset + n > f.octets.size())
        return false;
    ip.set_checksum(0);
    ip.set_checksum(internet_checksum(f.octets.subspan(o.l3_offset, n)));
    return true;
}

/// RFC 768: a UDP checksum that comes out as 0 is sent as all ones.
constexpr std::uint8_t udp_checksum_offset = 6;

void fill_partial(const tx_offload& o, const layout& f) {
    std::byte* const field = f.at(std::size_t{o.l4_offset} + o.checksum_offset);
    const std::uint16_t sum = internet_checksum(f.octets.subspan(o.l4_offset));
    store_be<std::uint16_t>(field, sum == 0 && o.checksum_offset == udp_checksum_offset ? 0xffff : sum);
}

/// Which IP a TSO packet is; nothing if its headers are not what the descriptor says.
std::optional<l3_type> tso_headers(const tx_offload& o, std::span<const std::byte> packet) {
    const ipv4_view<const std::byte> v4(packet.data() + o.l3_offset);
    const tcp_view<const std::byte> tcp(packet.data() + o.l4_offset);
    if (o.l4_offset + tcp.header_bytes() != o.header_length || tcp.header_bytes() < tcp_header_bytes)
        return std::nullopt;
    if (v4.version() == 4 && v4.protocol() == ip_protocol::tcp && v4.header_bytes() >= ipv4_header_bytes &&
        o.l3_offset + v4.header_bytes() == o.l4_offset)
        return l3_type::ipv4;
    if (v4.version() == 6 && o.l3_offset + ipv6_header_bytes <= o.l4_offset)
        return l3_type::ipv6;
    return std::nullopt;
}

void fix_tso_tcp(const tx_offload& o, const layout& f, std::uint32_t n, bool last) {
    using tcp = tcp_view<std::byte>;
    const tcp t(f.at(o.l4_offset));
    t.set_sequence(t.sequence() + n * o.mss);
    std::uint8_t flags = t.flags();
    if (!last)
        flags &= static_cast<std::uint8_t>(~(tcp::fin | tcp::psh));
    if (n != 0)
        flags &= static_cast<std::uint8_t>(~tcp::cwr); // RFC 3168 6.1.2: once per window reduction
    t.set_flags(flags);
    t.set_checksum(0);
}

void fix_tso_headers(const tx_offload& o, const layout& f, l3_type l3, std::uint32_t n, bool last) {
    fix_tso_tcp(o, f, n, last);
    const auto l4_bytes = static_cast<std::uint32_t>(f.octets.size() - o.l4_offset);
    checksum_sum sum;
    if (l3 == l3_type::ipv4) {
        const ipv4_view<std::byte> ip(f.at(o.l3_offset));
        ip.set_total_length(static_cast<std::uint16_t>(f.octets.size() - o.l3_offset));
        ip.set_identification(static_cast<std::uint16_t>(ip.identification() + n));
        fill_ipv4(o, f);
        sum.add(f.octets.subspan(o.l3_offset + 12u, 8));
    } else {
        const ipv6_view<std::byte> ip(f.at(o.l3_offset));
        ip.set_payload_length(static_cast<std::uint16_t>(f.octets.size() - o.l3_offset - ipv6_header_bytes));
        sum.add(f.octets.subspan(o.l3_offset + 8u, 32));
    }
    sum.add_long(l4_bytes).add_word(ip_protocol::tcp).add(f.octets.subspan(o.l4_offset));
    tcp_view<std::byte>(f.at(o.l4_offset)).set_checksum(sum.checksum());
}

/// Moves the addresses to the frame's start and puts a tag behind them. IEEE 802.1Q 9.6.
void put_tag(std::byte* start, std::uint16_t tci) {
    std::memmove(start, start + vlan_tag_bytes, 12);
    store_be<std::uint16_t>(start + 12, ethertype::vlan);
    store_be<std::uint16_t>(start + 14, tci);
}

bool fill_headers(const tx_offload& o, const layout& f, std::span<const std::byte> packet, std::uint32_t n,
                  bool last) {
    if (o.tso) {
        const auto l3 = tso_headers(o, packet);
        if (!l3)
            return false;
        fix_tso_headers(o, f, *l3, n, last);
        return true;
    }
    if (o.l4_checksum)
        fill_partial(o, f);
    return !o.l3_checksum || fill_ipv4(o, f);
}

} // namespace

frame_ptr build_frame(frame_pool& pool, const tx_offload& o, std::span<const std::byte> packet, bytes length,
                      std::uint32_t n) {
    const bytes tag = o.insert_vlan ? vlan_tag_bytes : 0;
    const bytes header = o.tso ? o.header_length : 0;
    const bytes from = header + bytes{n} * o.mss * o.tso;
    const bytes payload = needed_for(o, length, n) - from;
    const bytes used = tag + header + payload;
    frame_ptr f = pool.make(std::max<bytes>(used, min_frame_bytes));
    std::byte* const start = f->stored().data();
    std::memcpy(start + tag, packet.data(), header);
    std::memcpy(start + tag + header, packet.data() + from, payload);
    std::memset(start + used, 0, f->length() - used);
    const layout view{{start + tag, header + payload}};
    if (!fill_headers(o, view, packet, n, n + 1 == frame_count(o, length)))
        return {};
    if (o.insert_vlan)
        put_tag(start, o.vlan_tci);
    return f;
}

} // namespace vg810
