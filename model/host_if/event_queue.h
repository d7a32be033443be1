// SPDX-License-Identifier: Apache-2.0
// An event queue: a ring in host memory that leads to one MSI-X vector. It interrupts when it is armed and
// holds entries that the driver has not freed, then disarms itself; moderation delays that.
#pragma once

#include "model/host_if/services.h"

#include <vector>

namespace vg810 {

struct event {
    regs::event_type type;
    regs::queue_kind kind{};
    std::uint32_t id = 0;
    std::uint64_t data = 0;
};

struct event_queue_config {
    std::uint64_t base = 0; ///< bus address of the ring
    unsigned log2 = 0;      ///< entries
    std::uint16_t vector = 0;
    std::uint32_t page = 0;              ///< doorbell page
    picoseconds moderation;              ///< least time between two interrupts
    std::uint32_t moderation_events = 0; ///< that many events end the wait early; 0: none do
};

class event_queue final : public dma_receiver {
  public:
    explicit event_queue(const services& s) : s_(s) {}

    void create(const event_queue_config& config);
    /// Only when nothing refers to it and idle().
    void destroy();
    bool exists() const { return exists_; }
    /// None of its own writes is under way.
    bool idle() const { return outstanding_ == 0; }
    std::uint32_t page() const { return config_.page; }
    void set_moderation(picoseconds least, std::uint32_t events);

    /// Puts an entry into a batch. A full ring keeps events on the card until the driver frees entries, each
    /// distinct one once, so that none is lost.
    void add(write_batch& batch, const event& e);
    /// A write of its own.
    void post(const event& e);
    /// The driver has read up to `index` (modulo 2^24) and may arm. False if that many entries do not exist.
    bool doorbell(std::uint32_t index, bool arm);
    /// A batch with entries of this queue is on its way.
    void entries_written() { consider_interrupt(); }

    /// CQs and others that name this queue.
    unsigned references = 0;

    void dma_ended(std::uint64_t cookie, bool ok) override;

  private:
    bool full() const { return producer_ - consumer_ >= (1u << config_.log2); }
    void place(write_batch& batch, const event& e);
    void keep(const event& e);
    void flush_kept();
    void consider_interrupt();
    void moderation_over(std::uint64_t attempt);

    const services& s_;
    event_queue_config config_;
    bool exists_ = false;
    std::uint32_t producer_ = 0; // free-running
    std::uint32_t consumer_ = 0;
    bool armed_ = false;
    std::size_t outstanding_ = 0;
    std::vector<event> kept_;
    picoseconds next_interrupt_; // moderation allows none before
    std::uint32_t events_since_interrupt_ = 0;
    std::uint64_t timer_attempt_ = 0;
    bool timer_running_ = false;
};

} // namespace vg810
