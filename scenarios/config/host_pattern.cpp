// SPDX-License-Identifier: Apache-2.0
#include "scenarios/config/host_pattern.h"

#include "scenarios/config/nearest.h"

#include <charconv>
#include <fmt/format.h>
#include <optional>
#include <unordered_map>

namespace vg810::scenarios {
namespace {

struct number_range {
    std::string_view before, after;
    std::uint32_t first, last;
};

/// "host[0-15]" or "host[3]".
std::optional<number_range> parse_range(std::string_view text) {
    const std::size_t open = text.find('['), close = text.find(']');
    if (open == std::string_view::npos || close == std::string_view::npos || close < open)
        return std::nullopt;
    number_range r{text.substr(0, open), text.substr(close + 1), 0, 0};
    const char* const end = text.data() + close;
    auto read = std::from_chars(text.data() + open + 1, end, r.first);
    r.last = r.first;
    if (read.ec == std::errc() && read.ptr != end && *read.ptr == '-')
        read = std::from_chars(read.ptr + 1, end, r.last);
    if (read.ec != std::errc() || read.ptr != end || r.last < r.first || r.last - r.first > 1'000'000)
        return std::nullopt;
    return r;
}

class finder {
  public:
    explicit finder(const std::vector<std::string>& names) : names_(names), taken_(names.size(), false) {
        for (std::uint32_t i = 0; i < names.size(); ++i)
            index_.emplace(names[i], i);
    }

    /// Why it means nothing; empty when it means something.
    std::string add(const std::string& pattern) {
        if (pattern.find('*') != std::string::npos)
            return add_wildcard(pattern);
        if (pattern.find('[') == std::string::npos)
            return add_name(pattern);
        const auto r = parse_range(pattern);
        if (!r)
            return fmt::format("'{}' is no range of hosts such as host[0-15]", pattern);
        for (std::uint32_t i = r->first; i <= r->last; ++i)
            if (const auto why = add_name(fmt::format("{}{}{}", r->before, i, r->after)); !why.empty())
                return why;
        return {};
    }
    std::vector<std::uint32_t> found;

  private:
    std::string add_name(const std::string& name) {
        const auto at = index_.find(name);
        if (at != index_.end()) {
            take(at->second);
            return {};
        }
        if (names_.size() > 64)
            return fmt::format("there is no host '{}'", name);
        const std::vector<std::string_view> views(names_.begin(), names_.end());
        return fmt::format("there is no host '{}'{}", name, suggestion(name, views));
    }

    std::string add_wildcard(const std::string& pattern) {
        bool any = false;
        for (std::uint32_t i = 0; i < names_.size(); ++i)
            if (matches(pattern, names_[i])) {
                take(i);
                any = true;
            }
        return any ? std::string() : fmt::format("no host is called {}", pattern);
    }

    void take(std::uint32_t i) {
        if (!taken_[i])
            found.push_back(i);
        taken_[i] = true;
    }

    const std::vector<std::string>& names_;
    std::unordered_map<std::string_view, std::uint32_t> index_;
    std::vector<bool> taken_;
};

} // namespace

bool matches(std::string_view pattern, std::string_view text) {
    const std::size_t star = pattern.find('*');
    if (star == std::string_view::npos)
        return pattern == text;
    if (!text.starts_with(pattern.substr(0, star)))
        return false;
    text.remove_prefix(star);
    pattern.remove_prefix(star + 1);
    for (std::size_t skip = 0; skip <= text.size(); ++skip)
        if (matches(pattern, text.substr(skip)))
            return true;
    return false;
}

std::vector<std::uint32_t> find_hosts(const std::vector<std::string>& patterns,
                                      const std::vector<std::string>& names,
                                      std::vector<pattern_problem>& problems) {
    finder f(names);
    for (std::size_t i = 0; i < patterns.size(); ++i)
        if (std::string why = f.add(patterns[i]); !why.empty())
            problems.push_back({i, std::move(why)});
    return std::move(f.found);
}

} // namespace vg810::scenarios
