// SPDX-License-Identifier: Apache-2.0
#include "scenarios/steps/output_value.h"

#include <charconv>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <regex>

namespace vg810::scenarios {
namespace {

using nlohmann::json;

std::string shortened(std::string_view text, std::size_t most = 160) {
    while (!text.empty() && (text.back() == '\n' || text.back() == ' '))
        text.remove_suffix(1);
    std::string out =
        text.size() <= most ? std::string(text) : "..." + std::string(text.substr(text.size() - most));
    for (std::size_t i = out.find('\n'); i != std::string::npos; i = out.find('\n', i))
        out.replace(i, 1, " | ");
    return out;
}

/// One step into `value`: a key, or an index when it is an array.
const json* child(const json& value, std::string_view part) {
    if (value.is_object()) {
        const auto found = value.find(std::string(part));
        return found == value.end() ? nullptr : &*found;
    }
    std::size_t index = 0;
    const auto read = std::from_chars(part.data(), part.data() + part.size(), index);
    const bool number = read.ec == std::errc() && read.ptr == part.data() + part.size();
    return value.is_array() && number && index < value.size() ? &value[index] : nullptr;
}

std::string bounds(double value, const std::optional<double>& min, const std::optional<double>& max) {
    if (min && value < *min)
        return fmt::format("{} is below {}", value, *min);
    if (max && value > *max)
        return fmt::format("{} is above {}", value, *max);
    return "";
}

void take_value(const value_config& v, const std::string& output, step_result& result) {
    const figure found = v.json ? json_figure(output, *v.json) : regex_figure(output, *v.regex);
    if (const auto* problem = std::get_if<std::string>(&found)) {
        result.failures.push_back(fmt::format("{}: {}", v.name, *problem));
        return;
    }
    const double value = std::get<double>(found);
    result.values[v.name] = value;
    if (const std::string problem = bounds(value, v.min, v.max); !problem.empty())
        result.failures.push_back(fmt::format("{}: {}", v.name, problem));
}

/// std::regex recurses and may give up on long input: that is a failure of the step, not of the run.
std::optional<bool> found(const std::string& output, const std::string& regex) {
    try {
        return std::regex_search(output, std::regex(regex, std::regex::ECMAScript | std::regex::multiline));
    } catch (const std::regex_error&) {
        return std::nullopt;
    }
}

} // namespace

figure json_figure(std::string_view output, std::string_view path) {
    const std::size_t start = output.find_first_of("{[");
    if (start == std::string_view::npos)
        return "the output is no JSON: " + shortened(output);
    // A parser that stops after the first whole value; what follows does not matter.
    json root = json::parse(output.substr(start), nullptr, false);
    if (root.is_discarded())
        root = json::parse(output.substr(start, output.find_last_of("}]") - start + 1), nullptr, false);
    if (root.is_discarded())
        return "the output is no JSON: " + shortened(output);
    const json* value = &root;
    for (std::string_view rest = path; !rest.empty();) {
        const std::size_t end = rest.find_first_of(".[]");
        const std::string_view part = rest.substr(0, end);
        rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
        if (part.empty())
            continue; // between "]" and "."
        value = child(*value, part);
        if (!value)
            return fmt::format("the output has no '{}' of {}", part, path);
    }
    if (value->is_boolean())
        return value->get<bool>() ? 1.0 : 0.0;
    if (!value->is_number())
        return fmt::format("{} is no number", path);
    return value->get<double>();
}

figure regex_figure(const std::string& output, const std::string& regex) {
    std::smatch match;
    try {
        const std::regex compiled(regex, std::regex::ECMAScript | std::regex::multiline);
        if (!std::regex_search(output, match, compiled))
            return fmt::format("nothing matches '{}' in: {}", regex, shortened(output));
    } catch (const std::regex_error& e) {
        return fmt::format("'{}' cannot be searched for: {}", regex, e.what());
    }
    const std::string text = match[1].str();
    double value = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
    if (read.ec != std::errc() || read.ptr != text.data() + text.size())
        return fmt::format("'{}' is no number", text);
    return value;
}

void judge(const step_config& step, const std::string& output, step_result& result) {
    if (result.exit_status && *result.exit_status != step.expect_exit)
        result.failures.push_back(fmt::format("exit status {}, expected {}; last output: {}",
                                              *result.exit_status, step.expect_exit, shortened(output)));
    for (const std::string& text : step.expect_contains)
        if (output.find(text) == std::string::npos)
            result.failures.push_back(fmt::format("the output does not contain '{}'", text));
    for (const std::string& regex : step.expect_match)
        if (found(output, regex) != true)
            result.failures.push_back(fmt::format("nothing in the output matches '{}'", regex));
    for (const std::string& regex : step.forbid_match)
        if (found(output, regex) != false)
            result.failures.push_back(fmt::format("the output matches '{}'", regex));
    for (const value_config& v : step.values)
        take_value(v, output, result);
}

} // namespace vg810::scenarios
