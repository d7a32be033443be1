// SPDX-License-Identifier: Apache-2.0
#include "core/roce.h"

#include "core/telemetry.h"

#include <algorithm>
#include <array>
#include <zlib.h>

namespace vg810 {

std::optional<std::size_t> extended_header_bytes(opcode op) {
    switch (op) {
    case opcode::send_first:
    case opcode::send_middle:
    case opcode::send_last:
    case opcode::send_only:
    case opcode::write_middle:
    case opcode::write_last:
    case opcode::read_response_middle:
        return 0;
    case opcode::send_last_immediate:
    case opcode::send_only_immediate:
    case opcode::write_last_immediate:
        return immediate_bytes;
    case opcode::write_first:
    case opcode::write_only:
    case opcode::read_request:
        return reth_bytes;
    case opcode::write_only_immediate:
        return reth_bytes + immediate_bytes;
    case opcode::read_response_first:
    case opcode::read_response_last:
    case opcode::read_response_only:
    case opcode::acknowledge:
        return aeth_bytes;
    case opcode::cnp:
        return cnp_payload_bytes;
    }
    return std::nullopt;
}

std::uint32_t icrc_of(std::span<const std::byte> packet) {
    // A17.3.3: eight octets of ones stand for the LRH; what routers may change counts as ones.
    constexpr std::size_t longest_headers = 8 + 60 + udp_header_bytes + bth_bytes; // IPv4 options
    std::array<std::byte, longest_headers> masked;
    masked.fill(std::byte{0xff});
    const bool v6 = std::to_integer<unsigned>(packet[0]) >> 4 == 6;
    const std::size_t ip = v6 ? ipv6_header_bytes : ipv4_view(packet.data()).header_bytes();
    const std::size_t headers = ip + udp_header_bytes + bth_bytes;
    std::copy_n(packet.begin(), headers, masked.begin() + 8);
    std::byte* const p = masked.data() + 8;
    if (v6) {
        p[0] |= std::byte{0x0f}; // traffic class, flow label
        std::fill_n(p + 1, 3, std::byte{0xff});
        p[7] = std::byte{0xff}; // hop limit
    } else {
        p[1] = p[8] = p[10] = p[11] = std::byte{0xff}; // ToS, TTL, checksum
    }
    std::fill_n(p + ip + 6, 2, std::byte{0xff});    // UDP checksum
    p[ip + udp_header_bytes + 4] = std::byte{0xff}; // BTH: FECN, BECN, reserved
    uLong crc = ::crc32(0, nullptr, 0);
    crc = ::crc32(crc, reinterpret_cast<const Bytef*>(masked.data()), static_cast<uInt>(8 + headers));
    const auto rest = packet.subspan(headers);
    return static_cast<std::uint32_t>(
        ::crc32(crc, reinterpret_cast<const Bytef*>(rest.data()), static_cast<uInt>(rest.size())));
}

std::optional<std::size_t> find_bth(const frame& f) {
    const auto s = f.stored();
    std::size_t udp = 0;
    if (f.labels.classified && f.labels.l3_offset != 0 && !f.labels.ipv6 &&
        s.size() >= f.labels.l3_offset + ipv4_header_bytes + udp_header_bytes + bth_bytes) {
        const ipv4_view ip(s.data() + f.labels.l3_offset);
        if (ip.protocol() != ip_protocol::udp || ip.more_fragments() || ip.fragment_offset() != 0)
            return std::nullopt;
        udp = f.labels.l3_offset + ip.header_bytes();
    } else {
        const parse_result p = parse(s, f.length());
        if (p.l4 != l4_type::udp)
            return std::nullopt;
        udp = p.l4_offset;
    }
    if (s.size() < udp + udp_header_bytes + bth_bytes)
        return std::nullopt;
    const std::uint16_t port = udp_view(s.data() + udp).destination_port();
    std::size_t bth = udp + udp_header_bytes;
    if (port == telemetry_udp_port)
        bth += telemetry_bytes;
    else if (port != roce_udp_port)
        return std::nullopt;
    if (s.size() < bth + bth_bytes)
        return std::nullopt;
    const auto extended = extended_header_bytes(bth_view(s.data() + bth).op());
    if (!extended || s.size() < bth + bth_bytes + *extended)
        return std::nullopt;
    return bth;
}

} // namespace vg810
