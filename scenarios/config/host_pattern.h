// SPDX-License-Identifier: Apache-2.0
// Groups of hosts as users name them: "host3", "host[0-15]", "host*", and lists of these.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace vg810::scenarios {

/// Positions in `names` of what the patterns mean, in their order, each once. `problem` is told of a pattern
/// that means nothing, with its number.
struct pattern_problem {
    std::size_t pattern;
    std::string why;
};
std::vector<std::uint32_t> find_hosts(const std::vector<std::string>& patterns,
                                      const std::vector<std::string>& names,
                                      std::vector<pattern_problem>& problems);

/// Whether `text` is like `pattern`, in which * stands for any characters.
bool matches(std::string_view pattern, std::string_view text);

} // namespace vg810::scenarios
