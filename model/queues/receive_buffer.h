// SPDX-License-Identifier: Apache-2.0
// Frames between the wire and a host that may be slow: a bounded buffer, counted by priority, that asks for
// PFC when it fills. The host's pace is a rate, and a time in which it takes nothing (a stuck DMA engine or a
// full completion queue).
#pragma once

#include "core/byte_time.h"
#include "core/frame_queue.h"
#include "core/pause.h"
#include "model/queues/parameters.h"

#include <cstdint>

namespace vg810::queues {

class receive_buffer {
  public:
    receive_buffer(const parameters& p, bits_per_second line);

    /// Whether frames pass without being kept.
    bool transparent() const { return p_.receive.buffer == 0; }
    /// Takes a frame of the given priority; false (and the frame is gone) when there is no room.
    bool put(frame_ptr f, priority p, picoseconds now);
    bool empty() const { return waiting_.empty(); }
    /// When the first frame has been taken by the host; `never` when there is none.
    picoseconds next_taken() const { return empty() ? never : taken_at_; }
    /// Precondition: next_taken() <= now.
    frame_ptr take(picoseconds now);

    /// PFC that has to be said now: priorities to stop (anew or again) and to let go.
    struct flow_control {
        priority_set xoff = 0;
        priority_set xon = 0;
    };
    flow_control due(picoseconds now);
    /// When due() will have something to say without anything else happening.
    picoseconds next_refresh() const { return refresh_at_; }

    std::uint64_t dropped() const { return dropped_; }
    bytes octets(priority p) const { return octets_[p]; }

  private:
    void start_first(picoseconds now);

    const parameters& p_;
    priority_set lossless_;
    picoseconds quantum_;
    byte_time drain_;
    frame_queue waiting_;
    per_priority<bytes> octets_{};
    picoseconds taken_at_;
    picoseconds free_at_;
    priority_set stopped_ = 0;
    picoseconds refresh_at_ = never;
    std::uint64_t dropped_ = 0;
};

} // namespace vg810::queues
