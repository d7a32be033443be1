// SPDX-License-Identifier: Apache-2.0
// JUnit XML as the common CI systems read it: testsuite > testcase > failure | error.
#include "core/units.h"
#include "scenarios/report/run_report.h"

#include <algorithm>
#include <fmt/format.h>
#include <string_view>

namespace vg810::scenarios {
namespace {

/// Octets of the well-formed UTF-8 character (RFC 3629) at the start of `text`; 0 if there is none.
std::size_t utf8_length(std::string_view text) {
    const auto octet = [&](std::size_t i) {
        return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
    };
    const unsigned first = octet(0);
    if (first < 0x80)
        return 1;
    const std::size_t length = first >= 0xc2 && first < 0xe0   ? 2
                               : (first & 0xf0) == 0xe0        ? 3
                               : first >= 0xf0 && first < 0xf5 ? 4
                                                               : 0;
    for (std::size_t i = 1; i < length; ++i)
        if ((octet(i) & 0xc0) != 0x80)
            return 0;
    const unsigned second = octet(1);
    const bool bad = (first == 0xe0 && second < 0xa0) || (first == 0xed && second >= 0xa0) ||
                     (first == 0xf0 && second < 0x90) || (first == 0xf4 && second >= 0x90) ||
                     (first == 0xef && second == 0xbf && octet(2) >= 0xbe); // U+FFFE, U+FFFF: not XML
    return bad ? 0 : length;
}

/// XML 1.0 allows no control characters but tab, newline and return, not even escaped.
std::string xml(std::string_view text) {
    std::string out;
    while (!text.empty()) {
        const std::size_t length = utf8_length(text);
        const char c = text.front();
        if (length == 0)
            out += '?';
        else if (length > 1)
            out += text.substr(0, length);
        else if (c == '&')
            out += "&amp;";
        else if (c == '<')
            out += "&lt;";
        else if (c == '>')
            out += "&gt;";
        else if (c == '"')
            out += "&quot;";
        else if (c == '\n' || c == '\t')
            out += fmt::format("&#{};", static_cast<int>(c));
        else
            out += static_cast<unsigned char>(c) < 0x20 ? '?' : c;
        text.remove_prefix(std::max<std::size_t>(length, 1));
    }
    return out;
}

std::string test_case(std::string_view group, std::string_view name, picoseconds duration,
                      const std::vector<std::string>& failures, bool skipped = false) {
    std::string out = fmt::format("  <testcase classname=\"{}\" name=\"{}\" time=\"{:.9f}\"", xml(group),
                                  xml(name), duration.as_seconds());
    if (failures.empty() && !skipped)
        return out + "/>\n";
    out += skipped ? ">\n    <skipped/>\n" : ">\n";
    for (const std::string& f : failures)
        out += fmt::format("    <failure message=\"{}\"/>\n", xml(f));
    return out + "  </testcase>\n";
}

} // namespace

std::string junit_xml(const run_report& report) {
    const auto skipped =
        std::count_if(report.steps.begin(), report.steps.end(), [](const auto& s) { return s.skipped; });
    const auto failed = [](const auto& item) { return !item.passed(); };
    const auto failures = std::count_if(report.steps.begin(), report.steps.end(), failed) +
                          std::count_if(report.checks.begin(), report.checks.end(), failed);
    const bool broken = !report.reason.empty();
    std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
    out += fmt::format(
        "<testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{:.9f}\">\n",
        xml(report.scenario), report.steps.size() + report.checks.size() + broken, failures, broken ? 1 : 0,
        skipped, report.simulated.as_seconds());
    for (const step_result& s : report.steps)
        out += test_case(report.scenario + ".step", s.name + " on " + s.host, s.ended - s.started, s.failures,
                         s.skipped);
    for (const check_result& c : report.checks)
        out += test_case(report.scenario + ".check", c.name, picoseconds(0), c.failures);
    if (broken)
        out += fmt::format(
            "  <testcase classname=\"{0}\" name=\"run\" time=\"0\">\n    <error message=\"{1}: {2}\"/>\n"
            "  </testcase>\n",
            xml(report.scenario), to_string(report.outcome), xml(report.reason));
    return out + "</testsuite>\n";
}

} // namespace vg810::scenarios
