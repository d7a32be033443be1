// SPDX-License-Identifier: Apache-2.0
#include "core/checksum.h"

#include <bit>
#include <cstring>

namespace vg810 {

namespace {

// One's complement addition commutes with swapping octets (RFC 1071 1.B), so words are added in native order
// and the folded result is swapped once.
std::uint16_t native_sum(std::span<const std::byte> data) {
    std::uint64_t sum = 0;
    const std::byte* p = data.data();
    std::size_t n = data.size();
    for (; n >= 4; n -= 4, p += 4) {
        std::uint32_t word;
        std::memcpy(&word, p, 4);
        sum += word;
    }
    std::uint32_t tail = 0;
    if (n) // an empty span may have no address at all
        std::memcpy(&tail, p, n);
    sum += tail;
    sum = (sum & 0xffffffff) + (sum >> 32);
    sum = (sum & 0xffff) + (sum >> 16);
    sum = (sum & 0xffff) + (sum >> 16);
    sum = (sum & 0xffff) + (sum >> 16);
    return static_cast<std::uint16_t>(sum);
}

std::size_t l4_checksum_offset(const parse_result& p) {
    return p.l4_offset + (p.l4 == l4_type::tcp ? 16u : 6u);
}

} // namespace

checksum_sum& checksum_sum::add(std::span<const std::byte> piece) {
    std::uint16_t s = native_sum(piece);
    if ((std::endian::native == std::endian::little) != odd_)
        s = swap_bytes(s);
    sum_ += s;
    odd_ ^= piece.size() & 1;
    return *this;
}

std::uint16_t checksum_sum::folded() const {
    std::uint64_t s = sum_;
    while (s >> 16)
        s = (s & 0xffff) + (s >> 16);
    return static_cast<std::uint16_t>(s);
}

std::uint16_t checksum_update(std::uint16_t checksum, std::uint16_t before, std::uint16_t after) {
    checksum_sum s;
    s.add_word(static_cast<std::uint16_t>(~checksum))
        .add_word(static_cast<std::uint16_t>(~before))
        .add_word(after);
    return s.checksum();
}

checksum_sum pseudo_header_sum(std::span<const std::byte> frame, const parse_result& p,
                               std::uint32_t l4_bytes) {
    checksum_sum s;
    const bool v4 = p.l3 == l3_type::ipv4;
    s.add(frame.subspan(p.l3_offset + (v4 ? 12u : 8u), v4 ? 8 : 32)); // source and destination
    s.add_word(p.protocol).add_long(l4_bytes);
    return s;
}

checksum_verdict check_ipv4_header(std::span<const std::byte> frame, const parse_result& p) {
    if (p.l3 != l3_type::ipv4)
        return checksum_verdict::none;
    const auto header = frame.subspan(p.l3_offset, p.l4_offset - p.l3_offset);
    return internet_checksum(header) == 0 ? checksum_verdict::good : checksum_verdict::bad;
}

checksum_verdict check_l4(std::span<const std::byte> frame, const parse_result& p) {
    if ((p.l4 != l4_type::tcp && p.l4 != l4_type::udp) ||
        frame.size() < std::size_t{p.l4_offset} + p.l4_bytes)
        return checksum_verdict::none;
    std::uint16_t n = p.l4_bytes;
    if (p.l4 == l4_type::udp) {
        const udp_view udp(frame.data() + p.l4_offset);
        if (udp.checksum() == 0) // RFC 768: none; RFC 8200 8.1: not allowed over IPv6
            return p.l3 == l3_type::ipv4 ? checksum_verdict::none : checksum_verdict::bad;
        n = udp.length();
    }
    checksum_sum s = pseudo_header_sum(frame, p, n);
    return s.add(frame.subspan(p.l4_offset, n)).checksum() == 0 ? checksum_verdict::good
                                                                : checksum_verdict::bad;
}

void fill_ipv4_checksum(std::span<std::byte> frame, const parse_result& p) {
    const ipv4_view ip(frame.data() + p.l3_offset);
    ip.set_checksum(0);
    ip.set_checksum(internet_checksum(frame.subspan(p.l3_offset, p.l4_offset - p.l3_offset)));
}

void fill_l4_checksum(std::span<std::byte> frame, const parse_result& p) {
    std::byte* field = frame.data() + l4_checksum_offset(p);
    store_be<std::uint16_t>(field, 0);
    const std::uint16_t n =
        p.l4 == l4_type::udp ? udp_view<std::byte>(frame.data() + p.l4_offset).length() : p.l4_bytes;
    checksum_sum s = pseudo_header_sum(frame, p, n);
    const std::uint16_t value = s.add(frame.subspan(p.l4_offset, n)).checksum();
    store_be<std::uint16_t>(field, p.l4 == l4_type::udp && value == 0 ? 0xffff : value);
}

} // namespace vg810
