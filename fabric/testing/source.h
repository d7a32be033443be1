// SPDX-License-Identifier: Apache-2.0
// A host for tests of flow control: sends one flow of equal frames as fast as it may (its link's rate, or
// less), obeys PFC, and counts what it receives. No transport, no congestion control.
#pragma once

#include "core/ethernet.h"
#include "core/pause.h"
#include "core/scheduler.h"
#include "core/wire.h"
#include "fabric/testing/station.h"

#include <map>
#include <optional>
#include <string>

namespace vg810::fabric::testing {

/// What a source sends.
struct stream {
    mac_address to{};
    bytes length = 1514; ///< without FCS
    std::uint64_t frames = ~std::uint64_t{0};
    picoseconds start{};
    picoseconds stop = never;
    std::optional<bits_per_second> rate{}; ///< on the wire, gap included; nothing: the link's
    std::uint16_t port = 1;                ///< UDP source port
    std::uint8_t tos = 2;                  ///< DSCP and ECN
};

class source final : public component, public wire_receiver {
  public:
    source(scheduler& clock, std::string name, frame_pool& pool, mac_address own, bits_per_second link)
        : component(clock, std::move(name)), pool_(pool), own_(own), link_(link), timers_(link) {}

    void plug(cable_end& end) {
        end_ = &end;
        end.set_signal(true, link_);
    }
    void run(const stream& s) {
        stream_ = s;
        schedule<&source::go>(s.start, this);
    }
    mac_address mac() const { return own_; }

    picoseconds response_delay{}; ///< set before plugging in
    priority obeyed = 3;          ///< the priority of the stream
    bool deaf = false;            ///< ignores PFC
    std::uint64_t sent = 0, received = 0, marked = 0, pauses = 0;
    bytes octets = 0; ///< received, without FCS
    std::map<mac_address, std::uint64_t> from;
    picoseconds last; ///< arrival of the last frame

    arrival_request arrival() const override { return {0, {}, response_delay}; }
    void signal_changed(bool, bits_per_second) override {}
    void frame_arrived(frame_ptr f) override {
        if (const auto r = read_pause_frame(*f)) {
            pauses += r->time[obeyed] != 0;
            if (!deaf)
                timers_.apply(*r, now());
            if (waiting_ && !(timers_.paused(now()) >> obeyed & 1)) {
                waiting_ = false;
                schedule<&source::go>(std::max(now(), next_), this);
            }
            return;
        }
        const auto s = std::as_const(*f).stored();
        ++received;
        octets += f->length();
        last = now();
        ++from[ethernet_view(s.data()).source()];
        marked += (std::to_integer<unsigned>(s[15]) & 3) == 3;
    }

  private:
    void go(std::uint64_t) {
        if (sent >= stream_.frames || now() >= stream_.stop || now() < next_)
            return;
        if (timers_.paused(now()) >> obeyed & 1) {
            waiting_ = true;
            schedule<&source::expired>(timers_.until(obeyed), this);
            return;
        }
        frame_ptr f = make_udp(pool_, stream_.to, own_, stream_.port, stream_.length);
        ipv4_view<std::byte>(f->stored().data() + 14).set_tos(stream_.tos);
        ++sent;
        const picoseconds last_bit = now() + link_.time_for(f->wire_bytes());
        next_ = now() + stream_.rate.value_or(link_).time_for(f->slot_bytes());
        end_->send(std::move(f), now(), last_bit);
        schedule<&source::go>(next_, this);
    }
    void expired(std::uint64_t) {
        if (!waiting_ || timers_.paused(now()) >> obeyed & 1)
            return waiting_ ? void(schedule<&source::expired>(timers_.until(obeyed), this)) : void();
        waiting_ = false;
        go(0);
    }

    frame_pool& pool_;
    mac_address own_;
    bits_per_second link_;
    pause_timers timers_;
    cable_end* end_ = nullptr;
    stream stream_;
    picoseconds next_;
    bool waiting_ = false;
};

} // namespace vg810::fabric::testing
