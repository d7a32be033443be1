// SPDX-License-Identifier: Apache-2.0
// Single flows as a scenario lists them: messages from one host to another, each behind the end of the one
// before, or at a rate of the sender's own.
#pragma once

#include "scenarios/workload/workload.h"

#include <optional>
#include <vector>

namespace vg810::scenarios {

struct flow_plan {
    host_index from = 0;
    host_index to = 0;
    bytes length = 0; ///< of one message
    std::uint64_t count = 1;
    picoseconds start;
    picoseconds stop = never;            ///< nothing is posted from then on
    std::optional<bits_per_second> rate; ///< payload; not set: the next message follows the end of the last
    picoseconds gap;                     ///< without a rate: from a message's end to the next
};

/// One flow on a connection of its own.
class flow_workload final : public workload {
  public:
    flow_workload(scheduler& clock, traffic& messages, const workload_basis& basis, const flow_plan& plan);

    void begin() override;
    bool over() const override;
    void message_arrived(std::uint64_t, const message_record&) override {}
    void message_over(std::uint64_t tag, const message_record& r) override;

  private:
    void next(std::uint64_t);
    bool more() const { return posted_ < plan_.count && now() < plan_.stop && !broken_; }

    flow_plan plan_;
    traffic::line line_;
    std::uint64_t posted_ = 0;
    std::uint64_t ended_ = 0;
    picoseconds begun_;
    bool scheduled_ = false;
    bool broken_ = false;
};

} // namespace vg810::scenarios
