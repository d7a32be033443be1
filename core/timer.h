// SPDX-License-Identifier: Apache-2.0
// A timer that is moved often and seldom expires, as a retransmission timer is: restarting it for a later
// time costs no event.
#pragma once

#include "core/scheduler.h"

#include <cstdint>

namespace vg810 {

/// Calls `(owner->*Method)()` when it expires, in the order of `source`'s events. At most one event is
/// pending for it; when that comes too early, because the timer was moved, it is sent on. `source` and
/// `owner` must outlive it, and it its event: withdraw() before it goes away earlier than its scheduler.
template <auto Method, class T> class restart_timer {
  public:
    restart_timer(component& source, T* owner) : source_(source), owner_(owner) {}
    restart_timer(const restart_timer&) = delete;
    restart_timer& operator=(const restart_timer&) = delete;

    bool running() const { return due_ != never; }
    /// `never` when not running.
    picoseconds due() const { return due_; }

    /// Starts it or moves it. Precondition: `due` >= now.
    void start(picoseconds due) {
        due_ = due;
        if (comes_ <= due)
            return;
        withdraw_event();
        announce();
    }
    /// It will not expire. What is pending for it passes without effect: until then the scheduler is not
    /// empty.
    void stop() { due_ = never; }
    /// The same, and nothing is pending any more; for timers that are not started again soon.
    void withdraw() {
        stop();
        withdraw_event();
    }

  private:
    void announce() {
        comes_ = due_;
        event_ = source_.template schedule<&restart_timer::arrived>(due_, this);
    }
    void withdraw_event() {
        if (comes_ != never)
            source_.cancel(event_);
        comes_ = never;
    }
    void arrived(std::uint64_t) {
        comes_ = never;
        if (due_ == never)
            return;
        if (due_ > source_.now())
            return announce();
        due_ = never;
        (owner_->*Method)();
    }

    component& source_;
    T* owner_;
    picoseconds due_ = never;
    picoseconds comes_ = never; // the pending event
    event_handle event_;
};

} // namespace vg810
