// SPDX-License-Identifier: Apache-2.0
// A cable whose far end sends every frame back, as it came. The test can put frames of its own on it, and cut
// it.
#pragma once

#include "core/scheduler.h"
#include "core/wire.h"

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
    void light(bool on, bits_per_second rate) { port_->signal_changed(on, rate); }
    /// Of a hundred frames sent, this many come back.
    void reflect(unsigned percent) { reflected_percent_ = percent; }
    /// A frame from the far end arrives now.
    void insert(frame_ptr f) { port_->frame_arrived(std::move(f)); }
    std::uint64_t frames() const { return frames_; }

    void send(frame_ptr f, picoseconds, picoseconds last_bit) override {
        if (frames_++ % 100 < reflected_percent_)
            schedule<&mirror::back>(last_bit + delay, this, f.release(), port_->quiet_after_arrival());
    }
    void set_signal(bool, bits_per_second) override {}
    picoseconds min_latency() const override { return delay; }

  private:
    static constexpr picoseconds delay = 50_ns;
    void back(std::uint64_t released) { port_->frame_arrived(frame_ptr::adopt(released)); }

    bits_per_second rate_;
    wire_receiver* port_ = nullptr;
    unsigned reflected_percent_ = 100;
    std::uint64_t frames_ = 0;
};

} // namespace vg810::fuzz
