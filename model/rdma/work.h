// SPDX-License-Identifier: Apache-2.0
// Work requests and the lists they wait in: pooled, linked, never moved.
#pragma once

#include "core/units.h"
#include "model/rdma/psn.h"

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace vg810::rdma {

enum class work_kind : std::uint8_t { write, write_immediate, send, read };

/// How a request ended (the names of the verbs' completion status).
enum class work_status : std::uint8_t {
    success,
    retry_exceeded,     ///< timeouts or sequence errors, retry_count of them in a row
    rnr_retry_exceeded, ///< the peer had no receive request for too long
    remote_invalid,     ///< NAK: invalid request
    remote_access,      ///< NAK: remote access error
    remote_operation,   ///< NAK: remote operational error
    flushed,            ///< the queue pair had failed before
};

struct work_request {
    work_kind kind = work_kind::write;
    bytes length = 0; ///< payload, at most 2^31
    std::uint64_t cookie = 0;
};

/// A request on its way. Packet i of `packets` has PSN first + i; a READ's are those of its responses.
struct work_entry {
    work_request request;
    picoseconds posted;
    psn first = 0;
    std::uint32_t message = 0; ///< its number on the connection, modulo 2^24, from 0
    std::uint32_t packets = 0;
    std::uint32_t done = 0; ///< packets acknowledged, or READ responses received; in order
    std::uint32_t retransmitted = 0;
    work_entry* next = nullptr;

    /// Payload octets of packets [0, n).
    bytes payload_of(std::uint32_t n, bytes mtu) const {
        return n == packets ? request.length : bytes{n} * mtu;
    }
    bytes packet_payload(std::uint32_t i, bytes mtu) const {
        return i + 1 == packets ? request.length - bytes{i} * mtu : mtu;
    }
};

/// 9.7.2: a message of no octets is one packet, too.
constexpr std::uint32_t packets_for(bytes length, bytes mtu) {
    return length == 0 ? 1 : static_cast<std::uint32_t>((length + mtu - 1) / mtu);
}

class work_pool {
  public:
    work_entry* take() {
        if (!free_)
            grow();
        work_entry* e = std::exchange(free_, free_->next);
        *e = {};
        return e;
    }
    void give_back(work_entry* e) { e->next = std::exchange(free_, e); }

  private:
    void grow() {
        constexpr std::size_t batch = 32;
        blocks_.push_back(std::make_unique<work_entry[]>(batch));
        for (std::size_t i = 0; i < batch; ++i)
            give_back(&blocks_.back()[i]);
    }
    work_entry* free_ = nullptr;
    std::vector<std::unique_ptr<work_entry[]>> blocks_;
};

} // namespace vg810::rdma
