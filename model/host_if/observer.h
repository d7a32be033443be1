// SPDX-License-Identifier: Apache-2.0
// For whoever follows a packet through the card: one call for each station, with the card's exact time.
#pragma once

#include "core/frame.h"
#include "core/units.h"

#include <cstdint>

namespace vg810 {

/// Calls come in the order of the card's events; `at` of frame_out may lie ahead of the card's now() by the
/// MAC's transmit pipeline and the frames still in front.
class card_observer {
  public:
    virtual ~card_observer() = default;
    /// A TX doorbell took effect.
    virtual void doorbell_seen(unsigned function, std::uint16_t queue, picoseconds at) = 0;
    /// `f`'s first preamble bit leaves.
    virtual void frame_out(unsigned function, const frame& f, picoseconds at) = 0;
    /// `f`'s last bit is in, and it is good.
    virtual void frame_in(unsigned function, const frame& f, picoseconds at) = 0;
    /// An MSI-X message has been handed to PCIe.
    virtual void interrupt_sent(unsigned function, std::uint16_t vector, picoseconds at) = 0;
};

} // namespace vg810
