// SPDX-License-Identifier: Apache-2.0
// Ethernet frames on their way: pooled, reference counted, never copied between hops. A frame always has its
// length on the wire; it stores as many of its first bytes as someone will look at (all of them for guests,
// TAP and captures).
#pragma once

#include "core/units.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

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
    bool ecn_capable = false;                ///< RFC 3168 5: ECT(0), ECT(1) or CE
    bool control = false; ///< MAC control (PAUSE, PFC): acted upon by the receiver's MAC, passed on by nobody
    std::uint16_t telemetry_offset = 0;      ///< octets to a block for in-band telemetry; 0 when there is none
};

/// Addresses to payload, without preamble and FCS.
class frame {
  public:
    /// Length on the wire without preamble, FCS and gap, octets.
    bytes length() const { return length_; }
    std::span<std::byte> stored() { return {data_, stored_}; }
    std::span<const std::byte> stored() const { return {data_, stored_}; }
    /// Preamble to FCS / preamble to the end of the gap, octets.
    bytes wire_bytes() const { return preamble_bytes + length_ + fcs_bytes; }
    bytes slot_bytes() const { return wire_bytes() + gap_bytes; }

    bool fcs_bad = false;  ///< damaged on the way: the receiver counts and drops it
    picoseconds first_bit; ///< when the first preamble bit left the last transmitter
    frame_labels labels;
    std::uint64_t tag = 0; ///< free for the component that holds the frame (egress time, queue, trace id)

  private:
    friend class frame_pool;
    friend class frame_ptr;
    friend class frame_queue;
    frame_pool* pool_ = nullptr;
    frame* next_ = nullptr; // in the pool's free list or in one frame_queue
    std::byte* data_ = nullptr;
    std::uint32_t length_ = 0;
    std::uint32_t stored_ = 0;
    std::uint32_t capacity_ = 0;
    std::uint32_t references_ = 0;
};

/// Shared ownership of a frame: one thread, no atomics.
class frame_ptr {
  public:
    frame_ptr() = default;
    frame_ptr(const frame_ptr& o) : f_(o.f_) {
        if (f_)
            ++f_->references_;
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
    frame* f_ = nullptr;
};

/// Where frames come from. Two sizes (headers only, and whole jumbo frames), each recycled without
/// allocation.
class frame_pool {
  public:
    frame_pool() = default;
    frame_pool(const frame_pool&) = delete;
    frame_pool& operator=(const frame_pool&) = delete;

    /// A frame of `length` octets (1 .. max_frame_bytes) that stores the first `stored` (<= length) of them,
    /// not yet filled in. Throws std::length_error outside the range.
    frame_ptr make(bytes length, bytes stored);
    frame_ptr make(bytes length) { return make(length, length); }
    std::size_t in_use() const { return in_use_; }

  private:
    friend class frame_ptr;
    struct size_class;
    void recycle(frame* f);
    static constexpr std::size_t classes = 2;
    static constexpr std::uint32_t class_bytes[classes] = {256, (max_frame_bytes + 63) / 64 * 64};
    frame* free_[classes] = {};
    std::size_t in_use_ = 0;
    std::vector<std::unique_ptr<frame[]>> frames_;
    std::vector<std::unique_ptr<std::byte[]>> storage_;
};

inline frame_ptr::~frame_ptr() {
    if (f_ && --f_->references_ == 0)
        f_->pool_->recycle(f_);
}

} // namespace vg810
