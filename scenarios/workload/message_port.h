// SPDX-License-Identifier: Apache-2.0
// What a workload needs of a host, whatever kind it is: connections to other hosts, and messages over them
// with their ends reported.
#pragma once

#include "core/priority.h"
#include "core/units.h"

#include <cstdint>

namespace vg810::scenarios {

enum class message_kind : std::uint8_t {
    write, ///< RDMA WRITE with immediate: the target hears of its arrival
    send,  ///< SEND
    read,  ///< RDMA READ: data flows from the peer
};

/// RC messages end here (IBTA 9.7.8), octets.
inline constexpr bytes longest_message = bytes{1} << 31;

/// One end of a connection, on the host that made it.
using connection = std::uint32_t;

/// How one connection is to run; what is not set is the host's own.
struct connection_options {
    std::uint8_t dscp = 26;            ///< of data packets. Range: 0 .. 63
    std::uint16_t flow_label_hash = 0; ///< picks the UDP source port, and so the path under ECMP
    std::int32_t cc = -1; ///< index into the scenario's congestion-control profiles; -1: the host's
};

struct message_end {
    std::uint64_t cookie; ///< the sender's
    picoseconds posted;
    picoseconds ended; ///< write, send: acknowledged; read: last data in
    bytes length;
    bool ok;                         ///< false: the connection broke (retries used up)
    std::uint32_t retransmitted = 0; ///< data frames sent more than once
};

/// Told in the host's domain at its now().
class message_listener {
  public:
    virtual ~message_listener() = default;
    /// A message posted here is over.
    virtual void message_ended(connection c, const message_end& end) = 0;
    /// A message from the peer is complete in this host's memory.
    virtual void message_arrived(connection c, std::uint64_t cookie, bytes length) = 0;
};

class message_port {
  public:
    virtual ~message_port() = default;
    virtual void listen(message_listener& l) = 0;
    /// Both ends are ready when it returns. `peer` is of the same implementation; throws
    /// std::invalid_argument otherwise.
    struct pair {
        connection here, there;
    };
    virtual pair connect(message_port& peer, const connection_options& o) = 0;
    /// Queues one message; messages of a connection are sent in order.
    virtual void post(connection c, message_kind kind, bytes length, std::uint64_t cookie) = 0;
};

} // namespace vg810::scenarios
