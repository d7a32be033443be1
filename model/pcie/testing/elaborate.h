// SPDX-License-Identifier: Apache-2.0
// Elaborates every module made so far; a SystemC warning there is a failure.
#pragma once

#include "model/systemc_compat.h"

namespace vg810::pcie::testing {

/// Once a process, after all benches have been made; later calls do nothing.
inline void elaborate() {
    static const bool done = [] {
        sc_core::sc_report_handler::set_actions(sc_core::SC_WARNING, sc_core::SC_THROW);
        sc_core::sc_start(sc_core::SC_ZERO_TIME);
        return true;
    }();
    (void)done;
}

} // namespace vg810::pcie::testing
