// SPDX-License-Identifier: Apache-2.0
// One packet on its way through the transmit path: what its descriptors said, its octets as they arrive, and
// how far it is.
#pragma once

#include "model/host_if/tx_offload.h"

#include <array>
#include <memory>

namespace vg810 {

class tx_queue;

struct tx_packet {
    /// Reads of one packet: 20 descriptors, each beginning a new chunk, and the chunks of 65535 + 255 octets
    /// at 512 each.
    static constexpr std::size_t max_chunks = regs::max_tx_segments + 65790 / 512 + 1;

    struct chunk {
        std::uint32_t end; ///< octets of the packet up to its end
        bool arrived;
    };

    tx_queue* queue = nullptr;
    tx_packet* next = nullptr; ///< behind it in the queue, or in the free list
    std::uint16_t slot = 0;    ///< its number, for events and DMA

    tx_offload offload;
    bytes length = 0;
    std::uint16_t last_index = 0; ///< free-running index of its last descriptor
    std::uint8_t descriptors = 0;
    bool wants_completion = false;
    regs::completion_status status = regs::completion_status::ok;

    std::array<chunk, max_chunks> chunks;
    std::uint32_t chunk_count = 0;
    std::uint32_t arrived_chunks = 0; ///< leading chunks that have arrived
    std::uint32_t pending = 0;        ///< reads and pipeline events under way
    bytes usable = 0;                 ///< leading octets through the pipeline

    std::uint32_t frames = 0;     ///< frames it becomes
    std::uint32_t frames_out = 0; ///< handed to the MAC
    bool sent = false;            ///< the last bit of the last one has left

    std::span<std::byte> octets() { return {data_.get(), length}; }
    void make_room(bytes n) {
        if (n > capacity_) {
            capacity_ = std::max<bytes>(2048, n);
            data_ = std::make_unique_for_overwrite<std::byte[]>(capacity_);
        }
        length = n;
    }
    bool ok() const { return status == regs::completion_status::ok; }
    /// Nothing of it is under way and it will cause no more frames.
    bool finished() const { return pending == 0 && (sent || !ok()); }
    bool next_frame_usable() const {
        return ok() && frames_out < frames && usable >= needed_for(offload, length, frames_out);
    }

  private:
    std::unique_ptr<std::byte[]> data_;
    bytes capacity_ = 0;
};

} // namespace vg810
