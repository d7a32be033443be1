// SPDX-License-Identifier: Apache-2.0
#include "model/host_if/dma_engine.h"

#include "model/host_if/event_queue.h"

namespace vg810 {

std::uint64_t dma_engine::remember(dma_receiver* receiver, std::uint64_t cookie) {
    if (free_.empty()) {
        free_.push_back(static_cast<std::uint32_t>(requests_.size()));
        requests_.emplace_back();
    }
    const std::uint32_t slot = free_.back();
    free_.pop_back();
    requests_[slot] = {receiver, cookie, generation_};
    ++outstanding_;
    return slot;
}

void dma_engine::read(std::uint64_t address, std::span<std::byte> target, dma_receiver& receiver,
                      std::uint64_t cookie) {
    port_.read(address, target, *this, remember(&receiver, cookie));
}

void dma_engine::write(const write_batch& batch, dma_receiver* receiver, std::uint64_t cookie) {
    port_.write(batch.pieces(), this, remember(receiver, cookie));
    if (batch.eq() != nullptr)
        batch.eq()->entries_written();
}

void dma_engine::interrupt(std::uint16_t vector) {
    port_.interrupt(vector);
    listener_.interrupt_sent(vector);
}

void dma_engine::dma_done(std::uint64_t cookie, pcie::dma_status status) {
    const request done = requests_.at(cookie);
    free_.push_back(static_cast<std::uint32_t>(cookie));
    --outstanding_;
    if (done.generation == generation_ && status != pcie::dma_status::aborted) {
        if (status != pcie::dma_status::ok)
            listener_.dma_failed();
        if (done.receiver != nullptr)
            done.receiver->dma_ended(done.cookie, status == pcie::dma_status::ok);
    }
    listener_.dma_progressed();
}

} // namespace vg810
