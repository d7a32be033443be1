// SPDX-License-Identifier: Apache-2.0
#include "core/frame.h"

#include <stdexcept>
#include <string>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#endif

namespace vg810 {

namespace {

/// For AddressSanitizer, which cannot know: of a pooled frame's room, only the octets stored may be touched.
void forbid([[maybe_unused]] std::byte* from, [[maybe_unused]] std::size_t octets) {
#ifdef __SANITIZE_ADDRESS__
    ASAN_POISON_MEMORY_REGION(from, octets);
#endif
}
void allow([[maybe_unused]] std::byte* from, [[maybe_unused]] std::size_t octets) {
#ifdef __SANITIZE_ADDRESS__
    ASAN_UNPOISON_MEMORY_REGION(from, octets);
#endif
}

} // namespace

frame_ptr frame_pool::make(bytes length, bytes stored) {
    if (length == 0 || length > max_frame_bytes || stored > length)
        throw std::length_error("a frame of " + std::to_string(length) + " octets (" +
                                std::to_string(stored) + " stored) is outside 1.." +
                                std::to_string(max_frame_bytes));
    const std::size_t which = stored > class_bytes[0];
    if (!free_[which]) {
        constexpr std::size_t batch = 64;
        frames_.push_back(std::make_unique<frame[]>(batch));
        storage_.push_back(std::make_unique<std::byte[]>(batch * class_bytes[which]));
        for (std::size_t i = 0; i < batch; ++i) {
            frame& f = frames_.back()[i];
            f.pool_ = this;
            f.data_ = storage_.back().get() + i * class_bytes[which];
            f.capacity_ = class_bytes[which];
            f.next_ = std::exchange(free_[which], &f);
            forbid(f.data_, f.capacity_);
        }
    }
    frame_ptr p;
    p.f_ = std::exchange(free_[which], free_[which]->next_);
    p.f_->length_ = static_cast<std::uint32_t>(length);
    p.f_->stored_ = static_cast<std::uint32_t>(stored);
    p.f_->references_ = 1;
    p.f_->fcs_bad = false;
    p.f_->first_bit = picoseconds{};
    p.f_->tag = 0;
    p.f_->labels = {};
    allow(p.f_->data_, stored);
    ++in_use_;
    return p;
}

void frame_pool::recycle(frame* f) {
    const std::size_t which = f->capacity_ > class_bytes[0];
    forbid(f->data_, f->stored_);
    f->next_ = std::exchange(free_[which], f);
    --in_use_;
}

} // namespace vg810
