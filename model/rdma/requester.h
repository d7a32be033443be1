// SPDX-License-Identifier: Apache-2.0
// The sending half of a reliable connection (IBTA 9.7.1 .. 9.7.6): segments messages, numbers packets, judges
// acknowledgements, sends again what was lost. It says what the next packet is and is told what came back;
// frames, rates and clocks are its owner's.
#pragma once

#include "core/roce.h"
#include "core/units.h"
#include "model/rdma/counters.h"
#include "model/rdma/parameters.h"
#include "model/rdma/psn.h"
#include "model/rdma/work.h"

#include <array>
#include <cstdint>

namespace vg810::rdma {

/// Selective repeat: packets that may be outstanding, and that a receiver keeps track of.
inline constexpr std::uint32_t selective_window = 256;

/// The next packet of a connection, headers' contents only.
struct packet_plan {
    opcode op = opcode::send_only;
    psn number = 0;
    bytes payload = 0;    ///< octets of data in it
    bytes dma_length = 0; ///< RETH: octets of the whole transfer from here on
    bytes dma_offset = 0; ///< RETH: from the start of the request's memory
    bool ack_request = false;
    bool again = false; ///< has been sent before
};

/// Told of ends; called from within the requester's functions.
class requester_client {
  public:
    virtual ~requester_client() = default;
    virtual void request_ended(const work_entry& e, work_status s) = 0;
};

class requester {
  public:
    requester(const transport_parameters& p, work_pool& pool, counters& count, psn first = 0)
        : p_(p), pool_(pool), count_(count), next_(first), unacknowledged_(first), ahead_(first),
          post_psn_(first), resend_next_(first), resend_end_(first) {}
    requester(const requester&) = delete;
    requester& operator=(const requester&) = delete;
    ~requester() { drop_all(); }

    /// Precondition: r.length <= 2^31. A failed connection ends it at once as flushed.
    void post(const work_request& r, picoseconds now, requester_client& client);
    bool failed() const { return failed_; }
    bool idle() const { return head_ == nullptr; }
    const work_entry* oldest() const { return head_; }

    /// Whether a packet may go now. `window`: payload that may be outstanding (congestion control's).
    bool can_send(std::uint64_t window) const;
    /// Octets of data in the next packet, 0 for a READ request. Precondition: can_send().
    bytes next_payload() const;
    /// The next packet; it counts as sent. Precondition: can_send(window).
    packet_plan send(std::uint64_t window);
    /// A retransmission timer runs while anything is outstanding.
    bool outstanding() const { return unacknowledged_ != ahead_; }

    struct progress {
        bytes acknowledged = 0; ///< payload, for the first time
        bool any = false;
        bool rewound = false; ///< something will be sent again
        picoseconds wait{};   ///< RNR: nothing may be sent for so long
    };
    /// An ACK or NAK came.
    progress acknowledge(psn number, std::uint8_t syndrome, requester_client& client);
    /// Selective repeat: besides, the receiver holds `held` (the packet that made it complain).
    progress negative_selective(psn missing, psn held, requester_client& client);
    /// A READ response with `payload` octets came.
    progress response(psn number, requester_client& client);
    /// The retransmission timer ran out.
    progress timed_out(requester_client& client);

    unsigned retries() const { return retries_; }
    bytes acknowledged_total() const { return acknowledged_total_; }
    bytes sent_total() const { return sent_total_; }
    /// Oldest PSN not acknowledged; the next to be sent; one past the greatest sent.
    psn unacknowledged() const { return unacknowledged_; }
    psn next() const { return next_; }
    psn ahead() const { return ahead_; }

  private:
    /// A request and which of its packets.
    struct place {
        work_entry* entry;
        std::uint32_t index;
    };
    std::uint32_t in_flight() const { return static_cast<std::uint32_t>(psn_ahead(next_, unacknowledged_)); }
    bool resends() const { return psn_ahead(resend_next_, resend_end_) < 0; }
    bool held(psn p) const;
    void skip_held();
    place find(psn p) const;
    place next_place() const;
    packet_plan plan(place at, bool again);
    packet_plan plan_read(place at, bool again);
    void acknowledge_before(psn end, progress& done, requester_client& client);
    void rewind(psn to, progress& done);
    bool count_retry(work_status s, requester_client& client);
    void fail(work_status s, requester_client& client);
    void end_head(work_status s, requester_client& client);
    void drop_all();

    const transport_parameters& p_;
    work_pool& pool_;
    counters& count_;
    work_entry* head_ = nullptr;
    work_entry* tail_ = nullptr;
    work_entry* cursor_ = nullptr; // holds next_; null when everything posted has been sent
    psn next_;                     // to be sent next
    psn unacknowledged_;
    psn ahead_;    // one past the greatest sent
    psn post_psn_; // of the next request posted
    // Selective repeat: what the receiver holds behind unacknowledged_, bit (psn modulo 256); packets in
    // [resend_next_, resend_end_) that it does not hold are sent again.
    std::array<std::uint64_t, selective_window / 64> held_{};
    psn resend_next_;
    psn resend_end_;
    std::uint16_t since_ack_request_ = 0;
    std::uint16_t reads_outstanding_ = 0;
    std::uint8_t retries_ = 0;
    std::uint8_t rnr_retries_ = 0;
    bool failed_ = false;
    std::uint32_t messages_ = 0;
    bytes acknowledged_total_ = 0;
    bytes sent_total_ = 0;
};

} // namespace vg810::rdma
