// SPDX-License-Identifier: Apache-2.0
#include "model/host_if/event_queue.h"

#include <algorithm>

namespace vg810 {

namespace {
constexpr std::uint32_t index_mask = (1u << 24) - 1;
}

void event_queue::create(const event_queue_config& config) {
    config_ = config;
    exists_ = true;
    producer_ = consumer_ = 0;
    armed_ = false;
    references = 0;
    outstanding_ = 0;
    kept_.clear();
    next_interrupt_ = {};
    events_since_interrupt_ = 0;
    timer_running_ = false;
}

void event_queue::destroy() {
    exists_ = false;
    armed_ = false;
    timer_running_ = false;
    kept_.clear();
}

void event_queue::set_moderation(picoseconds least, std::uint32_t events) {
    config_.moderation = least;
    config_.moderation_events = events;
    timer_running_ = false;
    next_interrupt_ = std::min(next_interrupt_, s_.now() + least);
    consider_interrupt();
}

void event_queue::place(write_batch& batch, const event& e) {
    const std::uint64_t slot = producer_ & ((1u << config_.log2) - 1);
    regs::event_view view(
        batch.add_entry<regs::event_view::bytes>(config_.base + slot * regs::event_view::bytes));
    view.set_type(e.type);
    view.set_kind(e.kind);
    view.set_id(e.id);
    view.set_data(e.data);
    view.set_phase(ring_phase(producer_, config_.log2));
    ++producer_;
    ++events_since_interrupt_;
    batch.set_event_queue(*this);
}

void event_queue::add(write_batch& batch, const event& e) {
    if (full() || !kept_.empty())
        keep(e);
    else
        place(batch, e);
}

void event_queue::post(const event& e) {
    write_batch batch;
    add(batch, e);
    if (batch.empty())
        return;
    ++outstanding_;
    s_.dma.write(batch, this, 0);
}

/// Of the same kind from the same source only the latest matters: it says all that the earlier said.
void event_queue::keep(const event& e) {
    const auto same = std::find_if(kept_.begin(), kept_.end(), [&e](const event& k) {
        return k.type == e.type && k.kind == e.kind && k.id == e.id;
    });
    if (same == kept_.end())
        kept_.push_back(e);
    else
        *same = e;
}

void event_queue::flush_kept() {
    std::size_t placed = 0;
    for (; placed < kept_.size() && !full(); ++placed) {
        write_batch batch;
        place(batch, kept_[placed]);
        ++outstanding_;
        s_.dma.write(batch, this, 0);
    }
    kept_.erase(kept_.begin(), kept_.begin() + static_cast<std::ptrdiff_t>(placed));
}

bool event_queue::doorbell(std::uint32_t index, bool arm) {
    const std::uint32_t freed = (index - consumer_) & index_mask;
    if (freed > producer_ - consumer_)
        return false;
    consumer_ += freed;
    armed_ |= arm;
    flush_kept();
    consider_interrupt();
    return true;
}

void event_queue::consider_interrupt() {
    if (!armed_ || producer_ == consumer_)
        return;
    const bool enough =
        config_.moderation_events != 0 && events_since_interrupt_ >= config_.moderation_events;
    if (s_.now() < next_interrupt_ && !enough) {
        if (!timer_running_) {
            timer_running_ = true;
            s_.events.schedule<&event_queue::moderation_over>(next_interrupt_, this, ++timer_attempt_,
                                                              s_.minima.touch);
        }
        return;
    }
    armed_ = false;
    timer_running_ = false;
    events_since_interrupt_ = 0;
    next_interrupt_ = s_.now() + config_.moderation;
    s_.dma.interrupt(config_.vector);
}

void event_queue::moderation_over(std::uint64_t attempt) {
    if (!timer_running_ || attempt != timer_attempt_)
        return;
    timer_running_ = false;
    consider_interrupt();
}

void event_queue::dma_ended(std::uint64_t, bool ok) {
    --outstanding_;
    if (!ok)
        s_.errors.fatal(regs::fatal_error::admin_write);
}

} // namespace vg810
