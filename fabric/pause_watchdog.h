// SPDX-License-Identifier: Apache-2.0
// The pause watchdog of one egress port: finds queues that a neighbour has kept paused for too long without a
// frame sent, and says when such a storm is over. Times only; what is done about it is the switch's part.
#pragma once

#include "core/pause.h"
#include "core/priority.h"
#include "fabric/switch_parameters.h"

#include <algorithm>

namespace vg810::fabric {

class pause_watchdog {
  public:
    explicit pause_watchdog(const watchdog_parameters& p) : p_(p) {}

    bool on() const { return p_.on; }
    /// Queues in a storm.
    priority_set storms() const { return storms_; }
    storm_action action() const { return p_.action; }

    /// `blocked`: queues that hold frames and are paused now. Returns when to call check(), or `never`.
    picoseconds look(priority_set blocked, picoseconds now) {
        const auto fresh = static_cast<priority_set>(blocked & ~stalled_ & ~storms_);
        stalled_ = (stalled_ & blocked) | fresh;
        for (priority p = 0; p < priorities; ++p)
            if (fresh >> p & 1)
                since_[p] = now;
        return fresh ? now + p_.detection : never;
    }
    /// The queue has sent a frame, or has been emptied.
    void moved(priority p) { stalled_ &= static_cast<priority_set>(~(1u << p)); }

    struct verdict {
        priority_set began = 0, ended = 0;
        picoseconds again = never; ///< when to check next
    };
    verdict check(const pause_timers& timers, picoseconds now) {
        verdict v;
        const priority_set paused = timers.paused(now);
        stalled_ &= paused;
        for (priority p = 0; p < priorities; ++p) {
            const auto bit = static_cast<priority_set>(1u << p);
            if (stalled_ & bit && since_[p] + p_.detection <= now) {
                v.began |= bit;
                stalled_ &= static_cast<priority_set>(~bit);
            } else if (storms_ & bit && !(paused & bit) && timers.until(p) + p_.restoration <= now) {
                v.ended |= bit;
            }
        }
        storms_ = static_cast<priority_set>((storms_ | v.began) & ~v.ended);
        for (priority p = 0; p < priorities; ++p)
            if (storms_ >> p & 1)
                v.again = std::min(v.again, std::max(timers.until(p) + p_.restoration, now + 1_ps));
        return v;
    }
    void clear() { stalled_ = storms_ = 0; }

  private:
    watchdog_parameters p_;
    per_priority<picoseconds> since_{};
    priority_set stalled_ = 0;
    priority_set storms_ = 0;
};

} // namespace vg810::fabric
