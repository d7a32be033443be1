// SPDX-License-Identifier: Apache-2.0
// Quantities with their units in the type, so that a rate is never added to a time.
#pragma once

#include <compare>
#include <cstdint>
#include <limits>
#include <stdexcept>

namespace vg810 {

/// A point in simulated time or a span of it, in picoseconds. Range: 0 .. about 106 days; `never` is later
/// than all. Sums that leave the range saturate at `never`: "later than everything" stays true under any
/// further delay.
class picoseconds {
  public:
    constexpr picoseconds() = default;
    constexpr explicit picoseconds(std::int64_t count) : count_(count) {}

    constexpr std::int64_t count() const { return count_; }
    constexpr double as_seconds() const { return static_cast<double>(count_) * 1e-12; }
    /// Whole nanoseconds, rounded down / up (a guest's clock counts nanoseconds).
    constexpr std::int64_t floor_ns() const { return count_ / 1000; }
    constexpr std::int64_t ceil_ns() const { return count_ / 1000 + (count_ % 1000 > 0); }

    static constexpr picoseconds max() { return picoseconds(std::numeric_limits<std::int64_t>::max()); }
    static constexpr picoseconds from_ns(std::int64_t ns) {
        return ns >= max().count_ / 1000 ? max() : picoseconds(ns * 1000);
    }

    constexpr auto operator<=>(const picoseconds&) const = default;
    constexpr picoseconds& operator+=(picoseconds d) { return *this = *this + d; }
    friend constexpr picoseconds operator+(picoseconds a, picoseconds b) {
        std::int64_t sum = 0;
        return __builtin_add_overflow(a.count_, b.count_, &sum) ? max() : picoseconds(sum);
    }
    friend constexpr picoseconds operator-(picoseconds a, picoseconds b) {
        return a == max() ? max() : picoseconds(a.count_ - b.count_);
    }
    friend constexpr picoseconds operator*(picoseconds a, std::int64_t n) {
        std::int64_t product = 0;
        return __builtin_mul_overflow(a.count_, n, &product) ? max() : picoseconds(product);
    }

  private:
    std::int64_t count_ = 0;
};

inline constexpr picoseconds never = picoseconds::max();

/// A number of octets. Range: 0 .. 2^64 - 1.
using bytes = std::uint64_t;

/// A line or link rate. Range: 1 bit/s .. 9.2e18 bit/s; zero is refused, for time over it would be infinite.
class bits_per_second {
  public:
    constexpr explicit bits_per_second(std::int64_t rate) : rate_(rate) {
        if (rate <= 0)
            throw std::invalid_argument("a rate must be above 0 bit/s");
    }
    constexpr std::int64_t count() const { return rate_; }
    constexpr auto operator<=>(const bits_per_second&) const = default;

    /// Time to send `n` octets, rounded up to a whole picosecond (exact for 10G, 25G, 100G: 800, 320, 80 ps
    /// an octet).
    constexpr picoseconds time_for(bytes n) const {
        const __int128 bit_ps = static_cast<__int128>(n) * 8 * 1'000'000'000'000;
        return picoseconds(static_cast<std::int64_t>((bit_ps + rate_ - 1) / rate_));
    }

  private:
    std::int64_t rate_;
};

inline namespace literals {
constexpr picoseconds operator""_ps(unsigned long long n) {
    return picoseconds(static_cast<std::int64_t>(n));
}
constexpr picoseconds operator""_ns(unsigned long long n) {
    return picoseconds(static_cast<std::int64_t>(n) * 1'000);
}
constexpr picoseconds operator""_us(unsigned long long n) {
    return picoseconds(static_cast<std::int64_t>(n) * 1'000'000);
}
constexpr picoseconds operator""_ms(unsigned long long n) {
    return picoseconds(static_cast<std::int64_t>(n) * 1'000'000'000);
}
constexpr bits_per_second operator""_gbps(unsigned long long n) {
    return bits_per_second(static_cast<std::int64_t>(n) * 1'000'000'000);
}
} // namespace literals

} // namespace vg810
