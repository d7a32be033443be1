// SPDX-License-Identifier: Apache-2.0
// The line between card and fabric: what a MAC says to its cable, and what a cable says to the MAC at its far
// end.
#pragma once

#include "core/frame.h"
#include "core/units.h"

namespace vg810 {

/// Why a port has no link; what `ethtool` and the port registers show.
enum class link_down_reason : std::uint8_t {
    none = 0,          ///< the link is up
    admin_down = 1,    ///< the port is not enabled
    no_module = 2,     ///< nothing in the cage
    no_signal = 3,     ///< the far end does not transmit (peer down, cable cut)
    training = 4,      ///< signal seen, PCS/FEC lock and link training under way
    rate_mismatch = 5, ///< the far end runs another rate
    fault = 6,         ///< a fault was injected by the scenario
};

/// When a receiver wants to be handed what arrives. A device's own latency, from the wire to where it acts on
/// the frame, costs no event of its own that way. Fixed when the receiver is plugged in.
struct arrival_request {
    bytes header = 0; ///< with so many octets behind the preamble (frames that short: with the last bit);
                      ///< 0: with the last bit of the FCS. Range: 0, 64 .. max_frame_bytes
    picoseconds latency{}; ///< so much later
    picoseconds control{}; ///< the same for frames labelled `control`, which always arrive whole
};

/// The receiving side of a port. Calls arrive in the receiver's own domain, at the receiver's now().
class wire_receiver {
  public:
    virtual ~wire_receiver() = default;
    /// The last bit of the FCS is in (or what arrival() asks for); `f->first_bit` says when the first left
    /// the transmitter.
    virtual void frame_arrived(frame_ptr f) = 0;
    /// The far transmitter has been turned on or off. `rate` is the far end's rate (meaningless when off).
    virtual void signal_changed(bool present, bits_per_second rate) = 0;
    /// A fault of the link: from now on both ends are to transmit at this rate, which is not what set_signal
    /// told. A frame on the wire is not affected. Ports that ignore it transmit as before.
    virtual void line_rate_changed(bits_per_second) {}
    virtual arrival_request arrival() const { return {}; }
    /// A promise for the whole run: no arriving frame leads to a touch of this receiver's host (memory,
    /// interrupt) sooner than this after its arrival. 0 promises nothing.
    virtual picoseconds quiet_after_arrival() const { return {}; }
};

/// One end of a cable, seen by the port plugged into it. Called in the port's own domain.
class cable_end {
  public:
    virtual ~cable_end() = default;
    /// The port transmits `f`, first preamble bit at `first_bit` (>= now), last FCS bit at `last_bit`.
    /// The caller keeps slots apart (gap) and no reference to the frame. The frame arrives at `last_bit` +
    /// PHY latencies + propagation, or when the receiver asks for it.
    virtual void send(frame_ptr f, picoseconds first_bit, picoseconds last_bit) = 0;
    /// The port turns its transmitter on or off.
    virtual void set_signal(bool on, bits_per_second rate) = 0;
    /// Shortest time from a first preamble bit here to the far receiver's frame_arrived (a minimum frame).
    virtual picoseconds min_latency() const = 0;
};

} // namespace vg810
