// SPDX-License-Identifier: Apache-2.0
// A cable whose far end sends every frame back, as it came. The test can put frames of its own on it, and cut
// it.
#pragma once

#include "core/scheduler.h"
#include "core/wire.h"

#include <functional>
#include <string>

namespace vg810::fuzz {

class mirror final : public component, public cable_end {
  public:
    mirror(scheduler& clock, std::string name, bits_per_second rate)
        : component(clock, std::move(name)), rate_(rate) {}

    /// Where the far end sends to; lights up.
    void plug(wire_receiver& port) {
        port_ = &port;
        light(true, rate_);
    }
    void light(bool on, bits_per_second rate) {
        arrives();
        port_->signal_changed(on, rate);
    }
    /// Of a hundred frames sent, this many come back.
    void reflect(unsigned percent) { reflected_percent_ = percent; }
    /// A frame from the far end arrives now.
    void insert(frame_ptr f) {
        arrives();
        port_->frame_arrived(std::move(f));
    }
    /// Something is about to arrive at the port / the port shows something at that time. May be null.
    std::function<void()> on_arrival;
    std::function<void(picoseconds)> on_departure;
    std::uint64_t frames() const { return frames_; }

    void send(frame_ptr f, picoseconds first_bit, picoseconds last_bit) override {
        departs(first_bit);
        if (frames_++ % 100 < reflected_percent_)
            schedule<&mirror::back>(last_bit + delay, this, f.release(), port_->quiet_after_arrival());
    }
    void set_signal(bool, bits_per_second) override { departs(now()); }
    picoseconds min_latency() const override { return delay; }

  private:
    static constexpr picoseconds delay = 50_ns;
    void back(std::uint64_t released) { insert(frame_ptr::adopt(released)); }
    void arrives() const {
        if (on_arrival)
            on_arrival();
    }
    void departs(picoseconds at) const {
        if (on_departure)
            on_departure(at);
    }

    bits_per_second rate_;
    wire_receiver* port_ = nullptr;
    unsigned reflected_percent_ = 100;
    std::uint64_t frames_ = 0;
};

} // namespace vg810::fuzz
