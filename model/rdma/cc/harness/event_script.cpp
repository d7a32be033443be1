// SPDX-License-Identifier: Apache-2.0
#include "model/rdma/cc/harness/event_script.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <istream>
#include <ostream>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace vg810::cc {

namespace {

constexpr std::uint32_t end_of_script = ~0u;
constexpr std::array<std::pair<std::string_view, std::uint32_t>, 6> kinds{{{"ack", VG810_CC_ACK},
                                                                           {"nak", VG810_CC_NAK},
                                                                           {"cnp", VG810_CC_CNP},
                                                                           {"sent", VG810_CC_SENT},
                                                                           {"timeout", VG810_CC_TIMEOUT},
                                                                           {"end", end_of_script}}};

struct bad_line {
    std::string why;
};

double number(const std::string& text) {
    char* rest = nullptr;
    const double value = std::strtod(text.c_str(), &rest);
    if (text.empty() || *rest != '\0' || !(value >= 0 && value <= 9e15))
        throw bad_line{fmt::format("'{}' is not a number from 0 to 9e15", text)};
    return value;
}

std::uint64_t whole(const std::string& text, double unit = 1) {
    const double value = number(text) * unit;
    if (!(value <= 9e18))
        throw bad_line{fmt::format("'{}' is too large", text)};
    return static_cast<std::uint64_t>(std::llround(value));
}

vg810_cc_hop read_hop(const std::string& text) {
    std::array<std::string, 4> part;
    std::istringstream parts(text);
    for (std::string& p : part)
        if (!std::getline(parts, p, ','))
            throw bad_line{"hop wants four numbers: time in us, octets sent, octets queued, bit/s"};
    return {whole(part[0], 1e6), whole(part[1]), whole(part[2]), whole(part[3])};
}

void read_field(const std::string& text, scripted_event& s) {
    const std::size_t equals = text.find('=');
    const std::string key = text.substr(0, equals);
    const std::string value = equals == std::string::npos ? "" : text.substr(equals + 1);
    if (key == "bytes")
        s.event.bytes = whole(value);
    else if (key == "sent")
        s.event.sent = whole(value);
    else if (key == "rtt_us")
        s.event.rtt = whole(value, 1e6);
    else if (key == "remote_us")
        s.event.remote_delay = whole(value, 1e6);
    else if (key == "ecn")
        s.event.ecn_marked = static_cast<std::uint32_t>(whole(value));
    else if (key == "hop")
        s.hops.push_back(read_hop(value));
    else
        throw bad_line{fmt::format("no field '{}'; there are bytes, sent, rtt_us, remote_us, ecn, hop", key)};
    if (s.hops.size() > VG810_CC_MAX_HOPS)
        throw bad_line{fmt::format("more than {} hops", VG810_CC_MAX_HOPS)};
}

scripted_event read_event(std::istringstream& words, std::uint64_t not_before) {
    scripted_event s{};
    std::string word;
    words >> word;
    s.event.now = whole(word, 1e6);
    if (s.event.now < not_before)
        throw bad_line{"the time goes back"};
    if (!(words >> s.name))
        throw bad_line{"an event is missing"};
    const auto* found =
        std::find_if(kinds.begin(), kinds.end(), [&](const auto& k) { return k.first == s.name; });
    if (found == kinds.end())
        throw bad_line{fmt::format("no event '{}'; there are ack, nak, cnp, sent, timeout, end", s.name)};
    s.event.kind = found->second;
    while (words >> word)
        read_field(word, s);
    s.event.hop_count = static_cast<std::uint32_t>(s.hops.size());
    return s;
}

void write_row(std::ostream& csv, std::uint64_t now, std::string_view what, const flow& f) {
    const std::string window = f.window() == VG810_CC_NO_WINDOW ? "" : std::to_string(f.window());
    csv << fmt::format("{},{},{},{}\n", static_cast<double>(now) / 1e6, what,
                       static_cast<double>(f.rate()) / 1e9, window);
}

} // namespace

std::vector<scripted_event> read_events(std::istream& in, const std::string& file) {
    std::vector<scripted_event> events;
    std::string line;
    for (int number = 1; std::getline(in, line); ++number) {
        line.resize(std::min(line.find('#'), line.size()));
        std::istringstream words(line);
        if ((words >> std::ws).eof())
            continue;
        try {
            events.push_back(read_event(words, events.empty() ? 0 : events.back().event.now));
        } catch (const bad_line& problem) {
            throw std::runtime_error(fmt::format("{}:{}: {}", file, number, problem.why));
        }
    }
    return events;
}

void play(algorithm& a, const flow_facts& facts, const std::vector<scripted_event>& events,
          std::ostream& csv) {
    csv << "time_us,event,rate_gbps,window_octets\n";
    flow f(a, facts, picoseconds(0));
    write_row(csv, 0, "start", f);
    std::uint64_t acknowledged = 0;
    for (const scripted_event& s : events) {
        const picoseconds now(static_cast<std::int64_t>(s.event.now));
        while (f.next_deadline() <= now) {
            const picoseconds due = f.next_deadline();
            f.run_timers(due);
            write_row(csv, static_cast<std::uint64_t>(due.count()), "timer", f);
        }
        if (s.event.kind == end_of_script)
            return;
        vg810_cc_event e = s.event;
        e.hop = s.hops.data();
        if (e.kind == VG810_CC_ACK)
            acknowledged += e.bytes;
        e.acknowledged = acknowledged;
        e.sent = std::max(e.sent, acknowledged);
        f.tell(e);
        write_row(csv, e.now, s.name, f);
    }
}

} // namespace vg810::cc
