// SPDX-License-Identifier: Apache-2.0
// What a scenario says about its fabric: the shape, hosts in bulk, switches and links of its own, what
// breaks, and what is written down about it.
#pragma once

#include "core/parameters.h"
#include "core/units.h"
#include "fabric/switch_parameters.h"
#include "scenarios/wire/wire_host.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace vg810::scenarios {

enum class topology_kind : std::uint8_t {
    back_to_back,
    single_switch,
    leaf_spine,
    fat_tree,
    dumbbell,
    parking_lot,
    ring,
    graph,
};

struct topology_config {
    topology_kind kind = topology_kind::single_switch;
    std::int64_t leaves = 1;
    std::int64_t spines = 0;
    std::int64_t spine_links = 1;
    std::int64_t arity = 4;
    std::int64_t switches = 4;
    bool clockwise = false;
    bool one_hash = false;
    bits_per_second host_rate{25'000'000'000};
    bits_per_second spine_rate{100'000'000'000};
    std::vector<std::string> spine_rates;
    millimetres host_length{3'000};
    millimetres spine_length{20'000};
    std::optional<picoseconds> port_latency;
    bool gaps_arrive = false;
    picoseconds switch_latency{400'000};
    bytes port_buffer = 2 << 20;

    void describe(parameter_visitor& v);
};

/// Many wire hosts of the same kind.
struct host_group_config {
    std::string name = "host";
    std::int64_t count = 2;
    std::optional<std::int64_t> leaf;
    std::optional<bits_per_second> rate;
    std::string cc;
    void describe(parameter_visitor& v);
};

/// What wire hosts have in common.
struct wire_config {
    std::string cc = "dcqcn";
    wire_host_parameters parameters;
    void describe(parameter_visitor& v);
};

/// A switch drawn by hand, or one of the topology's own with parameters of its own.
struct switch_config {
    std::string name;
    fabric::switch_parameters parameters;
    void describe(parameter_visitor& v);
};

/// A link of a topology that is drawn by hand.
struct link_config {
    std::string a;
    std::string b;
    std::int64_t count = 1;
    std::optional<bits_per_second> rate;
    std::optional<millimetres> length;
    void describe(parameter_visitor& v);
};

/// What is written down while a fabric runs.
struct output_config {
    picoseconds sample{0};
    std::vector<std::string> series{"*.queue*", "*.pause*", "*.rate"};
    bool flows = true;
    bool pauses = true;
    bool report = true;
    void describe(parameter_visitor& v);
};

} // namespace vg810::scenarios
