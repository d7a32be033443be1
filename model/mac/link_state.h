// SPDX-License-Identifier: Apache-2.0
// Whether a port has a link, and if not, why: one pure function of what the port sees.
#pragma once

#include "core/wire.h"

namespace vg810 {

struct link_inputs {
    bool enabled = false;     ///< the driver has turned the port on
    bool module = false;      ///< a cable is plugged in
    bool fault = false;       ///< injected by the scenario
    bool signal = false;      ///< the far end transmits
    bool rate_matches = true; ///< at our rate
    bool trained = false;     ///< the training time has passed since all of the above came true
    bool loopback = false;    ///< transmitted frames return inside the port

    bool operator==(const link_inputs&) const = default;
};

/// The first reason that applies, `none` when the link is up. Loopback needs nothing but itself.
constexpr link_down_reason judge_link(const link_inputs& in) {
    if (in.loopback)
        return link_down_reason::none;
    if (!in.enabled)
        return link_down_reason::admin_down;
    if (!in.module)
        return link_down_reason::no_module;
    if (in.fault)
        return link_down_reason::fault;
    if (!in.signal)
        return link_down_reason::no_signal;
    if (!in.rate_matches)
        return link_down_reason::rate_mismatch;
    return in.trained ? link_down_reason::none : link_down_reason::training;
}

/// Whether the line itself (loopback aside) is ready to be trained.
constexpr bool may_train(link_inputs in) {
    in.loopback = false;
    in.trained = false;
    return judge_link(in) == link_down_reason::training;
}

} // namespace vg810
