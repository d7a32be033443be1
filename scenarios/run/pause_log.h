// SPDX-License-Identifier: Apache-2.0
// Who paused whom, and when: listens on cables for PFC frames and joins them to intervals, from the request
// that stops a priority to the one that lets it go on or to the end of its time.
#pragma once

#include "core/pause.h"
#include "fabric/cable.h"

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace vg810::scenarios {

/// One priority of one direction, stopped without a break. Times as its requester sends the frames.
struct pause_interval {
    picoseconds start;
    picoseconds end;      ///< of the run, when it is still going on
    std::uint32_t by = 0; ///< who asked: a node's index
    std::uint32_t whom = 0;
    vg810::priority priority = 0;
    std::uint32_t frames = 0; ///< requests
    bool open = false;        ///< not over at the end of the run
};

class pause_log {
  public:
    pause_log();
    pause_log(const pause_log&) = delete;
    pause_log& operator=(const pause_log&) = delete;
    ~pause_log();

    /// Nodes in the order of their first mention.
    std::uint32_t node(const std::string& name);
    const std::vector<std::string>& nodes() const { return nodes_; }

    /// Listens to the cable between `a` and `b` (side a and side b). The cable must not outlive the log.
    void watch(fabric::cable& c, std::uint32_t a, std::uint32_t b);
    /// Closes what is open at `end`. Call once, at the end.
    void finish(picoseconds end);

    /// In the order of their starts.
    const std::vector<pause_interval>& intervals() const { return intervals_; }
    std::uint64_t frames() const { return frames_; }
    /// Sum over all intervals.
    picoseconds total() const;
    std::string csv() const;

  private:
    class tap;

    std::vector<std::string> nodes_;
    std::vector<std::unique_ptr<tap>> taps_;
    std::vector<pause_interval> intervals_;
    std::uint64_t frames_ = 0;
};

} // namespace vg810::scenarios
