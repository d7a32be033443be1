// SPDX-License-Identifier: Apache-2.0
#include "core/scheduler.h"

#include <stdexcept>

namespace vg810 {

namespace {
// FNV-1a, http://www.isthe.com/chongo/tech/comp/fnv
constexpr std::uint64_t fnv_basis = 0xcbf29ce484222325u;
std::uint64_t hash(const std::string& text, std::uint64_t h) {
    for (const char c : text)
        h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    return h;
}
} // namespace

component::component(scheduler& clock, std::string name)
    : clock_(&clock), id_(hash(name, fnv_basis)), name_(std::move(name)) {
    clock.enrol(id_, name_);
}

void scheduler::enrol(std::uint64_t id, const std::string& name) {
    // Another start gives another hash: names that agree in both do not happen by chance.
    const std::uint64_t check = hash(name, ~fnv_basis);
    const auto [known, fresh] = enrolled_.emplace(id, check);
    if (!fresh && known->second != check)
        throw std::invalid_argument(name_ + ": the name " + name +
                                    " has the id of another component; choose another name");
}

void scheduler::refuse(picoseconds at) const {
    throw std::logic_error(name_ + ": an event for " + std::to_string(at.count()) + " ps was scheduled at " +
                           std::to_string(now_.count()) + " ps");
}

std::uint64_t scheduler::run_before(picoseconds end) {
    const std::uint64_t before = events_run_;
    for (pending_event e; events_.take_before(end, e); ++events_run_) {
        now_ = e.at;
        e.run(e.self, e.argument);
    }
    return events_run_ - before;
}

void scheduler::advance_to(picoseconds t) {
    if (t < now_ || next_time() < t)
        throw std::logic_error(name_ + ": time cannot move to " + std::to_string(t.count()) + " ps");
    now_ = t;
    events_.catch_up(t);
}

} // namespace vg810
