// SPDX-License-Identifier: Apache-2.0
// A distribution of message sizes: a cumulative distribution function given by points, linear between them.
// File format: comment lines with '#', the heading "bytes,probability", then one point a line.
#pragma once

#include "core/random.h"
#include "core/units.h"
#include "scenarios/workload/message_port.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace vg810::scenarios {

class flow_sizes {
  public:
    static constexpr bytes longest = longest_message;

    /// From a file's text; `name` is the place in messages. Throws bad_input with the line: sizes must rise,
    /// probabilities must not fall, the last one is 1, no size is above `longest`.
    static flow_sizes parse(std::string_view text, const std::string& name);
    /// "web-search" (a file of `folder`), or a path. Throws bad_input.
    static flow_sizes load(const std::string& name_or_file, const std::filesystem::path& folder);
    /// The distributions in `folder`, by name.
    static std::vector<std::string> shipped(const std::filesystem::path& folder);
    /// The folder that comes with the program.
    static std::filesystem::path shipped_folder();

    /// One size, at least 1 octet.
    bytes draw(random_stream& random) const;
    /// The distribution's mean, octets.
    double mean() const;

  private:
    /// Probabilities in units of 2^-53, so that drawing is exact.
    struct point {
        bytes size;
        std::uint64_t probability;
    };
    std::vector<point> points_;
};

} // namespace vg810::scenarios
