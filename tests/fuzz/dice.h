// SPDX-License-Identifier: Apache-2.0
// Random choices that are the same everywhere: the engine is the standard's, the distributions are ours (the
// standard's differ between libraries).
#pragma once

#include <array>
#include <cstdint>
#include <iterator>
#include <random>

namespace vg810::fuzz {

class dice {
  public:
    /// Streams of one seed are independent of each other.
    dice(std::uint64_t seed, std::uint64_t stream) : engine_(mix(seed ^ mix(stream + 1))) {}

    std::uint64_t bits() { return engine_(); }
    /// 0 .. n - 1, n at least 1.
    std::uint64_t below(std::uint64_t n) {
        return static_cast<std::uint64_t>(static_cast<unsigned __int128>(bits()) * n >> 64);
    }
    std::uint64_t between(std::uint64_t least, std::uint64_t most) { return least + below(most - least + 1); }
    bool one_in(std::uint64_t n) { return below(n) == 0; }
    bool percent(unsigned share) { return below(100) < share; }
    template <class Container> const auto& pick(const Container& c) {
        return *std::next(std::begin(c), static_cast<std::ptrdiff_t>(below(std::size(c))));
    }

    /// `valid` made probably wrong, in the low `width` bits: a neighbour, an extreme, another bit, anything.
    std::uint64_t twist(std::uint64_t valid, unsigned width) {
        const std::uint64_t mask = ~std::uint64_t{0} >> (64 - width);
        switch (below(8)) {
        case 0:
            return 0;
        case 1:
            return mask;
        case 2:
            return (valid + 1) & mask;
        case 3:
            return (valid - 1) & mask;
        case 4:
            return (std::uint64_t{1} << below(width)) & mask;
        case 5:
            return bits() & mask;
        case 6:
            return below(256) & mask;
        default:
            return valid ^ std::uint64_t{1} << below(width);
        }
    }

  private:
    /// splitmix64's finaliser (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, OOPSLA
    /// 2014).
    static std::uint64_t mix(std::uint64_t z) {
        z += 0x9e3779b97f4a7c15;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
        z = (z ^ z >> 27) * 0x94d049bb133111eb;
        return z ^ z >> 31;
    }

    std::mt19937_64 engine_;
};

} // namespace vg810::fuzz
