// SPDX-License-Identifier: Apache-2.0
// From what a scenario says about traffic to the objects that make it.
#pragma once

#include "scenarios/config/workload_config.h"
#include "scenarios/workload/open_workload.h"
#include "scenarios/workload/workload.h"

#include <memory>
#include <string>
#include <vector>

namespace vg810::scenarios {

struct workload_hosts {
    std::vector<host_index> members;
    std::vector<host_index> to;
};

/// Why a workload cannot be made, and which of its keys is to blame (empty: all of it).
struct workload_problem {
    std::string key;
    std::string why;
};
std::vector<workload_problem> problems_of(const workload_config& w, const workload_hosts& who);

/// What workloads need of their surroundings.
struct workload_surroundings {
    scheduler* clock;
    traffic* messages;
    std::uint64_t seed = 1;
    std::vector<bits_per_second> rates; ///< by host
    std::vector<std::string> names;     ///< by host
    std::vector<std::string> profiles;  ///< of congestion control, by index
};

/// Precondition: problems_of() finds none. Throws bad_input when a file has gone bad meanwhile.
std::unique_ptr<workload> make_workload(const workload_config& w, const workload_hosts& who,
                                        std::uint16_t index, const workload_surroundings& around);
std::unique_ptr<workload> make_flow(const flow_config& f, host_index from, host_index to, std::uint16_t index,
                                    const workload_surroundings& around);

std::vector<trace_entry> load_trace(const std::string& file, const std::vector<std::string>& hosts);

} // namespace vg810::scenarios
