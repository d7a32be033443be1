// SPDX-License-Identifier: Apache-2.0
// Two ways to print described structs: as TOML with every value in force (it can be read back), and as the
// reference of keys that a user looks things up in.
#pragma once

#include "core/parameters.h"

#include <string>

namespace vg810::scenarios {

/// TOML. Tables come after plain values, as the format wants.
class parameter_printer final : public parameter_visitor {
  public:
    explicit parameter_printer(std::string path = {}) : path_(std::move(path)) {}

    std::string text() const { return values_ + tables_; }

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

  protected:
    bool wants_optional(const parameter&, bool has_value) override { return has_value; }

  private:
    void line(const parameter& p, const std::string& value);
    std::string path_of(std::string_view key) const;

    std::string path_;
    std::string values_;
    std::string tables_;
};

/// One line a key: path, kind and range, default, meaning.
class parameter_reference final : public parameter_visitor {
  public:
    explicit parameter_reference(std::string path = {}) : path_(std::move(path)) {}

    const std::string& text() const { return text_; }

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

  protected:
    bool wants_optional(const parameter& p, bool has_value) override;

  private:
    void line(const parameter& p, const std::string& kind, const std::string& preset);
    std::string path_of(std::string_view key) const;

    std::string path_;
    std::string text_;
    bool optional_ = false;
};

} // namespace vg810::scenarios
