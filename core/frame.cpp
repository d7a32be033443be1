// SPDX-License-Identifier: Apache-2.0
#include "core/frame.h"

#include <algorithm>
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

frame_pool::~frame_pool() {
    for (const block& b : blocks_)
        free_pages(b.at, b.octets);
}

// Few frames at first, as many again each time, a huge page of them at most.
void frame_pool::grow(std::size_t room) {
    const std::size_t each = sizeof(frame) + class_bytes[room], least = room + 1 < classes ? 64 : 16;
    const std::size_t batch = std::clamp(made_[room], least, std::max(least, huge_page_bytes / each));
    const std::size_t octets =
        batch * each > huge_page_bytes / 2 ? std::max(huge_page_bytes, batch * each) : batch * each;
    blocks_.reserve(blocks_.size() + 1);
    blocks_.push_back({static_cast<std::byte*>(allocate_pages(octets)), octets});
    for (std::size_t i = batch; i-- > 0;) {
        frame* const f = new (blocks_.back().at + i * each) frame;
        f->pool_ = this;
        f->room_ = static_cast<std::uint8_t>(room);
        f->next_ = std::exchange(free_[room], f);
        forbid(f->data(), class_bytes[room]);
    }
    made_[room] += batch;
}

} // namespace vg810
