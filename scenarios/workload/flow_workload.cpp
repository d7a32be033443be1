// SPDX-License-Identifier: Apache-2.0
#include "scenarios/workload/flow_workload.h"

namespace vg810::scenarios {

flow_workload::flow_workload(scheduler& clock, traffic& messages, const workload_basis& basis,
                             const flow_plan& plan)
    : workload(clock, messages, basis), plan_(plan), line_(connect(plan.from, plan.to)) {}

void flow_workload::begin() {
    begun_ = now() + plan_.start;
    scheduled_ = true;
    schedule<&flow_workload::next>(begun_, this);
}

bool flow_workload::over() const {
    return !scheduled_ && posted_ == ended_;
}

void flow_workload::next(std::uint64_t) {
    scheduled_ = false;
    if (!more())
        return;
    post(line_, basis().kind, plan_.length, posted_++);
    // At a rate, message k is due when k messages' octets have had their time: no rounding adds up.
    if (!plan_.rate || posted_ >= plan_.count)
        return;
    const picoseconds due = begun_ + plan_.rate->time_for(plan_.length * posted_);
    if (due < plan_.stop) {
        scheduled_ = true;
        schedule<&flow_workload::next>(due, this);
    }
}

void flow_workload::message_over(std::uint64_t, const message_record& r) {
    ++ended_;
    broken_ |= !r.ok;
    if (plan_.rate || !more())
        return;
    scheduled_ = true;
    schedule<&flow_workload::next>(now() + plan_.gap, this);
}

} // namespace vg810::scenarios
