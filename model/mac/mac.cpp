// SPDX-License-Identifier: Apache-2.0
#include "model/mac/mac.h"

#include <algorithm>
#include <array>
#include <stdexcept>

namespace vg810 {

using regs::counter;

mac::mac(scheduler& clock, std::string name, const mac_parameters& parameters, regs::register_file& registers,
         mac_client& client, picoseconds touch_delay, picoseconds receive_touch_delay)
    : component(clock, std::move(name)), parameters_(parameters), registers_(registers), client_(client),
      touch_delay_(touch_delay), receive_touch_delay_(receive_touch_delay) {}

void mac::attach(cable_end& cable) {
    cable_ = &cable;
    inputs_.module = true;
    update_link();
}

// ------------------------------------------------------------------------------ transmit

void mac::kick() {
    if (pull_pending_ || !link_up())
        return;
    const picoseconds at = next_start_ - parameters_.transmit_pipeline;
    if (at <= now()) {
        pull(0);
        return;
    }
    pull_pending_ = true;
    schedule<&mac::pull>(at, this, 0, touch_delay_);
}

void mac::pull(std::uint64_t) {
    pull_pending_ = false;
    if (!link_up())
        return;
    outgoing_frame out = client_.next_frame();
    if (!out.data)
        return;
    transmit(std::move(out));
    pull_pending_ = true;
    schedule<&mac::pull>(std::max(now(), next_start_ - parameters_.transmit_pipeline), this, 0, touch_delay_);
}

void mac::transmit(outgoing_frame out) {
    if (out.data->length() < min_frame_bytes)
        throw std::logic_error(name() + ": a frame of " + std::to_string(out.data->length()) +
                               " octets to send");
    const picoseconds first_bit = std::max(now() + parameters_.transmit_pipeline, next_start_);
    const picoseconds last_bit = first_bit + parameters_.rate.time_for(out.data->wire_bytes());
    next_start_ = last_bit + parameters_.rate.time_for(gap_bytes);
    count_transmitted(*out.data);
    out.data->first_bit = first_bit;
    if (out.token != 0)
        schedule<&mac::sent>(last_bit, this, out.token, touch_delay_);
    if (inputs_.loopback) {
        schedule<&mac::looped_back>(last_bit + parameters_.loopback_delay, this, out.data.release(),
                                    receive_touch_delay_);
        return;
    }
    client_.frame_started(*out.data, first_bit);
    cable_->send(std::move(out.data), first_bit, last_bit);
}

// ------------------------------------------------------------------------------ receive

void mac::frame_arrived(frame_ptr f) {
    if (link_up() && !inputs_.loopback)
        receive(std::move(f));
}

void mac::looped_back(std::uint64_t released) {
    frame_ptr f = frame_ptr::adopt(released);
    if (!inputs_.loopback)
        return;
    if (corrupt_loopback_ && !f->stored().empty())
        f->stored().back() ^= std::byte{0x01};
    receive(std::move(f));
}

void mac::receive(frame_ptr f) {
    if (f->fcs_bad) {
        ++count(counter::rx_crc_errors);
    } else if (f->length() < min_frame_bytes) {
        ++count(counter::rx_undersize);
    } else if (f->length() > max_frame_) {
        ++count(counter::rx_oversize);
    } else {
        count_received(*f);
        client_.frame_received(std::move(f));
    }
}

// ------------------------------------------------------------------------------ link

void mac::set_enabled(bool on) {
    inputs_.enabled = on;
    update_transmitter();
    update_link();
}

void mac::set_loopback(bool on) {
    inputs_.loopback = on;
    update_link();
}

void mac::set_fault(bool on) {
    inputs_.fault = on;
    update_transmitter();
    update_link();
}

void mac::reset() {
    inputs_.enabled = false;
    inputs_.loopback = false;
    inputs_.trained = false;
    max_frame_ = 1500 + 14 + 8;
    update_transmitter();
    update_link();
    down_count_ = 0;
}

void mac::signal_changed(bool present, bits_per_second rate) {
    inputs_.signal = present;
    inputs_.rate_matches = rate == parameters_.rate;
    update_link();
}

void mac::update_link() {
    const bool trainable = may_train(inputs_);
    if (!trainable)
        inputs_.trained = false;
    if (trainable && !inputs_.trained && !training_) {
        training_ = true;
        schedule<&mac::training_over>(now() + parameters_.training_time, this, ++training_attempt_,
                                      touch_delay_);
    } else if (!trainable) {
        training_ = false;
    }
    const link_down_reason before = std::exchange(reason_, judge_link(inputs_));
    if (before == reason_)
        return;
    if (before == link_down_reason::none)
        ++down_count_;
    client_.link_changed();
    if (link_up())
        kick();
}

void mac::training_over(std::uint64_t attempt) {
    if (!training_ || attempt != training_attempt_)
        return;
    training_ = false;
    inputs_.trained = true;
    update_link();
}

void mac::update_transmitter() {
    if (transmitter_target_ == wants_transmitter())
        return;
    transmitter_target_ = wants_transmitter();
    const picoseconds delay = transmitter_target_ ? parameters_.transmitter_on : parameters_.transmitter_off;
    schedule<&mac::switch_transmitter>(now() + delay, this, ++transmitter_attempt_, touch_delay_);
}

void mac::switch_transmitter(std::uint64_t attempt) {
    if (attempt != transmitter_attempt_ || transmitting_ == transmitter_target_)
        return;
    transmitting_ = transmitter_target_;
    cable_->set_signal(transmitting_, parameters_.rate);
}

// ------------------------------------------------------------------------------ counters

namespace {

/// RFC 2819 etherStatsPkts64Octets and its neighbours, by octets with FCS.
unsigned size_class(bytes with_fcs) {
    static constexpr std::array<bytes, 6> upper{64, 127, 255, 511, 1023, 1518};
    return static_cast<unsigned>(std::lower_bound(upper.begin(), upper.end(), with_fcs) - upper.begin());
}

counter nth(counter first, unsigned n) {
    return static_cast<counter>(static_cast<unsigned>(first) + n);
}

bool is_group(const frame& f) {
    return !f.stored().empty() && (f.stored()[0] & std::byte{1}) != std::byte{0};
}

bool is_broadcast(const frame& f) {
    return f.stored().size() >= 6 && std::all_of(f.stored().begin(), f.stored().begin() + 6,
                                                 [](std::byte b) { return b == std::byte{0xff}; });
}

} // namespace

void mac::count_transmitted(const frame& f) {
    const bytes octets = f.length() + fcs_bytes;
    ++count(counter::tx_packets);
    count(counter::tx_bytes) += octets;
    if (is_broadcast(f))
        ++count(counter::tx_broadcast);
    else if (is_group(f))
        ++count(counter::tx_multicast);
    ++count(nth(counter::tx_64_bytes, size_class(octets)));
}

void mac::count_received(const frame& f) {
    const bytes octets = f.length() + fcs_bytes;
    ++count(counter::rx_packets);
    count(counter::rx_bytes) += octets;
    if (is_broadcast(f))
        ++count(counter::rx_broadcast);
    else if (is_group(f))
        ++count(counter::rx_multicast);
    ++count(nth(counter::rx_64_bytes, size_class(octets)));
}

} // namespace vg810
