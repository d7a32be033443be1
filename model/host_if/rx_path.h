// SPDX-License-Identifier: Apache-2.0
// The way in: filter, parse, checksum check, RSS, receive buffer, and one PCIe write per frame with its
// payload, its completion and, if due, the event.
#pragma once

#include "core/frame.h"
#include "model/host_if/rss.h"
#include "model/host_if/rx_filter.h"
#include "model/host_if/rx_queue.h"

#include <memory>

namespace vg810 {

class rx_path final : public dma_receiver {
  public:
    /// `latency`: from a frame's last bit to its classification, through MAC and parser.
    rx_path(const services& s, picoseconds latency);

    rx_filter& filter() { return filter_; }
    vg810::rss& rss() { return rss_; }
    /// Checks checksums / takes VLAN tags out.
    void set_offloads(bool checksum, bool strip_vlan);

    rx_queue& queue(std::uint32_t id) { return *queues_.at(id); }
    void create(const rx_queue_config& config);
    /// Stops it and drops what waits; it may be destroyed once idle.
    void stop(rx_queue& q);
    /// False if no such queue listens there or the index is impossible.
    bool doorbell(std::uint32_t page, std::uint32_t queue, std::uint16_t index);

    /// A good frame, complete at now().
    void frame_received(frame_ptr f);
    /// Function reset: no queues, no frames, defaults.
    void reset(mac_address own);

    void serve(rx_queue& q);
    void fail(rx_queue& q, regs::queue_error error);
    bytes buffer_used() const { return buffer_used_; }

    void dma_ended(std::uint64_t cookie, bool ok) override;

  private:
    void classify(std::uint64_t released);
    void mark_checksums(received_frame& f, const parse_result& headers);
    void enqueue(rx_queue& q, received_frame f);
    void drop_first(rx_queue& q);
    void drop_waiting(rx_queue& q);
    bool serve_first(rx_queue& q);
    void write_frame(rx_queue& q, const rx_queue::claim& buffers);
    void write_error(rx_queue& q, std::uint16_t descriptors, regs::completion_status status);
    void submit(rx_queue& q, write_batch& batch, bytes room);
    void serve_blocked();

    const services& s_;
    picoseconds latency_;
    rx_filter filter_;
    vg810::rss rss_;
    bool check_checksums_ = false;
    bool strip_vlan_ = false;
    std::array<std::unique_ptr<rx_queue>, regs::max_queues> queues_;
    std::vector<received_frame> store_; // waiting frames, linked by `next`
    std::uint32_t free_ = rx_queue::none;
    bytes buffer_used_ = 0;     // waiting and on their way
    bytes window_used_ = 0;     // on their way over PCIe
    std::uint32_t blocked_ = 0; // queues that wait for the window, one bit each
    std::uint32_t next_blocked_ = 0;
};

} // namespace vg810
