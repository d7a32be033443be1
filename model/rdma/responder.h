// SPDX-License-Identifier: Apache-2.0
// The receiving half of a reliable connection (IBTA 9.7.4, 9.7.5): takes requests in order, decides on
// acknowledgements, and executes READs as a list of responses still to be sent. Memory and frames are its
// owner's.
#pragma once

#include "core/roce.h"
#include "model/rdma/counters.h"
#include "model/rdma/parameters.h"
#include "model/rdma/psn.h"
#include "model/rdma/requester.h"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>

namespace vg810::rdma {

/// A request packet, as far as the transport is concerned.
struct request_packet {
    opcode op;
    psn number;
    bool ack_request;
    bytes payload;    ///< octets of data
    bytes dma_length; ///< RETH, where there is one
};

/// What to send back.
struct answer {
    std::uint8_t syndrome;
    psn number; ///< of the packet acknowledged; NAK: the expected one
    std::uint32_t msn;
    std::optional<psn> held = {}; ///< selective: this later one is kept
};

/// Told of data in order; called from within receive().
class responder_client {
  public:
    virtual ~responder_client() = default;
    /// A message is complete: `length` octets of a SEND or of a WRITE (with or without immediate).
    virtual void message_complete(opcode last, bytes length) = 0;
};

class responder {
  public:
    static constexpr std::uint32_t unlimited = 0xffff'ffff;

    responder(const transport_parameters& p, counters& count, psn expected = 0)
        : p_(p), count_(count), expected_(expected), message_start_(expected) {}

    /// Takes a request packet; what is returned goes back at once, after any READ responses that are due.
    std::optional<answer> receive(const request_packet& r, responder_client& client);

    /// Receive requests: SEND and WRITE with immediate consume one each; without one they are refused (RNR).
    void set_receives(std::uint32_t n) { receives_ = n; }
    std::uint32_t receives() const { return receives_; }

    /// READ responses: whether any is due, and the next one.
    bool has_response() const { return reads_ != 0; }
    bytes response_payload() const;
    packet_plan send_response();
    /// An answer that had to wait for the responses before it.
    std::optional<answer> take_held_back();

    psn expected() const { return expected_; }
    std::uint32_t msn() const { return msn_; }

  private:
    struct read_job {
        psn next;
        std::uint32_t left;   ///< responses to send
        std::uint32_t octets; ///< to send: at most 2^31
        bool first;
    };
    enum class message : std::uint8_t { none, send, write };

    std::optional<answer> accept(const request_packet& r, responder_client& client);
    std::optional<answer> early(const request_packet& r);
    std::optional<answer> late(const request_packet& r);
    bool fits_message(opcode op) const;
    std::optional<answer> respond(answer a);
    bool start_read(psn first, bytes octets);
    answer nak(nak_code c) const;
    void run_held(responder_client& client);

    const transport_parameters& p_;
    counters& count_;
    psn expected_;
    psn message_start_; // first PSN of the message under way
    std::uint32_t msn_ = 0;
    bytes octets_ = 0; // of the message under way
    message within_ = message::none;
    bool complained_ = false; // a NAK is outstanding: no other until it is served
    bool refused_ = false;    // an error NAK was sent: the connection is dead on this side
    std::uint32_t receives_ = unlimited;
    static constexpr std::size_t read_jobs = 16;
    std::array<read_job, read_jobs> jobs_{};
    std::uint8_t first_job_ = 0;
    std::uint8_t reads_ = 0;
    std::optional<answer> held_back_;
    // Selective: packets beyond expected_ that are here already, by PSN modulo 256, with what they were.
    struct kept {
        std::uint16_t payload;
        opcode op;
        bool there;
    };
    std::unique_ptr<std::array<kept, selective_window>> kept_;
};

} // namespace vg810::rdma
