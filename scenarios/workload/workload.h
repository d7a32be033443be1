// SPDX-License-Identifier: Apache-2.0
// What all workloads have in common: a name, a place in the records, connections with the options of their
// kind, and when they are over.
#pragma once

#include "core/random.h"
#include "core/scheduler.h"
#include "scenarios/workload/traffic.h"

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace vg810::scenarios {

/// What workloads of all kinds are told.
struct workload_basis {
    std::string name;
    std::uint16_t index = 0; ///< among the run's workloads
    std::uint64_t seed = 1;
    picoseconds start;
    bool background = false; ///< the run does not wait for it
    message_kind kind = message_kind::write;
    connection_options options;
};

/// One repetition of a collective operation or a round of another kind.
struct iteration {
    picoseconds started = never; ///< by the first host
    picoseconds ended;           ///< at the last host, its data in
    std::uint32_t hosts = 0;     ///< that are done with it
    bool complete = false;       ///< all are
};

class workload : public component, public message_handler {
  public:
    workload(scheduler& clock, traffic& messages, workload_basis basis);

    /// Schedules its first event. Call before the run.
    virtual void begin() = 0;
    /// It will post nothing more and waits for nothing.
    virtual bool over() const = 0;
    /// In iterations, where the kind has such.
    virtual const std::vector<iteration>& iterations() const;

    const workload_basis& basis() const { return basis_; }
    const std::string& title() const { return basis_.name; }
    bool background() const { return basis_.background; }

  protected:
    /// A new connection, on a UDP source port of its own.
    traffic::line connect(host_index from, host_index to) { return connect(from, to, basis_.options.dscp); }
    traffic::line connect(host_index from, host_index to, std::uint8_t dscp);
    /// An idle connection, or a new one; given back with release().
    traffic::line acquire(host_index from, host_index to) { return acquire(from, to, basis_.options.dscp); }
    traffic::line acquire(host_index from, host_index to, std::uint8_t dscp);
    void release(const traffic::line& l);
    void post(const traffic::line& l, message_kind kind, bytes length, std::uint64_t tag) {
        messages_->post(*this, basis_.index, l, kind, length, tag);
    }
    traffic& messages() { return *messages_; }

  private:
    static std::uint64_t key(host_index from, host_index to, std::uint8_t dscp) {
        return std::uint64_t{dscp} << 56 | std::uint64_t{from} << 28 | to;
    }

    traffic* messages_;
    workload_basis basis_;
    random_stream paths_;
    std::unordered_map<std::uint64_t, std::vector<traffic::line>> idle_; // looked up, never walked through
};

} // namespace vg810::scenarios
