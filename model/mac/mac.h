// SPDX-License-Identifier: Apache-2.0
// One Ethernet port: frame timing (IEEE 802.3 3.1.1, 4.4.2; the gap is kept on average as 802.3 46.3.1.4's
// deficit idle count does), length and FCS checks, link state, counters, loopback. PFC, the module's
// registers and the PTP clock are not here yet.
#pragma once

#include "core/scheduler.h"
#include "core/wire.h"
#include "model/mac/link_state.h"
#include "model/mac/parameters.h"
#include "model/regs/register_file.h"

namespace vg810 {

/// A frame on its way out. `token` is the client's; 0 when it need not hear of the last bit.
struct outgoing_frame {
    frame_ptr data;
    std::uint64_t token = 0;
};

/// What a MAC asks and tells the block above it.
class mac_client {
  public:
    virtual ~mac_client() = default;
    /// The transmitter is free: the next frame (at least min_frame_bytes long), or an empty one.
    virtual outgoing_frame next_frame() = 0;
    /// Its first preamble bit leaves at `first_bit` (>= now), not in loopback.
    virtual void frame_started(const frame& f, picoseconds first_bit) = 0;
    /// The last bit of the frame with that token left just now.
    virtual void frame_sent(std::uint64_t token) = 0;
    /// A good frame is complete just now.
    virtual void frame_received(frame_ptr f) = 0;
    virtual void link_changed() = 0;
};

class mac : public component, public wire_receiver {
  public:
    /// `registers`: its counters are kept there. The promises: least time from a call of the client to a
    /// touch of host memory that it causes, and the same for frame_received().
    mac(scheduler& clock, std::string name, const mac_parameters& parameters, regs::register_file& registers,
        mac_client& client, picoseconds touch_delay, picoseconds receive_touch_delay);

    void attach(cable_end& cable);

    /// The client has a frame to send. Nothing happens while the link is down.
    void kick();
    void set_enabled(bool on);
    void set_loopback(bool on);
    /// Injected: link fault, and a looped-back octet turned over.
    void set_fault(bool on);
    void set_loopback_corruption(bool on) { corrupt_loopback_ = on; }
    /// Longest frame accepted, octets without FCS.
    void set_max_frame(bytes length) { max_frame_ = length; }
    /// A function reset: disabled, no loopback. The transmitter goes dark after transmitter_off.
    void reset();

    bool link_up() const { return reason_ == link_down_reason::none; }
    /// The link is up, whether or not loopback keeps frames off the cable.
    bool line_up() const { return inputs_.trained; }
    link_down_reason reason() const { return reason_; }
    bool enabled() const { return inputs_.enabled; }
    /// Light is on the cable, or soon will be.
    bool transmitter_on() const { return transmitting_ || wants_transmitter(); }
    const mac_parameters& parameters() const { return parameters_; }
    std::uint32_t down_count() const { return down_count_; }

    void frame_arrived(frame_ptr f) override;
    void signal_changed(bool present, bits_per_second rate) override;
    picoseconds quiet_after_arrival() const override { return receive_touch_delay_; }

  private:
    void pull(std::uint64_t);
    void transmit(outgoing_frame out);
    void sent(std::uint64_t token) { client_.frame_sent(token); }
    void looped_back(std::uint64_t released);
    void receive(frame_ptr f);
    void update_link();
    void training_over(std::uint64_t attempt);
    bool wants_transmitter() const { return inputs_.enabled && inputs_.module && !inputs_.fault; }
    void update_transmitter();
    void switch_transmitter(std::uint64_t attempt);
    std::uint64_t& count(regs::counter c) { return registers_.count(c); }
    void count_transmitted(const frame& f);
    void count_received(const frame& f);

    mac_parameters parameters_;
    regs::register_file& registers_;
    mac_client& client_;
    picoseconds touch_delay_;
    picoseconds receive_touch_delay_;
    cable_end* cable_ = nullptr;

    picoseconds next_start_; ///< earliest first bit of the next frame
    bool pull_pending_ = false;
    bytes max_frame_ = 1500 + 14 + 8;

    link_inputs inputs_;
    link_down_reason reason_ = link_down_reason::admin_down;
    std::uint64_t training_attempt_ = 0;
    bool training_ = false;
    std::uint64_t transmitter_attempt_ = 0;
    bool transmitting_ = false;
    bool transmitter_target_ = false;
    bool corrupt_loopback_ = false;
    std::uint32_t down_count_ = 0;
};

} // namespace vg810
