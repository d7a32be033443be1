// SPDX-License-Identifier: Apache-2.0
// What a scenario says about traffic between wire hosts: workloads and single flows.
#pragma once

#include "core/parameters.h"
#include "core/units.h"
#include "scenarios/workload/message_port.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace vg810::scenarios {

enum class workload_kind : std::uint8_t {
    incast,
    permutation,
    all_to_all,
    ring_all_reduce,
    tree_all_reduce,
    halving_doubling_all_reduce,
    all_gather,
    poisson,
    trace,
    storage,
};

struct workload_config {
    std::string name;
    workload_kind kind = workload_kind::incast;
    std::vector<std::string> hosts{"*"}; ///< patterns
    std::vector<std::string> to;         ///< incast: the sink; storage: the servers
    message_kind operation = message_kind::write;
    bytes size = 1'000'000;
    std::int64_t repeat = 1;
    picoseconds start;
    picoseconds compute;
    std::int64_t slices = 1;
    bytes request = 0;
    std::optional<std::int64_t> shift;
    bool random = false;
    double load = 0.5;
    std::string sizes; ///< a distribution's name or file
    std::int64_t messages = 0;
    std::optional<picoseconds> duration;
    std::string file;
    std::int64_t outstanding = 1;
    double read_share = 0.7;
    std::int64_t dscp = 26;
    std::string cc;
    bool background = false;

    void describe(parameter_visitor& v);
};

struct flow_config {
    std::string name;
    std::string from;
    std::string to;
    message_kind operation = message_kind::write;
    bytes size = 1'000'000;
    std::int64_t count = 1;
    picoseconds start;
    std::optional<picoseconds> stop;
    std::optional<bits_per_second> rate;
    picoseconds gap;
    std::int64_t dscp = 26;
    std::string cc;
    bool background = false;

    void describe(parameter_visitor& v);
};

} // namespace vg810::scenarios
