// SPDX-License-Identifier: Apache-2.0
#include "model/pcie/host_memory.h"

#include <algorithm>
#include <cstring>

namespace vg810::pcie {

bool host_memory::present(std::uint64_t address, std::uint64_t length) const {
    auto after = ranges_.upper_bound(address);
    if (after == ranges_.begin())
        return false;
    const auto& [base, size] = *std::prev(after);
    return address - base < size && length <= size - (address - base);
}

bool host_memory::read(std::uint64_t address, std::span<std::byte> data) const {
    if (!present(address, data.size()))
        return false;
    while (!data.empty()) {
        const std::size_t n = std::min<std::size_t>(data.size(), page_bytes - address % page_bytes);
        const auto found = pages_.find(address / page_bytes);
        if (found == pages_.end())
            std::memset(data.data(), 0, n);
        else
            std::memcpy(data.data(), found->second->data() + address % page_bytes, n);
        data = data.subspan(n);
        address += n;
    }
    return true;
}

bool host_memory::write(std::uint64_t address, std::span<const std::byte> data) {
    if (!present(address, data.size()))
        return false;
    while (!data.empty()) {
        const std::size_t n = std::min<std::size_t>(data.size(), page_bytes - address % page_bytes);
        auto& p = pages_[address / page_bytes];
        if (!p)
            p = std::make_unique<page>();
        std::memcpy(p->data() + address % page_bytes, data.data(), n);
        data = data.subspan(n);
        address += n;
    }
    return true;
}

} // namespace vg810::pcie
