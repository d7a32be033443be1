// SPDX-License-Identifier: Apache-2.0
// From a built-in algorithm's state, a struct with start() and event(), to its table in the C interface.
#pragma once

#include "model/rdma/cc/vg810_cc.h"

#include <algorithm>
#include <cstdint>
#include <new>
#include <span>
#include <type_traits>

namespace vg810::cc {

constexpr std::uint32_t bit_of(vg810_cc_kind k) {
    return 1u << k;
}

/// `name` and `parameters` are kept by reference.
template <class State>
constexpr vg810_cc_algorithm table_of(const char* name, std::uint32_t events, bool telemetry,
                                      std::span<const vg810_cc_parameter> parameters) {
    static_assert(std::is_trivially_copyable_v<State> && sizeof(State) <= VG810_CC_STATE_LIMIT);
    vg810_cc_algorithm t{};
    t.abi = VG810_CC_ABI;
    t.size = sizeof t;
    t.name = name;
    t.state_bytes = sizeof(State);
    t.events = events;
    t.telemetry = telemetry;
    t.parameter_count = static_cast<std::uint32_t>(parameters.size());
    t.parameters = parameters.data();
    t.start = [](void* state, const vg810_cc_flow* f, vg810_cc_action* a) {
        return (new (state) State{})->start(*f, *a);
    };
    t.event = [](void* state, const vg810_cc_flow* f, const vg810_cc_event* e, vg810_cc_action* a) {
        static_cast<State*>(state)->event(*f, *e, *a);
    };
    return t;
}

/// A rate as the interface wants it: whole bit/s, VG810_CC_LEAST_RATE .. the line's.
inline std::uint64_t whole_rate(double rate, const vg810_cc_flow& f) {
    const auto line = static_cast<double>(f.line_rate);
    return static_cast<std::uint64_t>(std::clamp(rate, std::min<double>(VG810_CC_LEAST_RATE, line), line));
}

} // namespace vg810::cc
