// SPDX-License-Identifier: Apache-2.0
#include "model/host_if/completion_queue.h"

#include <utility>

namespace vg810 {

namespace {
constexpr std::uint32_t index_mask = (1u << 24) - 1;
}

void completion_queue::create(const completion_queue_config& config) {
    config_ = config;
    exists_ = true;
    error_ = regs::queue_error::none;
    producer_ = consumer_ = 0;
    armed_ = false;
    outstanding_ = 0;
    references = 0;
    if (config_.eq != nullptr)
        ++config_.eq->references;
}

void completion_queue::destroy() {
    if (config_.eq != nullptr)
        --config_.eq->references;
    exists_ = false;
    armed_ = false;
}

void completion_queue::place(write_batch& batch, const completion& c) {
    using view_type = regs::completion_view;
    const std::uint64_t slot = producer_ & ((1u << config_.log2) - 1);
    view_type view(batch.add_entry<view_type::bytes>(config_.base + slot * view_type::bytes));
    view.set_queue_id(c.queue_id);
    view.set_index(c.index);
    view.set_status(c.status);
    view.set_flags(c.flags);
    view.set_hash_type(c.hash_type);
    view.set_descriptors(c.descriptors);
    view.set_length(c.length);
    view.set_rss_hash(c.rss_hash);
    view.set_vlan_tci(c.vlan_tci);
    view.set_timestamp(static_cast<std::uint64_t>(c.timestamp.floor_ns()));
    view.set_phase(ring_phase(producer_, config_.log2));
    ++producer_;
}

bool completion_queue::add(write_batch& batch, const completion& c) {
    if (failed())
        return false;
    if (producer_ - consumer_ >= (1u << config_.log2)) {
        fail(regs::queue_error::cq_overflow);
        return false;
    }
    place(batch, c);
    ++outstanding_;
    if (config_.eq != nullptr && std::exchange(armed_, false))
        config_.eq->add(batch, completion_event());
    return true;
}

void completion_queue::landed(bool ok) {
    --outstanding_;
    if (!ok)
        fail(regs::queue_error::dma);
}

bool completion_queue::doorbell(std::uint32_t index, bool arm) {
    const std::uint32_t freed = (index - consumer_) & index_mask;
    if (freed > producer_ - consumer_)
        return false;
    consumer_ += freed;
    armed_ |= arm;
    if (config_.eq != nullptr && armed_ && producer_ != consumer_) {
        armed_ = false;
        config_.eq->post(completion_event());
    }
    return true;
}

void completion_queue::fail(regs::queue_error error) {
    if (failed())
        return;
    error_ = error;
    armed_ = false;
    s_.errors.queue_stopped(regs::queue_kind::cq, config_.id, error);
}

} // namespace vg810
