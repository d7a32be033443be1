// SPDX-License-Identifier: Apache-2.0
// The simulator's end of sync_layout.h: the shared memory itself and the bounded waits on its futex words.
#pragma once

#include "qemu-device/file_descriptor.h"
#include "qemu-device/sync_layout.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <stdexcept>

namespace vg810::qemu {

/// The guest does not follow the protocol any more: it died, hangs, or its plugin reported an error.
class sync_error : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

class shared_page {
  public:
    /// Throws std::system_error.
    shared_page();
    shared_page(const shared_page&) = delete;
    shared_page& operator=(const shared_page&) = delete;
    ~shared_page();

    vg810_sync_page* operator->() const { return page_; }
    int memory_fd() const { return memory_.get(); }

    /// Publishes what was written to the block of `sequence`, and wakes its reader.
    static void post(std::uint32_t& sequence);
    static std::uint32_t load(const std::uint32_t& word) { return __atomic_load_n(&word, __ATOMIC_ACQUIRE); }

    struct wait_policy {
        std::chrono::nanoseconds spin{20'000};   ///< busy before sleeping
        std::chrono::milliseconds limit{20'000}; ///< then sync_error
        std::function<bool()> alive;             ///< checked every 100 ms; false: sync_error
    };
    /// Waits until `done()`; `sequence` is the futex word that changes when it may have become true.
    static void wait(const std::uint32_t& sequence, const std::function<bool()>& done,
                     const wait_policy& policy);

  private:
    file_descriptor memory_;
    vg810_sync_page* page_;
};

} // namespace vg810::qemu
