// SPDX-License-Identifier: Apache-2.0
#include "scenarios/config/setting.h"

#include "scenarios/config/nearest.h"

#include <algorithm>
#include <fmt/format.h>
#include <span>
#include <string_view>
#include <vector>

namespace vg810::scenarios {
namespace {

class setting_writer {
  public:
    setting_writer(const std::string& setting, input_record& record)
        : option_("--set " + setting), record_(&record) {}

    bool parse(std::string_view setting) {
        const std::size_t equals = setting.find('=');
        if (equals == std::string_view::npos || equals == 0)
            return fail("expected path.to.key=value");
        value_ = std::string(setting.substr(equals + 1));
        for (std::string_view rest = setting.substr(0, equals);;) {
            const std::size_t dot = rest.find('.');
            path_.emplace_back(rest.substr(0, dot));
            if (path_.back().empty())
                return fail("the path has an empty part");
            if (dot == std::string_view::npos)
                return true;
            rest.remove_prefix(dot + 1);
        }
    }

    void put(toml::table& table, std::size_t depth) {
        const std::string& key = path_[depth];
        if (depth + 1 == path_.size()) {
            put_value(table, key);
            return;
        }
        toml::node* next = table.get(key);
        if (!next) {
            table.insert(key, toml::table{});
            next = table.get(key);
            record_->option_node(next, option_);
        }
        if (toml::table* inner = next->as_table())
            put(*inner, depth + 1);
        else if (toml::array* array = next->as_array())
            put_in_array(*array, depth + 1);
        else
            fail(fmt::format("'{}' is a value, not a table", key));
    }

  private:
    bool fail(std::string message) {
        record_->complain(place{option_}, std::move(message));
        return false;
    }

    void put_value(toml::table& table, const std::string& key) {
        try {
            toml::table parsed = toml::parse("v = " + value_);
            if (parsed.size() == 1)
                table.insert_or_assign(key, *parsed.get("v"));
            else
                table.insert_or_assign(key, value_);
        } catch (const toml::parse_error&) {
            table.insert_or_assign(key, value_); // a bare word
        }
        mark(*table.get(key));
    }

    /// The parsed value carries places in the option's text, which would read as places in the file.
    void mark(toml::node& node) {
        record_->option_node(&node, option_);
        if (toml::array* array = node.as_array())
            for (auto& element : *array)
                mark(element);
        if (toml::table* table = node.as_table())
            for (auto&& [key, element] : *table)
                mark(element);
    }

    void put_in_array(toml::array& array, std::size_t depth) {
        const std::string& which = path_[depth];
        if (depth + 1 == path_.size()) {
            fail(fmt::format("'{}' is an element; a key of it is needed, such as {}.memory", which, which));
            return;
        }
        bool found = false;
        std::vector<std::string> names;
        for (std::size_t i = 0; i < array.size(); ++i) {
            toml::table* element = array.get(i)->as_table();
            if (!element)
                continue;
            const auto name = (*element)["name"].value<std::string>();
            if (name)
                names.push_back(*name);
            if (which == "*" || which == std::to_string(i) || name == which) {
                put(*element, depth + 1);
                found = true;
            }
        }
        if (!found) {
            const std::vector<std::string_view> views(names.begin(), names.end());
            fail(fmt::format("no {} is called '{}'{}", path_[depth - 1], which, suggestion(which, views)));
        }
    }

    std::string option_;
    input_record* record_;
    std::vector<std::string> path_;
    std::string value_;
};

} // namespace

void apply_setting(toml::table& root, const std::string& setting, input_record& record) {
    setting_writer writer(setting, record);
    if (writer.parse(setting))
        writer.put(root, 0);
}

} // namespace vg810::scenarios
