// SPDX-License-Identifier: Apache-2.0
// Finds out once what later hops want to know about a frame, and puts it into a priority: by its VLAN tag's
// PCP, its DSCP, or its port (802.1Q 6.9, RFC 2474).
#pragma once

#include "core/frame.h"
#include "core/priority.h"
#include "fabric/switch_parameters.h"

#include <array>

namespace vg810::fabric {

/// Fills in a frame's labels but for the station, the ingress and the priority.
void classify(frame& f);

/// The DSCP (RFC 2474) of a classified IP frame; 0 without IP.
std::uint8_t dscp_of(const frame& f);

/// One switch's rule.
class priority_map {
  public:
    explicit priority_map(const trust_parameters& t);
    /// Precondition: the frame is classified.
    priority of(const frame& f) const;

  private:
    trust_mode mode_;
    priority default_;
    std::array<priority, 64> by_dscp_{};
};

} // namespace vg810::fabric
