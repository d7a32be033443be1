// SPDX-License-Identifier: Apache-2.0
// A guest's RAM as one PCI function may reach it: the ranges of bus addresses that QEMU has mapped for DMA,
// each an mmap of the memfd behind it. QEMU maps and unmaps RAM several times while firmware runs (the memory
// below 1 MiB is split and joined), so a new mapping may cover an older one for a while; the newest wins.
#pragma once

#include "qemu-device/file_descriptor.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace vg810::qemu {

/// What may be done with a mapped range.
enum class dma_access : std::uint8_t { read = 1, write = 2, read_write = 3 };

class guest_memory {
  public:
    guest_memory() = default;
    guest_memory(const guest_memory&) = delete;
    guest_memory& operator=(const guest_memory&) = delete;
    ~guest_memory() { clear(); }

    /// Maps `[address, address + size)` to `file` from `offset`. Without a file (ROMs) the range is known but
    /// not reachable. Returns 0 or an errno: EINVAL for an empty, overflowing, unaligned range or one beyond
    /// the file's end, EEXIST for exactly the same range twice, ENOSPC beyond `max_ranges`, or what mmap
    /// says.
    int map(std::uint64_t address, std::uint64_t size, dma_access access, const file_descriptor& file,
            std::uint64_t offset);
    /// Removes the newest mapping of exactly this range; EINVAL if there is none.
    int unmap(std::uint64_t address, std::uint64_t size);
    void clear();

    /// The host's pointer to `[address, address + size)` if all of it lies in one reachable mapping that
    /// allows `access`, else nullptr. Valid until the next map, unmap or clear.
    std::byte* lookup(std::uint64_t address, std::uint64_t size, dma_access access) const;
    /// Copies out of or into guest memory, across mappings if need be. False, and nothing is transferred, if
    /// any byte is not mapped or must not be accessed so.
    bool read(std::uint64_t address, std::span<std::byte> out) const;
    bool write(std::uint64_t address, std::span<const std::byte> data) const;

    /// RAM that QEMU could not share: a writable range of at least 1 MiB came without a file. Empty when all
    /// is well, else a sentence that names the cure.
    const std::string& sharing_error() const { return sharing_error_; }

    std::size_t ranges() const { return mappings_.size(); }
    static constexpr std::size_t max_ranges = 1024;

  private:
    struct mapping {
        std::uint64_t address;
        std::uint64_t size;
        std::byte* host; // of `address`; nullptr: not reachable
        dma_access access;
    };
    /// A piece of the address space with one owner, the newest mapping there. Sorted by address, disjoint.
    struct piece {
        std::uint64_t address;
        std::uint64_t end; // exclusive
        std::byte* host;
        dma_access access;
    };

    void rebuild();
    static void release(const mapping& m);
    const piece* find(std::uint64_t address) const;
    bool reachable(std::uint64_t address, std::uint64_t size, dma_access access) const;

    std::vector<mapping> mappings_; // oldest first
    std::vector<piece> pieces_;
    mutable std::size_t last_hit_ = 0;
    std::string sharing_error_;
};

} // namespace vg810::qemu
