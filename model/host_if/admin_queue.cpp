// SPDX-License-Identifier: Apache-2.0
#include "model/host_if/admin_queue.h"

namespace vg810 {

void admin_queue::start(const config& c) {
    config_ = c;
    running_ = true;
    step_ = step::idle;
    ++generation_;
    tail_ = head_ = producer_ = consumer_ = 0;
}

void admin_queue::stop() {
    running_ = false;
    step_ = step::idle;
    ++generation_;
}

bool admin_queue::submit(std::uint32_t tail) {
    if (tail >= (1u << config_.submission_log2))
        return false;
    tail_ = tail;
    fetch();
    return true;
}

bool admin_queue::free_completions(std::uint32_t head) {
    const std::uint32_t mask = (1u << config_.completion_log2) - 1;
    const std::uint32_t freed = (head - consumer_) & mask;
    if (head > mask || freed > producer_ - consumer_)
        return false;
    consumer_ += freed;
    if (step_ == step::blocked)
        try_complete();
    return true;
}

void admin_queue::fetch() {
    if (step_ != step::idle || head_ == tail_)
        return;
    step_ = step::fetching;
    s_.dma.read(config_.submission + std::uint64_t{head_} * command_.size(), command_, *this, command_read);
}

void admin_queue::dma_ended(std::uint64_t cookie, bool ok) {
    if (!running_)
        return;
    if (!ok) {
        s_.errors.fatal(cookie == command_read ? regs::fatal_error::admin_read
                                               : regs::fatal_error::admin_write);
        return;
    }
    if (cookie != command_read)
        return;
    head_ = (head_ + 1) & ((1u << config_.submission_log2) - 1);
    step_ = step::deciding;
    s_.events.schedule<&admin_queue::decide>(s_.now() + s_.parameters.admin_latency, this, generation_,
                                             s_.minima.touch);
}

void admin_queue::decide(std::uint64_t generation) {
    if (generation != generation_ || step_ != step::deciding)
        return;
    step_ = step::executing;
    executor_.execute(regs::admin_command_const_view(command_));
}

void admin_queue::finish(const admin_result& result) {
    if (step_ != step::executing)
        return;
    result_ = result;
    try_complete();
}

/// Waits, if need be, for the driver to make room. One entry stays free, so that the driver's index, which
/// does not tell passes over the ring apart, can never mean both all and nothing.
void admin_queue::try_complete() {
    step_ = step::blocked;
    if (producer_ - consumer_ >= (1u << config_.completion_log2) - 1)
        return;
    write_completion();
    step_ = step::idle;
    fetch();
}

void admin_queue::write_completion() {
    using view_type = regs::admin_completion_view;
    write_batch batch;
    const std::uint64_t slot = producer_ & ((1u << config_.completion_log2) - 1);
    view_type view(batch.add_entry<view_type::bytes>(config_.completion + slot * view_type::bytes));
    view.set_command_id(regs::admin_command_const_view(command_).command_id());
    view.set_status(result_.status);
    view.set_asq_head(head_);
    view.set_param(result_.param);
    view.set_phase(ring_phase(producer_, config_.completion_log2));
    ++producer_;
    if (event_queue* eq = executor_.admin_events(); eq != nullptr)
        eq->add(batch, {regs::event_type::admin, {}, 0, 0});
    s_.dma.write(batch, this, completion_write);
}

} // namespace vg810
