// SPDX-License-Identifier: Apache-2.0
// A scenario as plain data: what a file says, before anything is built. Every struct describes its own keys.
#pragma once

#include "core/parameters.h"
#include "core/units.h"
#include "fabric/link_fault.h"
#include "model/host_if/parameters.h"
#include "model/mac/parameters.h"
#include "model/pcie/link.h"
#include "scenarios/config/cc_config.h"
#include "scenarios/config/fabric_config.h"
#include "scenarios/config/workload_config.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace vg810::scenarios {

inline constexpr unsigned ports_per_card = 2;
/// Octets: what the way to a guest holds, less what is put around a command.
inline constexpr std::size_t longest_command = 2600;

enum class time_mode : std::uint8_t { lockstep, paced };
enum class host_kind : std::uint8_t { guest, native, tap, wire };
enum class accelerator_kind : std::uint8_t { tcg, kvm };
enum class check_kind : std::uint8_t { value, counter, capture_clean, ping_timing, figure, verdict };

/// A card: the parameters of its blocks, and the faults seeded in it.
struct card_config {
    pcie::link_parameters pcie;
    host_if_parameters host_if;
    mac_parameters mac;
    card_faults fault;
    void describe(parameter_visitor& v);
};

struct host_config {
    std::string name;
    host_kind kind = host_kind::guest;
    std::int64_t leaf = 0;
    std::vector<std::string> addresses; ///< "10.0.0.1/24", one a port
    std::vector<std::string> macs;      ///< one a port
    bytes memory = 512U << 20;
    accelerator_kind accelerator = accelerator_kind::tcg;
    bool driver = true;
    bool configure = true;
    std::string kernel_arguments;
    card_config card;
    std::optional<bits_per_second> rate; ///< wire: of its link
    std::string cc;                      ///< wire: a profile
    queues::receive_parameters receive;  ///< wire: without a buffer of its own, wire.queues.receive

    unsigned ports() const { return kind == host_kind::tap || kind == host_kind::wire ? 1 : ports_per_card; }
    void describe(parameter_visitor& v);
};

struct capture_config {
    std::string link; ///< "left.0" (a host's port) or "leaf0-spine1"
    std::string file; ///< within the run's directory
    void describe(parameter_visitor& v);
};

/// A figure taken from a step's output.
struct value_config {
    std::string name;
    std::optional<std::string> json;  ///< path, such as "end.sum_received.bits_per_second"
    std::optional<std::string> regex; ///< its first group is the figure
    std::optional<double> min;
    std::optional<double> max;
    void describe(parameter_visitor& v);
};

struct step_config {
    std::string name;
    std::vector<std::string> on;
    std::string run;
    std::string group;
    bool background = false;
    bool stop_on_failure = true;
    picoseconds timeout{60'000'000'000'000};
    std::int64_t expect_exit = 0;
    std::vector<std::string> expect_contains;
    std::vector<std::string> expect_match;
    std::vector<std::string> forbid_match;
    std::vector<value_config> values;
    void describe(parameter_visitor& v);
};

struct check_config {
    std::string name;
    check_kind kind = check_kind::value;
    std::string of;
    std::optional<double> min;
    std::optional<double> max;
    std::optional<double> equals;
    std::int64_t min_frames = 1;
    double wire_tolerance = 0.01;
    double rtt_tolerance = 0.02;
    std::string expect;
    void describe(parameter_visitor& v);
};

struct scenario {
    std::string name;
    std::string description;
    time_mode mode = time_mode::lockstep;
    std::int64_t seed = 1;
    picoseconds boot_timeout{120'000'000'000'000};
    picoseconds time_limit{600'000'000'000'000};
    picoseconds wall_limit{1'800'000'000'000'000};
    picoseconds poll_slack{0};
    topology_config topology;
    card_config card;
    picoseconds stall_limit{100'000'000'000};
    std::vector<host_config> hosts;
    std::size_t grouped_hosts = 0; ///< of them, at the end: those of the groups
    std::vector<host_group_config> host_groups;
    fabric::switch_parameters switches;
    std::vector<switch_config> switch_list;
    std::vector<link_config> links;
    std::vector<fabric::link_fault> faults;
    wire_config wire;
    std::vector<cc_config> profiles;
    std::vector<workload_config> workloads;
    std::vector<flow_config> flows;
    output_config output;
    std::vector<capture_config> captures;
    std::vector<step_config> steps;
    std::vector<check_config> checks;

    void describe(parameter_visitor& v);

    /// Traffic between wire hosts, without guests.
    bool is_fabric_run() const { return !workloads.empty() || !flows.empty(); }
    const host_config* find_host(std::string_view host) const;
};

/// Puts the groups' hosts behind the others. Call once, before the rules are checked.
void add_groups(scenario& s);

/// Fills what a file may leave out and what follows from a host's place in the list:
/// addresses 10.<port>.0.<index+1>/24 and locally administered MAC addresses 02:c8:10:<index, 16 bit>:<port>.
void fill_in(scenario& s);

} // namespace vg810::scenarios
