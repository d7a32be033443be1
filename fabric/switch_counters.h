// SPDX-License-Identifier: Apache-2.0
// What a switch counts, and what it tells of while it runs.
#pragma once

#include "core/priority.h"
#include "core/units.h"
#include "fabric/forwarding.h"

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace vg810::fabric {

/// Why a switch dropped a frame.
enum class drop_reason : std::uint8_t {
    bad_fcs,       ///< damaged on the way in
    runt,          ///< shorter than 64 octets with FCS
    oversize,      ///< longer than the switch's max_frame
    link_local,    ///< to 01-80-C2-00-00-0x, which bridges do not forward (802.1Q 8.6.3)
    off_tree,      ///< to everyone, but from a port that the flood tree does not use
    same_port,     ///< its destination is where it came from
    no_route,      ///< no live port towards the destination, or a routed frame to an unknown IP address
    ttl_expired,   ///< a routed frame at the end of its hops (RFC 1812 5.3.1)
    link_down,     ///< the output port has no link
    queue_full,    ///< the output port's lossy queues were at queue_limit
    shared_full,   ///< the shared memory was used up
    egress_full,   ///< a lossy queue was at its share of the free memory
    headroom_full, ///< a lossless ingress queue had used its headroom
    early,         ///< random early drop of a frame that is not ECN-capable
    storm,         ///< the pause watchdog empties the queue
    count
};
inline constexpr std::size_t drop_reasons = static_cast<std::size_t>(drop_reason::count);
inline constexpr std::array<std::string_view, drop_reasons> drop_reason_names{
    "bad-fcs",     "runt",        "oversize",      "link-local", "off-tree",
    "same-port",   "no-route",    "ttl-expired",   "link-down",  "queue-full",
    "shared-full", "egress-full", "headroom-full", "early",      "storm"};

/// Counters of one priority of a port.
struct priority_counters {
    std::uint64_t tx_frames = 0;
    std::uint64_t tx_octets = 0; ///< without FCS
    std::uint64_t tx_pause = 0;  ///< PFC frames sent that stop the priority
    std::uint64_t rx_pause = 0;  ///< PFC frames received that name it, XON included
    std::uint64_t ecn_marked = 0;
    std::uint64_t storms = 0;                        ///< pause storms that the watchdog found
    std::uint64_t restored = 0;                      ///< and the ends of them
    bytes deepest = 0;                               ///< most octets that waited to leave
    std::array<std::uint64_t, drop_reasons> drops{}; ///< as far as the queue is known when dropping

    std::uint64_t dropped(drop_reason r) const { return drops[static_cast<std::size_t>(r)]; }
};

/// Counters of one port. Frames and octets (without FCS) received count whole and good ones; drops on the way
/// in are counted at the port a frame came from, those of a queue at the port it was bound for, but
/// shared_full and headroom_full at the ingress whose share was used up. PFC frames count only per priority.
struct port_counters {
    std::uint64_t rx_frames = 0;
    std::uint64_t rx_octets = 0;
    std::uint64_t tx_frames = 0;
    std::uint64_t tx_octets = 0;
    std::uint64_t flooded = 0; ///< received here and sent to more than one place, or to an unknown address
    std::uint64_t cut_through_bad = 0; ///< damaged frames of this port that were under way already
    std::array<std::uint64_t, drop_reasons> drops{};
    bytes deepest_queue = 0;
    per_priority<priority_counters> priority{};

    std::uint64_t dropped(drop_reason r) const { return drops[static_cast<std::size_t>(r)]; }
    std::uint64_t dropped() const;
};

/// A queue that holds frames and may not send.
struct blocked_queue {
    port_index port; ///< egress
    vg810::priority priority;
    struct share {
        port_index ingress;
        bytes octets;
    };
    std::vector<share> from; ///< whose frames they are, by port
};

class ethernet_switch;

/// Hears of pauses and storms as they happen, in the switch's domain.
class switch_observer {
  public:
    virtual ~switch_observer() = default;
    /// A PFC frame leaves by `port`: its neighbour is to stop, or may go on.
    virtual void pause_sent(const ethernet_switch&, port_index /*port*/, vg810::priority, bool /*stop*/,
                            picoseconds /*at*/) {}
    /// The egress queue had been stopped by the neighbour at `port` from `since` to `until`. `until` may be
    /// earlier than now: a pause that ran out is noticed at the next PFC frame.
    virtual void paused(const ethernet_switch&, port_index /*port*/, vg810::priority, picoseconds /*since*/,
                        picoseconds /*until*/) {}
    /// The watchdog found a storm, or its end.
    virtual void storm(const ethernet_switch&, port_index /*port*/, vg810::priority, bool /*began*/,
                       picoseconds /*at*/) {}
};

} // namespace vg810::fabric
