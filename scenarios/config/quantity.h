// SPDX-License-Identifier: Apache-2.0
// Quantities as users write them: a number directly followed by its unit.
//   time    ps ns us ms s min h         "10us", "1.5s"
//   rate    K M G T, decimal, bit/s     "25G", "100Mb/s", "25Gb/s"
//   size    B KB MB GB KiB MiB GiB      "9000B", "256MiB"
//   length  mm cm m km                  "3m", "1.5km"
#pragma once

#include "core/parameters.h"
#include "core/units.h"

#include <optional>
#include <string>
#include <string_view>

namespace vg810::scenarios {

/// Each reads all of `text`; nothing when it is no such quantity, negative, or finer than the type can hold.
std::optional<picoseconds> parse_time(std::string_view text);
std::optional<bits_per_second> parse_rate(std::string_view text);
std::optional<bytes> parse_size(std::string_view text);
std::optional<millimetres> parse_length(std::string_view text);

/// The shortest exact form that the functions above read back.
std::string to_text(picoseconds time);
std::string to_text(bits_per_second rate);
std::string to_text(millimetres length);
std::string size_text(bytes size);

} // namespace vg810::scenarios
