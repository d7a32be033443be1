// SPDX-License-Identifier: Apache-2.0
#include "scenarios/workload/csv.h"

#include "scenarios/config/diagnostics.h"
#include "scenarios/config/nearest.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <fstream>
#include <sstream>

namespace vg810::scenarios {
namespace {

std::string_view trimmed(std::string_view text) {
    const auto first = text.find_first_not_of(" \t\r");
    if (first == std::string_view::npos)
        return {};
    return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

} // namespace

std::string read_text_file(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    if (!in || std::filesystem::is_directory(file))
        throw bad_input({{{file.string()}, "cannot be read"}});
    return text.str();
}

csv_reader::csv_reader(std::string_view text, std::string name, std::vector<std::string_view> required,
                       std::vector<std::string_view> optional)
    : rest_(text), name_(std::move(name)), names_(std::move(required)), required_(names_.size()) {
    names_.insert(names_.end(), optional.begin(), optional.end());
    place_.assign(names_.size(), absent);
    heading();
}

/// The next line with something on it.
bool csv_reader::line(std::string_view& out) {
    while (!rest_.empty()) {
        const std::size_t end = std::min(rest_.find('\n'), rest_.size());
        out = rest_.substr(0, end);
        rest_.remove_prefix(std::min(end + 1, rest_.size()));
        ++line_number_;
        const std::string_view content = trimmed(out);
        if (!content.empty() && content.front() != '#')
            return true;
    }
    return false;
}

void csv_reader::split(std::string_view line) {
    row_.clear();
    current_ = line;
    for (;;) {
        const std::size_t comma = line.find(',');
        row_.push_back(trimmed(line.substr(0, comma)));
        if (comma == std::string_view::npos)
            return;
        line.remove_prefix(comma + 1);
    }
}

void csv_reader::heading() {
    std::string_view first;
    if (!line(first))
        throw bad_input(
            {{{name_, 1, 1}, fmt::format("the heading '{}' is missing", fmt::join(names_, ","))}});
    split(first);
    fields_ = row_.size();
    for (std::size_t field = 0; field < row_.size(); ++field) {
        const auto name = std::find(names_.begin(), names_.end(), row_[field]);
        const auto at = place{name_, line_number_, 1};
        if (name == names_.end())
            throw bad_input(
                {{at, fmt::format("unknown column '{}'{}", row_[field], suggestion(row_[field], names_))}});
        std::size_t& where = place_[static_cast<std::size_t>(name - names_.begin())];
        if (where != absent)
            throw bad_input({{at, fmt::format("column '{}' is there twice", row_[field])}});
        where = field;
    }
    for (std::size_t i = 0; i < required_; ++i)
        if (place_[i] == absent)
            throw bad_input({{{name_, line_number_, 1}, fmt::format("column '{}' is missing", names_[i])}});
}

bool csv_reader::next() {
    std::string_view content;
    if (!line(content))
        return false;
    split(content);
    if (row_.size() != fields_)
        throw bad_input(
            {{{name_, line_number_, 1}, fmt::format("{} fields; the heading has {}", row_.size(), fields_)}});
    return true;
}

std::string_view csv_reader::text(std::size_t column) const {
    return row_[place_[column]];
}

std::uint64_t csv_reader::integer(std::size_t column, std::uint64_t least, std::uint64_t most) const {
    const std::string_view field = text(column);
    std::uint64_t value = 0;
    const auto read = std::from_chars(field.data(), field.data() + field.size(), value);
    if (read.ec != std::errc() || read.ptr != field.data() + field.size())
        fail(column, fmt::format("'{}' is no whole number", field));
    if (value < least || value > most)
        fail(column, fmt::format("{} is out of range {} to {}", value, least, most));
    return value;
}

double csv_reader::number(std::size_t column) const {
    const std::string_view field = text(column);
    double value = 0;
    const auto read = std::from_chars(field.data(), field.data() + field.size(), value);
    if (read.ec != std::errc() || read.ptr != field.data() + field.size())
        fail(column, fmt::format("'{}' is no number", field));
    return value;
}

void csv_reader::fail(std::size_t column, const std::string& why) const {
    std::uint32_t at = 1;
    if (place_[column] < row_.size() && !current_.empty())
        at = static_cast<std::uint32_t>(row_[place_[column]].data() - current_.data()) + 1;
    throw bad_input({{{name_, line_number_, at}, why}});
}

} // namespace vg810::scenarios
