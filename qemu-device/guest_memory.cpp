// SPDX-License-Identifier: Apache-2.0
#include "qemu-device/guest_memory.h"

#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>

namespace vg810::qemu {

namespace {

constexpr std::uint64_t page = 4096;
constexpr std::uint64_t unshared_ram_threshold = 1 << 20;

bool allows(dma_access have, dma_access want) {
    return (static_cast<unsigned>(have) & static_cast<unsigned>(want)) == static_cast<unsigned>(want);
}

// A mapping past the end of its file would raise SIGBUS at the first touch.
bool file_covers(const file_descriptor& file, std::uint64_t offset, std::uint64_t size) {
    struct stat info {};
    return fstat(file.get(), &info) == 0 && info.st_size >= 0 &&
           offset <= static_cast<std::uint64_t>(info.st_size) &&
           size <= static_cast<std::uint64_t>(info.st_size) - offset;
}

} // namespace

int guest_memory::map(std::uint64_t address, std::uint64_t size, dma_access access,
                      const file_descriptor& file, std::uint64_t offset) {
    if (size == 0 || address > std::numeric_limits<std::uint64_t>::max() - size || offset % page != 0)
        return EINVAL;
    if (std::ranges::any_of(mappings_,
                            [&](const mapping& m) { return m.address == address && m.size == size; }))
        return EEXIST;
    if (mappings_.size() >= max_ranges)
        return ENOSPC;

    std::byte* host = nullptr;
    if (file) {
        if (!file_covers(file, offset, size))
            return EINVAL;
        const int protection = PROT_READ | (allows(access, dma_access::write) ? PROT_WRITE : 0);
        void* mapped = mmap(nullptr, size, protection, MAP_SHARED, file.get(), static_cast<off_t>(offset));
        if (mapped == MAP_FAILED)
            return errno;
        host = static_cast<std::byte*>(mapped);
    } else if (allows(access, dma_access::write) && size >= unshared_ram_threshold) {
        sharing_error_ =
            std::to_string(size >> 20) +
            " MiB of guest RAM arrived without a file descriptor, so the card cannot reach it: give the "
            "guest its RAM with -object memory-backend-memfd,share=on";
    }
    mappings_.push_back({address, size, host, access});
    rebuild();
    return 0;
}

int guest_memory::unmap(std::uint64_t address, std::uint64_t size) {
    const auto newest = std::find_if(mappings_.rbegin(), mappings_.rend(), [&](const mapping& m) {
        return m.address == address && m.size == size;
    });
    if (newest == mappings_.rend())
        return EINVAL;
    release(*newest);
    mappings_.erase(std::next(newest).base());
    rebuild();
    return 0;
}

void guest_memory::clear() {
    std::ranges::for_each(mappings_, release);
    mappings_.clear();
    rebuild();
}

void guest_memory::release(const mapping& m) {
    if (m.host != nullptr)
        munmap(m.host, m.size);
}

// Cuts the address space at every mapping's ends; each cut belongs to the newest mapping that covers it.
void guest_memory::rebuild() {
    std::vector<std::uint64_t> cuts;
    for (const mapping& m : mappings_) {
        cuts.push_back(m.address);
        cuts.push_back(m.address + m.size);
    }
    std::ranges::sort(cuts);
    cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());

    pieces_.clear();
    last_hit_ = 0;
    const mapping* previous = nullptr;
    for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
        const auto newest = std::find_if(mappings_.rbegin(), mappings_.rend(), [&](const mapping& m) {
            return m.address <= cuts[i] && cuts[i + 1] <= m.address + m.size;
        });
        const mapping* owner = newest == mappings_.rend() ? nullptr : &*newest;
        if (owner != nullptr && owner == previous && pieces_.back().end == cuts[i])
            pieces_.back().end = cuts[i + 1];
        else if (owner != nullptr)
            pieces_.push_back({cuts[i], cuts[i + 1],
                               owner->host == nullptr ? nullptr : owner->host + (cuts[i] - owner->address),
                               owner->access});
        previous = owner;
    }
}

const guest_memory::piece* guest_memory::find(std::uint64_t address) const {
    if (last_hit_ < pieces_.size() && pieces_[last_hit_].address <= address &&
        address < pieces_[last_hit_].end)
        return &pieces_[last_hit_];
    const auto after = std::ranges::upper_bound(pieces_, address, {}, &piece::address);
    if (after == pieces_.begin() || std::prev(after)->end <= address)
        return nullptr;
    last_hit_ = static_cast<std::size_t>(std::prev(after) - pieces_.begin());
    return &pieces_[last_hit_];
}

std::byte* guest_memory::lookup(std::uint64_t address, std::uint64_t size, dma_access access) const {
    const piece* p = find(address);
    if (p == nullptr || p->host == nullptr || !allows(p->access, access) || size > p->end - address)
        return nullptr;
    return p->host + (address - p->address);
}

bool guest_memory::reachable(std::uint64_t address, std::uint64_t size, dma_access access) const {
    while (size > 0) {
        const piece* p = find(address);
        if (p == nullptr || p->host == nullptr || !allows(p->access, access))
            return false;
        const std::uint64_t step = std::min(size, p->end - address);
        address += step;
        size -= step;
    }
    return true;
}

bool guest_memory::read(std::uint64_t address, std::span<std::byte> out) const {
    if (const std::byte* direct = lookup(address, out.size(), dma_access::read)) {
        std::memcpy(out.data(), direct, out.size());
        return true;
    }
    if (!reachable(address, out.size(), dma_access::read))
        return false;
    while (!out.empty()) {
        const piece* p = find(address);
        const std::size_t step = std::min<std::uint64_t>(out.size(), p->end - address);
        std::memcpy(out.data(), p->host + (address - p->address), step);
        out = out.subspan(step);
        address += step;
    }
    return true;
}

bool guest_memory::write(std::uint64_t address, std::span<const std::byte> data) const {
    if (std::byte* direct = lookup(address, data.size(), dma_access::write)) {
        std::memcpy(direct, data.data(), data.size());
        return true;
    }
    if (!reachable(address, data.size(), dma_access::write))
        return false;
    while (!data.empty()) {
        const piece* p = find(address);
        const std::size_t step = std::min<std::uint64_t>(data.size(), p->end - address);
        std::memcpy(p->host + (address - p->address), data.data(), step);
        data = data.subspan(step);
        address += step;
    }
    return true;
}

} // namespace vg810::qemu
