// SPDX-License-Identifier: Apache-2.0
#include "scenarios/config/scenario.h"

#include "model/rdma/cc/plugin.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace vg810::scenarios {
namespace {

constexpr std::array<std::string_view, 2> mode_names{"lockstep", "paced"};
constexpr std::array<std::string_view, 4> host_names{"guest", "native", "tap", "wire"};
constexpr std::array<std::string_view, 2> accelerator_names{"tcg", "kvm"};
constexpr std::array<std::string_view, 6> check_names{"value",       "counter", "capture-clean",
                                                      "ping-timing", "figure",  "verdict"};

constexpr range<double> any_number{-1e300, 1e300};
constexpr range<picoseconds> real_time{picoseconds(1), any_time.most};

} // namespace

void card_config::describe(parameter_visitor& v) {
    v.visit_struct({"pcie", "Link and root complex."}, pcie);
    v.visit_struct({"host_if", "Queues, doorbells, pipelines."}, host_if);
    v.visit_struct({"mac", "Ports."}, mac);
    v.visit_struct({"fault", "Faults seeded in the card."}, fault);
}

void host_config::describe(parameter_visitor& v) {
    v.visit({"name", "Unique; letters, digits and dashes.", true}, name);
    v.visit_enum(
        {"kind",
         "A QEMU guest, a card with an embedded driver, this machine's kernel behind a TAP, or a wire "
         "host: one port with the card's transport and congestion control and nothing else."},
        kind, host_names);
    v.visit({"leaf", "Index of the switch that its ports are plugged into; see topology."}, leaf,
            {0, 65'000});
    v.visit(
        {"addresses", "IPv4 address with prefix length, one a port; by default 10.<port>.0.<index + 1>/24."},
        addresses);
    v.visit({"macs", "Ethernet address, one a port; by default 02:c8:10:<index>:<port>."}, macs);
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
    v.visit_optional({"rate", "wire: of its link; by default topology.host_rate."}, rate, any_rate);
    v.visit({"cc", "wire: congestion control, the name of a [[cc]] profile; by default wire.cc."}, cc);
    v.visit_struct({"receive", "wire: receive buffer of this host; by default wire.queues.receive."},
                   receive);
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
         "bad checksum; ping-timing: a ping's way against the fabric's closed form; figure: one of a fabric "
         "run; verdict: how a "
         "fabric run ended."},
        kind, check_names);
    v.visit(
        {"of",
         "value: \"step.value\"; counter: \"left.port0.rx_crc_errors\", * stands for anything; "
         "capture-clean: "
         "the capture's file; ping-timing: the step; figure: its name, \"fct.p99\", * stands for anything."},
        of);
    v.visit_optional({"min", "Least value that passes."}, min, any_number);
    v.visit_optional({"max", "Largest value that passes."}, max, any_number);
    v.visit_optional({"equals", "The value that passes."}, equals, any_number);
    v.visit({"min_frames", "capture-clean: frames that must be there."}, min_frames, {0, 1'000'000'000'000});
    v.visit({"wire_tolerance", "ping-timing: of the wire part against the closed form, relative."},
            wire_tolerance, {0, 1});
    v.visit({"expect", "verdict: completed, deadlock, livelock, stalled, broken or time-limit."}, expect);
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
    v.visit({"stall_limit",
             "Fabric runs: simulated time without a message's data going on, while some wait, after "
             "which the run ends with a verdict; longer than retransmission timeouts."},
            stall_limit, real_time);
    v.visit({"poll_slack",
             "How late, at most, a card's write becomes visible to a guest that polls memory; 0 is exact."},
            poll_slack, {picoseconds(0), picoseconds::from_ns(1'000'000)});
    v.visit_struct({"topology", "The fabric."}, topology);
    v.visit_struct({"card", "All cards."}, card);
    host_config fresh;
    fresh.card = card;
    v.visit_tables(
        {"host", "Machines with a card."}, hosts.size() - grouped_hosts,
        [&](std::size_t count) { hosts.resize(count, fresh); },
        [&](std::size_t i, parameter_visitor& element) { hosts[i].describe(element); });
    v.visit_structs({"host_group", "Many wire hosts alike."}, host_groups);
    v.visit_struct({"switches", "All switches."}, switches);
    switch_config like_all;
    like_all.parameters = switches;
    v.visit_structs({"switch", "Switches that differ from [switches]."}, switch_list, like_all);
    v.visit_structs({"link", "graph: the links."}, links);
    v.visit_structs({"fault", "What happens to links."}, faults);
    v.visit_struct({"wire", "All wire hosts."}, wire);
    v.visit_structs({"cc", "Congestion control with parameters of its own."}, profiles);
    v.visit_structs({"workload", "What wire hosts do together."}, workloads);
    v.visit_structs({"flow", "Messages from one wire host to another."}, flows);
    v.visit_struct({"output", "What a fabric run writes down."}, output);
    v.visit_structs({"capture", "Links to write to pcapng files."}, captures);
    v.visit_structs({"step", "Commands, in order."}, steps);
    v.visit_structs({"check", "Conditions at the end."}, checks);
}

const host_config* scenario::find_host(std::string_view host) const {
    const auto found =
        std::find_if(hosts.begin(), hosts.end(), [&](const auto& h) { return h.name == host; });
    return found == hosts.end() ? nullptr : &*found;
}

void add_groups(scenario& s) {
    for (const host_group_config& g : s.host_groups)
        for (std::int64_t i = 0; i < g.count; ++i) {
            host_config h;
            h.name = fmt::format("{}{}", g.name, i);
            h.kind = host_kind::wire;
            h.leaf = g.leaf.value_or(-1);
            h.rate = g.rate;
            h.cc = g.cc;
            s.hosts.push_back(std::move(h));
            ++s.grouped_hosts;
        }
}

/// Algorithms that are used by their own name become profiles of that name.
void add_profiles(scenario& s) {
    const auto use = [&](const std::string& name) {
        const bool known =
            std::any_of(s.profiles.begin(), s.profiles.end(), [&](const auto& p) { return p.name == name; });
        if (!name.empty() && !known)
            s.profiles.push_back({name, name, {}, cc::find_algorithm(name)});
    };
    if (!s.is_fabric_run())
        return;
    use(s.wire.cc);
    for (const auto& h : s.hosts)
        use(h.cc);
    for (const auto& w : s.workloads)
        use(w.cc);
    for (const auto& f : s.flows)
        use(f.cc);
}

void fill_in(scenario& s) {
    add_profiles(s);
    if (s.wire.parameters.queues.lossless.empty())
        s.wire.parameters.queues.lossless = s.switches.pfc.priorities;
    for (std::size_t i = 0; i < s.flows.size(); ++i)
        if (s.flows[i].name.empty())
            s.flows[i].name = fmt::format("flow{}", i);
    for (std::size_t i = 0; i < s.hosts.size(); ++i) {
        host_config& h = s.hosts[i];
        if (h.receive.buffer == 0)
            h.receive = s.wire.parameters.queues.receive;
        for (std::size_t port = h.addresses.size(); port < h.ports(); ++port)
            h.addresses.push_back(fmt::format("10.{}.{}.{}/{}", port, (i + 1) >> 8, (i + 1) & 0xff,
                                              h.kind == host_kind::wire ? 16 : 24));
        for (std::size_t port = h.macs.size(); port < h.ports(); ++port)
            h.macs.push_back(fmt::format("02:c8:10:{:02x}:{:02x}:{:02x}", i >> 8, i & 0xff, port));
    }
}

} // namespace vg810::scenarios
