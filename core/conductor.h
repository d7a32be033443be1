// SPDX-License-Identifier: Apache-2.0
// Runs domains (schedulers) that are joined by channels with latency, and the guests attached to some of
// them, under one conservative schedule: nothing ever takes effect early or late. docs/time.md has the rule
// and its proof sketch.
#pragma once

#include "core/scheduler.h"
#include "core/units.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace vg810 {

/// A machine whose own clock must keep step with its domain: a QEMU guest.
class paced_guest {
  public:
    enum class phase : std::uint8_t {
        running, ///< executing; may stop or access the card at any time up to its grant
        stopped, ///< waits for a grant at time()
        access,  ///< waits inside an access to the card at time()
        gone,    ///< ended; never acts again
    };
    virtual ~paced_guest() = default;
    virtual phase state() const = 0;
    /// Exact when stopped or in an access; while running, the time from which it was last let go.
    virtual picoseconds time() const = 0;
    /// Earliest time at which the guest can act by itself: time() when busy, its next timer when it halts.
    virtual picoseconds next_action() const = 0;
    /// Stopped only: runs on, and stops at `until` (> time()) at the latest. Interrupts raised meanwhile have
    /// been delivered.
    virtual void grant(picoseconds until) = 0;
    /// In an access only: serves it (the domain stands at time()).
    virtual void serve_access() = 0;
    /// In an access only, after serve_access: the guest runs on with its grant cut to `until` (>= time()).
    virtual void finish_access(picoseconds until) = 0;
    /// How long after an access at the earliest a frame's first bit can leave the card, given its state now.
    virtual picoseconds access_lookahead() const = 0;
    /// How long after a frame's arrival at the card the guest can notice at the earliest.
    virtual picoseconds input_quiet() const = 0;
};

/// The schedule. Add domains, channels and guests, then call `run`.
class conductor {
  public:
    using domain_index = std::size_t;

    /// `slack`: how long after its due time a touch of a guest's memory may take effect. 0 is exact.
    explicit conductor(picoseconds slack = {}, picoseconds longest_grant = picoseconds::from_ns(10'000'000))
        : slack_(slack), longest_grant_(longest_grant) {}

    /// `pass_through`: shortest time from an arriving event to a departing one that it causes without the
    /// domain's guest (0 is always safe; `never` for a card that answers nothing by itself).
    domain_index add_domain(scheduler& s, picoseconds pass_through = {});
    /// An event leaving `from` at t takes effect in `to` no earlier than t + latency. Latency must be above
    /// 0.
    void add_channel(domain_index from, domain_index to, picoseconds latency);
    void attach_guest(domain_index d, paced_guest& g);

    /// Blocks until some guest has changed state; returns false when it gave up (bounded by the waiter).
    using waiter = std::function<bool()>;
    /// Called between steps; returns false to end the run.
    using keep_going = std::function<bool()>;

    enum class outcome : std::uint8_t { ended, quiet, wait_failed, time_reached };
    /// Runs until `end`, until `go_on` says no, or until nothing is left to happen (quiet). A guest's
    /// nanosecond tick T stands for [T, T + 1 ns): whether it stops at T or accesses the card at T, it meets
    /// the model as it is at the end of that tick, so it makes no difference whether a grant ended there.
    /// Throws std::logic_error if nobody could move (a broken promise).
    outcome run(picoseconds end, const waiter& wait, const keep_going& go_on);

    /// Every domain has done all before this.
    picoseconds time() const;

  private:
    struct channel {
        domain_index from, to;
        picoseconds latency;
    };
    struct domain {
        scheduler* events;
        picoseconds pass_through;
        paced_guest* guest = nullptr;
        picoseconds departs = {};        ///< bound: nothing leaves it earlier
        picoseconds earliest_input = {}; ///< bound: nothing enters it earlier
    };

    picoseconds own_departure(const domain& d, bool with_guest) const;
    void update_bounds(const domain* without_guest_of);
    bool advance(domain& d, picoseconds end);
    bool advance_alone(domain& d, picoseconds end);
    bool serve_access(domain& d, picoseconds end);
    bool let_go(domain& d, picoseconds end);
    picoseconds grant_limit(const domain& d, picoseconds end) const;

    picoseconds slack_;
    picoseconds longest_grant_;
    std::vector<domain> domains_;
    std::vector<channel> channels_;
};

} // namespace vg810
