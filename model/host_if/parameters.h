// SPDX-License-Identifier: Apache-2.0
// What can be set about the host interface of a function, and what a scenario can break in it.
#pragma once

#include "core/parameters.h"
#include "core/units.h"

#include <cstdint>

namespace vg810 {

struct host_if_parameters {
    /// From a doorbell's arrival at the function to its effect: decode and queue context. The way there is
    /// PCIe's.
    picoseconds doorbell_latency = 60_ns;
    /// Firmware: from a fetched admin command to its effect; the built-in test on top.
    picoseconds admin_latency = 2_us;
    picoseconds self_test_time = 1_ms;
    /// Checksum and segmentation pipeline: payload in the card to frame ready for the MAC.
    picoseconds transmit_pipeline = 100_ns;
    /// Parser, filter, RSS: frame out of the MAC to write ready for PCIe.
    picoseconds receive_pipeline = 100_ns;
    /// Packet memory of a port, each way. A 64 KiB TSO packet must fit.
    bytes transmit_buffer = 256 * 1024;
    bytes receive_buffer = 256 * 1024;
    /// Received octets handed to PCIe and not yet in host memory; the rest waits in the receive buffer.
    bytes receive_window = 32 * 1024;
    /// Largest payload read; a TSO packet's segments leave as these arrive.
    bytes read_chunk = 4096;

    void describe(parameter_visitor& v) {
        v.visit({"doorbell_latency", "doorbell at the function to its effect"}, doorbell_latency, pipeline);
        v.visit({"admin_latency", "admin command fetched to executed"}, admin_latency, pipeline);
        v.visit({"self_test_time", "duration of the built-in test"}, self_test_time,
                {picoseconds{}, picoseconds::from_ns(400'000'000)});
        v.visit({"transmit_pipeline", "payload in the card to frame at the MAC"}, transmit_pipeline,
                pipeline);
        v.visit({"receive_pipeline", "frame at the host interface to write ready"}, receive_pipeline,
                pipeline);
        v.visit_size({"transmit_buffer", "packet memory of a port, transmit, octets"}, transmit_buffer,
                     memory);
        v.visit_size({"receive_buffer", "packet memory of a port, receive, octets"}, receive_buffer, memory);
        v.visit_size({"receive_window", "received octets under way over PCIe"}, receive_window,
                     {16384, 1 << 26});
        v.visit_size({"read_chunk", "largest payload read, octets"}, read_chunk, {512, 65536});
    }

  private:
    static constexpr range<picoseconds> pipeline{picoseconds{}, picoseconds::from_ns(1'000'000)};
    static constexpr range<bytes> memory{128 * 1024, 1 << 26};
};

/// Promises of the PCIe endpoint that the host interface builds its own on. Zero promises nothing and is
/// always right.
struct host_path_minima {
    picoseconds touch;     ///< from a request to a dma_port to the first touch of the host
    picoseconds read_back; ///< from a read request to its end
};

/// Units of the built-in self test, bits of its result.
namespace self_test_unit {
inline constexpr std::uint32_t registers = 1u << 0;
inline constexpr std::uint32_t packet_memory = 1u << 1;
inline constexpr std::uint32_t checksum = 1u << 2;
inline constexpr std::uint32_t rss = 1u << 3;
inline constexpr std::uint32_t loopback = 1u << 4;
} // namespace self_test_unit

/// Defects that a scenario puts into a function.
struct card_faults {
    std::int64_t scratch_stuck_at_one = 0; ///< bits of SCRATCH that read 1 whatever is written
    std::int64_t self_test_failures = 0;   ///< units that the built-in test reports, see self_test_unit
    bool loopback_corrupts = false; ///< a looped-back frame's last octet is damaged behind the FCS check
    bool link_fault = false;        ///< the port reports `fault` and stays down
    picoseconds fatal_at;           ///< the function fails then, ERROR_CODE injected; 0 for never
    picoseconds transmit_stuck_at;  ///< from then until a reset no frame leaves the queues; 0 for never

    void describe(parameter_visitor& v) {
        v.visit({"scratch_stuck_at_one", "bits of SCRATCH stuck at 1"}, scratch_stuck_at_one,
                {0, 0xffffffff});
        v.visit({"self_test_failures", "bit mask of units that fail the built-in test"}, self_test_failures,
                {0, 0xffffffff});
        v.visit({"loopback_corrupts", "looped-back frames are damaged"}, loopback_corrupts);
        v.visit({"link_fault", "the port has no link, reason fault"}, link_fault);
        v.visit({"fatal_at",
                 "the function fails at this time, as for a fatal error of its firmware; 0 for never"},
                fatal_at, any_time);
        v.visit({"transmit_stuck_at",
                 "from this time until the function is reset no frame leaves its queues; 0 for never"},
                transmit_stuck_at, any_time);
    }
};

} // namespace vg810
