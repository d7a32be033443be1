// SPDX-License-Identifier: Apache-2.0
// The reliable connections of one port: receives packets, picks the connection that sends next under its rate
// and window, runs retransmission and congestion-control timers, answers congestion marks with CNPs. It is
// told the time and says when it wants to be called; clocks, ports and buses are its owner's. UC, UD and the
// verbs' memory are not here.
#pragma once

#include "core/byte_time.h"
#include "core/frame_queue.h"
#include "core/priority.h"
#include "model/rdma/counters.h"
#include "model/rdma/deadline_heap.h"
#include "model/rdma/queue_pair.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

namespace vg810::rdma {

/// Told of ends, within the engine's functions; it may post more work.
class engine_client {
  public:
    virtual ~engine_client() = default;
    virtual void work_ended(qp_number q, const work_entry& e, work_status s) = 0;
    /// A message from the peer, the `number`-th on this connection from 0, is complete.
    virtual void message_complete(qp_number q, std::uint32_t number, bytes length) = 0;
};

class engine final : public queue_pair::owner {
  public:
    /// The first queue pair's number: 0 and 1 are the management ones (IBTA 3.9.4).
    static constexpr qp_number first_qp = 2;

    struct configuration {
        transport_parameters transport;
        notification_parameters notification;
        bits_per_second line_rate{25'000'000'000};
        std::array<priority, 64> class_of_dscp; ///< traffic class of a DSCP
    };
    /// `c` is kept by reference.
    engine(const configuration& c, frame_pool& frames, engine_client& client);
    ~engine() override;

    /// A connection, ready to send and receive. Throws std::runtime_error when the algorithm refuses it.
    qp_number next_number() const { return first_qp + static_cast<qp_number>(pairs_.size()); }
    qp_number connect(const path_address& a, cc::algorithm& algorithm, const cc::flow_facts& facts,
                      picoseconds now);
    /// Receive requests of one connection; unlimited unless told.
    void set_receives(qp_number q, std::uint32_t n) { pair(q).receives.set_receives(n); }

    void post(qp_number q, const work_request& r, picoseconds now);
    void receive(const frame& f, picoseconds now);
    /// Runs what is due. Call it at next_timer() or later.
    void run_timers(picoseconds now);
    picoseconds next_timer() const { return timers_.next(); }

    /// Classes that have a frame to send at `now`.
    priority_set ready(picoseconds now);
    /// When a connection that waits for its rate may go on; `never` when none does.
    picoseconds next_ready() const { return pacing_.next(); }
    /// Slot of the class's next frame, octets. Precondition: ready() named it.
    bytes head_slot(priority p) const;
    /// The class's next frame; its first bit leaves at `now`. Precondition: ready() named it.
    frame_ptr take(priority p, picoseconds now);

    const counters& count() const { return count_; }
    std::size_t connections() const { return pairs_.size(); }
    const queue_pair& connection(qp_number q) const { return *pairs_.at(q - first_qp); }
    /// Payload acknowledged, over all connections.
    std::uint64_t progress() const { return progress_; }

    /// What congestion control allows the connections that have something to send, in all; bit/s. Looks at
    /// all.
    std::uint64_t allowed_rate() const;

    void request_ended(queue_pair& q, const work_entry& e, work_status s) override;
    void message_complete(queue_pair& q, opcode last, bytes length) override;

  private:
    struct ring {
        queue_pair* last = nullptr; // circular: last->next_ready is the first
        void push(queue_pair& q);
        queue_pair& first() const { return *last->next_ready; }
        queue_pair& pop();
    };

    /// A packet and where its parts are.
    struct arrival {
        const frame& f;
        const std::byte* bth;
        opcode op;
        std::size_t extended;       // octets of headers behind the BTH
        bytes payload;              // octets of data
        const std::byte* telemetry; // the block in front of the BTH, or null
    };
    static std::optional<arrival> parse_arrival(const frame& f);

    queue_pair& pair(qp_number q) { return *pairs_.at(q - first_qp); }
    void receive_request(queue_pair& q, const arrival& a, picoseconds now);
    void receive_response(queue_pair& q, const arrival& a, picoseconds now);
    void receive_answer(queue_pair& q, const arrival& a, picoseconds now);
    void receive_cnp(queue_pair& q, picoseconds now);
    void notify_congestion(queue_pair& q, const frame& f, picoseconds now);
    void after(queue_pair& q, const requester::progress& p, picoseconds now);
    void tell(queue_pair& q, vg810_cc_event& e, picoseconds now);
    void adopt_rate(queue_pair& q, picoseconds now);
    void activate(queue_pair& q);
    void rearm(queue_pair& q);
    picoseconds timeout_of(const queue_pair& q) const;
    void sent(queue_pair& q, const frame& f, picoseconds now);
    void send_answer(queue_pair& q, const answer& a, const std::byte* telemetry);

    const configuration& c_;
    frame_pool& frames_;
    engine_client& client_;
    byte_time line_;
    counters count_;
    work_pool work_;
    std::vector<std::unique_ptr<queue_pair>> pairs_;
    per_priority<frame_queue> control_; // answers and CNPs, in front of data of their class
    per_priority<ring> rings_;
    priority_set control_ready_ = 0;
    priority_set data_ready_ = 0;
    deadline_heap pacing_;
    deadline_heap timers_;
    picoseconds last_cnp_;
    bool cnp_sent_ = false;
    std::unordered_map<std::uint32_t, picoseconds> cnp_by_destination_;
    std::uint64_t progress_ = 0;
};

} // namespace vg810::rdma
