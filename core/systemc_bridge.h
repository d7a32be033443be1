// SPDX-License-Identifier: Apache-2.0
// The one place where simulated time meets the SystemC kernel: a process that runs the model a step at a time
// and moves sc_time_stamp() after it. The model's schedulers own the time and run ahead of the kernel between
// two steps.
#pragma once

#include "core/units.h"

#include <functional>

namespace vg810 {

/// Runs `step` under the SystemC kernel until it returns `never`: each call does a piece of the simulation
/// and returns the time that all of it has reached. What `step` throws is thrown here again. Elaborate all
/// modules before. One call a process: the SystemC kernel cannot start again after it has stopped.
void run_under_systemc(const std::function<picoseconds()>& step);

} // namespace vg810
