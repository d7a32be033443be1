// SPDX-License-Identifier: Apache-2.0
// Priority-based flow control on the wire: the frame (802.1Q 36, 802.3 31D), and what it does to a
// transmitter.
#pragma once

#include "core/address.h"
#include "core/frame.h"
#include "core/priority.h"
#include "core/units.h"

#include <cstdint>
#include <optional>

namespace vg810 {

/// 802.3 31D.2 / 31B.2: a pause quantum is 512 bit times.
inline constexpr bytes pause_quantum_bytes = 512 / 8;
/// 802.3 31D.1: opcode of a PFC frame; 31B.1: of a link PAUSE frame.
inline constexpr std::uint16_t pfc_opcode = 0x0101;
inline constexpr std::uint16_t pause_opcode = 0x0001;
/// 802.3 table 31A-1: where both go.
inline constexpr mac_address mac_control_address = mac_address::from_u64(0x0180c2000001);

/// Contents of a PFC frame: `time[p]` quanta for every p in `enabled`; 0 quanta lets the priority go on.
struct pfc_request {
    priority_set enabled = 0;
    per_priority<std::uint16_t> time{};
};

/// A whole PFC frame, 60 octets without FCS, padding zero; labelled `control`.
frame_ptr make_pfc_frame(frame_pool& pool, mac_address source, const pfc_request& r);
/// The request in a MAC control frame; a link PAUSE (31B) asks for all eight priorities. Nothing for other
/// frames and for MAC control frames with an opcode of no concern here or too short.
std::optional<pfc_request> read_pause_frame(const frame& f);

/// The pause timers of one transmitter (802.1Q 36.1.3.3).
class pause_timers {
  public:
    explicit pause_timers(bits_per_second rate) : quantum_(rate.time_for(pause_quantum_bytes)) {}

    /// A request takes effect at `now`. Returns the priorities that may go on because of it.
    priority_set apply(const pfc_request& r, picoseconds now);
    /// Priorities that must not start a frame at `now`.
    priority_set paused(picoseconds now) const {
        priority_set set = 0;
        for (priority p = 0; last_ > now && p < priorities; ++p)
            set |= static_cast<priority_set>((until_[p] > now) << p);
        return set;
    }
    /// When the priority may start a frame again, if nothing else comes.
    picoseconds until(priority p) const { return until_[p]; }
    /// Lets all priorities go on (link down, PFC turned off).
    void clear();
    picoseconds quantum() const { return quantum_; }

  private:
    picoseconds last_; // no timer runs longer; first, for that is all that is looked at without pauses
    picoseconds quantum_;
    per_priority<picoseconds> until_{};
};

} // namespace vg810
