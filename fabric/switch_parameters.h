// SPDX-License-Identifier: Apache-2.0
// What a switch can be told: buffer, flow control, marking, scheduling, path choice. The defaults are a plain
// lossy switch with one queue a port.
#pragma once

#include "core/ets.h"
#include "core/frame.h"
#include "core/parameters.h"
#include "core/priority.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace vg810::fabric {

/// The memory shared by all ports. Frames count as their octets without FCS plus `overhead`, rounded up to
/// whole cells.
struct buffer_parameters {
    bytes total = 0;          ///< 0: no shared memory, queue_limit alone bounds the queues
    bytes reserved = 0;       ///< of each ingress port and priority, outside the shared part
    bytes headroom = 0;       ///< of each ingress port and lossless priority
    bytes headroom_pool = 0;  ///< 0: as much as all headrooms together
    bytes xoff = 0;           ///< static XOFF threshold of the shared part; 0: alpha x free
    double alpha = 1;         ///< XOFF threshold as a share of the free shared memory
    bytes xon_offset = 2'496; ///< XON so far below the threshold
    double lossy_alpha = 1;   ///< a lossy egress queue's limit as a share of the free shared memory
    bytes overhead = 0;       ///< 4 counts the FCS; 24 preamble, FCS and gap
    bytes cell = 1;

    bytes counted(bytes frame_bytes) const {
        const bytes n = frame_bytes + overhead;
        return cell == 1 ? n : (n + cell - 1) / cell * cell;
    }
    void describe(parameter_visitor& v);
};

/// Priority-based flow control (802.1Q 36). No priorities: off.
struct pfc_parameters {
    std::vector<std::int64_t> priorities; ///< the lossless ones
    std::int64_t pause_quanta = 0xffff;   ///< asked for by XOFF
    std::int64_t refresh_quanta = 0x7fff; ///< XOFF is repeated so long after the last one
    picoseconds response_delay{614'400};  ///< from a PFC frame's last bit in to its effect: the standard's
                                          ///< longest at 10G and above (802.1Q 36.1.3.3)

    void describe(parameter_visitor& v);
};

/// WRED with ECN (RFC 3168, RFC 7567) of some priorities: no mark up to kmin, with probability rising to pmax
/// at kmax, always above.
struct marking_parameters {
    std::vector<std::int64_t> priorities;
    bytes kmin = 0;
    bytes kmax = 0;
    double pmax = 0;
    bool drop_others = false; ///< frames that are not ECN-capable are dropped with that probability

    void describe(parameter_visitor& v);
};

struct class_parameters {
    std::int64_t priority = 0;
    bool strict = false;
    std::int64_t weight = 1;

    void describe(parameter_visitor& v);
};

enum class switching : std::uint8_t { store_and_forward, cut_through };
inline constexpr std::string_view switching_names[] = {"store-and-forward", "cut-through"};
enum class marking_point : std::uint8_t { dequeue, enqueue };
inline constexpr std::string_view marking_point_names[] = {"dequeue", "enqueue"};
/// What a frame's priority is taken from.
enum class trust_mode : std::uint8_t { port, pcp, dscp };
inline constexpr std::string_view trust_mode_names[] = {"port", "pcp", "dscp"};
/// How one of several equal paths is chosen.
enum class balancing : std::uint8_t { flow, flowlet, spray, spray_random };
inline constexpr std::string_view balancing_names[] = {"flow", "flowlet", "spray", "spray-random"};
enum class storm_action : std::uint8_t { drop, forward };
inline constexpr std::string_view storm_action_names[] = {"drop", "forward"};

struct trust_parameters {
    trust_mode mode = trust_mode::port;
    std::int64_t default_priority = 0;     ///< with `port`, and for frames without the field
    std::vector<std::int64_t> dscp_map;    ///< 64 priorities; empty: dscp / 8
    std::vector<std::int64_t> remark_dscp; ///< 8 DSCPs written into IP headers by priority; empty: left alone

    void describe(parameter_visitor& v);
};

struct balancing_parameters {
    balancing mode = balancing::flow;
    picoseconds flowlet_gap = 100_us; ///< a flow idle for longer may change its path

    void describe(parameter_visitor& v);
};

/// Against pause storms: an egress queue paused so long without sending a frame is set free.
struct watchdog_parameters {
    bool on = false;
    picoseconds detection = 200_ms;
    picoseconds restoration = 200_ms; ///< without a pause, until the queue is lossless again
    storm_action action = storm_action::drop;

    void describe(parameter_visitor& v);
};

struct switch_parameters {
    std::string name;
    /// From a frame's last bit in (cut-through: its header) to its first bit out of an idle port.
    picoseconds pipeline = 400_ns;
    /// Octets (frames without FCS) of lossy priorities that may wait at one output port, the frame on the
    /// wire not counted.
    bytes queue_limit = 2 << 20;
    /// Longest frame let through, without FCS.
    bytes max_frame = max_frame_bytes;
    std::uint64_t ecmp_seed = 0;
    std::uint64_t seed = 1; ///< of marking and spraying
    switching mode = switching::store_and_forward;
    bytes cut_through_bytes = 64; ///< seen before a frame is sent on
    buffer_parameters buffer{};
    pfc_parameters pfc{};
    std::vector<marking_parameters> marking{};
    marking_point mark_at = marking_point::dequeue;
    std::vector<class_parameters> classes{}; ///< those not named: weight 1
    trust_parameters trust{};
    balancing_parameters paths{};
    watchdog_parameters watchdog{};
    bool telemetry = true; ///< writes into frames that carry a telemetry block

    /// All fields but the name, the pipeline, the queue limit and the ECMP seed, which belong to the place of
    /// a switch in its topology.
    void describe(parameter_visitor& v);
    /// Throws std::invalid_argument, naming key and values, for a combination that makes no sense. `ports`:
    /// of the switch when known, else 0.
    void check(std::size_t ports = 0) const;

    priority_set lossless() const;
    per_priority<ets_class> ets() const;
};

} // namespace vg810::fabric
