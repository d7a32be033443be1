// SPDX-License-Identifier: Apache-2.0
// A FIFO of frames that links the frames themselves: no memory of its own, no allocation, any depth.
#pragma once

#include "core/frame.h"

#include <cstddef>
#include <utility>

namespace vg810 {

/// First in, first out. A frame can be in one queue at a time, so the pusher must hold its only reference
/// (copy a frame that goes several ways). The pool must outlive the queue.
class frame_queue {
  public:
    frame_queue() = default;
    frame_queue(const frame_queue&) = delete;
    frame_queue& operator=(const frame_queue&) = delete;
    frame_queue(frame_queue&& o) noexcept
        : head_(std::exchange(o.head_, nullptr)), tail_(std::exchange(o.tail_, nullptr)),
          frames_(std::exchange(o.frames_, 0)), octets_(std::exchange(o.octets_, 0)) {}
    ~frame_queue() { clear(); }

    bool empty() const { return head_ == nullptr; }
    std::size_t frames() const { return frames_; }
    /// Sum of the frames' lengths, octets without preamble, FCS and gap.
    bytes octets() const { return octets_; }
    /// Precondition: not empty.
    const frame& front() const { return *head_; }

    void push(frame_ptr f) {
        frame* const added = std::exchange(f.f_, nullptr);
        added->next_ = nullptr;
        (head_ ? tail_->next_ : head_) = added;
        tail_ = added;
        ++frames_;
        octets_ += added->length_;
    }
    /// Precondition: not empty.
    frame_ptr pop() {
        frame_ptr f;
        f.f_ = std::exchange(head_, head_->next_);
        --frames_;
        octets_ -= f.f_->length_;
        return f;
    }
    /// Calls `visit(const frame&)` for every frame, the first first.
    template <class Visit> void for_each(Visit&& visit) const {
        for (const frame* f = head_; f; f = f->next_)
            visit(*f);
    }
    void clear() {
        while (!empty())
            pop();
    }

  private:
    frame* head_ = nullptr;
    frame* tail_ = nullptr;
    std::size_t frames_ = 0;
    bytes octets_ = 0;
};

} // namespace vg810
