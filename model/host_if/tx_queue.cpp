// SPDX-License-Identifier: Apache-2.0
#include "model/host_if/tx_queue.h"

#include "model/host_if/tx_engine.h"

#include <utility>

namespace vg810 {

using flag = regs::tx_descriptor_flags;

void tx_queue::create(const tx_queue_config& config) {
    config_ = config;
    ring_.create(config.base, config.log2);
    exists_ = true;
    stopped_ = false;
    error_ = regs::queue_error::none;
    first_ = last_ = emitting_ = nullptr;
    ++config_.cq->references;
}

void tx_queue::destroy() {
    --config_.cq->references;
    exists_ = false;
}

void tx_queue::stop(regs::queue_error error) {
    if (!running())
        return;
    stopped_ = true;
    error_ = error;
}

regs::queue_error tx_queue::take_error() {
    return std::exchange(error_, regs::queue_error::none);
}

/// A packet's descriptors must be marked so that its end can be told from them and from the first's count
/// alike.
tx_queue::look tx_queue::next_packet() const {
    const std::uint16_t available = ring_.available();
    if (available == 0 || !running())
        return look::nothing;
    const std::uint16_t n = next_descriptor(0).segments();
    if (n == 0 || n > regs::max_tx_segments || n > ring_.entries() ||
        !flag::first::get(next_descriptor(0).flags()))
        return look::broken;
    for (std::uint16_t i = 0; i < std::min(n, available); ++i) {
        const std::uint16_t flags = next_descriptor(i).flags();
        if (flag::first::get(flags) != (i == 0) || flag::last::get(flags) != (i + 1 == n))
            return look::broken;
    }
    return n <= available ? look::packet : look::nothing;
}

void tx_queue::take(tx_packet& p, std::uint16_t descriptors) {
    p.queue = this;
    p.next = nullptr;
    p.descriptors = static_cast<std::uint8_t>(descriptors);
    p.last_index = static_cast<std::uint16_t>(ring_.next() + descriptors - 1);
    ring_.use(descriptors);
    if (first_ == nullptr)
        first_ = &p;
    else
        last_->next = &p;
    last_ = &p;
    if (emitting_ == nullptr)
        emitting_ = &p;
}

tx_packet* tx_queue::retire() {
    tx_packet* const done = first_;
    if (emitting_ == done)
        emitting_ = done->next;
    first_ = done->next;
    ring_.give_back(static_cast<std::uint16_t>(done->last_index + 1));
    return done;
}

void tx_queue::descriptors_arrived() {
    engine_.descriptors_arrived(*this);
}

void tx_queue::fetch_failed() {
    engine_.stop(*this, regs::queue_error::dma);
}

} // namespace vg810
