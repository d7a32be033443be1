// SPDX-License-Identifier: Apache-2.0
// When a queue marks: WRED's straight line (Floyd and Jacobson, "Random Early Detection", 1993) over the
// present queue, not an average, as data centre switches are set up for DCQCN; and the mark itself (RFC
// 3168).
#pragma once

#include "core/frame.h"
#include "core/random.h"
#include "fabric/switch_parameters.h"

#include <cstdint>
#include <limits>

namespace vg810::fabric {

/// The decision of one priority.
class marker {
  public:
    /// Never marks.
    marker() = default;
    explicit marker(const marking_parameters& p);

    bool drops_others() const { return drop_others_; }
    /// Whether a frame that meets a queue of `depth` octets is marked. Draws only between kmin and kmax.
    bool marks(bytes depth, random_stream& random) const {
        if (depth <= kmin_)
            return false;
        return depth > kmax_ || (random.next() >> 20) < (depth - kmin_) * slope_;
    }

  private:
    bytes kmin_ = std::numeric_limits<bytes>::max();
    bytes kmax_ = std::numeric_limits<bytes>::max();
    std::uint64_t slope_ = 0; // probability an octet, in 2^-44
    bool drop_others_ = false;
};

/// Sets CE in an ECN-capable frame's IP header and mends IPv4's checksum. False when it was set already or
/// the frame is not ECN-capable. Precondition: the frame is classified.
bool mark_congestion(frame& f);
/// Writes a DSCP; the ECN bits stay. Does nothing without an IP header. Precondition: classified.
void set_dscp(frame& f, std::uint8_t dscp);

} // namespace vg810::fabric
