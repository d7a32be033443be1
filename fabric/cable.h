// SPDX-License-Identifier: Apache-2.0
// A full-duplex cable with the PHYs at its ends: delay, faults, taps. Left out: skew between lanes, and the
// bits themselves (the transmitters say when a frame starts and ends).
#pragma once

#include "core/parameters.h"
#include "core/scheduler.h"
#include "core/wire.h"
#include "fabric/link_fault.h"

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace vg810::fabric {

/// Delay of one port's PCS, PMA and FEC, each way.
struct phy_latency {
    picoseconds transmit;
    picoseconds receive;
    picoseconds total() const { return transmit + receive; }
};

/// What a port of the given rate has unless the scenario says otherwise. MAC and PCS: 80 ns for a transmitter
/// and the receiver it talks to, halved between them (dual-25G cards). FEC: the receiver has to see a whole
/// codeword before it can correct: RS(528,514), 5,280 bits, from 25G on (802.3 clauses 108 and 91; 204.8 ns
/// at 25 Gb/s as the standard rounds it, 51.2 ns at 100 Gb/s); none below 25G, where it is optional.
phy_latency default_phy(bits_per_second rate);

/// When a receiver takes a frame as arrived.
enum class arrival_rule : std::uint8_t {
    last_bit,   ///< with the last bit of its FCS: what hardware does
    end_of_gap, ///< with the end of its interpacket gap: what textbook formulas and packet-level simulators
                ///< count
};
inline constexpr std::string_view arrival_rule_names[] = {"last-bit", "end-of-gap"};

struct cable_parameters {
    std::string name;
    bits_per_second rate = 25_gbps;
    millimetres length{3'000};
    picoseconds per_metre = 5_ns; ///< about 0.67 c: glass and twinax
    std::array<phy_latency, 2> phy{default_phy(25_gbps), default_phy(25_gbps)};
    arrival_rule arrival = arrival_rule::last_bit;

    picoseconds propagation() const;
};

enum class cable_side : std::uint8_t { a = 0, b = 1 };
constexpr cable_side other(cable_side s) {
    return s == cable_side::a ? cable_side::b : cable_side::a;
}

/// Sees every frame that enters a cable, in the sender's domain, when the sender announces it. The domains of
/// a run may be at different times, so calls of the two sides are each in order, but not with each other.
class wire_tap {
  public:
    virtual ~wire_tap() = default;
    virtual void frame_sent(cable_side from, const frame& f, picoseconds first_bit) = 0;
};

/// One way of a cable; its transmitter's cable_end and the source of its receiver's events.
class alignas(64) cable_direction final : public component, public cable_end {
  public:
    struct counters {
        std::uint64_t sent = 0;      ///< frames that entered
        std::uint64_t delivered = 0; ///< frames handed to the receiver
        std::uint64_t lost = 0;      ///< frames in flight or sent while the cable was cut
        std::uint64_t unheard = 0;   ///< frames that came out where nothing is plugged in
        std::uint64_t taken = 0;     ///< frames lost to a fault of kind `loss`
        std::uint64_t damaged = 0;   ///< frames damaged by bit errors
    };

    cable_direction(const cable_parameters& p, cable_side from, scheduler& sender, scheduler& receiver);

    void send(frame_ptr f, picoseconds first_bit, picoseconds last_bit) override;
    void set_signal(bool on, bits_per_second rate) override;
    picoseconds min_latency() const override { return min_latency_; }
    /// From the last FCS bit in to the last bit out.
    picoseconds delay() const { return delay_; }

    void plug(wire_receiver& r);
    void add_tap(wire_tap& t) { taps_.push_back(&t); }
    void break_at(picoseconds t, bool cut);
    void change_rate_at(picoseconds t, bits_per_second rate);
    void impair(const link_fault& f, std::uint64_t seed);
    const counters& count() const { return count_; }

  private:
    void apply(const arrival_request& r);
    void arrive(std::uint64_t released);
    void signal(std::uint64_t rate);
    void change(std::uint64_t cut);
    void change_rate(std::uint64_t rate);
    void tell();

    bool lost_in_cut(const frame& f) const;

    // Ordered by use: what every frame needs is together. Of the receiver's side of the story, touched in its
    // domain only, are receiver_, quiet_, signal_rate_, told_present_ and the cut.
    wire_receiver* receiver_ = nullptr;
    scheduler& far_;
    picoseconds restored_; // end of the last cut
    bool cut_ = false;
    bool told_present_ = false;
    cable_side from_;
    std::unique_ptr<impairments> impairments_; // mostly none
    counters count_;
    picoseconds whole_;   // from the last bit in to frame_arrived
    picoseconds control_; // the same for MAC control frames
    picoseconds header_;  // from the first bit in to frame_arrived for frames that are announced early
    picoseconds min_latency_;
    picoseconds quiet_;
    arrival_request wanted_;
    std::vector<wire_tap*> taps_;
    bits_per_second rate_;
    picoseconds delay_;
    picoseconds cut_since_;         // begin of the last cut
    std::uint64_t signal_rate_ = 0; // the far transmitter's, 0 when off
};

/// The cable. Side a transmits in domain `a`, side b in domain `b` (the same is fine).
class cable {
  public:
    /// Throws std::invalid_argument for a negative length or delay.
    cable(const cable_parameters& p, scheduler& a, scheduler& b);

    const cable_parameters& parameters() const { return parameters_; }
    /// The end that the port on side `s` transmits into.
    cable_end& end(cable_side s) { return way(s); }
    /// What the port on side `s` receives goes to `r`, which must outlive the cable's events.
    void plug(cable_side s, wire_receiver& r) { way(other(s)).plug(r); }
    void add_tap(wire_tap& t);

    /// The cable breaks / is mended at `t`, in both directions: frames on their way are lost, both ends see
    /// the signal go and come back. Call it before the run, or for a time that no domain has been promised
    /// yet.
    void cut_at(picoseconds t);
    void restore_at(picoseconds t);
    /// Both ends are told to transmit at `rate` from `t` on. Both this and impair(): see link_fault.h, which
    /// checks.
    void change_rate_at(picoseconds t, bits_per_second rate);
    /// Bit errors, loss or delay of what side `from` sends.
    void impair(cable_side from, const link_fault& f, std::uint64_t seed) { way(from).impair(f, seed); }

    /// From a first preamble bit at side `from` to the last bit at the other, for a frame of `frame_bytes`
    /// octets (without FCS).
    picoseconds latency(cable_side from, bytes frame_bytes) const;
    /// Shortest time from a first preamble bit at side `from` to anything at the receiver of the other, as
    /// plugged in by now.
    picoseconds min_latency(cable_side from) const {
        return ways_[static_cast<std::size_t>(from)].min_latency();
    }
    scheduler& domain(cable_side s) const { return ways_[static_cast<std::size_t>(s)].clock(); }
    const cable_direction::counters& count(cable_side from) const {
        return ways_[static_cast<std::size_t>(from)].count();
    }

  private:
    cable_direction& way(cable_side from) { return ways_[static_cast<std::size_t>(from)]; }

    cable_parameters parameters_;
    std::array<cable_direction, 2> ways_;
};

} // namespace vg810::fabric
