// SPDX-License-Identifier: Apache-2.0
// A host for tests: sends frames it is told to, back to back at its link's rate, and notes what arrives.
#pragma once

#include "core/ethernet.h"
#include "core/frame_queue.h"
#include "core/scheduler.h"
#include "core/wire.h"

#include <algorithm>
#include <compare>
#include <string>
#include <vector>

namespace vg810::fabric::testing {

/// A frame with both addresses, an EtherType for experiments (802 9.2.3) and `number` in its data; `stored`
/// octets of it exist. Precondition: stored >= 22.
inline frame_ptr make_frame(frame_pool& pool, mac_address to, mac_address from, bytes length,
                            std::uint64_t number, bytes stored = 64) {
    frame_ptr f = pool.make(length, std::min(length, stored));
    const auto s = f->stored();
    std::ranges::fill(s, std::byte{});
    const ethernet_view<std::byte> eth(s.data());
    eth.set_destination(to);
    eth.set_source(from);
    eth.set_type(0x88b5);
    store_be(s.data() + 14, number);
    return f;
}

/// The same with IPv4 and UDP headers, for what looks at flows. Precondition: length >= 60.
inline frame_ptr make_udp(frame_pool& pool, mac_address to, mac_address from, std::uint16_t source_port,
                          bytes length) {
    frame_ptr f = make_frame(pool, to, from, length, 0, length);
    const auto s = f->stored();
    ethernet_view<std::byte>(s.data()).set_type(ethertype::ipv4);
    const ipv4_view<std::byte> ip(s.data() + 14);
    ip.set_version_and_header_bytes(20);
    ip.set_total_length(static_cast<std::uint16_t>(length - 14));
    ip.set_ttl(64);
    ip.set_protocol(ip_protocol::udp);
    ip.set_source(ipv4_address(0x0a000001));
    ip.set_destination(ipv4_address(0x0a000002));
    const udp_view<std::byte> udp(s.data() + 34);
    udp.set_source_port(source_port);
    udp.set_destination_port(4791);
    udp.set_length(static_cast<std::uint16_t>(length - 34));
    return f;
}

class station final : public component, public wire_receiver {
  public:
    struct arrival {
        picoseconds at;
        picoseconds first_bit;
        mac_address source;
        mac_address destination;
        bytes length;
        std::uint64_t number;
        auto operator<=>(const arrival&) const = default;
    };

    station(scheduler& clock, std::string name, mac_address own, bits_per_second rate)
        : component(clock, std::move(name)), own_(own), rate_(rate) {}

    void plug(cable_end& end) { end_ = &end; }
    void light() { end_->set_signal(true, rate_); }
    mac_address mac() const { return own_; }

    /// Hands the frame to the transmitter at time `t`; frames handed over earlier go first.
    void send_at(picoseconds t, frame_ptr f) { schedule<&station::hand_over>(t, this, f.release()); }

    std::vector<arrival> arrivals;
    std::vector<frame_ptr> kept; ///< the frames themselves when keep is set
    bool keep = false;
    std::vector<bool> signals; ///< what signal_changed said

    void frame_arrived(frame_ptr f) override {
        const auto s = std::as_const(*f).stored();
        const ethernet_view eth(s.data());
        arrivals.push_back({now(), f->first_bit, eth.source(), eth.destination(), f->length(),
                            load_be<std::uint64_t>(s.data() + 14)});
        if (keep)
            kept.push_back(std::move(f));
    }
    void signal_changed(bool present, bits_per_second) override { signals.push_back(present); }

  private:
    void hand_over(std::uint64_t released) {
        frame_ptr f = frame_ptr::adopt(released);
        const picoseconds first = std::max(now(), free_at_);
        free_at_ = first + rate_.time_for(f->slot_bytes());
        const picoseconds last = first + rate_.time_for(f->wire_bytes());
        end_->send(std::move(f), first, last);
    }

    mac_address own_;
    bits_per_second rate_;
    cable_end* end_ = nullptr;
    picoseconds free_at_;
};

} // namespace vg810::fabric::testing
