// SPDX-License-Identifier: Apache-2.0
#include "scenarios/run/ping_trace.h"

#include "core/endian.h"
#include "core/ethernet.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace vg810::scenarios {
namespace {

constexpr std::uint8_t echo_reply = 0;
constexpr std::uint8_t echo_request = 8;

picoseconds wire_expected(const ping_trip& t, const closed_form& expected) {
    return expected(t.from, t.function, t.to, t.far_function, t.length) +
           expected(t.to, t.far_function, t.from, t.function, t.length);
}

template <class Echo> const Echo* find_echo(const std::vector<Echo>& echoes, const echo_id& id) {
    const auto found = std::find_if(echoes.begin(), echoes.end(), [&](const Echo& e) { return e.id == id; });
    return found == echoes.end() ? nullptr : &*found;
}

std::optional<ping_trip> complete(const traced_card& asking, const ping_recorder::sent_echo& request,
                                  const traced_card& answering) {
    const echo_id reply_id{true, request.id.identifier, request.id.sequence};
    const auto* far_in = find_echo(answering.recorder->received(), request.id);
    const auto* reply = find_echo(answering.recorder->sent(), reply_id);
    const auto* in = find_echo(asking.recorder->received(), reply_id);
    if (!far_in || !reply || !in || !far_in->interrupt || !in->interrupt)
        return std::nullopt;
    ping_trip t;
    t.from = asking.host;
    t.to = answering.host;
    t.function = request.function;
    t.far_function = far_in->function;
    t.id = request.id;
    t.length = request.length;
    t.doorbell = request.doorbell;
    t.out = request.out;
    t.far_in = far_in->in;
    t.far_interrupt = *far_in->interrupt;
    t.far_doorbell = reply->doorbell;
    t.far_out = reply->out;
    t.in = in->in;
    t.interrupt = *in->interrupt;
    return t;
}

} // namespace

std::optional<echo_id> echo_of(const frame& f) {
    const parse_result p = parse(f.stored(), f.length());
    if (p.l3 != l3_type::ipv4 || p.protocol != ip_protocol::icmp || p.fragment ||
        p.l4_offset + 8U > f.stored().size())
        return std::nullopt;
    const std::byte* icmp = f.stored().data() + p.l4_offset;
    const auto type = std::to_integer<std::uint8_t>(icmp[0]);
    if (type != echo_request && type != echo_reply)
        return std::nullopt;
    return echo_id{type == echo_reply, load_be<std::uint16_t>(icmp + 4), load_be<std::uint16_t>(icmp + 6)};
}

void ping_recorder::doorbell_seen(unsigned function, std::uint16_t, picoseconds at) {
    last_doorbell_.at(function) = at;
}

void ping_recorder::frame_out(unsigned function, const frame& f, picoseconds at) {
    if (const auto id = echo_of(f))
        sent_.push_back({*id, function, f.length(), last_doorbell_.at(function), at});
}

void ping_recorder::frame_in(unsigned function, const frame& f, picoseconds at) {
    const auto id = echo_of(f);
    if (!id)
        return;
    awaiting_interrupt_.at(function).push_back(received_.size());
    received_.push_back({*id, function, at, std::nullopt});
}

void ping_recorder::interrupt_sent(unsigned function, std::uint16_t, picoseconds at) {
    for (const std::size_t i : awaiting_interrupt_.at(function))
        received_[i].interrupt = at;
    awaiting_interrupt_.at(function).clear();
}

std::vector<ping_trip> find_trips(const std::vector<traced_card>& cards) {
    std::vector<ping_trip> trips;
    for (const traced_card& asking : cards)
        for (const auto& request : asking.recorder->sent()) {
            if (request.id.reply)
                continue;
            for (const traced_card& answering : cards)
                if (&answering != &asking)
                    if (auto trip = complete(asking, request, answering))
                        trips.push_back(std::move(*trip));
        }
    std::stable_sort(trips.begin(), trips.end(),
                     [](const auto& a, const auto& b) { return a.doorbell < b.doorbell; });
    return trips;
}

double wire_error(const ping_trip& trip, const closed_form& expected) {
    const auto want = static_cast<double>(wire_expected(trip, expected).count());
    return std::abs(static_cast<double>(trip.wire().count()) - want) / want;
}

nlohmann::ordered_json to_json(const ping_trip& t, const closed_form& expected) {
    nlohmann::ordered_json out;
    out["from"] = t.from;
    out["to"] = t.to;
    out["sequence"] = t.id.sequence;
    out["frame_bytes"] = t.length;
    out["doorbell_ps"] = t.doorbell.count();
    out["frame_out_ps"] = t.out.count();
    out["far_frame_in_ps"] = t.far_in.count();
    out["far_interrupt_ps"] = t.far_interrupt.count();
    out["far_doorbell_ps"] = t.far_doorbell.count();
    out["far_frame_out_ps"] = t.far_out.count();
    out["frame_in_ps"] = t.in.count();
    out["interrupt_ps"] = t.interrupt.count();
    out["wire_ps"] = t.wire().count();
    out["wire_closed_form_ps"] = wire_expected(t, expected).count();
    return out;
}

std::string to_table(const ping_trip& t, const closed_form& expected) {
    const auto row = [&](const std::string& where, std::string_view what, picoseconds at) {
        return fmt::format("  {:<14} {:<26} {:>14.3f} ns\n", where, what,
                           static_cast<double>((at - t.doorbell).count()) / 1000);
    };
    std::string text = fmt::format("ping {} -> {}, sequence {}, {} octets; time since the doorbell\n", t.from,
                                   t.to, t.id.sequence, t.length);
    text += row(t.from, "doorbell seen", t.doorbell);
    text += row(t.from, "first bit out", t.out);
    text += row(t.to, "last bit in", t.far_in);
    text += row(t.to, "MSI-X raised", t.far_interrupt);
    text += row(t.to, "doorbell seen", t.far_doorbell);
    text += row(t.to, "first bit out", t.far_out);
    text += row(t.from, "last bit in", t.in);
    text += row(t.from, "MSI-X raised", t.interrupt);
    text += fmt::format("  wire, both ways: {:.3f} ns; closed form of the fabric: {:.3f} ns\n",
                        static_cast<double>(t.wire().count()) / 1000,
                        static_cast<double>(wire_expected(t, expected).count()) / 1000);
    return text;
}

} // namespace vg810::scenarios
