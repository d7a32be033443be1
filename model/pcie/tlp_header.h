// SPDX-License-Identifier: Apache-2.0
// Headers of memory requests as they stand in the Header Log (PCI Express Base 4.0 2.2.1, 2.2.4.1, 7.8.4.8):
// four double words, the first octet on the link in bits 31:24.
#pragma once

#include <array>
#include <cstdint>

namespace vg810::pcie {

using tlp_header = std::array<std::uint32_t, 4>;

/// First and last double word byte enables of `length` octets at `address` (2.2.5).
constexpr std::uint32_t byte_enables(std::uint64_t address, std::uint32_t length) {
    const auto first = static_cast<unsigned>(address % 4);
    if (length == 0)
        return 0;
    const unsigned end = first + length;
    if (end <= 4)
        return 0xfU >> (4 - length) << first;
    const unsigned tail = end % 4 == 0 ? 4 : end % 4;
    return (0xfU << first & 0xfU) | 0xfU >> (4 - tail) << 4;
}

/// The header of a memory read or write of 1 .. 4096 octets; with four double words when the address needs
/// them.
constexpr tlp_header memory_request_header(bool write, std::uint64_t address, std::uint32_t length,
                                           std::uint16_t requester, std::uint8_t tag) {
    const bool wide = address >> 32 != 0;
    const std::uint32_t words = (static_cast<std::uint32_t>(address % 4) + length + 3) / 4;
    const std::uint32_t format = (write ? 2U : 0U) + (wide ? 1U : 0U);
    const auto low = static_cast<std::uint32_t>(address & ~std::uint64_t{3});
    const std::uint32_t ids =
        std::uint32_t{requester} << 16 | std::uint32_t{tag} << 8 | byte_enables(address, length);
    if (wide)
        return {format << 29 | (words & 0x3ff), ids, static_cast<std::uint32_t>(address >> 32), low};
    return {format << 29 | (words & 0x3ff), ids, low, 0};
}

} // namespace vg810::pcie
