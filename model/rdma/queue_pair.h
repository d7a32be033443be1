// SPDX-License-Identifier: Apache-2.0
// One reliable connection as its port keeps it: both halves, its rate, and where it waits.
#pragma once

#include "core/byte_time.h"
#include "core/telemetry.h"
#include "model/rdma/cc/flow_control.h"
#include "model/rdma/packet_builder.h"
#include "model/rdma/requester.h"
#include "model/rdma/responder.h"

#include <array>
#include <memory>
#include <optional>

namespace vg810::rdma {

/// When packets left, for the round-trip time: the last ones, by PSN.
class departure_times {
  public:
    void note(psn p, picoseconds last_bit, bool again) { slots_[p % count] = {p, again ? never : last_bit}; }
    /// Nothing when it is too long ago or the packet was sent twice (Karn and Partridge, SIGCOMM 1987).
    std::optional<picoseconds> of(psn p) const {
        const slot& s = slots_[p % count];
        return s.number == p && s.at != never ? std::optional(s.at) : std::nullopt;
    }

  private:
    static constexpr std::size_t count = 256;
    struct slot {
        psn number = ~psn{0};
        picoseconds at;
    };
    std::array<slot, count> slots_;
};

struct queue_pair final : requester_client, responder_client {
    class owner {
      public:
        virtual ~owner() = default;
        virtual void request_ended(queue_pair& q, const work_entry& e, work_status s) = 0;
        virtual void message_complete(queue_pair& q, opcode last, bytes length) = 0;
    };

    queue_pair(owner& o, qp_number n, const transport_parameters& p, work_pool& pool, counters& count)
        : port(o), number(n), sends(p, pool, count), receives(p, count) {}

    void request_ended(const work_entry& e, work_status s) override { port.request_ended(*this, e, s); }
    void message_complete(opcode last, bytes length) override { port.message_complete(*this, last, length); }

    bool sendable() const {
        return receives.has_response() || (waits_until == picoseconds{} && sends.can_send(flow->window()));
    }

    owner& port;
    qp_number number;
    std::uint8_t traffic_class = 0;
    bool ready = false; // in its class's ring
    bool paced = false; // waits for its rate's next turn
    bool telemetry = false;
    unsigned first_timeouts = 0; // adaptive retransmission: in a row
    requester sends;
    responder receives;
    packet_builder packets;
    std::optional<cc::flow> flow;
    queue_pair* next_ready = nullptr;

    // Rate: the slot that was sent last, and the earliest start of the next.
    picoseconds last_start;
    bytes last_slot = 0;
    std::uint64_t rate = 0;
    byte_time pace{bits_per_second(1)};
    picoseconds next_start;
    picoseconds pacing_entry = never; // in the heap of those that wait for their rate

    picoseconds retransmit_at = never;
    picoseconds waits_until; // RNR; 0: does not wait
    picoseconds timer_entry = never;

    picoseconds last_cnp;
    bool cnp_sent = false;
    std::unique_ptr<departure_times> departures;
    std::unique_ptr<telemetry_reader> telemetry_in;
};

} // namespace vg810::rdma
