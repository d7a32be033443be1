// SPDX-License-Identifier: Apache-2.0
#include "scenarios/run/wire_hosts.h"

#include "scenarios/config/diagnostics.h"

namespace vg810::scenarios {

std::unique_ptr<wire_hosts> make_wire_hosts(const scenario&, fabric::network&, frame_pool&) {
    throw bad_input("this build has no transport for wire hosts");
}

} // namespace vg810::scenarios
