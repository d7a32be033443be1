// SPDX-License-Identifier: Apache-2.0
#include "scenarios/config/scenario.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace vg810::scenarios {
namespace {

constexpr std::array<std::string_view, 2> mode_names{"lockstep", "paced"};
constexpr std::array<std::string_view, 3> topology_names{"back-to-back", "switch", "leaf-spine"};
constexpr std::array<std::string_view, 3> host_names{"guest", "native", "tap"};
constexpr std::array<std::string_view, 2> accelerator_names{"tcg", "kvm"};
constexpr std::array<std::string_view, 4> check_names{"value", "counter", "capture-clean", "ping-timing"};

constexpr range<double> any_number{-1e300, 1e300};
constexpr range<picoseconds> real_time{picoseconds(1), any_time.most};

} // namespace

void topology_config::describe(parameter_visitor& v) {
    v.visit_enum({"kind", "How the hosts' ports are connected."}, kind, topology_names);
    v.visit({"leaves", "Leaf switches of a leaf-spine fabric."}, leaves, {1, 64});
    v.visit({"spines", "Spine switches of a leaf-spine fabric; 0 only with one leaf."}, spines, {0, 64});
    v.visit({"host_rate", "Rate of the links between hosts and switches."}, host_rate, any_rate);
    v.visit({"spine_rate", "Rate of the links between leaves and spines."}, spine_rate, any_rate);
    const range<millimetres> cable{{1}, {1'000'000'000}};
    v.visit({"host_length", "Length of the hosts' cables; 5 ns a metre."}, host_length, cable);
    v.visit({"spine_length", "Length of the cables between leaves and spines."}, spine_length, cable);
    v.visit({"switch_latency", "From a frame's last bit in to its first bit out of an idle switch."},
            switch_latency, {picoseconds(1), picoseconds::from_ns(1'000'000'000)});
    v.visit_size({"port_buffer", "Buffer of each output port of a switch."}, port_buffer,
                 {16 << 10, 1U << 30});
}

void card_config::describe(parameter_visitor& v) {
    v.visit_struct({"pcie", "Link and root complex."}, pcie);
    v.visit_struct({"host_if", "Queues, doorbells, pipelines."}, host_if);
    v.visit_struct({"mac", "Ports."}, mac);
    v.visit_struct({"fault", "Faults seeded in the card."}, fault);
}

void host_config::describe(parameter_visitor& v) {
    v.visit({"name", "Unique; letters, digits and dashes.", true}, name);
    v.visit_enum(
        {"kind", "A QEMU guest, a card with an embedded driver, or this machine's kernel behind a TAP."},
        kind, host_names);
    v.visit({"leaf", "Index of the leaf switch that both ports are plugged into."}, leaf, {0, 63});
    v.visit(
        {"addresses", "IPv4 address with prefix length, one a port; by default 10.<port>.0.<index + 1>/24."},
        addresses);
    v.visit({"macs", "Ethernet address, one a port; by default 02:c8:10:00:<index>:<port>."}, macs);
    v.visit_size({"memory", "Guest: RAM."}, memory, {128U << 20, 64ULL << 30});
    v.visit_enum({"accelerator",
                  "Guest: tcg works everywhere; kvm, in paced mode, where the machine has one that works."},
                 accelerator, accelerator_names);
    v.visit({"driver", "Guest: load the card's driver at boot."}, driver);
    v.visit({"configure",
             "Guest: before the first step, bring up both ports, set addresses and wait for the links."},
            configure);
    v.visit({"kernel_arguments", "Guest: added to the kernel command line."}, kernel_arguments);
    v.visit_struct({"card", "This host's card, where it differs from [card]."}, card);
}

void capture_config::describe(parameter_visitor& v) {
    v.visit({"link", "A host's port, \"left.0\", or a link between switches, \"leaf0-spine1\".", true}, link);
    v.visit({"file", "Name of the pcapng file in the run's directory.", true}, file);
}

void value_config::describe(parameter_visitor& v) {
    v.visit({"name", "How metrics and checks call it.", true}, name);
    v.visit_optional(
        {"json", "Path to the figure when the output is JSON: \"end.sum.seconds\", \"list[0].x\"."}, json);
    v.visit_optional({"regex", "Regular expression (ECMAScript) whose first group is the figure."}, regex);
    v.visit_optional({"min", "Least value that passes."}, min, any_number);
    v.visit_optional({"max", "Largest value that passes."}, max, any_number);
}

void step_config::describe(parameter_visitor& v) {
    v.visit({"name", "Unique; names the step's output file.", true}, name);
    v.visit({"on", "Host or hosts that run it.", true}, on);
    v.visit({"run", "Shell command.", true}, run);
    v.visit({"group", "Neighbouring steps of one group run at the same time."}, group);
    v.visit({"background", "Later steps do not wait for it; it is ended after the last one."}, background);
    v.visit({"stop_on_failure", "When it fails, later steps are not run."}, stop_on_failure);
    v.visit({"timeout", "Simulated time it may take."}, timeout, real_time);
    v.visit({"expect_exit", "Exit status that passes; ignored for a background step that had to be ended."},
            expect_exit, {0, 255});
    v.visit({"expect_contains", "Texts that the output must contain."}, expect_contains);
    v.visit({"expect_match", "Regular expressions that must match somewhere in the output."}, expect_match);
    v.visit({"forbid_match", "Regular expressions that must not."}, forbid_match);
    v.visit_structs({"value", "Figures to take from the output."}, values);
}

void check_config::describe(parameter_visitor& v) {
    v.visit({"name", "Unique.", true}, name);
    v.visit_enum(
        {"kind",
         "value: a step's figure; counter: counters at the end; capture-clean: no malformed frame, no "
         "bad checksum; ping-timing: a ping's way against the fabric's closed form."},
        kind, check_names);
    v.visit({"of",
             "value: \"step.value\"; counter: \"left.port0.rx_crc_errors\", * stands for anything; "
             "capture-clean: "
             "the capture's file; ping-timing: the step.",
             true},
            of);
    v.visit_optional({"min", "Least value that passes."}, min, any_number);
    v.visit_optional({"max", "Largest value that passes."}, max, any_number);
    v.visit_optional({"equals", "The value that passes."}, equals, any_number);
    v.visit({"min_frames", "capture-clean: frames that must be there."}, min_frames, {0, 1'000'000'000'000});
    v.visit({"wire_tolerance", "ping-timing: of the wire part against the closed form, relative."},
            wire_tolerance, {0, 1});
    v.visit({"rtt_tolerance", "ping-timing: of the guest's figure against the sum of the parts, relative."},
            rtt_tolerance, {0, 1});
}

void scenario::describe(parameter_visitor& v) {
    v.visit({"name", "Names the run's directory.", true}, name);
    v.visit({"description", "What it shows and what to look at."}, description);
    v.visit_enum({"mode", "lockstep: exact and repeatable; paced: the card follows wall time."}, mode,
                 mode_names);
    v.visit({"seed", "Of everything random."}, seed, {0, 4'294'967'295});
    v.visit({"boot_timeout", "Guest time until a guest's agent must answer."}, boot_timeout, real_time);
    v.visit({"time_limit", "Simulated time after which the run fails."}, time_limit, real_time);
    v.visit({"wall_limit", "Wall time after which the run fails."}, wall_limit, real_time);
    v.visit({"poll_slack",
             "How late, at most, a card's write becomes visible to a guest that polls memory; 0 is exact."},
            poll_slack, {picoseconds(0), picoseconds::from_ns(1'000'000)});
    v.visit_struct({"topology", "The fabric."}, topology);
    v.visit_struct({"card", "All cards."}, card);
    host_config fresh;
    fresh.card = card;
    v.visit_structs({"host", "Machines with a card."}, hosts, fresh);
    v.visit_structs({"capture", "Links to write to pcapng files."}, captures);
    v.visit_structs({"step", "Commands, in order."}, steps);
    v.visit_structs({"check", "Conditions at the end."}, checks);
}

const host_config* scenario::find_host(std::string_view host) const {
    const auto found =
        std::find_if(hosts.begin(), hosts.end(), [&](const auto& h) { return h.name == host; });
    return found == hosts.end() ? nullptr : &*found;
}

void fill_in(scenario& s) {
    for (std::size_t i = 0; i < s.hosts.size(); ++i) {
        host_config& h = s.hosts[i];
        const unsigned ports = h.kind == host_kind::tap ? 1 : ports_per_card;
        for (std::size_t port = h.addresses.size(); port < ports; ++port)
            h.addresses.push_back(fmt::format("10.{}.0.{}/24", port, i + 1));
        for (std::size_t port = h.macs.size(); port < ports; ++port)
            h.macs.push_back(fmt::format("02:c8:10:00:{:02x}:{:02x}", i, port));
    }
}

} // namespace vg810::scenarios
