// SPDX-License-Identifier: Apache-2.0
// Notices that a fabric run gets nowhere: nothing has got on for a bounded simulated time although messages
// are outstanding.
#pragma once

#include "core/units.h"

#include <cstdint>

namespace vg810::scenarios {

class progress_watch {
  public:
    explicit progress_watch(picoseconds limit) : limit_(limit) {}

    /// `progress` and `sent` only ever grow. True: there has been no progress for the limit.
    bool stalled(picoseconds now, bool outstanding, std::uint64_t progress, std::uint64_t sent) {
        if (!outstanding || progress != progress_) {
            progress_ = progress;
            since_ = now;
            sent_ = sent;
        }
        sent_meanwhile_ = sent - sent_;
        return outstanding && now - since_ >= limit_;
    }
    picoseconds since() const { return since_; }
    /// Frames sent since then: with some, it is a livelock.
    std::uint64_t sent_meanwhile() const { return sent_meanwhile_; }

  private:
    picoseconds limit_;
    picoseconds since_;
    std::uint64_t progress_ = 0;
    std::uint64_t sent_ = 0;
    std::uint64_t sent_meanwhile_ = 0;
};

} // namespace vg810::scenarios
