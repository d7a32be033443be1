// SPDX-License-Identifier: Apache-2.0
// A store-and-forward, output-queued Ethernet switch: receive → check → look up → admit → queue → transmit.
// One FIFO with a byte limit per output port. Left out here: priorities, shared buffer, PFC, ECN,
// cut-through.
#pragma once

#include "core/frame_queue.h"
#include "core/scheduler.h"
#include "core/wire.h"
#include "fabric/forwarding.h"

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace vg810::fabric {

struct switch_parameters {
    std::string name;
    /// From a frame's last bit in to its first bit out of an idle port.
    picoseconds pipeline = 400_ns;
    /// Octets (frames without FCS) that may wait in one output queue, the one on the wire not counted.
    bytes queue_limit = 2 << 20;
    /// Longest frame let through, without FCS.
    bytes max_frame = max_frame_bytes;
    std::uint64_t ecmp_seed = 0;
};

/// Why a switch dropped a frame.
enum class drop_reason : std::uint8_t {
    bad_fcs,     ///< damaged on the way in
    runt,        ///< shorter than 64 octets with FCS
    oversize,    ///< longer than the switch's max_frame
    link_local,  ///< to 01-80-C2-00-00-0x, which bridges do not forward (802.1Q 8.6.3)
    off_tree,    ///< to everyone, but from a port that the flood tree does not use
    same_port,   ///< its destination is where it came from
    no_route,    ///< no live port towards the destination, or a routed frame to an unknown IP address
    ttl_expired, ///< a routed frame at the end of its hops (RFC 1812 5.3.1)
    link_down,   ///< the output port has no link
    queue_full,  ///< the output queue was at its limit
    count
};
inline constexpr std::array<std::string_view, static_cast<std::size_t>(drop_reason::count)> drop_reason_names{
    "bad-fcs",   "runt",     "oversize",    "link-local", "off-tree",
    "same-port", "no-route", "ttl-expired", "link-down",  "queue-full"};

/// Counters of one port. Frames and octets (without FCS) received count whole and good ones; drops on the way
/// in are counted at the port a frame came from, link_down and queue_full at the port it was bound for.
struct port_counters {
    std::uint64_t rx_frames = 0;
    std::uint64_t rx_octets = 0;
    std::uint64_t tx_frames = 0;
    std::uint64_t tx_octets = 0;
    std::uint64_t flooded = 0; ///< received here and sent to more than one place, or to an unknown address
    std::array<std::uint64_t, static_cast<std::size_t>(drop_reason::count)> drops{};
    bytes deepest_queue = 0;

    std::uint64_t dropped(drop_reason r) const { return drops[static_cast<std::size_t>(r)]; }
    std::uint64_t dropped() const;
};

/// The switch. Add ports and fill `table()` before power_on.
class ethernet_switch : public component {
  public:
    /// `pool` makes the copies of flooded frames and must outlive the switch.
    ethernet_switch(const switch_parameters& p, scheduler& clock, frame_pool& pool);
    ~ethernet_switch();

    /// Plugs a cable's end into a new port. The caller plugs receiver(port) into the cable.
    port_index add_port(cable_end& end, bits_per_second rate);
    wire_receiver& receiver(port_index p);
    forwarding_table& table() { return table_; }
    const forwarding_table& table() const { return table_; }
    const switch_parameters& parameters() const { return parameters_; }

    /// Turns all transmitters on.
    void power_on();

    std::size_t ports() const { return ports_.size(); }
    const port_counters& count(port_index p) const;
    /// Octets waiting at an output port now.
    bytes queued(port_index p) const;
    bool link_up(port_index p) const;
    /// Sum over all ports.
    std::uint64_t dropped(drop_reason r) const;

  private:
    struct port;

    void receive(port& in, frame_ptr f);
    bool accept(port& in, const frame& f);
    void forward(port& in, frame_ptr f);
    void flood(port& in, frame_ptr f);
    void route(port& in, frame_ptr f);
    bool answer_arp(port& in, const frame& f);
    void admit(port& out, frame_ptr f);
    void wake(port& out);
    void transmit(std::uint64_t index);
    void link_changed(port& p, bool up);
    frame_ptr copy(const frame& f);

    switch_parameters parameters_;
    frame_pool& pool_;
    forwarding_table table_;
    std::vector<std::unique_ptr<port>> ports_;
};

} // namespace vg810::fabric
