// SPDX-License-Identifier: Apache-2.0
// Integers in a given byte order at any alignment: network order for frames, little-endian for the card's
// rings.
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace vg810 {

template <std::unsigned_integral T> constexpr T swap_bytes(T v) {
    if constexpr (sizeof(T) == 1)
        return v;
    else if constexpr (sizeof(T) == 2)
        return __builtin_bswap16(v);
    else if constexpr (sizeof(T) == 4)
        return __builtin_bswap32(v);
    else
        return __builtin_bswap64(v);
}

/// The integer at `p` (sizeof(T) octets, any alignment), stored most significant octet first.
template <std::unsigned_integral T> T load_be(const std::byte* p) {
    T v;
    std::memcpy(&v, p, sizeof v);
    return std::endian::native == std::endian::little ? swap_bytes(v) : v;
}

template <std::unsigned_integral T> void store_be(std::byte* p, T v) {
    if (std::endian::native == std::endian::little)
        v = swap_bytes(v);
    std::memcpy(p, &v, sizeof v);
}

/// The integer at `p` (sizeof(T) octets, any alignment), stored least significant octet first.
template <std::unsigned_integral T> T load_le(const std::byte* p) {
    T v;
    std::memcpy(&v, p, sizeof v);
    return std::endian::native == std::endian::big ? swap_bytes(v) : v;
}

template <std::unsigned_integral T> void store_le(std::byte* p, T v) {
    if (std::endian::native == std::endian::big)
        v = swap_bytes(v);
    std::memcpy(p, &v, sizeof v);
}

} // namespace vg810
