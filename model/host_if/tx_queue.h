// SPDX-License-Identifier: Apache-2.0
// One transmit queue: its descriptor ring, the next packet in it, and the packets that are on the card.
#pragma once

#include "model/host_if/completion_queue.h"
#include "model/host_if/descriptor_ring.h"
#include "model/host_if/tx_packet.h"

namespace vg810 {

struct tx_queue_config {
    std::uint16_t id = 0;
    std::uint64_t base = 0;
    unsigned log2 = 0;
    std::uint32_t page = 0;
    completion_queue* cq = nullptr;
};

class tx_engine;

class tx_queue final : public descriptor_ring_owner {
  public:
    static constexpr std::size_t batch = 16;
    using ring = descriptor_ring<regs::tx_descriptor_view::bytes, batch>;
    using descriptor = regs::tx_descriptor_const_view;

    tx_queue(const services& s, tx_engine& engine) : ring_(s, *this), engine_(engine) {}

    void create(const tx_queue_config& config);
    void destroy();
    bool exists() const { return exists_; }
    /// Starts packets.
    bool running() const { return exists_ && !stopped_; }
    /// Starts no more packets. `error`: to be reported when those on the card are done; `none` for a quiet
    /// end.
    void stop(regs::queue_error error);
    /// The error to report, once.
    regs::queue_error take_error();
    bool idle() const { return first_ == nullptr && !ring_.fetching(); }
    const tx_queue_config& config() const { return config_; }

    bool post(std::uint16_t index) { return ring_.post(index); }
    void fetch() { ring_.fetch(); }

    enum class look : std::uint8_t { nothing, packet, broken };
    /// Whether a whole packet is in the cache; `broken` if where it ends cannot be told.
    look next_packet() const;
    descriptor next_descriptor(std::uint16_t n) const { return descriptor(ring_.at(n)); }
    /// Takes the next packet's descriptors out of the ring.
    void take(tx_packet& p, std::uint16_t descriptors);

    tx_packet* first() { return first_; }
    /// The first that has frames to send.
    tx_packet* emitting() { return emitting_; }
    void pass() { emitting_ = emitting_->next; }
    /// Removes the first packet and gives its descriptors back.
    tx_packet* retire();

    void descriptors_arrived() override;
    void fetch_failed() override;

  private:
    ring ring_;
    tx_engine& engine_;
    tx_queue_config config_;
    bool exists_ = false;
    bool stopped_ = false;
    regs::queue_error error_ = regs::queue_error::none;
    tx_packet* first_ = nullptr;
    tx_packet* last_ = nullptr;
    tx_packet* emitting_ = nullptr;
};

} // namespace vg810
