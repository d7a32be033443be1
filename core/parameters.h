// SPDX-License-Identifier: Apache-2.0
// How plain configuration structs tell their fields: key, meaning, range. One description serves the reader
// of scenario files, `--print-config` and the reference of keys, so the three cannot disagree.
#pragma once

#include "core/units.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

namespace vg810 {

/// One parameter as a user sees it. The views must outlive the visit (string literals do).
struct parameter {
    std::string_view key;
    std::string_view doc; ///< one sentence, the unit included
    bool required = false;
};

/// Inclusive bounds.
template <class T> struct range {
    T least;
    T most;
};

inline constexpr range<picoseconds> any_time{picoseconds(0), picoseconds::from_ns(1'000'000'000'000'000)};
inline constexpr range<bits_per_second> any_rate{bits_per_second(1'000'000),
                                                 bits_per_second(1'000'000'000'000)};

/// A length of cable, in millimetres. Range: 0 .. 9.2e15 mm.
struct millimetres {
    std::int64_t count = 0;
    auto operator<=>(const millimetres&) const = default;
};

/// Told every field of a struct, in order. A field's present value is its default.
class parameter_visitor {
  public:
    virtual ~parameter_visitor() = default;

    virtual void visit(const parameter& p, bool& value) = 0;
    virtual void visit(const parameter& p, std::int64_t& value, range<std::int64_t> allowed) = 0;
    virtual void visit(const parameter& p, double& value, range<double> allowed) = 0;
    virtual void visit(const parameter& p, std::string& value) = 0;
    virtual void visit(const parameter& p, std::vector<std::string>& values) = 0;
    virtual void visit(const parameter& p, std::vector<std::int64_t>& values,
                       range<std::int64_t> allowed) = 0;
    virtual void visit(const parameter& p, picoseconds& value, range<picoseconds> allowed) = 0;
    virtual void visit(const parameter& p, bits_per_second& value, range<bits_per_second> allowed) = 0;
    virtual void visit(const parameter& p, millimetres& value, range<millimetres> allowed) = 0;
    /// A number of octets.
    virtual void visit_size(const parameter& p, bytes& value, range<bytes> allowed) = 0;
    /// One of `names`; `index` says which.
    virtual void visit_choice(const parameter& p, std::size_t& index,
                              std::span<const std::string_view> names) = 0;
    virtual void visit_table(const parameter& p, const std::function<void(parameter_visitor&)>& fields) = 0;
    /// An array of tables: `resize` is called by a reader, then `fields` for each element.
    virtual void visit_tables(const parameter& p, std::size_t count,
                              const std::function<void(std::size_t)>& resize,
                              const std::function<void(std::size_t, parameter_visitor&)>& fields) = 0;

    /// A field that may stay unset.
    template <class T, class... Rule>
    void visit_optional(const parameter& p, std::optional<T>& value, Rule... rule) {
        if (!wants_optional(p, value.has_value()))
            return;
        if constexpr (std::is_default_constructible_v<T>) {
            if (!value)
                value.emplace();
        } else {
            if (!value) // a rate has no default: start with the least that is allowed
                value = std::get<0>(std::tuple(rule...)).least;
        }
        visit(p, *value, rule...);
    }

    /// An enumeration whose enumerators count up from 0 in the order of `names`.
    template <class Enum>
    void visit_enum(const parameter& p, Enum& value, std::span<const std::string_view> names) {
        auto index = static_cast<std::size_t>(value);
        visit_choice(p, index, names);
        value = static_cast<Enum>(index);
    }

    /// A struct with a member `void describe(parameter_visitor&)`.
    template <class T> void visit_struct(const parameter& p, T& value) {
        visit_table(p, [&value](parameter_visitor& v) { value.describe(v); });
    }

    /// An array of such structs; new elements are copies of `fresh`.
    template <class T> void visit_structs(const parameter& p, std::vector<T>& values, const T& fresh = T{}) {
        visit_tables(
            p, values.size(), [&](std::size_t count) { values.resize(count, fresh); },
            [&](std::size_t i, parameter_visitor& v) { values[i].describe(v); });
    }

  protected:
    /// Whether an optional field is to be visited: a reader asks its input, a printer looks at `has_value`.
    virtual bool wants_optional(const parameter& p, bool has_value) = 0;
};

} // namespace vg810
