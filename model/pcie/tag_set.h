// SPDX-License-Identifier: Apache-2.0
// The tags of a function's outstanding non-posted requests (PCI Express Base 4.0 2.2.6.2).
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <optional>

namespace vg810::pcie {

class tag_set {
  public:
    /// The lowest unused tag below `limit` (1 .. 256), now in use; none when all are.
    std::optional<std::uint8_t> take(unsigned limit) {
        for (unsigned word = 0; word < words_.size(); ++word) {
            const unsigned tag = word * 64 + static_cast<unsigned>(std::countr_one(words_[word]));
            if (tag >= limit)
                return std::nullopt;
            if (tag / 64 != word)
                continue;
            words_[word] |= std::uint64_t{1} << tag % 64;
            return static_cast<std::uint8_t>(tag);
        }
        return std::nullopt;
    }
    void give_back(std::uint8_t tag) { words_[tag / 64] &= ~(std::uint64_t{1} << tag % 64); }

  private:
    std::array<std::uint64_t, 4> words_{};
};

} // namespace vg810::pcie
