// SPDX-License-Identifier: Apache-2.0
// "Did you mean": the nearest of the valid names to a mistyped one.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace vg810::scenarios {

/// Insertions, deletions, replacements and swaps of neighbours that turn `a` into `b` (optimal string
/// alignment).
std::size_t edit_distance(std::string_view a, std::string_view b);

/// ", did you mean 'x'?" when a valid name is near enough to be a slip, else "; valid are a, b, c".
std::string suggestion(std::string_view typed, std::span<const std::string_view> valid);

} // namespace vg810::scenarios
