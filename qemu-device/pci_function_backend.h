// SPDX-License-Identifier: Apache-2.0
// What a PCI function must offer to be plugged into a guest: its config space, its BARs, its reset.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace vg810::qemu {

/// One PCI function as its bus sees it. Every call happens at the function's own current time; none may
/// block.
class pci_function_backend {
  public:
    virtual ~pci_function_backend() = default;

    /// Bytes of config space, 256 or 4096 (PCI Express Base 7.2). Must not change.
    virtual std::size_t config_size() const { return 4096; }
    /// Config access. `offset + data.size() <= config_size()` is guaranteed; offset and size are as odd as
    /// the guest made them (firmware reads 1, 2 and 4 bytes anywhere, the VMM reads the whole space at once).
    virtual void read_config(std::uint32_t offset, std::span<std::byte> data) = 0;
    virtual void write_config(std::uint32_t offset, std::span<const std::byte> data) = 0;

    /// Bytes behind BAR `bar` (0..5), a power of two, or 0 when the BAR does not exist (or is the upper half
    /// of a 64-bit one). Its type bits are those read at its config offset.
    virtual std::uint64_t bar_size(unsigned bar) const = 0;
    /// BAR access of 1, 2, 4 or 8 bytes (other lengths arrive as several), inside the BAR, aligned or not.
    virtual void read_bar(unsigned bar, std::uint64_t offset, std::span<std::byte> data) = 0;
    virtual void write_bar(unsigned bar, std::uint64_t offset, std::span<const std::byte> data) = 0;

    /// MSI-X vectors of the function, 0..2048.
    virtual unsigned msix_vectors() const = 0;

    /// A function-level or bus reset asked for by the VMM (the guest's own FLR arrives as a config write).
    virtual void reset() = 0;
};

} // namespace vg810::qemu
