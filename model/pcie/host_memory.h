// SPDX-License-Identifier: Apache-2.0
// Memory of a host without a guest: 64-bit bus addresses, pages made when first written, whole ranges present
// or absent.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <unordered_map>

namespace vg810::pcie {

class host_memory {
  public:
    /// Makes [base, base + size) present, zero-filled; `remove` takes away a range added before with that
    /// base.
    void add(std::uint64_t base, std::uint64_t size) { ranges_[base] = size; }
    void remove(std::uint64_t base) { ranges_.erase(base); }

    /// Whether all of [address, address + length) lies in one present range.
    bool present(std::uint64_t address, std::uint64_t length) const;
    /// False, and nothing happens, if any octet is absent.
    bool read(std::uint64_t address, std::span<std::byte> data) const;
    bool write(std::uint64_t address, std::span<const std::byte> data);

    /// Single values in the host's (little-endian) order; absent memory reads all ones and swallows writes.
    template <class T> T get(std::uint64_t address) const {
        std::array<std::byte, sizeof(T)> raw;
        if (!read(address, raw))
            raw.fill(std::byte{0xff});
        T value = 0;
        for (std::size_t i = sizeof(T); i-- > 0;)
            value = static_cast<T>(std::uint64_t{value} << 8 | std::to_integer<std::uint64_t>(raw[i]));
        return value;
    }
    template <class T> void put(std::uint64_t address, T value) {
        std::array<std::byte, sizeof(T)> raw;
        for (std::size_t i = 0; i < sizeof(T); ++i)
            raw[i] = static_cast<std::byte>(std::uint64_t{value} >> 8 * i);
        write(address, raw);
    }

  private:
    static constexpr std::uint64_t page_bytes = 4096;
    using page = std::array<std::byte, page_bytes>;

    std::map<std::uint64_t, std::uint64_t> ranges_; // base to size
    std::unordered_map<std::uint64_t, std::unique_ptr<page>> pages_;
};

} // namespace vg810::pcie
