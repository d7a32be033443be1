// SPDX-License-Identifier: Apache-2.0
// The MSI-X table and pending bit array of one function (PCI Express Base 4.0 6.1.4, 7.7.2): which vectors
// may be sent now, which wait. Where the machine keeps the table itself (QEMU does), the function only
// numbers its vectors.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace vg810::pcie {

enum class msix_mode : std::uint8_t {
    table,    ///< messages are memory writes to the addresses in the table
    external, ///< the machine keeps table, masks and enable; every vector is handed to an interrupt_sink
};

struct msix_message {
    std::uint64_t address = 0;
    std::uint32_t data = 0;
};

class msix {
  public:
    /// `vectors`: 1 .. 2048.
    explicit msix(std::uint16_t vectors);

    std::uint16_t vectors() const { return static_cast<std::uint16_t>(entries_.size()); }
    std::uint64_t table_bytes() const { return std::uint64_t{16} * entries_.size(); }
    std::uint64_t pending_bytes() const { return (entries_.size() + 63) / 64 * 8; }

    /// Accesses at an offset into table or pending bits. Software must use aligned accesses of 4 or 8 octets
    /// (7.7.2.5): smaller reads give the octets asked for, smaller writes are ignored, and so are writes to
    /// the pending bits.
    std::uint64_t read_table(std::uint64_t offset, unsigned size) const;
    void write_table(std::uint64_t offset, unsigned size, std::uint64_t value);
    std::uint64_t read_pending(std::uint64_t offset, unsigned size) const;

    void set_mode(msix_mode mode) { mode_ = mode; }
    msix_mode mode() const { return mode_; }
    /// MSI-X Enable and Function Mask of Message Control.
    void set_control(bool enabled, bool function_masked);
    /// Bus master off or D3hot: messages are memory writes and cannot be sent (7.5.1.1.3).
    void set_blocked(bool blocked) { blocked_ = blocked; }

    /// The function wants `vector` (below vectors()). True: send it now. False: it is pending.
    bool trigger(std::uint16_t vector);
    /// A pending vector that may be sent now, lowest first; its pending bit is cleared. None when there is
    /// none.
    std::optional<std::uint16_t> take_ready();
    msix_message message(std::uint16_t vector) const;
    bool pending(std::uint16_t vector) const { return entries_[vector].pending; }

    /// All entries zero and masked, nothing pending, MSI-X disabled. The mode stays.
    void reset();

  private:
    struct entry {
        std::uint32_t address_low = 0;
        std::uint32_t address_high = 0;
        std::uint32_t data = 0;
        bool masked = true;
        bool pending = false;
    };

    bool sendable(const entry& e) const;
    std::uint32_t table_word(std::uint64_t offset) const;
    void write_table_word(std::uint64_t offset, std::uint32_t value);

    std::vector<entry> entries_;
    std::uint32_t pending_count_ = 0;
    msix_mode mode_ = msix_mode::table;
    bool enabled_ = false;
    bool function_masked_ = false;
    bool blocked_ = true;
};

} // namespace vg810::pcie
