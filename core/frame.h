// SPDX-License-Identifier: Apache-2.0
// Ethernet frames on their way: pooled, reference counted, never copied between hops. A frame always has its
// length on the wire; it stores as many of its first bytes as someone will look at (all of them for guests,
// TAP and captures).
#pragma once

#include "core/huge_pages.h"
#include "core/units.h"

#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <utility>
#include <vector>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#endif

namespace vg810 {

/// IEEE 802.3: octets on the wire around a frame (3.1.1: preamble 7 + SFD 1; 3.2.9: FCS; 4.4.2: interpacket
/// gap).
inline constexpr bytes preamble_bytes = 8;
inline constexpr bytes fcs_bytes = 4;
inline constexpr bytes gap_bytes = 12;
/// 802.3 4.4.2: minFrameSize 64 with FCS, so 60 without.
inline constexpr bytes min_frame_bytes = 60;
/// Largest frame the pool holds: MTU 9600 + Ethernet header + two VLAN tags.
inline constexpr bytes max_frame_bytes = 9600 + 14 + 8;

class frame_pool;

/// What has been found out about a frame's headers, so that a hop does not parse them again. Whoever makes a
/// frame may fill this in; the first switch does it otherwise (`classified`). Whoever changes a header keeps
/// its label true.
struct frame_labels {
    static constexpr std::uint32_t unknown_station = 0xffffffff;

    std::uint64_t flow_hash = 0;             ///< over what identifies the flow, no seed mixed in
    std::uint32_t station = unknown_station; ///< index of the destination among the network's host ports
    std::uint16_t ingress = 0;               ///< port by which the frame entered the switch that holds it
    std::uint16_t l3_offset = 0;             ///< octets to the IPv4 or IPv6 header; 0 when there is none
    std::uint8_t priority = 0;               ///< 0 .. 7: the class its present holder has put it in
    bool classified = false;                 ///< the fields above and below are valid
    bool ipv6 = false;
    bool ecn_capable = false; ///< RFC 3168 5: ECT(0), ECT(1) or CE
    bool control = false; ///< MAC control (PAUSE, PFC): acted upon by the receiver's MAC, passed on by nobody
    std::uint16_t telemetry_offset = 0; ///< octets to a block for in-band telemetry; 0 when there is none
};

/// Addresses to payload, without preamble and FCS. One cache line; what is stored lies directly behind it.
class alignas(64) frame {
  public:
    /// Length on the wire without preamble, FCS and gap, octets.
    bytes length() const { return length_; }
    std::span<std::byte> stored() { return {data(), stored_}; }
    std::span<const std::byte> stored() const { return {data(), stored_}; }
    /// Preamble to FCS / preamble to the end of the gap, octets.
    bytes wire_bytes() const { return preamble_bytes + length_ + fcs_bytes; }
    bytes slot_bytes() const { return wire_bytes() + gap_bytes; }

    frame_labels labels;
    picoseconds first_bit; ///< when the first preamble bit left the last transmitter
    std::uint64_t tag = 0; ///< free for the component that holds the frame (egress time, queue, trace id)

  private:
    friend class frame_pool;
    friend class frame_ptr;
    friend class frame_queue;
    std::byte* data() { return reinterpret_cast<std::byte*>(this + 1); }
    const std::byte* data() const { return reinterpret_cast<const std::byte*>(this + 1); }

    frame* next_ = nullptr; // in the pool's free list or in one frame_queue
    frame_pool* pool_ = nullptr;
    std::uint16_t length_ = 0;
    std::uint16_t stored_ = 0;
    std::uint16_t references_ = 0;
    std::uint8_t room_ = 0; // its size class

  public:
    bool fcs_bad = false; ///< damaged on the way: the receiver counts and drops it
};
static_assert(sizeof(frame) == 64 && max_frame_bytes <= 0xffff);

/// Shared ownership of a frame: one thread, no atomics.
class frame_ptr {
  public:
    frame_ptr() = default;
    /// Throws std::length_error at the 65,536th owner.
    frame_ptr(const frame_ptr& o) : f_(o.f_) {
        if (f_ && ++f_->references_ == 0) [[unlikely]]
            too_many_owners();
    }
    frame_ptr(frame_ptr&& o) noexcept : f_(std::exchange(o.f_, nullptr)) {}
    frame_ptr& operator=(frame_ptr o) noexcept {
        std::swap(f_, o.f_);
        return *this;
    }
    inline ~frame_ptr();

    frame* operator->() const { return f_; }
    frame& operator*() const { return *f_; }
    explicit operator bool() const { return f_ != nullptr; }

    /// For events, whose argument is a number: gives up ownership / takes it back.
    std::uint64_t release() { return reinterpret_cast<std::uint64_t>(std::exchange(f_, nullptr)); }
    static frame_ptr adopt(std::uint64_t released) {
        frame_ptr p;
        p.f_ = reinterpret_cast<frame*>(released);
        return p;
    }

  private:
    friend class frame_pool;
    friend class frame_queue;
    [[noreturn]] void too_many_owners();
    frame* f_ = nullptr;
};

/// Where frames come from. Three sizes (headers only, small and whole jumbo frames), each recycled without
/// allocation. Frames must be gone before their pool is.
class frame_pool {
  public:
    frame_pool() = default;
    ~frame_pool();
    frame_pool(const frame_pool&) = delete;
    frame_pool& operator=(const frame_pool&) = delete;

    /// A frame of `length` octets (1 .. max_frame_bytes) that stores the first `stored` (<= length) of them,
    /// not yet filled in. Throws std::length_error outside the range.
    inline frame_ptr make(bytes length, bytes stored);
    frame_ptr make(bytes length) { return make(length, length); }
    std::size_t in_use() const { return in_use_; }

  private:
    friend class frame_ptr;
    static constexpr std::size_t classes = 3;
    static constexpr std::uint32_t class_bytes[classes] = {128, 512, (max_frame_bytes + 63) / 64 * 64};

    [[noreturn]] static void refuse(bytes length, bytes stored);
    void grow(std::size_t room);
    void recycle(frame* f) {
        forbid(f->data(), f->stored_);
        f->next_ = std::exchange(free_[f->room_], f);
        --in_use_;
    }
    // For AddressSanitizer, which cannot know: of a pooled frame's room, only the octets stored may be
    // touched.
    static void forbid([[maybe_unused]] std::byte* from, [[maybe_unused]] std::size_t octets) {
#ifdef __SANITIZE_ADDRESS__
        ASAN_POISON_MEMORY_REGION(from, octets);
#endif
    }
    static void allow([[maybe_unused]] std::byte* from, [[maybe_unused]] std::size_t octets) {
#ifdef __SANITIZE_ADDRESS__
        ASAN_UNPOISON_MEMORY_REGION(from, octets);
#endif
    }

    struct block {
        std::byte* at;
        std::size_t octets;
    };
    frame* free_[classes] = {};
    std::size_t in_use_ = 0;
    std::size_t made_[classes] = {};
    std::vector<block> blocks_;
};

inline frame_ptr frame_pool::make(bytes length, bytes stored) {
    if (length - 1 >= max_frame_bytes || stored > length) [[unlikely]]
        refuse(length, stored);
    const std::size_t room = (stored > class_bytes[0]) + (stored > class_bytes[1]);
    if (!free_[room]) [[unlikely]]
        grow(room);
    frame_ptr p;
    frame* const f = p.f_ = free_[room];
    free_[room] = f->next_;
    f->labels = {};
    f->first_bit = {};
    f->tag = 0;
    f->length_ = static_cast<std::uint16_t>(length);
    f->stored_ = static_cast<std::uint16_t>(stored);
    f->references_ = 1;
    f->fcs_bad = false;
    allow(f->data(), stored);
    ++in_use_;
    return p;
}

inline frame_ptr::~frame_ptr() {
    if (f_ && --f_->references_ == 0)
        f_->pool_->recycle(f_);
}

} // namespace vg810
