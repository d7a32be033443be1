// SPDX-License-Identifier: Apache-2.0
// What a fabric run says about its messages: flows.csv, and the figures of completion times, slowdown,
// goodput, fairness and iterations.
#pragma once

#include "scenarios/report/statistics.h"
#include "scenarios/workload/traffic.h"
#include "scenarios/workload/workload.h"

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace vg810::scenarios {

struct traffic_facts {
    std::vector<message_record> messages; ///< that are over, in the order of their ends
    std::vector<message_record> unfinished;
    std::vector<std::string> hosts;     ///< names
    std::vector<std::string> workloads; ///< names, by index
    /// Iterations that all hosts have done, by workload.
    std::vector<std::vector<iteration>> iterations;
    /// From the post of a message to its arrival when nothing else is under way.
    std::function<picoseconds(const message_record&)> ideal;
};

/// Times in microseconds, rates in Gb/s of payload.
struct traffic_report {
    figure_list figures;
    nlohmann::ordered_json
        summary;       ///< sections "messages", "fct_us", "slowdown", "goodput_gbps", "iterations_us"
    sample_set fct_us; ///< of all messages
};
traffic_report report_traffic(const traffic_facts& facts);

/// One line a message, in the order of their ends; those that did not end at the end, with empty fields.
std::string flows_csv(const traffic_facts& facts);

} // namespace vg810::scenarios
