// SPDX-License-Identifier: Apache-2.0
#include "model/queues/receive_buffer.h"

#include <algorithm>

namespace vg810::queues {

receive_buffer::receive_buffer(const parameters& p, bits_per_second line)
    : p_(p), lossless_(p.lossless_set()), quantum_(line.time_for(pause_quantum_bytes)),
      drain_(p.receive.drain.value_or(any_rate.most)) {}

bool receive_buffer::put(frame_ptr f, priority p, picoseconds now) {
    if (waiting_.octets() + f->length() > p_.receive.buffer) {
        ++dropped_;
        return false;
    }
    octets_[p] += f->length();
    f->labels.priority = p;
    const bool first = empty();
    waiting_.push(std::move(f));
    if (first)
        start_first(now);
    return true;
}

void receive_buffer::start_first(picoseconds now) {
    picoseconds start = std::max(now, free_at_);
    if (start >= p_.receive.stall_from && start < p_.receive.stall_until)
        start = p_.receive.stall_until;
    taken_at_ = p_.receive.drain ? start + drain_.of(waiting_.front().length()) : start;
    free_at_ = taken_at_;
}

frame_ptr receive_buffer::take(picoseconds now) {
    frame_ptr f = waiting_.pop();
    octets_[f->labels.priority] -= f->length();
    if (!empty())
        start_first(now);
    return f;
}

receive_buffer::flow_control receive_buffer::due(picoseconds now) {
    flow_control say;
    if (lossless_ == 0 || p_.receive.xoff == 0)
        return say;
    for (priority p = 0; p < priorities; ++p) {
        const auto bit = static_cast<priority_set>(1u << p);
        if ((lossless_ & bit) == 0)
            continue;
        if ((stopped_ & bit) == 0 && octets_[p] > p_.receive.xoff)
            say.xoff |= bit;
        else if ((stopped_ & bit) != 0 && octets_[p] <= p_.receive.xon)
            say.xon |= bit;
    }
    stopped_ = static_cast<priority_set>((stopped_ | say.xoff) & ~say.xon);
    if (refresh_at_ <= now)
        say.xoff |= stopped_;
    if (stopped_ == 0)
        refresh_at_ = never;
    else if (say.xoff != 0)
        refresh_at_ = now + quantum_ * p_.refresh_quanta;
    return say;
}

} // namespace vg810::queues
