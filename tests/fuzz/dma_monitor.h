// SPDX-License-Identifier: Apache-2.0
// The judge of a function's DMA: from what the host wrote into registers, and from what the card fetched of
// commands and descriptors, it knows every address that the card has been told of, and refuses requests to
// others. It believes too much rather than too little: what was named once in a life stays named until
// forget().
#pragma once

#include "model/pcie/host_memory.h"
#include "model/regs/vg810_regs.h"

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <vector>

namespace vg810::fuzz {

/// A set of octets of the 64-bit bus address space.
class address_set {
  public:
    void add(std::uint64_t base, std::uint64_t length);
    bool covers(std::uint64_t base, std::uint64_t length) const;
    void clear() { extents_.clear(); }

  private:
    void add_without_wrap(std::uint64_t first, std::uint64_t last);
    std::map<std::uint64_t, std::uint64_t> extents_; // first to last octet
};

class dma_monitor {
  public:
    explicit dma_monitor(const pcie::host_memory& memory) : memory_(memory) {}

    /// A write to BAR 0, of any length and alignment.
    void host_wrote(std::uint64_t offset, std::span<const std::byte> data);
    /// The card asks for memory; false if nobody told it of these addresses.
    bool may_read(std::uint64_t address, std::uint32_t length);
    bool may_write(std::uint64_t address, std::uint32_t length) const;
    /// A reset has ended: the card knows nothing / nothing but its MSI-X table.
    void forget();
    void forget_queues();

  private:
    /// A 64-bit register that may be written in halves, some of which the card may have ignored.
    struct halves {
        std::set<std::uint32_t> low{0}, high{0};
        bool may_be(std::uint64_t value) const;
    };
    void host_wrote_word(std::uint64_t offset, std::uint32_t value);

    struct ring {
        std::uint64_t base;
        std::uint64_t bytes;
        auto operator<=>(const ring&) const = default;
    };

    bool in_submission_ring(std::uint64_t address, std::uint32_t length) const;
    bool in_completion_ring(std::uint64_t address, std::uint32_t length) const;
    static bool inside(const std::set<ring>& rings, std::uint64_t address, std::uint32_t length);
    void fetched_commands(std::span<const std::byte> data);
    void fetched_tx(std::span<const std::byte> data);
    void fetched_rx(std::span<const std::byte> data);

    const pcie::host_memory& memory_;
    halves submission_, completion_, message_;
    std::set<ring> tx_rings_, rx_rings_;
    address_set readable_, writable_;
    std::vector<std::byte> fetched_;
};

} // namespace vg810::fuzz
