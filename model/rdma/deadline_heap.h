// SPDX-License-Identifier: Apache-2.0
// Deadlines of many owners, each with at most one that counts: an owner whose deadline moves later is found
// out when the old one comes up, one whose deadline moves earlier leaves the old one behind to be ignored.
#pragma once

#include "core/units.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace vg810::rdma {

class deadline_heap {
  public:
    struct entry {
        picoseconds at;
        std::uint32_t owner;
    };
    picoseconds next() const { return heap_.empty() ? never : heap_.front().at; }
    void push(picoseconds at, std::uint32_t owner) {
        heap_.push_back({at, owner});
        std::push_heap(heap_.begin(), heap_.end(), later);
    }
    /// Precondition: next() != never.
    entry pop() {
        std::pop_heap(heap_.begin(), heap_.end(), later);
        const entry e = heap_.back();
        heap_.pop_back();
        return e;
    }

  private:
    static bool later(const entry& a, const entry& b) {
        return a.at != b.at ? a.at > b.at : a.owner > b.owner;
    }
    std::vector<entry> heap_;
};

} // namespace vg810::rdma
