// SPDX-License-Identifier: Apache-2.0
// Which traffic class sends next: strict priority and enhanced transmission selection (802.1Q 8.6.8.1, 8.6.8.3, 37)
// as deficit round robin (Shreedhar and Varghese, SIGCOMM 1995). Work-conserving. The arithmetic only: the
// queues belong to the caller.
#pragma once

#include "core/frame.h"
#include "core/priority.h"
#include "core/units.h"

#include <cstdint>

namespace vg810 {

/// How one priority is served.
struct ets_class {
    bool strict = false;     ///< before all others; among strict ones the higher number first
    std::uint8_t weight = 1; ///< share among the others, percent or any other unit. Range: 1 .. 100
};

class ets_scheduler {
  public:
    /// A class gets `weight` / smallest weight times this many octets a round, at least one longest frame.
    static constexpr bytes quantum = preamble_bytes + max_frame_bytes + fcs_bytes + gap_bytes;

    explicit ets_scheduler(const per_priority<ets_class>& classes = {});

    /// The class whose head goes next, among those in `eligible` (not empty, not paused). `head[p]` is the
    /// slot of p's first frame, octets; read for eligible classes only. Precondition: `eligible` != 0.
    template <class HeadBytes> priority choose(priority_set eligible, HeadBytes&& head);
    /// What choose() returned has been sent.
    void sent(priority p, bytes slot);
    /// The class has run empty: it keeps no credit (a class that idles does not save up).
    void emptied(priority p);

  private:
    per_priority<ets_class> classes_;
    per_priority<std::int64_t> deficit_{};
    priority_set strict_ = 0;
    priority turn_ = 0;
};

} // namespace vg810
