// SPDX-License-Identifier: Apache-2.0
// A completion queue: a ring in host memory that any number of TX and RX queues report to. Armed, it causes
// one event when an entry at or after the driver's index exists. It never overwrites an entry: a full ring
// stops it.
#pragma once

#include "model/host_if/event_queue.h"

namespace vg810 {

struct completion {
    std::uint16_t queue_id = 0;
    std::uint16_t index = 0;
    regs::completion_status status = regs::completion_status::ok;
    std::uint8_t flags = 0; ///< regs::completion_flags
    regs::rss_hash_type hash_type = regs::rss_hash_type::none;
    std::uint8_t descriptors = 0;
    std::uint32_t length = 0; ///< octets
    std::uint32_t rss_hash = 0;
    std::uint16_t vlan_tci = 0;
    picoseconds timestamp;
};

struct completion_queue_config {
    std::uint32_t id = 0;
    std::uint64_t base = 0;
    unsigned log2 = 0;
    std::uint32_t page = 0;
    event_queue* eq = nullptr; ///< null: no events
};

class completion_queue final : public dma_receiver {
  public:
    explicit completion_queue(const services& s) : s_(s) {}

    void create(const completion_queue_config& config);
    void destroy();
    bool exists() const { return exists_; }
    bool failed() const { return error_ != regs::queue_error::none; }
    regs::queue_error error() const { return error_; }
    bool idle() const { return outstanding_ == 0; }
    std::uint32_t id() const { return config_.id; }
    std::uint32_t page() const { return config_.page; }

    /// Puts an entry, and the event if one is due, into a batch; landed() must follow when that batch has
    /// ended. False if the queue is full or has failed: then the queue stops and says so once.
    bool add(write_batch& batch, const completion& c);
    void landed(bool ok);
    /// For batches whose receiver is the queue itself.
    void dma_ended(std::uint64_t, bool ok) override { landed(ok); }
    /// The driver has read up to `index` (modulo 2^24) and may arm. False if that many entries do not exist.
    bool doorbell(std::uint32_t index, bool arm);
    void fail(regs::queue_error error);

    /// TX and RX queues that report here.
    unsigned references = 0;

  private:
    void place(write_batch& batch, const completion& c);
    event completion_event() const { return {regs::event_type::completion, {}, config_.id, 0}; }

    const services& s_;
    completion_queue_config config_;
    bool exists_ = false;
    regs::queue_error error_ = regs::queue_error::none;
    std::uint32_t producer_ = 0; // free-running
    std::uint32_t consumer_ = 0;
    bool armed_ = false;
    std::size_t outstanding_ = 0;
};

} // namespace vg810
