// SPDX-License-Identifier: Apache-2.0
#include "scenarios/checks/checks.h"

#include "scenarios/checks/capture_check.h"
#include "scenarios/config/host_pattern.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

namespace vg810::scenarios {
namespace {

void bound(const check_config& check, const std::string& what, double value, check_result& result) {
    if (check.equals && value != *check.equals)
        result.failures.push_back(fmt::format("{} is {}, expected {}", what, value, *check.equals));
    if (check.min && value < *check.min)
        result.failures.push_back(fmt::format("{} is {}, below {}", what, value, *check.min));
    if (check.max && value > *check.max)
        result.failures.push_back(fmt::format("{} is {}, above {}", what, value, *check.max));
}

void check_value(const check_config& check, const check_inputs& in, check_result& result) {
    const std::size_t dot = check.of.find('.');
    bool found = false;
    for (const step_result& step : in.report->steps) {
        const auto value = step.values.find(check.of.substr(dot + 1));
        if (step.name != check.of.substr(0, dot) || value == step.values.end())
            continue;
        found = true;
        bound(check, check.of, value->second, result);
        result.detail = fmt::format("{}", value->second);
    }
    if (!found)
        result.failures.push_back(fmt::format("{} was not measured", check.of));
}

void check_counter(const check_config& check, const check_inputs& in, check_result& result) {
    std::size_t found = 0;
    for (const metric& m : in.report->metrics)
        if (m.moment == "end" && matches(check.of, m.name)) {
            ++found;
            bound(check, m.name, static_cast<double>(m.value), result);
        }
    result.detail = fmt::format("{} counters", found);
    if (found == 0)
        result.failures.push_back(fmt::format("no counter is called {}", check.of));
}

void check_capture(const check_config& check, const check_inputs& in, check_result& result) {
    const auto file = in.directory->file(check.of);
    const capture_findings found = inspect_capture(file);
    result.failures = found.problems;
    if (found.problem_count > found.problems.size())
        result.failures.push_back(fmt::format("{} more", found.problem_count - found.problems.size()));
    if (found.frames < static_cast<std::uint64_t>(check.min_frames))
        result.failures.push_back(
            fmt::format("{} frames, expected at least {}", found.frames, check.min_frames));
    const int complaints = tshark_complaints(file);
    if (complaints > 0)
        result.failures.push_back(
            fmt::format("tshark finds {} frames malformed or with a bad checksum", complaints));
    result.detail = fmt::format("{} frames, {} with checksums", found.frames, found.with_checksums);
}

/// What the guest's own program printed for one echo.
struct guest_measure {
    double rtt_ns;
    double before_ns; ///< the model's time just before the send
    double after_ns;
};

std::map<std::uint16_t, guest_measure> guest_measures(const std::string& output) {
    std::map<std::uint16_t, guest_measure> all;
    const auto start = output.find('{');
    if (start == std::string::npos)
        return all;
    const auto root = nlohmann::json::parse(output.substr(start), nullptr, false);
    if (!root.is_object() || !root.contains("echoes") || !root["echoes"].is_array())
        return all;
    for (const auto& e : root["echoes"])
        if (e.is_object())
            all[e.value("sequence", std::uint16_t{0})] = {e.value("rtt_ns", 0.0), e.value("before_ns", 0.0),
                                                          e.value("after_ns", 0.0)};
    return all;
}

std::string read(const std::filesystem::path& file) {
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
}

void compare_rtt(const check_config& check, const ping_trip& trip, const guest_measure& guest,
                 check_result& result) {
    const auto ns = [](picoseconds t) { return static_cast<double>(t.count()) / 1000; };
    const double sending = ns(trip.doorbell) - guest.before_ns;
    const double receiving = guest.after_ns - ns(trip.interrupt);
    const double sum = sending + ns(trip.total()) + receiving;
    if (std::abs(guest.rtt_ns - sum) > check.rtt_tolerance * sum)
        result.failures.push_back(
            fmt::format("sequence {}: the guest measured {} ns, the parts add up to {:.0f} ns",
                        trip.id.sequence, guest.rtt_ns, sum));
    if (sending < 0 || receiving < 0)
        result.failures.push_back(
            fmt::format("sequence {}: the card acted before its guest", trip.id.sequence));
}

void check_ping(const check_config& check, const check_inputs& in, check_result& result) {
    std::size_t trips = 0;
    double worst = 0;
    for (const step_result& step : in.report->steps) {
        if (step.name != check.of)
            continue;
        const auto measures = guest_measures(read(in.directory->file(step.output_file)));
        for (const ping_trip& trip : *in.pings) {
            if (trip.from != step.host || trip.doorbell < step.started || trip.interrupt > step.ended)
                continue;
            ++trips;
            worst = std::max(worst, wire_error(trip, in.wire_time));
            if (const auto guest = measures.find(trip.id.sequence); guest != measures.end())
                compare_rtt(check, trip, guest->second, result);
            else
                result.failures.push_back(
                    fmt::format("sequence {}: the guest printed no figure", trip.id.sequence));
        }
    }
    if (trips == 0)
        result.failures.push_back(
            fmt::format("no ping of step {} was followed through both cards", check.of));
    if (worst > check.wire_tolerance)
        result.failures.push_back(
            fmt::format("the wire part is off the closed form by {:.2f} %", worst * 100));
    result.detail = fmt::format("{} pings, wire part within {:.3f} % of the closed form", trips, worst * 100);
}

void check_figure(const check_config& check, const check_inputs& in, check_result& result) {
    std::size_t found = 0;
    for (const auto& [name, value] : in.report->figures)
        if (matches(check.of, name)) {
            ++found;
            bound(check, name, value, result);
            result.detail = found == 1 ? fmt::format("{}", value) : fmt::format("{} figures", found);
        }
    if (found == 0)
        result.failures.push_back(fmt::format("no figure is called {}", check.of));
}

void check_verdict(const check_config& check, const check_inputs& in, check_result& result) {
    result.detail = in.report->verdict;
    if (in.report->verdict != check.expect)
        result.failures.push_back(
            fmt::format("the run ended as {}, expected {}", in.report->verdict, check.expect));
}

constexpr std::string_view kind_names[] = {"value",       "counter", "capture-clean",
                                           "ping-timing", "figure",  "verdict"};

} // namespace

check_result evaluate(const check_config& check, const check_inputs& inputs) {
    check_result result;
    result.name = check.name;
    result.kind = kind_names[static_cast<std::size_t>(check.kind)];
    switch (check.kind) {
    case check_kind::value:
        check_value(check, inputs, result);
        break;
    case check_kind::counter:
        check_counter(check, inputs, result);
        break;
    case check_kind::capture_clean:
        check_capture(check, inputs, result);
        break;
    case check_kind::ping_timing:
        check_ping(check, inputs, result);
        break;
    case check_kind::figure:
        check_figure(check, inputs, result);
        break;
    case check_kind::verdict:
        check_verdict(check, inputs, result);
        break;
    }
    return result;
}

} // namespace vg810::scenarios
