// SPDX-License-Identifier: Apache-2.0
#include "core/frame.h"

#include <stdexcept>
#include <string>

namespace vg810 {

void frame_ptr::too_many_owners() {
    --f_->references_;
    f_ = nullptr;
    throw std::length_error("a frame cannot have more than 65,535 owners");
}

void frame_pool::refuse(bytes length, bytes stored) {
    throw std::length_error("a frame of " + std::to_string(length) + " octets (" + std::to_string(stored) +
                            " stored) is outside 1.." + std::to_string(max_frame_bytes));
}

void frame_pool::grow(std::size_t room) {
    const std::size_t batch = room + 1 < classes ? 64 : 16, each = sizeof(frame) + class_bytes[room];
    blocks_.emplace_back(
        static_cast<std::byte*>(::operator new (batch* each, std::align_val_t{alignof(frame)})));
    for (std::size_t i = batch; i-- > 0;) {
        frame* const f = new (blocks_.back().get() + i * each) frame;
        f->pool_ = this;
        f->room_ = static_cast<std::uint8_t>(room);
        f->next_ = std::exchange(free_[room], f);
        forbid(f->data(), class_bytes[room]);
    }
}

} // namespace vg810
