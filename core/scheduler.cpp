// SPDX-License-Identifier: Apache-2.0
#include "core/scheduler.h"

#include <algorithm>
#include <stdexcept>
#include <tuple>

namespace vg810 {

namespace {
struct later {
    bool operator()(const scheduler::event& a, const scheduler::event& b) const {
        return std::tie(a.at, a.source, a.sequence) > std::tie(b.at, b.source, b.sequence);
    }
};

// FNV-1a, http://www.isthe.com/chongo/tech/comp/fnv
std::uint64_t hash(const std::string& text) {
    std::uint64_t h = 0xcbf29ce484222325u;
    for (const char c : text)
        h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    return h;
}
} // namespace

component::component(scheduler& clock, std::string name)
    : clock_(&clock), id_(hash(name)), name_(std::move(name)) {}

void scheduler::insert(const event& e) {
    if (e.at < now_)
        throw std::logic_error(name_ + ": an event for " + std::to_string(e.at.count()) +
                               " ps was scheduled at " + std::to_string(now_.count()) + " ps");
    heap_.push_back(e);
    std::push_heap(heap_.begin(), heap_.end(), later{});
}

picoseconds scheduler::next_touch() const {
    picoseconds earliest = never;
    for (const event& e : heap_)
        earliest = std::min(earliest, e.quiet_until);
    return earliest;
}

std::uint64_t scheduler::run_before(picoseconds end) {
    std::uint64_t count = 0;
    while (!heap_.empty() && heap_.front().at < end) {
        std::pop_heap(heap_.begin(), heap_.end(), later{});
        const event e = heap_.back();
        heap_.pop_back();
        now_ = e.at;
        e.run(e.self, e.argument);
        ++count;
    }
    events_run_ += count;
    return count;
}

void scheduler::advance_to(picoseconds t) {
    if (t < now_ || next_time() < t)
        throw std::logic_error(name_ + ": time cannot move to " + std::to_string(t.count()) + " ps");
    now_ = t;
}

} // namespace vg810
