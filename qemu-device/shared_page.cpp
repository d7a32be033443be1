// SPDX-License-Identifier: Apache-2.0
#include "qemu-device/shared_page.h"

#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include <cerrno>
#include <climits>
#include <system_error>

namespace vg810::qemu {

shared_page::shared_page() : memory_(memfd_create("vg810-sync", MFD_CLOEXEC)) {
    if (!memory_ || ftruncate(memory_.get(), sizeof(vg810_sync_page)) != 0)
        throw std::system_error(errno, std::generic_category(), "creating the memory shared with QEMU");
    void* mapped =
        mmap(nullptr, sizeof(vg810_sync_page), PROT_READ | PROT_WRITE, MAP_SHARED, memory_.get(), 0);
    if (mapped == MAP_FAILED)
        throw std::system_error(errno, std::generic_category(), "mapping the memory shared with QEMU");
    page_ = static_cast<vg810_sync_page*>(mapped);
    page_->magic = VG810_SYNC_MAGIC;
    page_->version = VG810_SYNC_VERSION;
    page_->size = sizeof *page_;
}

shared_page::~shared_page() {
    munmap(page_, sizeof *page_);
}

void shared_page::post(std::uint32_t& sequence) {
    __atomic_add_fetch(&sequence, 1, __ATOMIC_RELEASE);
    syscall(SYS_futex, &sequence, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

void shared_page::wait(const std::uint32_t& sequence, const std::function<bool()>& done,
                       const wait_policy& policy) {
    using clock = std::chrono::steady_clock;
    const clock::time_point start = clock::now();
    while (!done() && clock::now() - start < policy.spin)
        for (int i = 0; i < 32; ++i)
            __builtin_ia32_pause();

    const timespec slice{0, 100'000'000};
    for (;;) {
        const std::uint32_t seen = load(sequence);
        if (done())
            return;
        if (policy.alive && !policy.alive())
            throw sync_error("QEMU ended while the simulator waited for it");
        if (clock::now() - start > policy.limit)
            throw sync_error("QEMU has not answered for " + std::to_string(policy.limit.count()) + " ms");
        syscall(SYS_futex, &sequence, FUTEX_WAIT, seen, &slice, nullptr, 0);
    }
}

} // namespace vg810::qemu
