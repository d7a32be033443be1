// SPDX-License-Identifier: Apache-2.0
// The Internet checksum (RFC 1071) in the forms that offloads need: partial sums over pieces of any length,
// pseudo headers, and incremental update (RFC 1624).
#pragma once

#include "core/ethernet.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace vg810 {

/// Adds octets as 16-bit big-endian words in one's complement. Pieces may have any length: an odd piece
/// leaves the next octet in the low half of its word, as if all pieces were one.
class checksum_sum {
  public:
    checksum_sum& add(std::span<const std::byte> piece);
    /// Adds a 16- or 32-bit value that starts on an even octet.
    checksum_sum& add_word(std::uint16_t v) {
        sum_ += v;
        return *this;
    }
    checksum_sum& add_long(std::uint32_t v) {
        return add_word(static_cast<std::uint16_t>(v >> 16)).add_word(v & 0xffff);
    }
    /// The sum folded to 16 bits, not complemented: what a driver puts into the checksum field for the card
    /// to finish.
    std::uint16_t folded() const;
    /// The complement: the value of the checksum field. Over data that contains a correct checksum it is 0.
    std::uint16_t checksum() const { return static_cast<std::uint16_t>(~folded()); }

  private:
    std::uint64_t sum_ = 0;
    bool odd_ = false;
};

/// RFC 1071 over one piece.
inline std::uint16_t internet_checksum(std::span<const std::byte> data) {
    return checksum_sum().add(data).checksum();
}

/// RFC 1624 equation 3: the checksum after a 16-bit word it covers went from `before` to `after`.
std::uint16_t checksum_update(std::uint16_t checksum, std::uint16_t before, std::uint16_t after);

/// The pseudo header of TCP and UDP (RFC 9293 3.1, RFC 8200 8.1) for the IP header that `p` found in `frame`.
/// `l4_bytes`: L4 header and payload. Precondition: p.l3 is ipv4 or ipv6.
checksum_sum pseudo_header_sum(std::span<const std::byte> frame, const parse_result& p,
                               std::uint32_t l4_bytes);

enum class checksum_verdict : std::uint8_t {
    none, ///< no such layer, a fragment, or (UDP over IPv4) the sender computed none
    good,
    bad,
};
/// The IPv4 header's checksum; `none` for other protocols.
checksum_verdict check_ipv4_header(std::span<const std::byte> frame, const parse_result& p);
/// TCP's or UDP's checksum. The whole datagram must be stored, else `none`.
checksum_verdict check_l4(std::span<const std::byte> frame, const parse_result& p);

/// Computes and writes the IPv4 header's checksum. Precondition: p.l3 is ipv4.
void fill_ipv4_checksum(std::span<std::byte> frame, const parse_result& p);
/// Computes and writes TCP's or UDP's checksum (UDP's 0 becomes 0xffff, RFC 768). Precondition: p.l4 is tcp
/// or udp and the whole datagram is stored.
void fill_l4_checksum(std::span<std::byte> frame, const parse_result& p);

} // namespace vg810
