// SPDX-License-Identifier: Apache-2.0
// A group of hosts that carry out their programs, over and over: collectives, incast, permutation,
// all-to-all. A host begins its next repetition when its own part of the present one is done and a compute
// phase has passed; nothing but the data holds the hosts together.
#pragma once

#include "scenarios/workload/program.h"
#include "scenarios/workload/workload.h"

#include <vector>

namespace vg810::scenarios {

struct group_plan {
    std::vector<host_index> members;
    programs steps;
    std::uint32_t slices = 1; ///< independent parts of every message, each with a program of its own
    std::uint32_t repetitions = 1;
    picoseconds compute; ///< between a host's repetitions
};

class group_workload final : public workload {
  public:
    /// Throws std::logic_error when a send has no matching receive or one is left over.
    group_workload(scheduler& clock, traffic& messages, const workload_basis& basis, group_plan plan);

    void begin() override;
    bool over() const override { return members_over_ == members_.size(); }
    const std::vector<iteration>& iterations() const override { return iterations_; }

    void message_arrived(std::uint64_t tag, const message_record& r) override;
    void message_over(std::uint64_t tag, const message_record& r) override;

  private:
    struct out_peer {
        traffic::line line;
        std::uint32_t member;
        std::uint32_t slot; ///< of this sender at that member
    };
    struct member {
        std::vector<out_peer> out;
        std::vector<std::uint32_t> position;             ///< in the program, one a slice
        std::vector<std::vector<std::uint32_t>> waiting; ///< messages in, by slice and sender's slot
        std::uint32_t repetition = 0;
        std::uint32_t slices_done = 0;
        std::uint32_t unacknowledged = 0;
        bool broken = false; ///< a message of its own was lost for good
    };

    void resolve_peers();
    void check_matching() const;
    void start_repetition(std::uint64_t member);
    void advance(std::uint32_t member, std::uint32_t slice);
    void slice_done(std::uint32_t member);
    void repetition_done(std::uint32_t member);
    bytes slice_length(bytes length, std::uint32_t slice) const;

    group_plan plan_;
    std::vector<member> members_;
    std::vector<std::uint32_t> member_of_; ///< by host
    std::vector<iteration> iterations_;
    std::size_t members_over_ = 0;
};

} // namespace vg810::scenarios
