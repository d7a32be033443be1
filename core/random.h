// SPDX-License-Identifier: Apache-2.0
// Random numbers that are the same on every machine, compiler and library: xoshiro256** (Blackman and Vigna,
// "Scrambled Linear Pseudorandom Number Generators", 2018), seeded through SplitMix64 from a run's seed and
// a stream's name. All arithmetic is on integers, the logarithm included. No cryptographic use.
#pragma once

#include "core/units.h"

#include <array>
#include <cstdint>
#include <string_view>

namespace vg810 {

/// -ln(u / 2^64), times 2^32 and rounded down, computed on integers alone. Range: u >= 1; the result is below
/// 64 ln 2 x 2^32. Off the true value by less than 2^-30 (before rounding).
std::uint64_t negative_log(std::uint64_t u);

/// One independent stream: draws of one never shift those of another.
class random_stream {
  public:
    random_stream(std::uint64_t seed, std::string_view name);

    /// All 64 bits are uniform.
    std::uint64_t next();
    /// Uniform in 0 .. n - 1, without bias (Lemire, "Fast Random Integer Generation in an Interval", 2019).
    /// Precondition: n > 0.
    std::uint64_t below(std::uint64_t n);
    /// Uniform in [0, 1): a multiple of 2^-53, so exact in a double.
    double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }
    /// Exponential with this mean; rounded down to a picosecond, `never` when that is beyond the range.
    picoseconds exponential(picoseconds mean);

  private:
    std::array<std::uint64_t, 4> state_;
};

} // namespace vg810
