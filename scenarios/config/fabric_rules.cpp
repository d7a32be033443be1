// SPDX-License-Identifier: Apache-2.0
#include "scenarios/config/fabric_rules.h"

#include "model/rdma/cc/plugin.h"
#include "scenarios/config/host_pattern.h"
#include "scenarios/config/nearest.h"
#include "scenarios/config/quantity.h"
#include "scenarios/run/fabric_plan.h"
#include "scenarios/workload/flow_sizes.h"
#include "scenarios/workload/make_workload.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace vg810::scenarios {
namespace {

class rules {
  public:
    rules(const scenario& s, input_record& record) : s_(s), record_(record) {
        for (const host_config& h : s.hosts)
            names_.push_back(h.name);
    }

    void check_all() {
        topology();
        kinds_of_hosts();
        group_names();
        for (std::size_t i = 0; i < s_.workloads.size(); ++i)
            workload(s_.workloads[i], fmt::format("workload[{}]", i));
        for (std::size_t i = 0; i < s_.flows.size(); ++i)
            flow(s_.flows[i], fmt::format("flow[{}]", i));
        traffic_names();
        profiles();
        switches();
        faults();
        if (s_.is_fabric_run() && record_.good())
            plan();
    }

  private:
    void complain(const std::string& path, std::string message) {
        record_.complain(path, std::move(message));
    }

    void topology() {
        const topology_config& t = s_.topology;
        if (t.kind == topology_kind::fat_tree && t.arity % 2 != 0)
            complain("topology.k",
                     fmt::format("a fat tree's switches have an even number of ports, not {}", t.arity));
        for (std::size_t i = 0; i < t.spine_rates.size(); ++i) {
            const std::string path = fmt::format("topology.spine_rates[{}]", i);
            const auto rate = parse_rate(t.spine_rates[i]);
            if (!rate || *rate < any_rate.least || *rate > any_rate.most)
                complain(path, fmt::format("'{}' is no rate such as 100G", t.spine_rates[i]));
        }
        if (t.spine_rates.size() > static_cast<std::size_t>(t.spines))
            complain("topology.spine_rates",
                     fmt::format("{} rates for {} spines", t.spine_rates.size(), t.spines));
        if (t.kind != topology_kind::graph && !s_.links.empty())
            complain("link", "links are drawn by hand with topology.kind = \"graph\" only");
    }

    /// Wire hosts and their traffic run in a fabric of their own.
    void kinds_of_hosts() {
        const auto wire = [](const host_config& h) { return h.kind == host_kind::wire; };
        const bool some = std::any_of(s_.hosts.begin(), s_.hosts.end(), wire);
        for (std::size_t i = 0; i < s_.hosts.size() - s_.grouped_hosts; ++i) {
            const std::string path = fmt::format("host[{}]", i);
            if (some && !wire(s_.hosts[i]))
                complain(path + ".kind", "wire hosts cannot share a scenario with hosts of another kind");
            if (!wire(s_.hosts[i]) && s_.hosts[i].rate)
                complain(path + ".rate", "a rate of its own belongs to a wire host");
            if (!wire(s_.hosts[i]) && !s_.hosts[i].cc.empty())
                complain(path + ".cc", "congestion control by name belongs to a wire host");
            if (!wire(s_.hosts[i]) && s_.hosts[i].receive.buffer != 0)
                complain(path + ".receive", "a receive buffer that can be made slow belongs to a wire host");
        }
        if (some && !s_.steps.empty())
            complain("step[0]", "wire hosts run workloads and flows, no steps");
        if (some && s_.mode == time_mode::paced)
            complain("mode", "wire hosts do not follow wall time: mode = \"lockstep\"");
        if (!some && s_.is_fabric_run())
            complain(s_.workloads.empty() ? "flow[0]" : "workload[0]",
                     "workloads and flows need wire hosts: [[host_group]] or kind = \"wire\"");
    }

    void group_names() {
        std::map<std::string, std::size_t> seen;
        for (const std::string& name : names_)
            ++seen[name];
        for (std::size_t g = 0; g < s_.host_groups.size(); ++g) {
            const host_group_config& group = s_.host_groups[g];
            const std::string path = fmt::format("host_group[{}]", g);
            for (std::int64_t i = 0; i < group.count; ++i)
                if (const std::string name = fmt::format("{}{}", group.name, i); seen[name] > 1) {
                    complain(path + ".name", fmt::format("there are two hosts '{}'", name));
                    break;
                }
            if (group.leaf && *group.leaf >= edge_switches(s_.topology))
                complain(path + ".leaf", fmt::format("leaf {} does not exist: the topology has {} (from 0)",
                                                     *group.leaf, edge_switches(s_.topology)));
        }
    }

    void traffic_names() {
        std::map<std::string, std::string> seen;
        const auto unique = [&](const std::string& name, const std::string& path) {
            const auto [first, fresh] = seen.emplace(name, path);
            if (!name.empty() && !fresh)
                complain(path, fmt::format("there is a workload or flow '{}' already, at {}", name,
                                           record_.at(first->second).text()));
        };
        for (std::size_t i = 0; i < s_.workloads.size(); ++i)
            unique(s_.workloads[i].name, fmt::format("workload[{}].name", i));
        for (std::size_t i = 0; i < s_.flows.size(); ++i)
            unique(s_.flows[i].name, fmt::format("flow[{}].name", i));
    }

    void switches() {
        check(s_.switches, "switches");
        check(s_.wire.parameters, "wire");
        for (std::size_t i = 0; i < s_.switch_list.size(); ++i)
            check(s_.switch_list[i].parameters, fmt::format("switch[{}]", i));
    }

    /// What is wrong begins with the key's name.
    template <class Parameters> void check(const Parameters& p, const std::string& path) {
        try {
            p.check();
        } catch (const std::invalid_argument& e) {
            const std::string why = e.what();
            complain(path + "." + why.substr(0, why.find(' ')), why);
        }
    }

    void faults() {
        for (std::size_t i = 0; i < s_.faults.size(); ++i)
            try {
                s_.faults[i].check();
            } catch (const fabric::topology_error& e) {
                complain(fmt::format("fault[{}]", i), e.what());
            }
    }

    /// The fabric as it will be built, before anything is simulated.
    void plan() {
        scenario filled = s_;
        fill_in(filled);
        try {
            const fabric::topology t = plan_fabric(filled);
            std::vector<std::string> links;
            for (const fabric::link& l : t.links)
                links.push_back(l.cable.name);
            for (std::size_t i = 0; i < s_.captures.size(); ++i)
                known(s_.captures[i].link, links, fmt::format("capture[{}].link", i), "link");
            for (std::size_t i = 0; i < s_.faults.size(); ++i)
                known(s_.faults[i].link, links, fmt::format("fault[{}].link", i), "link");
            std::vector<std::string> names;
            for (const auto& sw : t.switches)
                names.push_back(sw.name);
            for (std::size_t i = 0; i < s_.switch_list.size(); ++i)
                known(s_.switch_list[i].name, names, fmt::format("switch[{}].name", i), "switch");
        } catch (const bad_input& e) {
            complain("topology", e.what());
        }
    }

    void known(const std::string& name, const std::vector<std::string>& all, const std::string& path,
               std::string_view what) {
        if (std::find(all.begin(), all.end(), name) != all.end())
            return;
        const std::vector<std::string_view> views(all.begin(), all.end());
        complain(path, fmt::format("there is no {} '{}'{}", what, name,
                                   all.size() <= 64 ? suggestion(name, views) : ""));
    }

    void profiles() {
        for (std::size_t i = 0; i < s_.profiles.size(); ++i)
            algorithm(s_.profiles[i].algorithm, fmt::format("cc[{}].algorithm", i));
        if (!s_.is_fabric_run())
            return;
        profile(s_.wire.cc, "wire.cc");
        for (std::size_t i = 0; i < s_.hosts.size() - s_.grouped_hosts; ++i)
            profile(s_.hosts[i].cc, fmt::format("host[{}].cc", i));
        for (std::size_t i = 0; i < s_.host_groups.size(); ++i)
            profile(s_.host_groups[i].cc, fmt::format("host_group[{}].cc", i));
        for (std::size_t i = 0; i < s_.workloads.size(); ++i)
            profile(s_.workloads[i].cc, fmt::format("workload[{}].cc", i));
        for (std::size_t i = 0; i < s_.flows.size(); ++i)
            profile(s_.flows[i].cc, fmt::format("flow[{}].cc", i));
    }

    void profile(const std::string& name, const std::string& path) {
        const bool known = std::any_of(s_.profiles.begin(), s_.profiles.end(),
                                       [&](const auto& p) { return p.name == name; });
        if (!name.empty() && !known)
            algorithm(name, path);
    }

    void algorithm(const std::string& name, const std::string& path) {
        try {
            cc::find_algorithm(name);
        } catch (const std::runtime_error& e) {
            complain(path, e.what());
        }
    }

    std::vector<host_index> hosts(const std::vector<std::string>& patterns, const std::string& path) {
        std::vector<pattern_problem> problems;
        auto found = find_hosts(patterns, names_, problems);
        for (const pattern_problem& p : problems) {
            const std::string element = fmt::format("{}[{}]", path, p.pattern);
            complain(record_.has(element) ? element : path, p.why);
        }
        good_ &= problems.empty();
        return found;
    }

    void workload(const workload_config& w, const std::string& path) {
        good_ = true;
        const workload_hosts who{hosts(w.hosts, path + ".hosts"), hosts(w.to, path + ".to")};
        if (!good_ || names_.empty())
            return;
        for (const workload_problem& p : problems_of(w, who))
            complain(p.key.empty() ? path : path + "." + p.key, p.why);
        if (!w.sizes.empty())
            read_file(path + ".sizes", [&] { flow_sizes::load(w.sizes, flow_sizes::shipped_folder()); });
        if (w.kind == workload_kind::trace && !w.file.empty())
            read_file(path + ".file", [&] { load_trace(w.file, names_); });
    }

    /// What is wrong with the file is said at its own place, and where it was asked for.
    template <class F> void read_file(const std::string& path, F&& read) {
        try {
            read();
        } catch (const bad_input& e) {
            complain(path, e.what());
        }
    }

    void flow(const flow_config& f, const std::string& path) {
        const auto from = hosts({f.from}, path + ".from"), to = hosts({f.to}, path + ".to");
        if (from.size() == 1 && to == from)
            complain(path + ".to", fmt::format("host '{}' sends nothing to itself", f.to));
        for (const auto& [key, found] : {std::pair(".from", &from), std::pair(".to", &to)})
            if (found->size() > 1)
                complain(path + key, "a flow goes from one host to one host");
        if (f.stop && *f.stop <= f.start)
            complain(path + ".stop", "it would stop before it starts");
    }

    const scenario& s_;
    input_record& record_;
    std::vector<std::string> names_;
    bool good_ = true;
};

} // namespace

std::int64_t edge_switches(const topology_config& t) {
    switch (t.kind) {
    case topology_kind::leaf_spine:
        return t.leaves;
    case topology_kind::fat_tree:
        return t.arity * t.arity / 2;
    case topology_kind::dumbbell:
        return 2;
    case topology_kind::parking_lot:
    case topology_kind::ring:
        return t.switches;
    case topology_kind::back_to_back:
    case topology_kind::single_switch:
    case topology_kind::graph:
        return 1;
    }
    return 1;
}

void check_fabric_rules(const scenario& s, input_record& record) {
    rules(s, record).check_all();
}

} // namespace vg810::scenarios
