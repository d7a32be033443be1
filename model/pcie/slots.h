// SPDX-License-Identifier: Apache-2.0
// Storage that is recycled, never freed while in use: slots named by handles that go stale, and a growing
// ring.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace vg810::pcie {

/// Objects that outlive many uses, so that what they own (buffers) is allocated once. A handle names one use
/// of a slot and finds nothing once that use has ended: what an event carries as its argument.
template <class T> class slot_pool {
  public:
    using handle = std::uint64_t;

    /// A slot as its last user left it.
    handle take() {
        if (free_.empty()) {
            free_.push_back(static_cast<std::uint32_t>(slots_.size()));
            slots_.push_back(std::make_unique<slot>());
        }
        const std::uint32_t index = free_.back();
        free_.pop_back();
        slots_[index]->used = true;
        ++in_use_;
        return std::uint64_t{slots_[index]->generation} << 32 | index;
    }

    /// The object, or nullptr when its use has ended.
    T* find(handle h) {
        const std::size_t index = static_cast<std::uint32_t>(h);
        if (index >= slots_.size() || !slots_[index]->used || slots_[index]->generation != h >> 32)
            return nullptr;
        return &slots_[index]->value;
    }

    void release(handle h) {
        slot& s = *slots_[static_cast<std::uint32_t>(h)];
        s.used = false;
        ++s.generation;
        --in_use_;
        free_.push_back(static_cast<std::uint32_t>(h));
    }

    std::size_t in_use() const { return in_use_; }

    /// Calls `visit(handle, object)` for every slot in use.
    template <class Visit> void for_each(Visit&& visit) {
        for (std::uint32_t i = 0; i < slots_.size(); ++i)
            if (slots_[i]->used)
                visit(std::uint64_t{slots_[i]->generation} << 32 | i, slots_[i]->value);
    }

  private:
    struct slot {
        T value{};
        std::uint32_t generation = 0;
        bool used = false;
    };
    std::vector<std::unique_ptr<slot>> slots_;
    std::vector<std::uint32_t> free_;
    std::size_t in_use_ = 0;
};

/// First in, first out; grows, never shrinks.
template <class T> class ring {
  public:
    bool empty() const { return count_ == 0; }
    std::size_t size() const { return count_; }
    T& front() { return items_[head_]; }
    T& operator[](std::size_t i) { return items_[(head_ + i) % items_.size()]; }

    void push(T item) {
        if (count_ == items_.size())
            grow();
        items_[(head_ + count_++) % items_.size()] = std::move(item);
    }
    T pop() {
        T item = std::move(items_[head_]);
        head_ = (head_ + 1) % items_.size();
        --count_;
        return item;
    }
    void clear() { count_ = 0; }

  private:
    void grow() {
        std::vector<T> larger(items_.empty() ? 16 : 2 * items_.size());
        for (std::size_t i = 0; i < count_; ++i)
            larger[i] = std::move((*this)[i]);
        items_ = std::move(larger);
        head_ = 0;
    }

    std::vector<T> items_;
    std::size_t head_ = 0;
    std::size_t count_ = 0;
};

} // namespace vg810::pcie
