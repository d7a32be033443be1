// SPDX-License-Identifier: Apache-2.0
// Messages that come whether or not the earlier ones are done: Poisson arrivals of sizes from a distribution
// at a share of the hosts' line rate, and the replay of a trace.
#pragma once

#include "scenarios/workload/flow_sizes.h"
#include "scenarios/workload/workload.h"

#include <vector>

namespace vg810::scenarios {

struct poisson_plan {
    std::vector<host_index> members; ///< each sends to the others, all of them alike
    flow_sizes sizes;
    std::vector<picoseconds> mean_gaps; ///< between two arrivals, by member
    std::uint64_t messages = 0;         ///< in all; whoever comes first. 0: no limit
    picoseconds duration = never;       ///< no arrivals after it, counted from the start
};

/// Every message runs on a connection that no other message is using.
class poisson_workload final : public workload {
  public:
    poisson_workload(scheduler& clock, traffic& messages, const workload_basis& basis, poisson_plan plan);

    void begin() override;
    bool over() const override { return (sources_ == 0 || all_posted()) && active_ == 0; }
    void message_arrived(std::uint64_t, const message_record&) override {}
    void message_over(std::uint64_t tag, const message_record& r) override;

    /// Mean gap at one host for `load` (of `rate`, payload octets) with messages of `mean_size` octets.
    static picoseconds gap_for(double load, bits_per_second rate, double mean_size);

  private:
    void arrival(std::uint64_t member);
    bool all_posted() const { return plan_.messages > 0 && posted_ == plan_.messages; }

    poisson_plan plan_;
    std::vector<random_stream> random_; ///< one a member: what one draws shifts nobody else
    std::vector<traffic::line> lines_;  ///< of messages under way, by tag
    std::vector<std::uint64_t> free_;
    picoseconds end_ = never;
    std::uint64_t posted_ = 0;
    std::uint64_t active_ = 0;
    std::size_t sources_ = 0; ///< members with an arrival to come
};

struct trace_entry {
    picoseconds at;
    host_index from = 0;
    host_index to = 0;
    bytes length = 0;
    std::uint8_t priority = 0;
    bool has_priority = false;
};

/// Reads "time,src,dst,bytes[,priority]": times with their unit ("10us"), sources and destinations by name.
/// Entries come out in the order of time. Throws bad_input with file:line:column.
std::vector<trace_entry> parse_trace(std::string_view text, const std::string& name,
                                     const std::vector<std::string>& hosts);

class trace_workload final : public workload {
  public:
    /// `entries` in the order of time.
    trace_workload(scheduler& clock, traffic& messages, const workload_basis& basis,
                   std::vector<trace_entry> entries);

    void begin() override;
    bool over() const override { return next_ == entries_.size() && active_ == 0; }
    void message_arrived(std::uint64_t, const message_record&) override {}
    void message_over(std::uint64_t tag, const message_record& r) override;

  private:
    void due(std::uint64_t);

    std::vector<trace_entry> entries_;
    std::vector<traffic::line> lines_; ///< by entry, once posted
    picoseconds begun_;
    std::size_t next_ = 0;
    std::uint64_t active_ = 0;
};

} // namespace vg810::scenarios
