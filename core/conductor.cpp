// SPDX-License-Identifier: Apache-2.0
#include "core/conductor.h"

#include <algorithm>
#include <stdexcept>

namespace vg810 {

namespace {
constexpr picoseconds tick{1000};           // a guest's clock counts nanoseconds
constexpr picoseconds slice{1'000'000'000}; // how much a domain without a guest does between two looks around

bool acts(const paced_guest* g) {
    return g && g->state() != paced_guest::phase::gone;
}

picoseconds floor_to_tick(picoseconds t) {
    return t == never ? never : picoseconds::from_ns(t.floor_ns());
}
} // namespace

conductor::domain_index conductor::add_domain(scheduler& s, picoseconds pass_through) {
    domains_.push_back({.events = &s, .pass_through = pass_through});
    return domains_.size() - 1;
}

void conductor::add_channel(domain_index from, domain_index to, picoseconds latency) {
    if (latency <= picoseconds{})
        throw std::invalid_argument("the channel from " + domains_.at(from).events->name() + " to " +
                                    domains_.at(to).events->name() +
                                    " has no latency; nothing could be decided ahead");
    channels_.push_back({from, to, latency});
}

void conductor::attach_guest(domain_index d, paced_guest& g) {
    domains_.at(d).guest = &g;
}

picoseconds conductor::own_departure(const domain& d, bool with_guest) const {
    picoseconds earliest = d.events->next_time();
    if (with_guest && acts(d.guest))
        earliest = std::min(earliest, d.guest->next_action() + d.guest->access_lookahead());
    return earliest;
}

// The least fixed point of: departs = min(own, earliest_input + way through), earliest_input = min over the
// channels in of (departs + latency). Latencies are positive, so relaxing as often as there are domains
// reaches it. What a guest may yet cause does not bound the guest itself: an access stops it, and its grant
// is cut then.
void conductor::update_bounds(const domain* without_guest_of) {
    for (domain& d : domains_) {
        d.departs = own_departure(d, &d != without_guest_of);
        d.earliest_input = never;
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (const channel& c : channels_) {
            domain& to = domains_[c.to];
            const picoseconds arrives = domains_[c.from].departs + c.latency;
            if (arrives >= to.earliest_input)
                continue;
            picoseconds through = to.pass_through;
            if (acts(to.guest))
                through = std::min(through, to.guest->input_quiet() + to.guest->access_lookahead());
            to.earliest_input = arrives;
            to.departs = std::min(to.departs, arrives + through);
            changed = true;
        }
    }
}

bool conductor::advance(domain& d, picoseconds end) {
    if (!acts(d.guest))
        return advance_alone(d, end);
    switch (d.guest->state()) {
    case paced_guest::phase::running:
        return false;
    case paced_guest::phase::access:
        return serve_access(d, end);
    case paced_guest::phase::stopped:
        return let_go(d, end);
    case paced_guest::phase::gone:
        break;
    }
    return false;
}

bool conductor::advance_alone(domain& d, picoseconds end) {
    if (d.events->empty())
        return false;
    const picoseconds limit = std::min({d.earliest_input, end, d.events->next_time() + slice});
    return d.events->run_before(limit) > 0;
}

bool conductor::serve_access(domain& d, picoseconds end) {
    const picoseconds t = d.guest->time();
    const bool ran = d.events->run_before(std::min(t + tick, d.earliest_input)) > 0;
    if (d.earliest_input < t + tick)
        return ran;
    if (d.events->now() < t)
        d.events->advance_to(t);
    d.guest->serve_access();
    update_bounds(&d);
    d.guest->finish_access(std::max(t, grant_limit(d, end)));
    return true;
}

bool conductor::let_go(domain& d, picoseconds end) {
    const picoseconds t = d.guest->time();
    const bool ran = d.events->run_before(std::min(t + tick, d.earliest_input)) > 0;
    if (d.earliest_input < t + tick || t >= end)
        return ran;
    if (d.events->now() < t)
        d.events->advance_to(t);
    if (d.guest->state() != paced_guest::phase::stopped) // an event may have ended it
        return true;
    update_bounds(&d);
    const picoseconds limit = grant_limit(d, end);
    if (limit <= t)
        return ran;
    d.guest->grant(limit);
    return true;
}

picoseconds conductor::grant_limit(const domain& d, picoseconds end) const {
    const picoseconds touch = std::min(d.events->next_touch(), d.earliest_input + d.guest->input_quiet());
    return std::min({floor_to_tick(touch + slack_), d.guest->time() + longest_grant_, end});
}

picoseconds conductor::time() const {
    picoseconds earliest = never;
    picoseconds latest;
    for (const domain& d : domains_) {
        earliest = std::min(earliest, d.events->next_time());
        if (acts(d.guest))
            earliest = std::min(earliest, d.guest->time());
        latest = std::max(latest, d.events->now());
    }
    return earliest == never ? latest : earliest;
}

conductor::outcome conductor::run(picoseconds end, const waiter& wait, const keep_going& go_on) {
    while (go_on()) {
        if (time() >= end)
            return outcome::time_reached;
        bool moved = false;
        for (domain& d : domains_) {
            update_bounds(&d);
            moved = advance(d, end) || moved;
        }
        if (moved)
            continue;
        const auto in_phase = [this](paced_guest::phase p) {
            return std::any_of(domains_.begin(), domains_.end(),
                               [p](const domain& d) { return d.guest && d.guest->state() == p; });
        };
        if (in_phase(paced_guest::phase::running)) {
            if (!wait())
                return outcome::wait_failed;
            continue;
        }
        const bool alive = in_phase(paced_guest::phase::stopped) || in_phase(paced_guest::phase::access);
        const bool pending =
            std::any_of(domains_.begin(), domains_.end(), [](const domain& d) { return !d.events->empty(); });
        if (!alive && !pending)
            return outcome::quiet;
        if (!alive && time() >= end)
            return outcome::time_reached;
        throw std::logic_error("the schedule is stuck at " + std::to_string(time().count()) + " ps");
    }
    return outcome::ended;
}

} // namespace vg810
