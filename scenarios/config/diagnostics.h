// SPDX-License-Identifier: Apache-2.0
// Everything wrong with an input, each with its place, collected so that a user sees all of it at once.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace vg810::scenarios {

/// Where something was written: a file, or an option such as "--set mode=x" (then line is 0).
struct place {
    std::string source;
    std::uint32_t line = 0;   ///< from 1; 0 when there is none
    std::uint32_t column = 0; ///< from 1, in code points

    std::string text() const {
        return line ? source + ":" + std::to_string(line) + ":" + std::to_string(column) : source;
    }
};

struct diagnostic {
    place where;
    std::string message;

    std::string text() const { return where.text() + ": " + message; }
};

/// The input cannot be used. what() is all diagnostics, one a line.
class bad_input : public std::runtime_error {
  public:
    explicit bad_input(std::vector<diagnostic> all)
        : std::runtime_error(join(all)), diagnostics_(std::move(all)) {}
    explicit bad_input(const std::string& message) : std::runtime_error(message) {}

    const std::vector<diagnostic>& diagnostics() const { return diagnostics_; }

  private:
    static std::string join(const std::vector<diagnostic>& all) {
        std::string text;
        for (const diagnostic& d : all)
            text += (text.empty() ? "" : "\n") + d.text();
        return text;
    }
    std::vector<diagnostic> diagnostics_;
};

} // namespace vg810::scenarios
