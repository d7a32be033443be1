// SPDX-License-Identifier: Apache-2.0
// An output-queued, shared-buffer Ethernet switch: receive → check → classify → look up → admit → queue →
// transmit, with priority-based flow control on both sides. The frame on the wire no longer counts as
// buffered. The pipeline's latency and the reaction to PFC are part of a frame's arrival (arrival_request),
// and an idle port sends at once, so a frame costs one event a hop, two behind others. Left out: address
// learning, egress pools, admission by cells as a frame trickles in (cut-through counts it whole).
#pragma once

#include "core/scheduler.h"
#include "core/wire.h"
#include "fabric/classifier.h"
#include "fabric/marking.h"
#include "fabric/path_choice.h"
#include "fabric/shared_buffer.h"
#include "fabric/switch_counters.h"
#include "fabric/switch_parameters.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace vg810::fabric {

/// The switch. Add ports and fill `table()` before power_on.
class ethernet_switch : public component {
  public:
    /// `pool` makes copies and PFC frames and must outlive the switch. Throws std::invalid_argument for
    /// parameters that make no sense.
    ethernet_switch(const switch_parameters& p, scheduler& clock, frame_pool& pool);
    ~ethernet_switch();

    /// Plugs a cable's end into a new port. The caller plugs receiver(port) into the cable. Throws
    /// std::invalid_argument when the ports need more memory than there is.
    port_index add_port(cable_end& end, bits_per_second rate);
    wire_receiver& receiver(port_index p);
    forwarding_table& table() { return table_; }
    const forwarding_table& table() const { return table_; }
    const switch_parameters& parameters() const { return parameters_; }
    /// Null for none. Must outlive the run.
    void observe(switch_observer* o) { observer_ = o; }

    /// Turns all transmitters on.
    void power_on();

    std::size_t ports() const { return ports_.size(); }
    port_counters count(port_index p) const;
    /// Octets waiting at an output port now: all / of one priority.
    bytes queued(port_index p) const;
    bytes queued(port_index p, priority q) const;
    const shared_buffer& buffer() const { return buffer_; }
    bool link_up(port_index p) const;
    /// Whether the neighbour keeps the queue from sending now.
    bool paused(port_index p, priority q) const;
    /// All the time it has done so.
    picoseconds paused_time(port_index p, priority q) const;
    /// Sum over all ports.
    std::uint64_t dropped(drop_reason r) const;
    /// Every queue that holds frames and may not send, by port and priority.
    std::vector<blocked_queue> blocked() const;

  private:
    struct port;

    void receive(port& in, frame_ptr f);
    std::optional<drop_reason> fault_of(const frame& f) const;
    bool learn(port& in, frame& f);
    void forward(port& in, frame_ptr f);
    void flood(port& in, frame_ptr f);
    void route(port& in, frame_ptr f);
    bool answer_arp(port& in, const frame& f);
    frame_ptr copy(const frame& f);

    void deliver(port& in, port& out, frame_ptr f);
    void complete(std::uint64_t released);
    void enqueue(port& out, frame_ptr f);
    bool buffer_has_room(port& out, const frame& f);
    bool wred_lets_pass(port& out, frame& f);
    void drop(port& at, const frame& f, drop_reason why);
    void empty(port& out, priority q, drop_reason why);
    void release(port_index in, priority q, bytes frame_bytes);

    void wake(port& out);
    void transmit(std::uint64_t index);
    void serve(port& out);
    void send(port& out, frame_ptr f);
    void account(port& out, frame& f);

    void ask(port& at, priority_set which);
    void send_pause(port& out);
    void refresh(std::uint64_t index);
    void obey(port& out, const frame& f);
    void watch(port& out);
    void check_storms(std::uint64_t index);
    void end_pauses(port& out, priority_set which);

    void link_changed(port& p, bool up);

    switch_parameters parameters_;
    frame_pool& pool_;
    forwarding_table table_;
    shared_buffer buffer_;
    priority_set lossless_;
    priority_map priorities_;
    path_choice paths_;
    per_priority<marker> markers_{};
    std::vector<std::unique_ptr<port>> ports_;
    std::uint16_t telemetry_id_;
    switch_observer* observer_ = nullptr;
};

} // namespace vg810::fabric
