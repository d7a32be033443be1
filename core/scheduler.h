// SPDX-License-Identifier: Apache-2.0
// The event queue of one domain. Events run in the order (time, source component, the source's own sequence
// number), so the order is a property of the scenario, never of insertion, of SystemC's process order or of
// how a run is cut up.
#pragma once

#include "core/event_calendar.h"
#include "core/units.h"

#include <cstdint>
#include <string>
#include <unordered_map>

namespace vg810 {

class scheduler;

/// What every event source is: a name, an id for the event order, its own event counter. The id is a hash of
/// the name (FNV-1a, 64 bit), so it does not depend on the order of construction or on how a run is cut into
/// domains; two components that schedule into the same domain must have different names. (Two of one name are
/// found out when they meet: at their first events of the same time and number, take_before throws.)
class component {
  public:
    /// Throws std::invalid_argument when a component of another name in the same domain has the same id.
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
    /// What is returned is good for cancel(); who does not cancel ignores it.
    template <auto Method, class T>
    event_handle schedule(picoseconds at, T* self, std::uint64_t argument = 0,
                          picoseconds quiet = picoseconds{});

    /// The same in another domain: `at` must respect the latency of the channel between the two.
    template <auto Method, class T>
    void schedule_in(scheduler& target, picoseconds at, T* self, std::uint64_t argument = 0,
                     picoseconds quiet = picoseconds{});

    /// Takes back an event that schedule() announced; false when it has run or was cancelled before.
    inline bool cancel(const event_handle& h);

  private:
    scheduler* clock_;
    std::uint64_t id_;
    std::uint64_t sequence_ = 0;
    std::string name_;
};

/// One domain's events and its time. No event is ever scheduled in the past: that throws std::logic_error.
class scheduler {
  public:
    explicit scheduler(std::string name) : name_(std::move(name)) {}
    scheduler(const scheduler&) = delete;
    scheduler& operator=(const scheduler&) = delete;

    const std::string& name() const { return name_; }
    picoseconds now() const { return now_; }
    bool empty() const { return events_.empty(); }
    std::size_t pending() const { return events_.size(); }
    /// Of the first event queued; `never` when nothing is.
    picoseconds next_time() const { return events_.earliest(); }
    /// Earliest time at which anything queued can touch the host (`never` when nothing is queued). Its cost
    /// grows with the most events that were ever queued.
    picoseconds next_touch() const { return events_.earliest_touch(); }

    /// Runs every event before `end` (exclusive) and leaves now() at the last one run. Returns the number
    /// run.
    std::uint64_t run_before(picoseconds end);
    /// Moves now() forward to `t`; every event before `t` must have run.
    void advance_to(picoseconds t);

    event_handle insert(const pending_event& e) {
        if (e.at < now_) [[unlikely]]
            refuse(e.at);
        return events_.insert(e);
    }
    bool cancel(const event_handle& h) { return events_.erase(h); }
    std::uint64_t events_run() const { return events_run_; }

  private:
    friend class component;
    void enrol(std::uint64_t id, const std::string& name);
    [[noreturn]] void refuse(picoseconds at) const;

    std::string name_;
    picoseconds now_;
    event_calendar events_;
    std::uint64_t events_run_ = 0;
    std::unordered_map<std::uint64_t, std::uint64_t> enrolled_; // id to another hash of the name
};

inline picoseconds component::now() const {
    return clock_->now();
}

inline bool component::cancel(const event_handle& h) {
    return clock_->cancel(h);
}

template <auto Method, class T>
event_handle component::schedule(picoseconds at, T* self, std::uint64_t argument, picoseconds quiet) {
    return clock_->insert(
        {at, at + quiet, sequence_++, id_,
         [](void* object, std::uint64_t value) { (static_cast<T*>(object)->*Method)(value); }, self,
         argument});
}

template <auto Method, class T>
void component::schedule_in(scheduler& target, picoseconds at, T* self, std::uint64_t argument,
                            picoseconds quiet) {
    target.insert({at, at + quiet, sequence_++, id_,
                   [](void* object, std::uint64_t value) { (static_cast<T*>(object)->*Method)(value); }, self,
                   argument});
}

} // namespace vg810
