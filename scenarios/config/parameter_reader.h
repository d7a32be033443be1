// SPDX-License-Identifier: Apache-2.0
// Fills configuration structs from TOML, strictly: an unknown key, a wrong type, a value out of range or a
// missing required key each becomes a diagnostic with its place; nothing is skipped over in silence.
#pragma once

#include "core/parameters.h"
#include "scenarios/config/diagnostics.h"
#include "scenarios/config/toml.h"

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

namespace vg810::scenarios {

/// Where each value came from, by its path ("host[0].leaf"), and what is wrong so far.
class input_record {
  public:
    explicit input_record(std::string file) : file_(std::move(file)) {}

    /// The place of `path`, or of the nearest enclosing table that was written; else the file.
    place at(const std::string& path) const;
    bool has(const std::string& path) const { return places_.contains(path); }
    void remember(const std::string& path, place where) { places_[path] = std::move(where); }
    void complain(place where, std::string message);
    void complain(const std::string& path, std::string message) { complain(at(path), std::move(message)); }

    /// Nodes that an option put in: their place is the option.
    void option_node(const toml::node* node, std::string option) { options_[node] = std::move(option); }
    /// The place of a node; `enclosing` when it has none of its own.
    place of(const toml::node& node, const place& enclosing) const;
    place of(const toml::key& key, const toml::node& node, const place& enclosing) const;

    const std::string& file() const { return file_; }
    /// In the order of their places.
    std::vector<diagnostic> diagnostics() const;
    bool good() const { return diagnostics_.empty(); }

  private:
    std::string file_;
    std::map<std::string, place> places_;
    std::unordered_map<const toml::node*, std::string> options_;
    std::vector<diagnostic> diagnostics_;
};

/// Reads one table. Call the struct's describe() with it, then finish().
class parameter_reader final : public parameter_visitor {
  public:
    parameter_reader(const toml::table& table, input_record& record, std::string path, place where)
        : table_(&table), record_(&record), path_(std::move(path)), where_(std::move(where)) {}

    void visit(const parameter& p, bool& value) override;
    void visit(const parameter& p, std::int64_t& value, range<std::int64_t> allowed) override;
    void visit(const parameter& p, double& value, range<double> allowed) override;
    void visit(const parameter& p, std::string& value) override;
    void visit(const parameter& p, std::vector<std::string>& values) override;
    void visit(const parameter& p, std::vector<std::int64_t>& values, range<std::int64_t> allowed) override;
    void visit(const parameter& p, picoseconds& value, range<picoseconds> allowed) override;
    void visit(const parameter& p, bits_per_second& value, range<bits_per_second> allowed) override;
    void visit(const parameter& p, millimetres& value, range<millimetres> allowed) override;
    void visit_size(const parameter& p, bytes& value, range<bytes> allowed) override;
    void visit_choice(const parameter& p, std::size_t& index,
                      std::span<const std::string_view> names) override;
    void visit_table(const parameter& p, const std::function<void(parameter_visitor&)>& fields) override;
    void visit_tables(const parameter& p, std::size_t count, const std::function<void(std::size_t)>& resize,
                      const std::function<void(std::size_t, parameter_visitor&)>& fields) override;

    /// Complains about keys that nothing asked for.
    void finish();

  protected:
    bool wants_optional(const parameter& p, bool has_value) override;

  private:
    const toml::node* take(const parameter& p);
    std::string path_of(std::string_view key) const;
    void expected(const parameter& p, const toml::node& node, std::string_view what);
    template <class T>
    void quantity(const parameter& p, T& value, range<T> allowed, std::optional<T> (*parse)(std::string_view),
                  std::string (*print)(T), std::string_view what);

    const toml::table* table_;
    input_record* record_;
    std::string path_;
    place where_;
    std::vector<std::string_view> known_;
};

} // namespace vg810::scenarios
