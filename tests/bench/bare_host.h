// SPDX-License-Identifier: Apache-2.0
// The simplest host that keeps a link full, acknowledges each data frame by a frame of its own and obeys PFC:
// neither transport nor congestion control. With it the engine and the switches alone are measured.
#pragma once

#include "core/ethernet.h"
#include "core/pause.h"
#include "core/scheduler.h"
#include "core/wire.h"
#include "fabric/topology.h"

#include <algorithm>
#include <string>
#include <utility>

namespace vg810::bench {

class bare_host final : public component, public wire_receiver {
  public:
    static constexpr bytes payload_bytes = 1000;

    bare_host(scheduler& clock, std::string name, frame_pool& pool, bits_per_second rate)
        : component(clock, std::move(name)), pool_(pool), octet_(rate.time_for(1)), timers_(rate) {}

    void plug(cable_end& end) { end_ = &end; }
    /// `frames` to a peer; its own frames come from the same one.
    void send(const fabric::host_port& own, const fabric::host_port& peer, std::uint32_t to,
              std::uint64_t frames) {
        const ethernet_view<std::byte> eth(headers_);
        eth.set_destination(peer.mac);
        eth.set_source(own.mac);
        eth.set_type(ethertype::ipv4);
        const ipv4_view<std::byte> ip(headers_ + 14);
        ip.set_version_and_header_bytes(20);
        ip.set_tos(26 << 2 | 2);
        ip.set_ttl(64);
        ip.set_protocol(ip_protocol::udp);
        ip.set_source(*own.ip);
        ip.set_destination(*peer.ip);
        udp_view<std::byte>(headers_ + 34).set_destination_port(4791);
        labels_.station = to;
        labels_.flow_hash = (own.mac.to_u64() ^ 0x5bd1e995) * 0x9e3779b97f4a7c15u;
        labels_.l3_offset = 14;
        labels_.classified = true;
        labels_.ecn_capable = true;
        to_send_ = frames;
        schedule<&bare_host::transmit>(10_us, this);
        wake_ = 10_us;
    }

    void frame_arrived(frame_ptr f) override {
        if (f->labels.control) {
            if (const auto r = read_pause_frame(*f))
                timers_.apply(*r, now());
        } else if (f->length() > 100) {
            ++data;
            ++acks_due_;
        } else {
            ++acks;
        }
        wake();
    }
    void signal_changed(bool, bits_per_second) override {}

    std::uint64_t data = 0, acks = 0;

  private:
    static constexpr bytes header_bytes = 14 + 20 + 8 + 12; // Ethernet, IPv4, UDP, BTH
    static constexpr bytes icrc_bytes = 4;

    void wake() {
        if (acks_due_ + to_send_ == 0)
            return;
        const picoseconds at = std::max({now(), free_at_, timers_.until(3)});
        if (at >= wake_)
            return;
        wake_ = at;
        schedule<&bare_host::transmit>(at, this);
    }
    void transmit(std::uint64_t) {
        if (wake_ != now())
            return;
        wake_ = never;
        if (free_at_ <= now() && timers_.until(3) <= now()) {
            const bool ack = acks_due_ > 0;
            --(ack ? acks_due_ : to_send_);
            const bytes length = header_bytes + icrc_bytes + (ack ? 4 : payload_bytes);
            frame_ptr f = pool_.make(length, header_bytes);
            std::copy_n(headers_, header_bytes, f->stored().data());
            f->labels = labels_;
            free_at_ = now() + octet_ * static_cast<std::int64_t>(f->slot_bytes());
            const picoseconds last = now() + octet_ * static_cast<std::int64_t>(f->wire_bytes());
            end_->send(std::move(f), now(), last);
        }
        wake();
    }

    frame_pool& pool_;
    picoseconds octet_;
    pause_timers timers_;
    cable_end* end_ = nullptr;
    picoseconds free_at_, wake_ = never;
    std::uint64_t to_send_ = 0, acks_due_ = 0;
    frame_labels labels_;
    std::byte headers_[header_bytes] = {};
};

} // namespace vg810::bench
