// SPDX-License-Identifier: Apache-2.0
// One run of a scenario of wire hosts.
#pragma once

#include "scenarios/run/run.h"
#include "scenarios/run/wire_hosts.h"

namespace vg810::scenarios {

/// As run_scenario, for a scenario that is_fabric_run().
exit_code run_fabric(const scenario& s, const run_options& options,
                     const wire_host_maker& make_hosts = make_wire_hosts);

} // namespace vg810::scenarios
