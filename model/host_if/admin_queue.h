// SPDX-License-Identifier: Apache-2.0
// The admin queue: fetches 64-byte commands one after the other, has each executed, writes its 16-byte
// completion with a phase bit and tells the admin event queue.
#pragma once

#include "model/host_if/event_queue.h"
#include "model/host_if/services.h"

#include <array>

namespace vg810 {

using admin_command = std::array<std::byte, regs::admin_command_view::bytes>;

/// What became of a command. `param`: see the command; for errors the offset of the field at fault.
struct admin_result {
    regs::admin_status status = regs::admin_status::ok;
    std::uint64_t param = 0;
};

class admin_executor {
  public:
    virtual ~admin_executor() = default;
    /// Starts the command; it ends, now or later, with admin_queue::finish().
    virtual void execute(regs::admin_command_const_view command) = 0;
    /// Where to announce completions; null for nowhere.
    virtual event_queue* admin_events() = 0;
};

class admin_queue final : public dma_receiver {
  public:
    admin_queue(const services& s, admin_executor& executor) : s_(s), executor_(executor) {}

    struct config {
        std::uint64_t submission = 0; ///< bus addresses
        std::uint64_t completion = 0;
        unsigned submission_log2 = 0;
        unsigned completion_log2 = 0;
    };
    void start(const config& c);
    void stop();
    bool running() const { return running_; }
    /// No command is on the card.
    bool idle() const { return step_ == step::idle; }
    /// The driver has written commands up to `tail`. False if that is outside the ring.
    bool submit(std::uint32_t tail);
    /// The driver has read completions up to `head`. False if that is outside the ring.
    bool free_completions(std::uint32_t head);
    std::uint32_t head() const { return head_; }

    void finish(const admin_result& result);

    void dma_ended(std::uint64_t cookie, bool ok) override;

  private:
    enum class step : std::uint8_t { idle, fetching, deciding, executing, blocked };
    enum cookie : std::uint64_t { command_read, completion_write };

    void fetch();
    void decide(std::uint64_t generation);
    void try_complete();
    void write_completion();

    const services& s_;
    admin_executor& executor_;
    config config_;
    bool running_ = false;
    step step_ = step::idle;
    std::uint64_t generation_ = 0;
    std::uint32_t tail_ = 0, head_ = 0; ///< submission ring
    std::uint32_t producer_ = 0;        ///< completion ring, free-running
    std::uint32_t consumer_ = 0;
    admin_command command_{};
    admin_result result_;
};

} // namespace vg810
