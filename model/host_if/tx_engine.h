// SPDX-License-Identifier: Apache-2.0
// The way out: descriptors to packets, payload reads into the packet buffer, offloads, frames to the MAC,
// completions. Queues take turns, packet by packet when reads start and frame by frame towards the MAC.
#pragma once

#include "model/host_if/tx_queue.h"
#include "model/mac/mac.h"

#include <memory>
#include <vector>

namespace vg810 {

class tx_engine final : public dma_receiver {
  public:
    tx_engine(const services& s, frame_pool& frames);
    /// Before anything else; the two know each other.
    void attach(mac& port) { mac_ = &port; }

    tx_queue& queue(std::uint32_t id) { return *queues_.at(id); }
    void create(const tx_queue_config& config);
    /// Starts no more packets and gives up those that have not started to leave. Idle soon after.
    void stop(tx_queue& q, regs::queue_error error);
    void abandon(tx_queue& q);
    bool any_queue() const { return queues_in_use_ != 0; }
    void destroy(tx_queue& q);
    /// False if no such queue listens there or the index is impossible.
    bool doorbell(std::uint32_t page, std::uint32_t queue, std::uint16_t index);
    void set_max_frame(bytes octets) { max_frame_ = octets; }
    /// Function reset: no queues, no packets.
    void reset();
    /// A seeded fault: nothing more leaves until a reset.
    void stick() { stuck_ = true; }

    /// The MAC's questions and news.
    outgoing_frame next_frame();
    void frame_sent(std::uint64_t token);
    void link_changed();

    void descriptors_arrived(tx_queue& q);
    bytes buffer_used() const { return buffer_used_; }

    void dma_ended(std::uint64_t cookie, bool ok) override;

  private:
    enum class start_result : std::uint8_t { started, nothing_there, no_room };
    /// Packets on the card at a time.
    static constexpr std::uint32_t max_packets = 4096;

    static std::uint32_t turn_of(std::uint32_t set, std::uint32_t first);
    tx_packet* take_slot();
    start_result start_from(tx_queue& q);
    void flush(tx_queue& q);
    void pump();
    void start(tx_queue& q, tx_packet& p);
    bytes inspect(const tx_queue& q, tx_packet& p, std::uint16_t descriptors) const;
    void read_payload(tx_packet& p, std::span<const std::uint64_t> addresses,
                      std::span<const std::uint32_t> lengths);
    void usable_grew(std::uint64_t argument);
    outgoing_frame emit(tx_queue& q);
    void settle(tx_queue& q);
    bool retire_finished(tx_queue& q);
    void skip_hopeless(tx_queue& q);
    bool complete(tx_queue& q, const tx_packet& p);
    void release(tx_packet& p);
    std::uint64_t token_for(const tx_packet& p) const { return std::uint64_t{epoch_} << 16 | p.slot; }
    void mark_emission(tx_queue& q);

    const services& s_;
    frame_pool& frames_;
    mac* mac_ = nullptr;
    std::array<std::unique_ptr<tx_queue>, regs::max_queues> queues_;
    std::uint32_t queues_in_use_ = 0;
    std::vector<std::unique_ptr<tx_packet>> packets_;
    tx_packet* free_ = nullptr;
    bytes buffer_used_ = 0;
    bytes max_frame_ = 1500 + 14 + 8;
    std::uint32_t next_start_ = 0; ///< queue whose turn it is to start a packet
    std::uint32_t next_emit_ = 0;  ///< queue whose turn it is to send a frame
    std::uint32_t can_start_ = 0;  ///< queues that may have a packet to start, one bit each
    std::uint32_t can_emit_ = 0;   ///< queues with a frame for the MAC, one bit each
    std::uint32_t epoch_ = 1;      ///< tells events of before a reset from those after; never 0 in a token
    std::uint32_t packets_in_use_ = 0;
    bool pumping_ = false;
    bool stuck_ = false;
};

} // namespace vg810
