// SPDX-License-Identifier: Apache-2.0
#include "fabric/cable.h"

#include <algorithm>
#include <stdexcept>

namespace vg810::fabric {

phy_latency default_phy(bits_per_second rate) {
    constexpr picoseconds mac_and_pcs_half = 40_ns;
    if (rate < 25_gbps)
        return {mac_and_pcs_half, mac_and_pcs_half};
    // The code's 528 symbols carry 514 of payload, themselves 64B/66B blocks recoded to 257 bits: the
    // codeword lasts as long as its 5,120 data bits take at the MAC's rate.
    return {mac_and_pcs_half, mac_and_pcs_half + rate.time_for(5'120 / 8)};
}

picoseconds cable_parameters::propagation() const {
    const __int128 ps = static_cast<__int128>(length.count) * per_metre.count();
    return picoseconds(static_cast<std::int64_t>(ps / 1000));
}

namespace {

// From the last FCS bit at the sender to the frame's arrival at the receiver.
picoseconds delay_of(const cable_parameters& p, cable_side from) {
    const auto sender = static_cast<std::size_t>(from), receiver = 1 - sender;
    const picoseconds gap =
        p.arrival == arrival_rule::end_of_gap ? p.rate.time_for(gap_bytes) : picoseconds{};
    return p.phy[sender].transmit + p.propagation() + p.phy[receiver].receive + gap;
}

const cable_parameters& checked(const cable_parameters& p) {
    const bool negative = p.length.count < 0 || p.per_metre < picoseconds{} ||
                          std::any_of(p.phy.begin(), p.phy.end(), [](const phy_latency& l) {
                              return l.transmit < picoseconds{} || l.receive < picoseconds{};
                          });
    if (negative)
        throw std::invalid_argument("cable " + p.name + ": length and delays must not be negative");
    return p;
}

std::string direction_name(const cable_parameters& p, cable_side from) {
    return p.name + (from == cable_side::a ? ".a-to-b" : ".b-to-a");
}

} // namespace

cable_direction::cable_direction(const cable_parameters& p, cable_side from, scheduler& sender,
                                 scheduler& receiver)
    : component(sender, direction_name(p, from)), far_(receiver), from_(from), rate_(p.rate),
      delay_(delay_of(p, from)) {
    apply({});
}

void cable_direction::plug(wire_receiver& r) {
    receiver_ = &r;
    quiet_ = r.quiet_after_arrival();
    apply(r.arrival());
}

void cable_direction::apply(const arrival_request& r) {
    constexpr bytes least = min_frame_bytes + fcs_bytes;
    if (r.latency < picoseconds{} || r.control < picoseconds{} || (r.header != 0 && r.header < least))
        throw std::invalid_argument(name() + ": the receiver asks for frames before they are there");
    wanted_ = r;
    whole_ = delay_ + r.latency;
    control_ = delay_ + r.control;
    header_ = rate_.time_for(preamble_bytes + r.header) + whole_;
    min_latency_ = rate_.time_for(preamble_bytes + least) + std::min(whole_, control_);
}

void cable_direction::send(frame_ptr f, picoseconds first_bit, picoseconds last_bit) {
    f->first_bit = first_bit;
    ++count_.sent;
    for (wire_tap* t : taps_)
        t->frame_sent(from_, *f, first_bit);
    picoseconds extra{};
    if (impairments_) [[unlikely]] {
        const auto verdict = impairments_->meet(*f, first_bit, last_bit);
        count_.damaged += verdict.damaged && !verdict.lost;
        count_.taken += verdict.lost;
        if (verdict.lost)
            return;
        f->fcs_bad |= verdict.damaged;
        extra = verdict.extra;
    }
    picoseconds at = last_bit + (f->labels.control ? control_ : whole_);
    if (wanted_.header != 0 && !f->labels.control && f->length() + fcs_bytes > wanted_.header)
        at = first_bit + header_;
    // A runt would arrive before min_latency, which others may have relied on; it is dropped there in any
    // case.
    at = std::max(at, first_bit + min_latency_) + extra;
    schedule_in<&cable_direction::arrive>(far_, at, this, f.release(), quiet_);
}

void cable_direction::set_signal(bool on, bits_per_second rate) {
    const std::uint64_t value = on ? static_cast<std::uint64_t>(rate.count()) : 0;
    schedule_in<&cable_direction::signal>(far_, now() + min_latency_, this, value);
}

void cable_direction::break_at(picoseconds t, bool cut) {
    schedule_in<&cable_direction::change>(far_, t, this, cut);
}

void cable_direction::change_rate_at(picoseconds t, bits_per_second rate) {
    schedule_in<&cable_direction::change_rate>(far_, t, this, static_cast<std::uint64_t>(rate.count()));
}

void cable_direction::change_rate(std::uint64_t rate) {
    if (receiver_)
        receiver_->line_rate_changed(bits_per_second(static_cast<std::int64_t>(rate)));
}

void cable_direction::impair(const link_fault& f, std::uint64_t seed) {
    if (!impairments_)
        impairments_ = std::make_unique<impairments>(seed, name());
    impairments_->add(f);
}

void cable_direction::arrive(std::uint64_t released) {
    frame_ptr f = frame_ptr::adopt(released);
    if ((cut_ || f->first_bit < restored_) && lost_in_cut(*f)) {
        ++count_.lost;
    } else if (!receiver_) {
        ++count_.unheard;
    } else {
        ++count_.delivered;
        receiver_->frame_arrived(std::move(f));
    }
}

// What was in before the cable broke is still on its way through the receiver.
bool cable_direction::lost_in_cut(const frame& f) const {
    return far_.now() - (f.labels.control ? wanted_.control : wanted_.latency) >= cut_since_;
}

void cable_direction::signal(std::uint64_t rate) {
    signal_rate_ = rate;
    tell();
}

void cable_direction::change(std::uint64_t cut) {
    if (cut_ == (cut != 0))
        return;
    (cut_ ? restored_ : cut_since_) = far_.now();
    cut_ = cut;
    tell();
}

void cable_direction::tell() {
    const bool present = signal_rate_ != 0 && !cut_;
    if (present == told_present_ && !present)
        return;
    told_present_ = present;
    if (receiver_)
        receiver_->signal_changed(present,
                                  bits_per_second(present ? static_cast<std::int64_t>(signal_rate_) : 1));
}

cable::cable(const cable_parameters& p, scheduler& a, scheduler& b)
    : parameters_(checked(p)), ways_{cable_direction(parameters_, cable_side::a, a, b),
                                     cable_direction(parameters_, cable_side::b, b, a)} {}

void cable::add_tap(wire_tap& t) {
    for (cable_direction& w : ways_)
        w.add_tap(t);
}

void cable::cut_at(picoseconds t) {
    for (cable_direction& w : ways_)
        w.break_at(t, true);
}

void cable::restore_at(picoseconds t) {
    for (cable_direction& w : ways_)
        w.break_at(t, false);
}

void cable::change_rate_at(picoseconds t, bits_per_second rate) {
    for (cable_direction& w : ways_)
        w.change_rate_at(t, rate);
}

picoseconds cable::latency(cable_side from, bytes frame_bytes) const {
    return parameters_.rate.time_for(preamble_bytes + std::max(frame_bytes, min_frame_bytes) + fcs_bytes) +
           ways_[static_cast<std::size_t>(from)].delay();
}

} // namespace vg810::fabric
