// SPDX-License-Identifier: Apache-2.0
// The host interface's side of PCIe: batches of posted writes, tracking of what is outstanding so that a
// reset can wait for it, and the interrupts' counter.
#pragma once

#include "model/pcie/function.h"
#include "model/regs/register_file.h"

#include <array>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <vector>

namespace vg810 {

class event_queue;

/// Told that a request has ended; never `aborted`, for then a reset is under way that tells everyone.
class dma_receiver {
  public:
    virtual ~dma_receiver() = default;
    virtual void dma_ended(std::uint64_t cookie, bool ok) = 0;
};

/// Pieces of one posted write, and the event queue that may interrupt once it is on its way. Lives on the
/// stack.
class write_batch {
  public:
    /// 2 pieces for each of 16 buffers of a received frame and its VLAN gap, and the ring entries.
    static constexpr std::size_t max_pieces = 48;
    static constexpr std::size_t max_entry_bytes = 32;

    /// Memory that stays as it is until the batch is written.
    void add(std::uint64_t address, std::span<const std::byte> data) {
        if (data.empty())
            return;
        if (count_ == max_pieces)
            throw std::length_error("write_batch: too many pieces");
        std::construct_at(&pieces_.at[count_++], address, data);
    }
    /// Room for a ring entry of N octets, zeroed, to be filled in before the batch is written.
    template <std::size_t N> std::span<std::byte, N> add_entry(std::uint64_t address) {
        static_assert(N <= max_entry_bytes);
        if (entries_ == store_.size())
            throw std::length_error("write_batch: too many entries");
        std::span<std::byte, N> room(store_[entries_++].data(), N);
        std::memset(room.data(), 0, N);
        add(address, room);
        return room;
    }
    /// At most one: an entry of one CQ causes events of one EQ only.
    void set_event_queue(event_queue& eq) { eq_ = &eq; }

    bool empty() const { return count_ == 0; }
    event_queue* eq() const { return eq_; }
    std::span<const pcie::dma_piece> pieces() const { return {pieces_.at, count_}; }

  private:
    // Not initialised as a whole: a batch is made for every frame and mostly has two pieces.
    union storage {
        storage() {}
        pcie::dma_piece at[max_pieces];
    } pieces_;
    std::size_t count_ = 0;
    std::array<std::array<std::byte, max_entry_bytes>, 4> store_;
    std::size_t entries_ = 0;
    event_queue* eq_ = nullptr;
};

/// Hears that nothing is outstanding any more, or of each end of a request.
class dma_progress_listener {
  public:
    virtual ~dma_progress_listener() = default;
    virtual void dma_progressed() = 0;
    virtual void dma_failed() = 0;
    virtual void interrupt_sent(std::uint16_t vector) = 0;
};

class dma_engine final : public pcie::dma_client {
  public:
    dma_engine(pcie::dma_port& port, dma_progress_listener& listener) : port_(port), listener_(listener) {}

    /// `target` stays valid until the end. 1 .. 64 KiB.
    void read(std::uint64_t address, std::span<std::byte> target, dma_receiver& receiver,
              std::uint64_t cookie);
    /// Writes the batch, then lets its event queue interrupt. `receiver` may be null.
    void write(const write_batch& batch, dma_receiver* receiver, std::uint64_t cookie);
    void interrupt(std::uint16_t vector);

    std::size_t outstanding() const { return outstanding_; }
    /// A reset: whatever is outstanding ends without telling its receiver.
    void orphan_all() { ++generation_; }

    void dma_done(std::uint64_t cookie, pcie::dma_status status) override;

  private:
    struct request {
        dma_receiver* receiver;
        std::uint64_t cookie;
        std::uint64_t generation;
    };
    std::uint64_t remember(dma_receiver* receiver, std::uint64_t cookie);

    pcie::dma_port& port_;
    dma_progress_listener& listener_;
    std::vector<request> requests_;
    std::vector<std::uint32_t> free_;
    std::size_t outstanding_ = 0;
    std::uint64_t generation_ = 0;
};

} // namespace vg810
