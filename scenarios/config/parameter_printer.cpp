// SPDX-License-Identifier: Apache-2.0
#include "scenarios/config/parameter_printer.h"

#include "scenarios/config/quantity.h"

#include <algorithm>
#include <fmt/format.h>

namespace vg810::scenarios {
namespace {

/// A TOML basic string (TOML 1.0: control characters, quote and backslash escaped).
std::string quoted(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\')
            out += fmt::format("\\{}", c);
        else if (c == '\n')
            out += "\\n";
        else if (c == '\t')
            out += "\\t";
        else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
            out += fmt::format("\\u{:04X}", static_cast<unsigned>(c));
        else
            out += c;
    }
    return out + '"';
}

/// A float that TOML does not take for an integer.
std::string number(double value) {
    std::string text = fmt::format("{}", value);
    if (text.find_first_of(".en") == std::string::npos)
        text += ".0";
    return text;
}

std::string join(const std::vector<std::string>& parts) {
    return fmt::format("{}", fmt::join(parts, ", "));
}

std::string quoted_list(const std::vector<std::string>& values) {
    std::vector<std::string> parts;
    for (const auto& v : values)
        parts.push_back(quoted(v));
    return "[" + join(parts) + "]";
}

std::string integer_list(const std::vector<std::int64_t>& values) {
    return fmt::format("[{}]", fmt::join(values, ", "));
}

} // namespace

std::string parameter_printer::path_of(std::string_view key) const {
    return path_.empty() ? std::string(key) : path_ + "." + std::string(key);
}

void parameter_printer::line(const parameter& p, const std::string& value) {
    values_ += fmt::format("{} = {}\n", p.key, value);
}

void parameter_printer::visit(const parameter& p, bool& value) {
    line(p, value ? "true" : "false");
}
void parameter_printer::visit(const parameter& p, std::int64_t& value, range<std::int64_t>) {
    line(p, std::to_string(value));
}
void parameter_printer::visit(const parameter& p, double& value, range<double>) {
    line(p, number(value));
}
void parameter_printer::visit(const parameter& p, std::string& value) {
    line(p, quoted(value));
}
void parameter_printer::visit(const parameter& p, std::vector<std::string>& values) {
    line(p, quoted_list(values));
}
void parameter_printer::visit(const parameter& p, std::vector<std::int64_t>& values, range<std::int64_t>) {
    line(p, integer_list(values));
}
void parameter_printer::visit(const parameter& p, picoseconds& value, range<picoseconds>) {
    line(p, quoted(to_text(value)));
}
void parameter_printer::visit(const parameter& p, bits_per_second& value, range<bits_per_second>) {
    line(p, quoted(to_text(value)));
}
void parameter_printer::visit(const parameter& p, millimetres& value, range<millimetres>) {
    line(p, quoted(to_text(value)));
}
void parameter_printer::visit_size(const parameter& p, bytes& value, range<bytes>) {
    line(p, quoted(size_text(value)));
}
void parameter_printer::visit_choice(const parameter& p, std::size_t& index,
                                     std::span<const std::string_view> names) {
    line(p, quoted(names[index]));
}

void parameter_printer::visit_table(const parameter& p,
                                    const std::function<void(parameter_visitor&)>& fields) {
    parameter_printer inner(path_of(p.key));
    fields(inner);
    tables_ += fmt::format("\n[{}]\n{}", path_of(p.key), inner.text());
}

void parameter_printer::visit_tables(const parameter& p, std::size_t count,
                                     const std::function<void(std::size_t)>&,
                                     const std::function<void(std::size_t, parameter_visitor&)>& fields) {
    for (std::size_t i = 0; i < count; ++i) {
        parameter_printer inner(path_of(p.key));
        fields(i, inner);
        tables_ += fmt::format("\n[[{}]]\n{}", path_of(p.key), inner.text());
    }
}

std::string parameter_reference::path_of(std::string_view key) const {
    return path_.empty() ? std::string(key) : path_ + "." + std::string(key);
}

void parameter_reference::line(const parameter& p, const std::string& kind, const std::string& preset) {
    const std::string use = p.required ? "required" : optional_ ? "optional" : "default " + preset;
    optional_ = false;
    text_ += fmt::format("{}\n    {}; {}. {}\n", path_of(p.key), kind, use, p.doc);
}

bool parameter_reference::wants_optional(const parameter&, bool) {
    optional_ = true;
    return true;
}

void parameter_reference::visit(const parameter& p, bool& value) {
    line(p, "boolean", value ? "true" : "false");
}
void parameter_reference::visit(const parameter& p, std::int64_t& value, range<std::int64_t> allowed) {
    line(p, fmt::format("integer, {} to {}", allowed.least, allowed.most), std::to_string(value));
}
void parameter_reference::visit(const parameter& p, double& value, range<double> allowed) {
    line(p, fmt::format("number, {:g} to {:g}", allowed.least, allowed.most), number(value));
}
void parameter_reference::visit(const parameter& p, std::string& value) {
    line(p, "string", quoted(value));
}
void parameter_reference::visit(const parameter& p, std::vector<std::string>& values) {
    line(p, "string or array of strings", quoted_list(values));
}
void parameter_reference::visit(const parameter& p, std::vector<std::int64_t>& values,
                                range<std::int64_t> allowed) {
    line(p, fmt::format("array of integers, {} to {}", allowed.least, allowed.most), integer_list(values));
}
void parameter_reference::visit(const parameter& p, picoseconds& value, range<picoseconds> allowed) {
    line(p, fmt::format("time, {} to {}", to_text(allowed.least), to_text(allowed.most)), to_text(value));
}
void parameter_reference::visit(const parameter& p, bits_per_second& value, range<bits_per_second> allowed) {
    line(p, fmt::format("rate, {} to {}", to_text(allowed.least), to_text(allowed.most)), to_text(value));
}
void parameter_reference::visit(const parameter& p, millimetres& value, range<millimetres> allowed) {
    line(p, fmt::format("length, {} to {}", to_text(allowed.least), to_text(allowed.most)), to_text(value));
}
void parameter_reference::visit_size(const parameter& p, bytes& value, range<bytes> allowed) {
    line(p, fmt::format("size, {} to {}", size_text(allowed.least), size_text(allowed.most)),
         size_text(value));
}
void parameter_reference::visit_choice(const parameter& p, std::size_t& index,
                                       std::span<const std::string_view> names) {
    std::vector<std::string> all;
    for (const auto name : names)
        all.push_back(quoted(name));
    line(p, "one of " + join(all), quoted(names[index]));
}

void parameter_reference::visit_table(const parameter& p,
                                      const std::function<void(parameter_visitor&)>& fields) {
    parameter_reference inner(path_of(p.key));
    fields(inner);
    text_ += fmt::format("\n[{}]  {}\n{}", path_of(p.key), p.doc, inner.text());
}

void parameter_reference::visit_tables(const parameter& p, std::size_t,
                                       const std::function<void(std::size_t)>& resize,
                                       const std::function<void(std::size_t, parameter_visitor&)>& fields) {
    resize(1);
    parameter_reference inner(path_of(p.key));
    fields(0, inner);
    text_ += fmt::format("\n[[{}]]  {}\n{}", path_of(p.key), p.doc, inner.text());
}

} // namespace vg810::scenarios
