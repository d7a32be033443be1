// SPDX-License-Identifier: Apache-2.0
// The memory management of a shared-buffer switch: who may take how much, and when an ingress port has to be
// paused. Every frame is counted at the port and priority it came in by: first as reserved, then as shared up
// to a threshold (static, or a share of what is free: Choudhury and Hahne, "Dynamic Queue Length Thresholds",
// 1998), then, lossless priorities only, as headroom. The frame that crosses the threshold is still shared
// and asks for XOFF; headroom is for what arrives behind it. Left out: egress pools of lossless priorities.
#pragma once

#include "core/priority.h"
#include "fabric/forwarding.h"
#include "fabric/switch_parameters.h"

#include <cstdint>
#include <vector>

namespace vg810::fabric {

enum class admission : std::uint8_t {
    admitted,
    admitted_xoff, ///< and the neighbour at the ingress port is to be paused now
    shared_full,   ///< refused: the shared memory is used up
    egress_full,   ///< refused: a lossy queue is at its limit
    headroom_full, ///< refused: a lossless queue has used its headroom
};

class shared_buffer {
  public:
    shared_buffer(const buffer_parameters& p, priority_set lossless) : p_(p), lossless_(lossless) {}

    /// Once, before the first frame. Throws std::invalid_argument when the ports' reserved memory and
    /// headroom do not fit.
    void set_ports(std::size_t ports);
    bool enabled() const { return p_.total != 0; }

    /// `n`: buffer_parameters::counted() of the frame. `depth`: octets waiting in the egress queue it is
    /// bound for.
    admission admit(port_index in, priority p, bytes n, bytes depth);
    /// The frame has left. True: the neighbour may go on (XON).
    bool release(port_index in, priority p, bytes n);

    /// Whether the ingress queue is in the state XOFF.
    bool paused(port_index in, priority p) const { return at(in, p).xoff; }
    bytes used(port_index in, priority p) const { return static_cast<bytes>(at(in, p).used); }
    bytes headroom_used(port_index in, priority p) const { return static_cast<bytes>(at(in, p).headroom); }
    bytes deepest_headroom(port_index in, priority p) const {
        return static_cast<bytes>(at(in, p).deepest_headroom);
    }
    bytes shared_used() const { return static_cast<bytes>(shared_used_); }
    bytes shared_size() const { return static_cast<bytes>(shared_size_); }
    /// What the shared part of a lossless ingress queue must exceed for XOFF, as of now.
    bytes threshold() const { return static_cast<bytes>(p_.xoff ? xoff_ : alpha_ * free() >> 16); }

  private:
    struct ingress {
        std::int64_t used = 0; // reserved and shared
        std::int64_t headroom = 0;
        std::int64_t deepest_headroom = 0;
        bool xoff = false;
    };
    const ingress& at(port_index in, priority p) const { return all_[in * priorities + p]; }
    std::int64_t free() const { return shared_size_ - shared_used_; }
    std::int64_t shared_part(std::int64_t used) const { return used > reserved_ ? used - reserved_ : 0; }
    void count(ingress& q, std::int64_t n);
    admission admit_lossless(ingress& q, std::int64_t n);

    buffer_parameters p_;
    priority_set lossless_;
    std::int64_t reserved_ = 0, xoff_ = 0, alpha_ = 0, lossy_alpha_ = 0; // alphas in 1/65536
    std::int64_t xon_offset_ = 0, headroom_ = 0;
    std::int64_t shared_size_ = 0, shared_used_ = 0;
    std::int64_t pool_size_ = 0, pool_used_ = 0;
    std::vector<ingress> all_;
};

} // namespace vg810::fabric
