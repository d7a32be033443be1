// SPDX-License-Identifier: Apache-2.0
#include "fabric/capture.h"

#include <algorithm>

namespace vg810::fabric {

capture::capture(cable& c, std::string path, pcapng_writer::error_handler on_error)
    : cable_(c), file_(std::move(path), std::move(on_error)) {
    file_.add_interface(c.parameters().name, c.parameters().rate);
    c.add_tap(*this);
}

void capture::frame_sent(cable_side from, const frame& f, picoseconds first_bit) {
    const auto s = f.stored();
    waiting(from).push_back({first_bit, f.length(), f.fcs_bad, {s.begin(), s.end()}});
    write_decided();
}

// Side s sends nothing more with a first bit before this. It cannot before its own time; and whatever it
// sends arrives at the other side, at that side's time or later.
picoseconds capture::horizon(cable_side s) const {
    const picoseconds far_now = cable_.domain(other(s)).now(), reach = cable_.latency(s, max_frame_bytes);
    return std::max(cable_.domain(s).now(), far_now > reach ? far_now - reach : picoseconds{});
}

// In the order of time, side a before side b in a tie.
bool capture::goes_first(cable_side s) const {
    if (waiting(s).empty())
        return false;
    const picoseconds mine = waiting(s).front().first_bit;
    const auto& theirs = waiting(other(s));
    const picoseconds next = theirs.empty() ? horizon(other(s)) : theirs.front().first_bit;
    return s == cable_side::a ? mine <= next : mine < next;
}

void capture::write_decided() {
    for (;;) {
        if (goes_first(cable_side::a))
            write_front(cable_side::a);
        else if (goes_first(cable_side::b))
            write_front(cable_side::b);
        else
            return;
    }
}

void capture::write_front(cable_side s) {
    const pending& p = waiting(s).front();
    const auto way =
        s == cable_side::a ? pcapng_writer::direction::outbound : pcapng_writer::direction::inbound;
    file_.write({0, p.first_bit, p.octets, p.length, way, p.fcs_bad});
    waiting(s).pop_front();
}

void capture::flush() {
    write_decided();
    file_.flush();
}

void capture::finish() {
    for (;;) {
        write_decided();
        const auto &a = waiting(cable_side::a), &b = waiting(cable_side::b);
        if (a.empty() && b.empty())
            break;
        write_front(b.empty() || (!a.empty() && a.front().first_bit <= b.front().first_bit) ? cable_side::a
                                                                                            : cable_side::b);
    }
    file_.close();
}

} // namespace vg810::fabric
