// SPDX-License-Identifier: Apache-2.0
// Which traffic class sends next: strict priority and enhanced transmission selection (802.1Q 8.6.8.1,
// 8.6.8.3, 37) as deficit round robin (Shreedhar and Varghese, SIGCOMM 1995). Work-conserving. The arithmetic
// only: the queues belong to the caller.
#pragma once

#include "core/frame.h"
#include "core/priority.h"
#include "core/units.h"

#include <bit>
#include <cstdint>

namespace vg810 {

/// How one priority is served.
struct ets_class {
    bool strict = false;     ///< before all others; among strict ones the higher number first
    std::uint8_t weight = 1; ///< share among the others, percent or any other unit. Range: 1 .. 100
};

class ets_scheduler {
  public:
    /// A class gets `weight` / smallest weight times this many octets a round: the slot of the longest frame
    /// without jumbo. A longer frame waits for some more rounds; the shares are the same.
    static constexpr bytes quantum = 1538;

    /// Throws std::invalid_argument for a weight outside the range in a class that is not strict.
    explicit ets_scheduler(const per_priority<ets_class>& classes = {});

    /// The class whose head goes next, among those in `eligible` (not empty, not paused). `head(p)` is the
    /// slot of p's first frame, octets; asked for eligible classes only. Choosing again without sent() gives
    /// the same. Precondition: `eligible` != 0.
    template <class HeadBytes> priority choose(priority_set eligible, HeadBytes&& head);
    /// What choose() returned has been sent.
    void sent(priority p, bytes slot) { deficit_[p] -= static_cast<std::int32_t>(slot); }
    /// The class has run empty: it keeps no credit (a class that idles does not save up).
    void emptied(priority p) { deficit_[p] = 0; }

  private:
    static priority highest(priority_set s) { return static_cast<priority>(std::bit_width(s) - 1); }

    per_priority<std::int32_t> share_{}; // octets a round
    per_priority<std::int32_t> deficit_{};
    priority_set strict_ = 0;
    priority turn_ = 0; // has had its share of this round
};

template <class HeadBytes> priority ets_scheduler::choose(priority_set eligible, HeadBytes&& head) {
    if (const priority_set first = eligible & strict_)
        return highest(first);
    const bool alone = std::has_single_bit(eligible);
    if (alone)
        turn_ = highest(eligible);
    for (;;) {
        if (eligible >> turn_ & 1) {
            if (deficit_[turn_] >= static_cast<std::int32_t>(head(turn_)))
                return turn_;
            if (alone) {
                deficit_[turn_] += share_[turn_];
                continue;
            }
        }
        do
            turn_ = (turn_ + 1) % priorities;
        while (!(eligible >> turn_ & 1));
        deficit_[turn_] += share_[turn_];
    }
}

} // namespace vg810
