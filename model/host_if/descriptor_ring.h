// SPDX-License-Identifier: Apache-2.0
// The card's view of a descriptor ring in host memory: where the driver's doorbell stands, and an on-card
// cache that is filled by reads of contiguous, aligned batches. Indices run freely modulo 65536.
#pragma once

#include "model/host_if/services.h"

#include <algorithm>
#include <array>

namespace vg810 {

/// Hears of a ring's fetches.
class descriptor_ring_owner {
  public:
    virtual ~descriptor_ring_owner() = default;
    /// ready() has grown.
    virtual void descriptors_arrived() = 0;
    virtual void fetch_failed() = 0;
};

/// Positions, in the order in which a descriptor passes them: tail (posted), requested, ready (on the card),
/// next (the one to use next), head (given back to the driver).
template <std::size_t EntryBytes, std::size_t Batch> class descriptor_ring final : public dma_receiver {
  public:
    static constexpr std::uint16_t cache_entries = 64;
    static constexpr std::size_t max_fetches = 4;
    static_assert(cache_entries % Batch == 0);

    descriptor_ring(const services& s, descriptor_ring_owner& owner) : s_(s), owner_(owner) {}

    void create(std::uint64_t base, unsigned log2) {
        base_ = base;
        log2_ = log2;
        tail_ = requested_ = ready_ = next_ = head_ = 0;
        first_fetch_ = fetches_ = 0;
    }
    std::uint16_t entries() const { return static_cast<std::uint16_t>(1u << log2_); }
    /// Takes over the doorbell's index; false if it is behind the last one or beyond the ring.
    bool post(std::uint16_t tail) {
        if (static_cast<std::uint16_t>(tail - head_) > entries() ||
            static_cast<std::uint16_t>(tail - head_) < static_cast<std::uint16_t>(tail_ - head_))
            return false;
        tail_ = tail;
        return true;
    }
    /// Reads ahead as far as the cache allows.
    void fetch() {
        while (fetches_ < max_fetches && requested_ != tail_) {
            const auto cached = static_cast<std::uint16_t>(requested_ - next_);
            const auto batch = std::min<std::size_t>(Batch, entries());
            const auto to_boundary = static_cast<std::uint16_t>(batch - requested_ % batch);
            const std::uint16_t n = std::min({to_boundary, static_cast<std::uint16_t>(tail_ - requested_),
                                              static_cast<std::uint16_t>(cache_entries - cached)});
            if (n == 0)
                return;
            request(n);
        }
    }
    bool fetching() const { return fetches_ != 0; }

    /// On the card and not used / posted and not used.
    std::uint16_t available() const { return static_cast<std::uint16_t>(ready_ - next_); }
    std::uint16_t posted() const { return static_cast<std::uint16_t>(tail_ - next_); }
    std::uint16_t next() const { return next_; }
    /// The n-th from next(), n < available().
    std::span<const std::byte, EntryBytes> at(std::uint16_t n) const {
        return std::span<const std::byte, EntryBytes>(cache_[(next_ + n) % cache_entries]);
    }
    void use(std::uint16_t n) { next_ = static_cast<std::uint16_t>(next_ + n); }
    /// Everything before `index` belongs to the driver again.
    void give_back(std::uint16_t index) { head_ = index; }

    void dma_ended(std::uint64_t cookie, bool ok) override {
        fetch_state_[cookie].ended = true;
        fetch_state_[cookie].ok = ok;
        const std::uint16_t before = ready_;
        bool failed = false;
        while (fetches_ != 0 && fetch_state_[first_fetch_].ended) {
            const fetch_state& f = fetch_state_[first_fetch_];
            failed |= !f.ok;
            if (!failed)
                ready_ = f.end;
            first_fetch_ = (first_fetch_ + 1) % max_fetches;
            --fetches_;
        }
        if (ready_ != before)
            owner_.descriptors_arrived();
        if (failed)
            owner_.fetch_failed();
    }

  private:
    struct fetch_state {
        std::uint16_t end;
        bool ended;
        bool ok;
    };

    void request(std::uint16_t n) {
        const std::size_t slot = (first_fetch_ + fetches_++) % max_fetches;
        fetch_state_[slot] = {static_cast<std::uint16_t>(requested_ + n), false, false};
        std::byte* const into = cache_[requested_ % cache_entries].data();
        const std::uint64_t from = base_ + std::uint64_t{requested_ & (entries() - 1u)} * EntryBytes;
        requested_ = static_cast<std::uint16_t>(requested_ + n);
        s_.dma.read(from, {into, n * EntryBytes}, *this, slot);
    }

    const services& s_;
    descriptor_ring_owner& owner_;
    std::uint64_t base_ = 0;
    unsigned log2_ = 0;
    std::uint16_t tail_ = 0, requested_ = 0, ready_ = 0, next_ = 0, head_ = 0;
    std::array<std::array<std::byte, EntryBytes>, cache_entries> cache_{};
    std::array<fetch_state, max_fetches> fetch_state_{};
    std::size_t first_fetch_ = 0;
    std::size_t fetches_ = 0;
};

} // namespace vg810
