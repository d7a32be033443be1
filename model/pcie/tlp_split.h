// SPDX-License-Identifier: Apache-2.0
// How a transfer becomes transaction layer packets: PCI Express Base 4.0 2.2.7 (a request never crosses 4
// KiB), 2.2.2 (Max_Payload_Size), 2.3.1.1 (completions end at Read Completion Boundaries) and 7.5.3.4
// (Max_Read_Request_Size).
#pragma once

#include <algorithm>
#include <cstdint>

namespace vg810::pcie {

/// Octets (1 .. `limit`) in the first request of a transfer. `limit` must be a power of two between 128 and
/// 4096, so that requests after the first are aligned.
constexpr std::uint32_t first_request(std::uint64_t address, std::uint64_t length, std::uint32_t limit) {
    constexpr std::uint64_t page = 4096;
    return static_cast<std::uint32_t>(std::min({length, std::uint64_t{limit}, page - address % page}));
}

/// Calls `packet(address, length)` for every request of at most `limit` octets that a transfer needs: MPS for
/// writes, MRRS for reads.
template <class Packet>
constexpr void split_request(std::uint64_t address, std::uint64_t length, std::uint32_t limit,
                             Packet&& packet) {
    while (length > 0) {
        const std::uint32_t n = first_request(address, length, limit);
        packet(address, n);
        address += n;
        length -= n;
    }
}

/// Calls `packet(address, length)` for every completion that answers one read request: the largest packets
/// that MPS allows, each but the last ending at a multiple of `rcb` (64 or 128).
template <class Packet>
constexpr void split_completion(std::uint64_t address, std::uint32_t length, std::uint32_t mps,
                                std::uint32_t rcb, Packet&& packet) {
    while (length > 0) {
        const std::uint64_t reach = (address + mps) / rcb * rcb - address;
        const auto n = static_cast<std::uint32_t>(std::min<std::uint64_t>(length, reach));
        packet(address, n);
        address += n;
        length -= n;
    }
}

/// Octets of data that a packet carries: whole double words, masked by byte enables at both ends (2.2.5).
constexpr std::uint32_t padded(std::uint64_t address, std::uint32_t length) {
    return static_cast<std::uint32_t>((address % 4 + length + 3) / 4 * 4);
}

} // namespace vg810::pcie
