// SPDX-License-Identifier: Apache-2.0
#include "fabric/link_fault.h"

#include "fabric/network.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace vg810::fabric {

void link_fault::describe(parameter_visitor& v) {
    v.visit({"link", "Name of the link: \"host0.0\", \"leaf0-spine1\".", true}, link);
    v.visit_enum({"kind", "What happens to it.", true}, kind, fault_kind_names);
    v.visit({"at", "When it begins."}, at, any_time);
    v.visit_optional({"until", "When it is over; not given: never."}, until, any_time);
    v.visit_enum({"way", "bit-errors, loss, delay: the way concerned; a host, or a leaf, is end a."}, way,
                 fault_way_names);
    v.visit({"period", "flapping: from one loss of signal to the next."}, period,
            range<picoseconds>{1_us, any_time.most});
    v.visit({"down_share", "flapping: share of the period without signal."}, down_share,
            range<double>{0.001, 0.999});
    v.visit({"count", "flapping: how many times."}, count, range<std::int64_t>{1, 100'000});
    v.visit_optional({"rate", "degraded: what both ends send at from then on."}, rate, any_rate);
    v.visit({"bit_error_rate", "bit-errors: probability that a bit is wrong."}, bit_error_rate,
            range<double>{0, 0.5});
    v.visit({"every", "loss: 100 takes each hundredth frame."}, every,
            range<std::int64_t>{0, std::int64_t{1} << 40});
    v.visit_size({"at_least", "loss: shorter frames (octets without FCS) do not count and are not taken."},
                 at_least, range<bytes>{0, max_frame_bytes});
    v.visit({"extra", "delay: how much longer frames take."}, extra, any_time);
}

namespace {

std::string place_of(const link_fault& f) {
    return "fault on link " + f.link;
}

bool overlap(const link_fault& a, const link_fault& b) {
    const auto end = [](const link_fault& f) {
        return f.kind == fault_kind::flapping ? f.at + f.period * f.count : f.until.value_or(never);
    };
    return a.at < end(b) && b.at < end(a);
}

/// Whether a link cannot have both: one more break of a broken cable, two rates at once.
bool contradict(const link_fault& a, const link_fault& b) {
    const auto breaks = [](fault_kind k) { return k == fault_kind::down || k == fault_kind::flapping; };
    const bool alike = a.kind == b.kind ? a.kind == fault_kind::degraded || breaks(a.kind)
                                        : breaks(a.kind) && breaks(b.kind);
    return a.link == b.link && alike && overlap(a, b);
}

void put(cable& c, const link_fault& f, std::uint64_t seed) {
    switch (f.kind) {
    case fault_kind::down:
        c.cut_at(f.at);
        if (f.until)
            c.restore_at(*f.until);
        return;
    case fault_kind::flapping: {
        const picoseconds down(
            static_cast<std::int64_t>(static_cast<double>(f.period.count()) * f.down_share));
        for (std::int64_t i = 0; i < f.count; ++i) {
            c.cut_at(f.at + f.period * i);
            c.restore_at(f.at + f.period * i + down);
        }
        return;
    }
    case fault_kind::degraded:
        c.change_rate_at(f.at, *f.rate);
        if (f.until)
            c.change_rate_at(*f.until, c.parameters().rate);
        return;
    case fault_kind::bit_errors:
    case fault_kind::loss:
    case fault_kind::delay:
        for (const cable_side s : {cable_side::a, cable_side::b})
            if (f.way == fault_way::both || (f.way == fault_way::a_to_b) == (s == cable_side::a))
                c.impair(s, f, seed);
        return;
    }
}

} // namespace

void link_fault::check() const {
    const auto refuse = [this](const std::string& why) { throw topology_error(place_of(*this), why); };
    if (at < picoseconds{} || (until && *until <= at))
        refuse("it ends before it begins");
    if (kind == fault_kind::flapping && (period < 1_us || count < 1 || !(down_share > 0 && down_share < 1)))
        refuse("flapping needs a period of 1 us or more, a count above 0 and a down_share between 0 and 1");
    if (kind == fault_kind::degraded && !rate)
        refuse("a degraded link needs a rate");
    if (kind == fault_kind::bit_errors && !(bit_error_rate > 0 && bit_error_rate <= 0.5))
        refuse("bit-errors need a bit_error_rate above 0, up to 0.5");
    if (kind == fault_kind::loss && every < 1)
        refuse("loss needs `every`, 1 or more");
    if (kind == fault_kind::delay && extra <= picoseconds{})
        refuse("delay needs `extra`, above 0");
    if (way != fault_way::both && kind <= fault_kind::degraded)
        refuse("this kind concerns both ways of a link");
}

void apply_faults(network& n, const std::vector<link_fault>& faults, std::uint64_t seed) {
    for (std::size_t i = 0; i < faults.size(); ++i) {
        const link_fault& f = faults[i];
        f.check();
        cable* c = nullptr;
        try {
            c = &n.find_link(f.link);
        } catch (const std::out_of_range& e) {
            throw topology_error(place_of(f), e.what());
        }
        if (f.kind == fault_kind::degraded && *f.rate >= c->parameters().rate)
            throw topology_error(place_of(f), "the rate of a degraded link must be below its own");
        for (std::size_t j = 0; j < i; ++j)
            if (contradict(f, faults[j]))
                throw topology_error(place_of(f), "another fault of that kind is on at the same time");
        put(*c, f, seed);
    }
}

void impairments::add(const link_fault& f) {
    window w{f};
    if (f.kind == fault_kind::bit_errors) {
        w.rate =
            std::max<std::uint64_t>(1, static_cast<std::uint64_t>(-std::log1p(-f.bit_error_rate) * 0x1p60));
        w.bits_left = draw_gap(w);
    }
    windows_.push_back(std::move(w));
}

// The right bits before a wrong one are distributed geometrically: a rounded-down exponential.
std::uint64_t impairments::draw_gap(const window& w) {
    __extension__ typedef unsigned __int128 wide;
    const std::uint64_t u = random_.next();
    const wide gap = (static_cast<wide>(negative_log(u | (u == 0))) << 28) / w.rate;
    constexpr auto most = std::numeric_limits<std::uint64_t>::max();
    return gap > most ? most : static_cast<std::uint64_t>(gap);
}

bool impairments::hits(window& w, const frame& f) {
    if (w.fault.kind == fault_kind::loss) {
        if (f.labels.control || f.length() < w.fault.at_least)
            return false;
        return ++w.counted % w.fault.every == 0;
    }
    const std::uint64_t bits = (f.length() + fcs_bytes) * 8;
    if (w.bits_left >= bits) {
        w.bits_left -= bits;
        return false;
    }
    // On to the first wrong bit behind this frame: what the frame's other bits are makes no difference.
    w.bits_left = draw_gap(w);
    return true;
}

impairments::verdict impairments::meet(const frame& f, picoseconds first_bit, picoseconds last_bit) {
    verdict v;
    for (window& w : windows_) {
        if (!w.covers(first_bit))
            continue;
        if (w.fault.kind == fault_kind::delay)
            v.extra = v.extra + w.fault.extra;
        else if (hits(w, f))
            (w.fault.kind == fault_kind::loss ? v.lost : v.damaged) = true;
    }
    // What was sent before, with a longer delay, is not overtaken.
    v.extra = std::max(v.extra, out_of_the_way_ - last_bit);
    out_of_the_way_ = last_bit + v.extra;
    return v;
}

} // namespace vg810::fabric
