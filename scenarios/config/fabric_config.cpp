// SPDX-License-Identifier: Apache-2.0
#include "scenarios/config/fabric_config.h"

#include <array>

namespace vg810::scenarios {
namespace {

constexpr std::array<std::string_view, 8> topology_names{
    "back-to-back", "switch", "leaf-spine", "fat-tree", "dumbbell", "parking-lot", "ring", "graph"};
constexpr range<millimetres> cable{{1}, {1'000'000'000}};

} // namespace

void topology_config::describe(parameter_visitor& v) {
    v.visit_enum({"kind", "How the hosts' ports are connected."}, kind, topology_names);
    v.visit({"leaves", "leaf-spine: leaf switches."}, leaves, {1, 1024});
    v.visit({"spines", "leaf-spine: spine switches; 0 only with one leaf."}, spines, {0, 1024});
    v.visit({"spine_links", "leaf-spine: parallel links between each leaf and each spine."}, spine_links,
            {1, 64});
    v.visit({"k", "fat-tree: ports of a switch; k^3/4 hosts at most."}, arity, {2, 64});
    v.visit({"switches", "ring, parking-lot: switches in a row."}, switches, {2, 1024});
    v.visit({"clockwise", "ring: frames go from each switch to the next one, whatever the distance."}, clockwise);
    v.visit({"one_hash", "All switches choose among equal paths by the same hash, so that tiers choose alike."},
            one_hash);
    v.visit({"host_rate", "Rate of the links between hosts and switches."}, host_rate, any_rate);
    v.visit({"spine_rate", "Rate of the links between switches."}, spine_rate, any_rate);
    v.visit(
        {"spine_rates", "leaf-spine: rates of the links to each spine, where they differ from spine_rate."},
        spine_rates);
    v.visit({"host_length", "Length of the hosts' cables; 5 ns a metre."}, host_length, cable);
    v.visit({"spine_length", "Length of the cables between switches."}, spine_length, cable);
    v.visit_optional(
        {"port_latency", "Of MAC, PCS and FEC in each port, each way; by default that of the rate."},
        port_latency, any_time);
    v.visit({"gaps_arrive",
             "A frame has arrived when its interpacket gap is over, as textbooks and packet-level "
             "simulators count; else with its last bit."},
            gaps_arrive);
    v.visit({"switch_latency", "From a frame's last bit in to its first bit out of an idle switch."},
            switch_latency, {picoseconds(1), picoseconds::from_ns(1'000'000'000)});
    v.visit_size({"port_buffer", "Buffer of each output port of a switch that has no shared buffer."},
                 port_buffer, {16 << 10, 1U << 30});
}

void host_group_config::describe(parameter_visitor& v) {
    v.visit({"name", "Its hosts are called <name>0, <name>1 .."}, name);
    v.visit({"count", "How many."}, count, {1, 65'000});
    v.visit_optional({"leaf",
                      "Index of the switch that all are plugged into; by default they fill the topology's "
                      "switches one after the other, as many on each."},
                     leaf, range<std::int64_t>{0, 1'000'000});
    v.visit_optional({"rate", "Of their links; by default topology.host_rate."}, rate, any_rate);
    v.visit({"cc", "Congestion control: the name of a [[cc]] profile; by default wire.cc."}, cc);
}

void wire_config::describe(parameter_visitor& v) {
    v.visit(
        {"cc", "Congestion control: the name of a [[cc]] profile, a built-in algorithm or a shared object."},
        cc);
    parameters.describe(v);
}

void switch_config::describe(parameter_visitor& v) {
    v.visit({"name",
             "Of a switch of the topology (leaf0, spine1, switch0), or with kind = \"graph\" a new one.",
             true},
            name);
    parameters.describe(v);
}

void link_config::describe(parameter_visitor& v) {
    v.visit({"a", "A host or a switch.", true}, a);
    v.visit({"b", "A host or a switch.", true}, b);
    v.visit({"count", "Parallel links; between switches only."}, count, {1, 64});
    v.visit_optional({"rate", "By default topology.host_rate, or spine_rate between switches."}, rate,
                     any_rate);
    v.visit_optional({"length", "By default topology.host_length, or spine_length between switches."}, length,
                     cable);
}

void output_config::describe(parameter_visitor& v) {
    v.visit({"sample", "Fabric runs: interval of the time series in metrics.csv; 0ns: none."}, sample,
            any_time);
    v.visit({"series", "Which time series, * for anything: see the user guide."}, series);
    v.visit({"flows", "Write flows.csv, one line a message."}, flows);
    v.visit({"pauses", "Write pauses.csv: who paused whom, when."}, pauses);
    v.visit({"report", "Write report.html."}, report);
}

} // namespace vg810::scenarios
