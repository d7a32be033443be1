// SPDX-License-Identifier: Apache-2.0
// What can be set about a port's classes, flow control and receive buffer.
#pragma once

#include "core/ets.h"
#include "core/parameters.h"
#include "core/priority.h"

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace vg810::queues {

struct class_parameters {
    std::int64_t priority = 0;
    bool strict = false;
    std::int64_t weight = 1;
    void describe(parameter_visitor& v);
};

/// The receive buffer, and how fast the host takes what is in it.
struct receive_parameters {
    bytes buffer = 0;                     ///< octets of frames; 0: the host takes everything at once
    std::optional<bits_per_second> drain; ///< what DMA and completions allow; unset: at once
    picoseconds stall_from{0};            ///< the host takes nothing from here ...
    picoseconds stall_until{0};           ///< ... to here
    bytes xoff = 0;                       ///< PFC: a lossless priority is stopped above
    bytes xon = 0;                        ///< and let go at or below
    void describe(parameter_visitor& v);
};

struct parameters {
    std::vector<std::int64_t> lossless; ///< priorities under PFC
    std::vector<class_parameters> classes;
    std::vector<std::int64_t> dscp_map; ///< 64 priorities; empty: dscp / 8
    std::int64_t pause_quanta = 0xffff;
    std::int64_t refresh_quanta = 0x7fff;
    picoseconds response_delay{0}; ///< from a PFC frame's last bit in to its effect
    receive_parameters receive;

    void describe(parameter_visitor& v);
    /// Throws std::invalid_argument that names key and values.
    void check() const;
    priority_set lossless_set() const;
    per_priority<ets_class> ets() const;
    std::array<priority, 64> class_of_dscp() const;
};

} // namespace vg810::queues
