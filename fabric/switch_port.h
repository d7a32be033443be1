// SPDX-License-Identifier: Apache-2.0
// One port of a switch. Private to switch*.cpp.
#pragma once

#include "core/ets.h"
#include "core/frame_queue.h"
#include "core/pause.h"
#include "core/random.h"
#include "fabric/pause_watchdog.h"
#include "fabric/switch.h"

namespace vg810::fabric {

struct ethernet_switch::port final : public wire_receiver {
    port(ethernet_switch& owner, port_index i, cable_end& e, bits_per_second r);

    void frame_arrived(frame_ptr f) override { sw.receive(*this, std::move(f)); }
    void signal_changed(bool present, bits_per_second far_rate) override {
        sw.link_changed(*this, present && far_rate == own_rate);
    }
    arrival_request arrival() const override;
    /// Pause quanta and what telemetry says follow the link's own rate still.
    void line_rate_changed(bits_per_second r) override;

    picoseconds time_for(bytes n) const {
        return octet != picoseconds{} ? octet * static_cast<std::int64_t>(n) : rate.time_for(n);
    }
    void drop(drop_reason r) { ++count.drops[static_cast<std::size_t>(r)]; }
    /// Priorities whose head may not start now.
    priority_set stopped(picoseconds now) const {
        const priority_set p = timers.paused(now);
        const bool free = dog.on() && dog.action() == storm_action::forward;
        return free ? static_cast<priority_set>(p & ~dog.storms()) : p;
    }
    bytes depth(priority p) const { // as the buffer counts
        return queue[p].octets() + sw.parameters_.buffer.overhead * queue[p].frames();
    }

    ethernet_switch& sw;
    cable_end& end;
    bits_per_second rate;        // own_rate, unless a fault of the link has lowered it
    picoseconds octet;           // 0 when an octet does not last a whole number of picoseconds
    picoseconds free_at;         // end of the gap behind the last frame sent
    picoseconds wake_at = never; // when the next transmit event counts
    bytes queued = 0;
    bytes lossy_queued = 0;
    bits_per_second own_rate;
    port_index index;
    priority_set nonempty = 0;
    priority_set asked = 0;   // ingress priorities in the state XOFF
    priority_set to_tell = 0; // of which the neighbour has to hear
    bool up = false;
    bool refreshing = false; // a refresh event is pending
    std::uint8_t rate_code;
    pause_timers timers;
    ets_scheduler ets;
    per_priority<frame_queue> queue;
    random_stream random;
    pause_watchdog dog;
    picoseconds told_at;      // the last PFC frame sent
    priority_set running = 0; // pauses not yet added to paused_time
    per_priority<picoseconds> paused_since{};
    per_priority<picoseconds> paused_time{};
    port_counters count;
};

} // namespace vg810::fabric
