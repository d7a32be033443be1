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

struct alignas(64) ethernet_switch::port final : public wire_receiver {
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
    port_counters counters() const;
    void drop(drop_reason r) { ++rare.drops[static_cast<std::size_t>(r)]; }
    /// Priorities whose head may not start now.
    priority_set stopped(picoseconds now) const {
        const priority_set p = timers.paused(now);
        const bool free = watched && dog.action() == storm_action::forward;
        return free ? static_cast<priority_set>(p & ~dog.storms()) : p;
    }
    bytes depth(priority p) const { // as the buffer counts
        return lanes[p].queue.octets() + sw.parameters_.buffer.overhead * lanes[p].queue.frames();
    }

    // What every frame touches comes first and fills whole cache lines: at a thousand ports their number is
    // what a hop costs.
    ethernet_switch& sw;
    cable_end& end;
    picoseconds octet;           // 0 when an octet does not last a whole number of picoseconds
    picoseconds free_at;         // end of the gap behind the last frame sent
    picoseconds wake_at = never; // when the next transmit event counts
    port_index index;
    priority_set nonempty = 0;
    priority_set asked = 0;   // ingress priorities in the state XOFF
    priority_set to_tell = 0; // of which the neighbour has to hear
    bool up = false;
    bool refreshing = false; // a refresh event is pending
    std::uint8_t rate_code;
    std::uint64_t tx_frames = 0;

    std::uint64_t tx_octets = 0;
    std::uint64_t rx_frames = 0;
    std::uint64_t rx_octets = 0;
    bytes queued = 0;
    bytes lossy_queued = 0;
    bytes deepest_queue = 0;
    bool watched; // dog.on()
    pause_timers timers;

    /// One priority on its way out.
    struct alignas(64) lane {
        frame_queue queue;
        std::uint64_t tx_frames = 0;
        std::uint64_t tx_octets = 0;
        std::uint64_t marked = 0;
        bytes deepest = 0;
    };
    static_assert(sizeof(lane) == 64);
    per_priority<lane> lanes;
    ets_scheduler ets;
    random_stream random;

    bits_per_second rate; // own_rate, unless a fault of the link has lowered it
    bits_per_second own_rate;
    pause_watchdog dog;
    picoseconds told_at;      // the last PFC frame sent
    priority_set running = 0; // pauses not yet added to paused_time
    per_priority<picoseconds> paused_since{};
    per_priority<picoseconds> paused_time{};
    port_counters rare; // what is not counted above
};

} // namespace vg810::fabric
