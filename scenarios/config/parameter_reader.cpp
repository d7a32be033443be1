// SPDX-License-Identifier: Apache-2.0
#include "scenarios/config/parameter_reader.h"

#include "scenarios/config/nearest.h"
#include "scenarios/config/quantity.h"

#include <algorithm>
#include <fmt/format.h>

namespace vg810::scenarios {
namespace {

std::string_view kind_of(const toml::node& node) {
    switch (node.type()) {
    case toml::node_type::string:
        return "a string";
    case toml::node_type::integer:
        return "an integer";
    case toml::node_type::floating_point:
        return "a number";
    case toml::node_type::boolean:
        return "a boolean";
    case toml::node_type::array:
        return "an array";
    case toml::node_type::table:
        return "a table";
    case toml::node_type::none:
    case toml::node_type::date:
    case toml::node_type::time:
    case toml::node_type::date_time:
        break;
    }
    return "a date or time";
}

} // namespace

place input_record::at(const std::string& path) const {
    for (std::string p = path;;) {
        if (const auto found = places_.find(p); found != places_.end())
            return found->second;
        const std::size_t cut = p.find_last_of(".[");
        if (cut == std::string::npos)
            return {file_};
        p.resize(cut);
    }
}

void input_record::complain(place where, std::string message) {
    diagnostics_.push_back({std::move(where), std::move(message)});
}

place input_record::of(const toml::node& node, const place& enclosing) const {
    if (const auto option = options_.find(&node); option != options_.end())
        return {option->second};
    const auto& begin = node.source().begin;
    return begin.line ? place{file_, begin.line, begin.column} : enclosing;
}

place input_record::of(const toml::key& key, const toml::node& node, const place& enclosing) const {
    const auto& begin = key.source().begin;
    return begin.line ? place{file_, begin.line, begin.column} : of(node, enclosing);
}

std::vector<diagnostic> input_record::diagnostics() const {
    auto sorted = diagnostics_;
    std::stable_sort(sorted.begin(), sorted.end(), [](const diagnostic& a, const diagnostic& b) {
        return std::pair(a.where.line, a.where.column) < std::pair(b.where.line, b.where.column);
    });
    return sorted;
}

std::string parameter_reader::path_of(std::string_view key) const {
    return path_.empty() ? std::string(key) : path_ + "." + std::string(key);
}

const toml::node* parameter_reader::take(const parameter& p) {
    known_.push_back(p.key);
    const toml::node* node = table_->get(p.key);
    if (node)
        record_->remember(path_of(p.key), record_->of(*node, where_));
    else if (p.required)
        record_->complain(where_, fmt::format("'{}' is missing{}: {}", p.key,
                                              path_.empty() ? "" : fmt::format(" in {}", path_), p.doc));
    return node;
}

void parameter_reader::expected(const parameter& p, const toml::node& node, std::string_view what) {
    record_->complain(path_of(p.key), fmt::format("'{}' must be {}, not {}", p.key, what, kind_of(node)));
}

void parameter_reader::visit(const parameter& p, bool& value) {
    const toml::node* node = take(p);
    if (!node)
        return;
    if (const auto read = node->value_exact<bool>())
        value = *read;
    else
        expected(p, *node, "true or false");
}

void parameter_reader::visit(const parameter& p, std::int64_t& value, range<std::int64_t> allowed) {
    const toml::node* node = take(p);
    if (!node)
        return;
    const auto read = node->value_exact<std::int64_t>();
    if (!read)
        expected(p, *node, "an integer");
    else if (*read < allowed.least || *read > allowed.most)
        record_->complain(path_of(p.key), fmt::format("'{}' is {}, out of range {} to {}", p.key, *read,
                                                      allowed.least, allowed.most));
    else
        value = *read;
}

void parameter_reader::visit(const parameter& p, double& value, range<double> allowed) {
    const toml::node* node = take(p);
    if (!node)
        return;
    if (!node->is_number()) {
        expected(p, *node, "a number");
        return;
    }
    const double read = *node->value<double>();
    if (!(read >= allowed.least && read <= allowed.most)) // false for NaN, too
        record_->complain(path_of(p.key), fmt::format("'{}' is {}, out of range {} to {}", p.key, read,
                                                      allowed.least, allowed.most));
    else
        value = read;
}

void parameter_reader::visit(const parameter& p, std::string& value) {
    const toml::node* node = take(p);
    if (!node)
        return;
    if (auto read = node->value_exact<std::string>())
        value = std::move(*read);
    else
        expected(p, *node, "a string");
}

void parameter_reader::visit(const parameter& p, std::vector<std::string>& values) {
    const toml::node* node = take(p);
    if (!node)
        return;
    if (auto one = node->value_exact<std::string>()) {
        values = {std::move(*one)};
        return;
    }
    const toml::array* array = node->as_array();
    if (!array) {
        expected(p, *node, "a string or an array of strings");
        return;
    }
    values.clear();
    for (std::size_t i = 0; i < array->size(); ++i) {
        const toml::node& element = *array->get(i);
        const std::string path = fmt::format("{}[{}]", path_of(p.key), i);
        record_->remember(path, record_->of(element, record_->at(path_of(p.key))));
        if (auto read = element.value_exact<std::string>())
            values.push_back(std::move(*read));
        else
            record_->complain(path, fmt::format("'{}' must hold strings, not {}", p.key, kind_of(element)));
    }
}

void parameter_reader::visit(const parameter& p, std::vector<std::int64_t>& values,
                             range<std::int64_t> allowed) {
    const toml::node* node = take(p);
    if (!node)
        return;
    const toml::array* array = node->as_array();
    if (!array) {
        expected(p, *node, "an array of integers");
        return;
    }
    values.clear();
    for (std::size_t i = 0; i < array->size(); ++i) {
        const toml::node& element = *array->get(i);
        const std::string path = fmt::format("{}[{}]", path_of(p.key), i);
        record_->remember(path, record_->of(element, record_->at(path_of(p.key))));
        const auto read = element.value_exact<std::int64_t>();
        if (!read)
            record_->complain(path, fmt::format("'{}' must hold integers, not {}", p.key, kind_of(element)));
        else if (*read < allowed.least || *read > allowed.most)
            record_->complain(path, fmt::format("'{}' holds {}, out of range {} to {}", p.key, *read,
                                                allowed.least, allowed.most));
        else
            values.push_back(*read);
    }
}

template <class T>
void parameter_reader::quantity(const parameter& p, T& value, range<T> allowed,
                                std::optional<T> (*parse)(std::string_view), std::string (*print)(T),
                                std::string_view what) {
    const toml::node* node = take(p);
    if (!node)
        return;
    const auto text = node->value_exact<std::string>();
    if (!text) {
        expected(p, *node, what);
        return;
    }
    const auto read = parse(*text);
    if (!read)
        record_->complain(path_of(p.key), fmt::format("'{}' must be {}, not \"{}\"", p.key, what, *text));
    else if (*read < allowed.least || *read > allowed.most)
        record_->complain(path_of(p.key), fmt::format("'{}' is {}, out of range {} to {}", p.key, *text,
                                                      print(allowed.least), print(allowed.most)));
    else
        value = *read;
}

void parameter_reader::visit(const parameter& p, picoseconds& value, range<picoseconds> allowed) {
    quantity<picoseconds>(p, value, allowed, parse_time, to_text,
                          "a time such as \"10us\" (ps, ns, us, ms, s, min, h)");
}

void parameter_reader::visit(const parameter& p, bits_per_second& value, range<bits_per_second> allowed) {
    quantity<bits_per_second>(p, value, allowed, parse_rate, to_text,
                              "a rate such as \"25G\" (K, M, G, T bit/s)");
}

void parameter_reader::visit(const parameter& p, millimetres& value, range<millimetres> allowed) {
    quantity<millimetres>(p, value, allowed, parse_length, to_text,
                          "a length such as \"3m\" (mm, cm, m, km)");
}

void parameter_reader::visit_size(const parameter& p, bytes& value, range<bytes> allowed) {
    quantity<bytes>(p, value, allowed, parse_size, size_text,
                    "a size such as \"256MiB\" (B, KB, MB, GB, KiB, MiB, GiB)");
}

void parameter_reader::visit_choice(const parameter& p, std::size_t& index,
                                    std::span<const std::string_view> names) {
    std::string text;
    const std::string before = index < names.size() ? std::string(names[index]) : std::string();
    text = before;
    visit(p, text);
    const auto found = std::find(names.begin(), names.end(), text);
    if (found != names.end())
        index = static_cast<std::size_t>(found - names.begin());
    else
        record_->complain(path_of(p.key),
                          fmt::format("'{}' cannot be \"{}\"{}", p.key, text, suggestion(text, names)));
}

void parameter_reader::visit_table(const parameter& p,
                                   const std::function<void(parameter_visitor&)>& fields) {
    const toml::node* node = take(p);
    if (!node)
        return;
    const toml::table* table = node->as_table();
    if (!table) {
        expected(p, *node, "a table");
        return;
    }
    const std::string path = path_of(p.key);
    parameter_reader inner(*table, *record_, path, record_->at(path));
    fields(inner);
    inner.finish();
}

void parameter_reader::visit_tables(const parameter& p, std::size_t,
                                    const std::function<void(std::size_t)>& resize,
                                    const std::function<void(std::size_t, parameter_visitor&)>& fields) {
    const toml::node* node = take(p);
    if (!node)
        return;
    const toml::array* array = node->as_array();
    if (!array) {
        expected(p, *node, fmt::format("an array of tables, written [[{}]]", path_of(p.key)));
        return;
    }
    resize(array->size());
    for (std::size_t i = 0; i < array->size(); ++i) {
        const toml::node& element = *array->get(i);
        const std::string path = fmt::format("{}[{}]", path_of(p.key), i);
        record_->remember(path, record_->of(element, where_));
        const toml::table* table = element.as_table();
        if (!table) {
            record_->complain(path, fmt::format("'{}' must hold tables, not {}", p.key, kind_of(element)));
            continue;
        }
        parameter_reader inner(*table, *record_, path, record_->at(path));
        fields(i, inner);
        inner.finish();
    }
}

bool parameter_reader::wants_optional(const parameter& p, bool) {
    if (table_->contains(p.key))
        return true;
    known_.push_back(p.key);
    return false;
}

void parameter_reader::finish() {
    for (const auto& [key, node] : *table_) {
        if (std::find(known_.begin(), known_.end(), key.str()) != known_.end())
            continue;
        record_->complain(record_->of(key, node, where_),
                          fmt::format("unknown key '{}'{}{}", key.str(),
                                      path_.empty() ? "" : fmt::format(" in {}", path_),
                                      suggestion(key.str(), known_)));
    }
}

} // namespace vg810::scenarios
