// SPDX-License-Identifier: Apache-2.0
// In-band telemetry: what each switch on the way writes into a frame about the port it leaves by (Li et al.,
// "HPCC", SIGCOMM 2019, section 4.1, figure 7). The block lies directly behind the UDP header, in front of
// the BTH, of frames to a UDP port of its own; it does not change its length on the way. Left out: the P4 INT
// header formats.
#pragma once

#include "core/ethernet.h"
#include "core/units.h"

#include <array>
#include <cstdint>

namespace vg810 {

/// The UDP destination port of RoCEv2 packets that carry the block. Ours: no standard assigns one.
inline constexpr std::uint16_t telemetry_udp_port = 4792;
inline constexpr unsigned telemetry_hops = 5;
/// Hop count (4 bits) and path id (12), then 5 hops of rate (4), timestamp (24), octets sent (20) and queue
/// length (16).
inline constexpr std::size_t telemetry_bytes = 2 + telemetry_hops * 8;

/// What one switch says, in the units of the wire.
struct telemetry_entry {
    std::uint8_t rate_code = 0;    ///< 4 bits; see telemetry_rate()
    std::uint32_t time_ns = 0;     ///< 24 bits of the time of departure, ns
    std::uint32_t tx_units = 0;    ///< 20 bits of the octets the port has sent, in units of 128
    std::uint16_t queue_units = 0; ///< octets left in the egress queue, in units of 80; the largest value
                                   ///< means that or more
};
inline constexpr bytes telemetry_tx_unit = 128;
inline constexpr bytes telemetry_queue_unit = 80;

/// The code of a port's rate. A rate between two of the table counts as the lower one: a sender then takes
/// the link for slower than it is, never for faster.
std::uint8_t telemetry_rate_code(bits_per_second rate);
/// bit/s. Range of `code`: 0 .. 15.
bits_per_second telemetry_rate(std::uint8_t code);

/// The block in a frame. Precondition: telemetry_bytes octets are stored at `p`.
template <class B> class telemetry_view : public header_view<B> {
  public:
    explicit telemetry_view(B* p) : header_view<B>(p) {}

    /// Switches that wrote or, the block being full, would have written an entry. Range: 0 .. 15.
    unsigned hops() const { return word() >> 12; }
    /// Entries there are to read. Range: 0 .. telemetry_hops.
    unsigned entries() const { return hops() < telemetry_hops ? hops() : telemetry_hops; }
    /// Exclusive or of the ids of the switches on the way: differs when the path does. 12 bits.
    std::uint16_t path_id() const { return word() & 0xfff; }
    /// Precondition: i < entries().
    telemetry_entry entry(unsigned i) const {
        const auto v = this->template get<std::uint64_t>(2 + i * 8);
        return {static_cast<std::uint8_t>(v >> 60), static_cast<std::uint32_t>(v >> 36 & 0xff'ffff),
                static_cast<std::uint32_t>(v >> 16 & 0xf'ffff), static_cast<std::uint16_t>(v)};
    }

    /// An empty block, as the sender leaves it.
    void clear() const {
        for (std::size_t i = 0; i < telemetry_bytes; i += 2)
            this->set(i, std::uint16_t{0});
    }
    /// A switch's entry. `tx_octets`: sent by the port before this frame. `queue_octets`: left behind it.
    void stamp(std::uint16_t switch_id, std::uint8_t rate_code, picoseconds departure, bytes tx_octets,
               bytes queue_octets) const {
        const unsigned n = hops();
        if (n < telemetry_hops) {
            const bytes q = queue_octets / telemetry_queue_unit;
            this->set(2 + n * 8, std::uint64_t{rate_code} << 60 |
                                     (static_cast<std::uint64_t>(departure.floor_ns()) & 0xff'ffff) << 36 |
                                     (tx_octets / telemetry_tx_unit & 0xf'ffff) << 16 |
                                     (q < 0xffff ? q : 0xffff));
        }
        const unsigned counted = n < 15 ? n + 1 : 15;
        this->set(0, static_cast<std::uint16_t>(counted << 12 | (path_id() ^ (switch_id & 0xfff))));
    }

  private:
    std::uint16_t word() const { return this->template get<std::uint16_t>(0); }
};

/// One hop with its counters unwrapped: what congestion control works with.
struct telemetry_hop {
    std::uint64_t time;        ///< of departure, ps (a multiple of 1 ns)
    std::uint64_t tx_bytes;    ///< octets sent by the port, from an arbitrary start
    std::uint64_t queue_bytes; ///< octets left in the egress queue
    std::uint64_t rate;        ///< of the port, bit/s
};

/// Reads successive blocks of one flow. The block's time is 24 bits of nanoseconds: it is taken to be less
/// than 16.7 ms old. Octets sent are taken to have grown by less than 2^27 since the block before.
class telemetry_reader {
  public:
    /// Fills `out` and returns the number of hops, 0 for an empty block. `now`: the receiver's clock.
    /// `at`: telemetry_bytes octets.
    unsigned read(const std::byte* at, picoseconds now, std::array<telemetry_hop, telemetry_hops>& out);
    /// The last block came over another path than the one before it, or was the first: its tx_bytes are not
    /// to be compared with earlier ones.
    bool path_changed() const { return path_changed_; }

  private:
    std::array<std::uint64_t, telemetry_hops> tx_units_{};
    std::uint16_t path_ = 0; // the block's first word
    bool seen_ = false;
    bool path_changed_ = false;
};

} // namespace vg810
