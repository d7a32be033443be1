// SPDX-License-Identifier: Apache-2.0
// Time on the line for a number of octets at one rate, without the division that bits_per_second::time_for
// needs.
#pragma once

#include "core/units.h"

#include <cstdint>

namespace vg810 {

class byte_time {
  public:
    explicit byte_time(bits_per_second rate) { set(rate.count()); }
    /// bit/s, above 0.
    void set(std::int64_t rate) {
        constexpr std::uint64_t bit_ps = 8'000'000'000'000;
        const auto r = static_cast<std::uint64_t>(rate);
        whole_ = bit_ps / r;
        // The rest in 2^-32 ps, rounded up.
        fraction_ =
            static_cast<std::uint64_t>(((static_cast<unsigned __int128>(bit_ps % r) << 32) + r - 1) / r);
    }
    /// Rounded up to a whole picosecond: exact for rates of which 8e12 is a multiple, else too long by at
    /// most 1 ps up to 2^32 octets.
    picoseconds of(bytes n) const {
        return picoseconds(static_cast<std::int64_t>(n * whole_ + ((n * fraction_ + 0xffff'ffff) >> 32)));
    }

  private:
    std::uint64_t whole_ = 0;
    std::uint64_t fraction_ = 0;
};

} // namespace vg810
