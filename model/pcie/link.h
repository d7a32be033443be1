// SPDX-License-Identifier: Apache-2.0
// The card's one PCIe link and the root complex behind it, as far as time is concerned: what a packet's
// octets cost on each of the two independent directions, and how far away the host's memory is.
//
// Left out of this first model: flow control credits, replay, and arbitration (packets leave in the order of
// request).
#pragma once

#include "core/parameters.h"
#include "core/units.h"

#include <cstdint>

namespace vg810::pcie {

/// Everything that can be set about link and root complex. Octets are counted with framing.
struct link_parameters {
    std::int64_t generation = 4;
    std::int64_t lanes = 8;
    std::int64_t max_payload_supported = 512;
    std::int64_t write_overhead = 24;
    std::int64_t read_overhead = 24;
    std::int64_t completion_overhead = 20;
    picoseconds memory_write_latency = picoseconds::from_ns(250);
    picoseconds memory_read_latency = picoseconds::from_ns(600);
    picoseconds register_write_latency = picoseconds::from_ns(200);
    picoseconds touch_grouping = picoseconds::from_ns(100);
    std::int64_t tags = 256;

    /// Names every field with its meaning and range, and where the default comes from.
    void describe(parameter_visitor& v);

    /// Throws std::invalid_argument that names the field, its value and what it may be.
    void check() const;
};

/// Time and order on the link. One object for all functions of a card.
class link_timing {
  public:
    /// Throws std::invalid_argument as link_parameters::check does.
    explicit link_timing(const link_parameters& parameters);

    const link_parameters& parameters() const { return parameters_; }
    /// Sets Max_Payload_Size in force (128 .. 4096), on which the rate of acknowledgements depends.
    void set_max_payload(std::uint32_t mps);

    /// Signalling rate times lanes times encoding: 8b/10b, from 8 GT/s 128b/130b (4.2.1, 4.2.2).
    bits_per_second raw_rate() const;
    /// What is left for packets: raw x (1 - 8/AckLimit - 8/FCguide - 4/1538).
    bits_per_second packet_rate() const { return packet_rate_; }

    /// Queues `octets` (overheads included) behind all that was queued before in that direction; returns when
    /// the last has left. `now` never goes back.
    picoseconds send_upstream(picoseconds now, bytes octets) { return send(upstream_free_, now, octets); }
    picoseconds send_downstream(picoseconds now, bytes octets) { return send(downstream_free_, now, octets); }

    /// From a packet's last symbol on the link to its effect: a request at the memory, read data at the card,
    /// a register write at the card.
    picoseconds to_memory() const { return parameters_.memory_write_latency; }
    picoseconds from_memory() const {
        return parameters_.memory_read_latency - parameters_.memory_write_latency;
    }
    picoseconds to_registers() const { return parameters_.register_write_latency; }

    /// Least time from anything that the card decides to its first effect on the host.
    picoseconds touch_latency() const;

  private:
    picoseconds send(picoseconds& free, picoseconds now, bytes octets) const;

    link_parameters parameters_;
    bits_per_second packet_rate_;
    picoseconds upstream_free_;
    picoseconds downstream_free_;
};

} // namespace vg810::pcie
