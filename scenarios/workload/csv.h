// SPDX-License-Identifier: Apache-2.0
// Small CSV files that users hand in (distributions, traces): comment lines, a heading, plain fields without
// quotes. Whatever is wrong is refused with file:line:column.
#pragma once

#include "core/units.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace vg810::scenarios {

/// The whole file. Throws bad_input naming it when it cannot be read.
std::string read_text_file(const std::filesystem::path& file);

class csv_reader {
  public:
    /// Reads up to the heading, which must name all of `required` and may name `optional`, in any order. The
    /// text must outlive the reader. Throws bad_input.
    csv_reader(std::string_view text, std::string name, std::vector<std::string_view> required,
               std::vector<std::string_view> optional);

    /// The next row; false at the end. Throws bad_input when a row has another number of fields.
    bool next();
    /// Whether the heading has the column (numbered: required ones first, then optional ones).
    bool has(std::size_t column) const { return place_[column] != absent; }
    std::string_view text(std::size_t column) const;
    std::uint64_t integer(std::size_t column, std::uint64_t least, std::uint64_t most) const;
    double number(std::size_t column) const;
    /// Throws bad_input with the place of this row's field.
    [[noreturn]] void fail(std::size_t column, const std::string& why) const;

  private:
    static constexpr std::size_t absent = ~std::size_t{0};
    bool line(std::string_view& out);
    void split(std::string_view line);
    void heading();

    std::string_view rest_;
    std::string name_;
    std::vector<std::string_view> names_;
    std::size_t required_;
    std::vector<std::size_t> place_; ///< column -> field of a row
    std::size_t fields_ = 0;
    std::uint32_t line_number_ = 0;
    std::string_view current_;
    std::vector<std::string_view> row_;
};

} // namespace vg810::scenarios
