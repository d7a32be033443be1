// SPDX-License-Identifier: Apache-2.0
#include "scenarios/config/quantity.h"

#include <array>
#include <cstdint>
#include <limits>
#include <span>

namespace vg810::scenarios {
namespace {

struct unit {
    std::string_view name;
    std::int64_t factor; // of the type's own unit
};

// Smallest first; the first of equal factors is the one that is printed.
constexpr std::array time_units{unit{"ps", 1},
                                unit{"ns", 1'000},
                                unit{"us", 1'000'000},
                                unit{"ms", 1'000'000'000},
                                unit{"s", 1'000'000'000'000},
                                unit{"min", 60'000'000'000'000},
                                unit{"h", 3'600'000'000'000'000}};
constexpr std::array rate_units{unit{"b/s", 1},
                                unit{"K", 1'000},
                                unit{"Kb/s", 1'000},
                                unit{"M", 1'000'000},
                                unit{"Mb/s", 1'000'000},
                                unit{"G", 1'000'000'000},
                                unit{"Gb/s", 1'000'000'000},
                                unit{"T", 1'000'000'000'000},
                                unit{"Tb/s", 1'000'000'000'000}};
constexpr std::array size_units{unit{"B", 1},          unit{"KB", 1'000},    unit{"KiB", 1 << 10},
                                unit{"MB", 1'000'000}, unit{"MiB", 1 << 20}, unit{"GB", 1'000'000'000},
                                unit{"GiB", 1 << 30}};
constexpr std::array length_units{unit{"mm", 1}, unit{"cm", 10}, unit{"m", 1'000}, unit{"km", 1'000'000}};

struct decimal {
    __int128 digits = 0; // value * 10^places
    int places = 0;
    std::string_view rest;
};

/// Digits, optionally a point and more digits; at most 18 digits in all, so that nothing below overflows.
std::optional<decimal> parse_decimal(std::string_view text) {
    decimal d;
    bool point = false;
    std::size_t i = 0;
    std::size_t digits = 0;
    for (; i < text.size(); ++i) {
        const char c = text[i];
        if (c == '.' && !point && digits > 0) {
            point = true;
            continue;
        }
        if (c < '0' || c > '9')
            break;
        if (++digits > 18)
            return std::nullopt;
        d.digits = d.digits * 10 + (c - '0');
        d.places += point;
    }
    if (digits == 0 || (point && d.places == 0))
        return std::nullopt;
    d.rest = text.substr(i);
    return d;
}

std::optional<std::int64_t> parse(std::string_view text, std::span<const unit> units) {
    const auto number = parse_decimal(text);
    if (!number)
        return std::nullopt;
    for (const unit& u : units) {
        if (number->rest != u.name)
            continue;
        __int128 scaled = number->digits * u.factor;
        for (int i = 0; i < number->places; ++i) {
            if (scaled % 10 != 0)
                return std::nullopt; // finer than the type
            scaled /= 10;
        }
        if (scaled > std::numeric_limits<std::int64_t>::max())
            return std::nullopt;
        return static_cast<std::int64_t>(scaled);
    }
    return std::nullopt;
}

std::string print(std::int64_t value, std::span<const unit> units) {
    const unit* best = &units.front();
    for (const unit& u : units)
        if (value != 0 && value % u.factor == 0 && u.factor > best->factor)
            best = &u;
    return std::to_string(value / best->factor) + std::string(best->name);
}

} // namespace

std::optional<picoseconds> parse_time(std::string_view text) {
    const auto count = parse(text, time_units);
    return count ? std::optional(picoseconds(*count)) : std::nullopt;
}

std::optional<bits_per_second> parse_rate(std::string_view text) {
    const auto count = parse(text, rate_units);
    return count && *count > 0 ? std::optional(bits_per_second(*count)) : std::nullopt;
}

std::optional<bytes> parse_size(std::string_view text) {
    const auto count = parse(text, size_units);
    return count ? std::optional(static_cast<bytes>(*count)) : std::nullopt;
}

std::optional<millimetres> parse_length(std::string_view text) {
    const auto count = parse(text, length_units);
    return count ? std::optional(millimetres{*count}) : std::nullopt;
}

std::string to_text(picoseconds time) {
    return print(time.count(), time_units);
}
std::string to_text(bits_per_second rate) {
    return print(rate.count(), rate_units);
}
std::string to_text(millimetres length) {
    return print(length.count, length_units);
}
std::string size_text(bytes size) {
    return print(static_cast<std::int64_t>(size), size_units);
}

} // namespace vg810::scenarios
