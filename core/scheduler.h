// SPDX-License-Identifier: Apache-2.0
// The event queue of one domain. Events run in the order (time, source component, the source's own sequence
// number), so the order is a property of the scenario, never of insertion, of SystemC's process order or of
// how a run is cut up.
#pragma once

#include "core/units.h"

#include <cstdint>
#include <string>
#include <vector>

namespace vg810 {

class scheduler;

/// What every event source is: a name, an id for the event order, its own event counter. The id is a hash of
/// the name (FNV-1a, 64 bit), so it does not depend on the order of construction or on how a run is cut into
/// domains; two components that schedule into the same domain must have different names.
class component {
  public:
    component(scheduler& clock, std::string name);
    component(const component&) = delete;
    component& operator=(const component&) = delete;

    const std::string& name() const { return name_; }
    std::uint64_t id() const { return id_; }
    scheduler& clock() const { return *clock_; }
    inline picoseconds now() const;

    /// Calls `(self->*Method)(argument)` at time `at`, in this component's domain.
    /// `quiet`: a promise that neither the event nor anything it leads to touches host memory or interrupts
    /// the host before `at + quiet`; it lets a guest run on meanwhile. 0 promises nothing.
    template <auto Method, class T>
    void schedule(picoseconds at, T* self, std::uint64_t argument = 0, picoseconds quiet = picoseconds{});

    /// The same in another domain: `at` must respect the latency of the channel between the two.
    template <auto Method, class T>
    void schedule_in(scheduler& target, picoseconds at, T* self, std::uint64_t argument = 0,
                     picoseconds quiet = picoseconds{});

  private:
    scheduler* clock_;
    std::uint64_t id_;
    std::uint64_t sequence_ = 0;
    std::string name_;
};

/// One domain's events and its time. No event is ever scheduled in the past: that throws std::logic_error.
class scheduler {
  public:
    using action = void (*)(void* self, std::uint64_t argument);
    struct event {
        picoseconds at;
        picoseconds quiet_until; // no touch of the host before this
        std::uint64_t sequence;
        std::uint64_t source;
        action run;
        void* self;
        std::uint64_t argument;
    };

    explicit scheduler(std::string name) : name_(std::move(name)) {}
    scheduler(const scheduler&) = delete;
    scheduler& operator=(const scheduler&) = delete;

    const std::string& name() const { return name_; }
    picoseconds now() const { return now_; }
    bool empty() const { return heap_.empty(); }
    picoseconds next_time() const { return heap_.empty() ? never : heap_.front().at; }
    /// Earliest time at which anything queued can touch the host (`never` when nothing is queued).
    picoseconds next_touch() const;

    /// Runs every event before `end` (exclusive) and leaves now() at the last one run. Returns the number
    /// run.
    std::uint64_t run_before(picoseconds end);
    /// Moves now() forward to `t`; every event before `t` must have run.
    void advance_to(picoseconds t);

    void insert(const event& e);
    std::uint64_t events_run() const { return events_run_; }

  private:
    std::string name_;
    picoseconds now_;
    std::vector<event> heap_;
    std::uint64_t events_run_ = 0;
};

inline picoseconds component::now() const {
    return clock_->now();
}

template <auto Method, class T>
void component::schedule(picoseconds at, T* self, std::uint64_t argument, picoseconds quiet) {
    schedule_in<Method>(*clock_, at, self, argument, quiet);
}

template <auto Method, class T>
void component::schedule_in(scheduler& target, picoseconds at, T* self, std::uint64_t argument,
                            picoseconds quiet) {
    target.insert({at, at + quiet, sequence_++, id_,
                   [](void* object, std::uint64_t value) { (static_cast<T*>(object)->*Method)(value); }, self,
                   argument});
}

} // namespace vg810
