// SPDX-License-Identifier: Apache-2.0
#include "core/random.h"

#include <bit>
#include <limits>

namespace vg810 {
namespace {

std::uint64_t split_mix(std::uint64_t& state) {
    std::uint64_t z = (state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

__extension__ typedef unsigned __int128 wide;

/// log2 of x / 2^63 for x in [2^63, 2^64), times 2^40, rounded down: one bit of the result a squaring.
std::uint64_t log2_of_mantissa(std::uint64_t x) {
    std::uint64_t result = 0;
    for (int bit = 39; bit >= 0; --bit) {
        const wide square = static_cast<wide>(x) * x; // in [2^126, 2^128)
        if (square >> 127) {
            result |= std::uint64_t{1} << bit;
            x = static_cast<std::uint64_t>(square >> 64);
        } else {
            x = static_cast<std::uint64_t>(square >> 63);
        }
    }
    return result;
}

} // namespace

std::uint64_t negative_log(std::uint64_t u) {
    const int shift = std::countl_zero(u);
    // -log2(u / 2^64) = shift + 1 - log2(mantissa), times 2^40.
    const std::uint64_t log2 =
        (static_cast<std::uint64_t>(shift + 1) << 40) - log2_of_mantissa(u << shift);
    constexpr std::uint64_t ln2 = 0xb17217f7d1cf79abu; // ln 2 x 2^64
    return static_cast<std::uint64_t>((static_cast<wide>(log2) * ln2) >> 72);
}

random_stream::random_stream(std::uint64_t seed, std::string_view name) {
    std::uint64_t mixed = seed;
    for (const char c : name)
        mixed = split_mix(mixed) ^ static_cast<unsigned char>(c);
    for (std::uint64_t& word : state_)
        word = split_mix(mixed);
}

std::uint64_t random_stream::next() {
    const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
    const std::uint64_t t = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= t;
    state_[3] = std::rotl(state_[3], 45);
    return result;
}

std::uint64_t random_stream::below(std::uint64_t n) {
    wide product = static_cast<wide>(next()) * n;
    if (static_cast<std::uint64_t>(product) < n) {
        const std::uint64_t unfair = -n % n;
        while (static_cast<std::uint64_t>(product) < unfair)
            product = static_cast<wide>(next()) * n;
    }
    return static_cast<std::uint64_t>(product >> 64);
}

picoseconds random_stream::exponential(picoseconds mean) {
    const std::uint64_t u = next();
    const wide scaled = static_cast<wide>(negative_log(u | (u == 0))) *
                        static_cast<std::uint64_t>(mean.count() > 0 ? mean.count() : 0);
    const wide result = scaled >> 32;
    if (result > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
        return never;
    return picoseconds(static_cast<std::int64_t>(result));
}

} // namespace vg810
