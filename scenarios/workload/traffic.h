// SPDX-License-Identifier: Apache-2.0
// All messages of a run between its hosts: which workload posted each, when it arrived, when it was over. The
// workloads speak to hosts through this; it is the one listener of every host's message_port.
#pragma once

#include "core/scheduler.h"
#include "scenarios/workload/message_port.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace vg810::scenarios {

/// Position of a host in a run's list.
using host_index = std::uint32_t;

/// What became of one message.
struct message_record {
    picoseconds posted;
    picoseconds arrived = never; ///< all of its data are where they were to go
    picoseconds ended = never;   ///< the host that posted it knows that
    bytes length = 0;
    host_index from = 0; ///< where the data come from; a READ is posted by the other one
    host_index to = 0;
    std::uint32_t retransmitted = 0; ///< frames sent again, as far as the host tells
    std::uint16_t workload = 0;
    message_kind kind = message_kind::write;
    bool ok = false;
};

/// A workload, as its messages see it.
class message_handler {
  public:
    virtual ~message_handler() = default;
    /// The data of a message posted with `tag` are at their destination.
    virtual void message_arrived(std::uint64_t tag, const message_record& r) = 0;
    /// The host that posted it knows; comes after message_arrived, or without it when !r.ok.
    virtual void message_over(std::uint64_t tag, const message_record& r) = 0;
};

class traffic {
  public:
    explicit traffic(scheduler& clock);
    traffic(const traffic&) = delete;
    traffic& operator=(const traffic&) = delete;
    ~traffic();

    /// `port` and `name` must outlive the traffic. Its domain must be the clock's.
    host_index add_host(std::string name, message_port& port);
    std::size_t hosts() const { return hosts_.size(); }
    const std::string& host_name(host_index h) const;

    /// A new connection. Range: two different hosts.
    struct line {
        host_index from, to;
        connection number; ///< on `from`
        std::uint8_t dscp = 0;
    };
    line connect(host_index from, host_index to, const connection_options& o);
    /// One message of `length` (>= 1) octets from l.from to l.to, or back for a READ. `workload`: goes into
    /// the record.
    void post(message_handler& owner, std::uint16_t workload, const line& l, message_kind kind, bytes length,
              std::uint64_t tag);

    std::uint64_t outstanding() const { return outstanding_; }
    std::uint64_t arrived() const { return arrived_; }
    bytes arrived_bytes() const { return arrived_bytes_; }
    std::uint64_t failed() const { return failed_; }
    /// Messages that are over, in the order of their ends.
    const std::vector<message_record>& log() const { return log_; }
    /// Messages that are not, in the order of their slots.
    std::vector<message_record> unfinished() const;
    picoseconds now() const { return clock_->now(); }

  private:
    struct host;
    struct message {
        message_handler* owner = nullptr; ///< null: the slot is free
        std::uint64_t tag = 0;
        std::uint32_t generation = 0;
        std::uint32_t next_free = 0;
        message_record record;
    };
    static constexpr std::uint32_t nothing = 0xffffffff;

    message* find(std::uint64_t cookie);
    void arrive(message& m);
    void arrival(std::uint64_t cookie);
    void end(const message_end& e);

    scheduler* clock_;
    std::vector<std::unique_ptr<host>> hosts_;
    std::vector<message> messages_;
    std::uint32_t free_ = nothing;
    std::uint64_t outstanding_ = 0;
    std::uint64_t arrived_ = 0;
    bytes arrived_bytes_ = 0;
    std::uint64_t failed_ = 0;
    std::vector<message_record> log_;
};

} // namespace vg810::scenarios
