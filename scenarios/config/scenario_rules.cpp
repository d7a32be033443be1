// SPDX-License-Identifier: Apache-2.0
#include "scenarios/config/scenario_rules.h"

#include "core/address.h"
#include "scenarios/config/fabric_rules.h"
#include "scenarios/config/nearest.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <map>
#include <regex>
#include <set>

namespace vg810::scenarios {
namespace {

bool is_name(std::string_view text, std::string_view extra = "-_") {
    return !text.empty() && text.size() <= 64 && std::isalnum(static_cast<unsigned char>(text.front())) &&
           std::all_of(text.begin(), text.end(), [&](unsigned char c) {
               return std::isalnum(c) || extra.find(static_cast<char>(c)) != std::string_view::npos;
           });
}

bool is_ipv4_with_prefix(const std::string& text) {
    const std::size_t slash = text.find('/');
    if (slash == std::string::npos || !ipv4_address::parse(std::string_view(text).substr(0, slash)))
        return false;
    unsigned bits = 0;
    const char* const end = text.data() + text.size();
    const auto read = std::from_chars(text.data() + slash + 1, end, bits);
    return read.ec == std::errc() && read.ptr == end && bits <= 32;
}

class rules {
  public:
    rules(const scenario& s, input_record& record) : s_(s), record_(record) {}

    void check_all() {
        if (!s_.name.empty() && !is_name(s_.name))
            complain("name", fmt::format("'{}' is no name: letters, digits, '-' and '_'", s_.name));
        topology();
        unique_names("host", s_.hosts);
        unique_names("step", s_.steps);
        unique_names("check", s_.checks);
        unique_addresses();
        for (std::size_t i = 0; i < s_.hosts.size() - s_.grouped_hosts; ++i)
            host(s_.hosts[i], fmt::format("host[{}]", i));
        check_fabric_rules(s_, record_);
        captures();
        for (std::size_t i = 0; i < s_.steps.size(); ++i)
            step(s_.steps[i], fmt::format("step[{}]", i));
        groups();
        for (std::size_t i = 0; i < s_.checks.size(); ++i)
            check(s_.checks[i], fmt::format("check[{}]", i));
    }

  private:
    void complain(const std::string& path, std::string message) {
        record_.complain(path, std::move(message));
    }

    void topology() {
        const topology_config& t = s_.topology;
        if (t.kind == topology_kind::leaf_spine && t.leaves > 1 && t.spines == 0)
            complain("topology.spines", fmt::format("{} leaves need at least one spine", t.leaves));
        if (t.kind == topology_kind::back_to_back && s_.hosts.size() != 2)
            complain("topology.kind",
                     fmt::format("back-to-back joins two hosts; there are {}", s_.hosts.size()));
        if (s_.hosts.empty())
            complain("host", "a scenario needs at least one [[host]]");
        else if (s_.steps.empty() && !s_.is_fabric_run() && !has_guests())
            complain("host", "nothing would happen: there is no [[step]], [[workload]] or [[flow]]");
    }

    bool has_guests() const {
        return std::any_of(s_.hosts.begin(), s_.hosts.end(),
                           [](const auto& h) { return h.kind == host_kind::guest; });
    }

    template <class T> void unique_names(std::string_view array, const std::vector<T>& items) {
        std::map<std::string, std::size_t> seen;
        for (std::size_t i = 0; i < items.size(); ++i) {
            const std::string path = fmt::format("{}[{}].name", array, i);
            if (items[i].name.empty())
                continue; // missing: already said
            if (!is_name(items[i].name))
                complain(path, fmt::format("'{}' is no name: letters, digits, '-' and '_'", items[i].name));
            const auto [first, fresh] = seen.emplace(items[i].name, i);
            if (!fresh)
                complain(path,
                         fmt::format("there is a {} '{}' already, at {}", array, items[i].name,
                                     record_.at(fmt::format("{}[{}].name", array, first->second)).text()));
        }
    }

    void unique_addresses() {
        std::map<std::string, std::string> seen;
        for (std::size_t i = 0; i < s_.hosts.size(); ++i) {
            each_address(seen, i, "addresses", s_.hosts[i].addresses);
            each_address(seen, i, "macs", s_.hosts[i].macs);
        }
    }

    void each_address(std::map<std::string, std::string>& seen, std::size_t host, std::string_view key,
                      const std::vector<std::string>& values) {
        for (std::size_t port = 0; port < values.size(); ++port) {
            const std::string path = fmt::format("host[{}].{}[{}]", host, key, port);
            const auto [first, fresh] = seen.emplace(values[port].substr(0, values[port].find('/')), path);
            if (!fresh)
                complain(path, fmt::format("{} is taken already, at {}", first->first,
                                           record_.at(first->second).text()));
        }
    }

    void host(const host_config& h, const std::string& path) {
        if (const auto edges = edge_switches(s_.topology); h.leaf >= edges)
            complain(path + ".leaf",
                     fmt::format("leaf {} does not exist: the topology has {} (from 0)", h.leaf, edges));
        const unsigned ports = h.ports();
        if (h.addresses.size() > ports)
            complain(path + ".addresses",
                     fmt::format("{} addresses for {} port(s)", h.addresses.size(), ports));
        if (h.macs.size() > ports)
            complain(path + ".macs", fmt::format("{} addresses for {} port(s)", h.macs.size(), ports));
        for (std::size_t i = 0; i < h.addresses.size(); ++i)
            if (!is_ipv4_with_prefix(h.addresses[i]))
                complain(fmt::format("{}.addresses[{}]", path, i),
                         fmt::format("'{}' is no IPv4 address with prefix length, such as 10.0.0.1/24",
                                     h.addresses[i]));
        for (std::size_t i = 0; i < h.macs.size(); ++i) {
            const auto mac = mac_address::parse(h.macs[i]);
            if (!mac || mac->is_group() || mac->is_zero())
                complain(
                    fmt::format("{}.macs[{}]", path, i),
                    fmt::format("'{}' is no unicast Ethernet address, such as 02:00:00:00:00:01", h.macs[i]));
        }
        if (h.accelerator == accelerator_kind::kvm && s_.mode == time_mode::lockstep)
            complain(path + ".accelerator", "KVM's time cannot be held: it needs mode = \"paced\"");
        if (h.kind == host_kind::tap && s_.mode == time_mode::lockstep)
            complain(path + ".kind", "a tap host is this machine's own kernel, whose time cannot be held: "
                                     "it needs mode = \"paced\"");
    }

    void captures() {
        std::map<std::string, std::string> files;
        for (std::size_t i = 0; i < s_.captures.size(); ++i) {
            const capture_config& c = s_.captures[i];
            const std::string path = fmt::format("capture[{}]", i);
            if (!c.link.empty() && !s_.is_fabric_run() && !is_link(c.link))
                complain(path + ".link",
                         fmt::format("there is no link '{}'{}", c.link, suggest(c.link, link_names())));
            if (c.file.empty())
                continue;
            if (!is_name(c.file, "-_."))
                complain(path + ".file", fmt::format("'{}' is no plain file name", c.file));
            const auto [first, fresh] = files.emplace(c.file, path + ".file");
            if (!fresh)
                complain(path + ".file", fmt::format("'{}' is written already, at {}", c.file,
                                                     record_.at(first->second).text()));
        }
    }

    std::vector<std::string> link_names() const {
        std::vector<std::string> names;
        for (const host_config& h : s_.hosts)
            for (unsigned port = 0; port < h.ports(); ++port)
                names.push_back(fmt::format("{}.{}", h.name, port));
        if (s_.topology.kind == topology_kind::leaf_spine)
            for (std::int64_t leaf = 0; leaf < s_.topology.leaves; ++leaf)
                for (std::int64_t spine = 0; spine < s_.topology.spines; ++spine)
                    names.push_back(fmt::format("leaf{}-spine{}", leaf, spine));
        return names;
    }

    bool is_link(const std::string& link) const {
        const auto names = link_names();
        return std::find(names.begin(), names.end(), link) != names.end();
    }

    static std::string suggest(const std::string& typed, const std::vector<std::string>& valid) {
        const std::vector<std::string_view> views(valid.begin(), valid.end());
        return suggestion(typed, views);
    }

    template <class T> static std::vector<std::string> names_of(const std::vector<T>& items) {
        std::vector<std::string> names;
        for (const T& item : items)
            names.push_back(item.name);
        return names;
    }

    void step(const step_config& step, const std::string& path) {
        const auto hosts = names_of(s_.hosts);
        std::set<std::string> seen;
        for (std::size_t i = 0; i < step.on.size(); ++i) {
            const std::string place = record_.has(fmt::format("{}.on[{}]", path, i))
                                          ? fmt::format("{}.on[{}]", path, i)
                                          : path + ".on";
            const host_config* host = s_.find_host(step.on[i]);
            if (!host)
                complain(place,
                         fmt::format("there is no host '{}'{}", step.on[i], suggest(step.on[i], hosts)));
            else if (host->kind == host_kind::native || host->kind == host_kind::wire)
                complain(place, fmt::format("host '{}' is {}: it has no shell to run commands", step.on[i],
                                            host->kind == host_kind::native ? "native" : "wire"));
            if (!seen.insert(step.on[i]).second)
                complain(place, fmt::format("host '{}' is named twice", step.on[i]));
        }
        if (step.run.size() > longest_command)
            complain(path + ".run", fmt::format("a command of {} octets; {} are the most", step.run.size(),
                                                longest_command));
        if (record_.has(path + ".on") && step.on.empty())
            complain(path + ".on", "no host is named");
        for (std::size_t i = 0; i < step.expect_match.size(); ++i)
            regex(step.expect_match[i], path + ".expect_match", i);
        for (std::size_t i = 0; i < step.forbid_match.size(); ++i)
            regex(step.forbid_match[i], path + ".forbid_match", i);
        unique_names(path + ".value", step.values);
        for (std::size_t i = 0; i < step.values.size(); ++i)
            value(step.values[i], fmt::format("{}.value[{}]", path, i));
    }

    /// A host runs one command at a time, beside those in the background.
    void groups() {
        std::set<std::string> busy;
        for (std::size_t i = 0; i < s_.steps.size(); ++i) {
            const step_config& step = s_.steps[i];
            if (i == 0 || step.group.empty() || step.group != s_.steps[i - 1].group)
                busy.clear();
            for (const std::string& host : step.on)
                if (!step.background && busy.contains(host))
                    complain(fmt::format("step[{}].group", i),
                             fmt::format("group '{}' has another step on '{}' already; a host runs one at a "
                                         "time, beside those with background = true",
                                         step.group, host));
            if (!step.background)
                busy.insert(step.on.begin(), step.on.end());
        }
    }

    void regex(const std::string& text, const std::string& path, std::size_t index,
               bool needs_group = false) {
        const std::string element = fmt::format("{}[{}]", path, index);
        const std::string& place = record_.has(element) ? element : path;
        try {
            const std::regex compiled(text);
            if (needs_group && compiled.mark_count() == 0)
                complain(place, fmt::format("'{}' has no group (...) that would be the figure", text));
        } catch (const std::regex_error& e) {
            complain(place, fmt::format("'{}' is no regular expression: {}", text, e.what()));
        }
    }

    void value(const value_config& v, const std::string& path) {
        if (v.json.has_value() == v.regex.has_value())
            complain(path, "a value needs either json or regex");
        if (v.regex)
            regex(*v.regex, path + ".regex", 0, true);
        if (v.min && v.max && *v.min > *v.max)
            complain(path + ".min", fmt::format("min {} is above max {}", *v.min, *v.max));
    }

    void check(const check_config& c, const std::string& path) {
        const bool bounded = c.min || c.max || c.equals;
        const bool wants_bounds =
            c.kind == check_kind::value || c.kind == check_kind::counter || c.kind == check_kind::figure;
        if (wants_bounds && !bounded)
            complain(path, "without min, max or equals this check cannot fail");
        if (!wants_bounds && bounded)
            complain(path, "min, max and equals belong to value, counter and figure checks");
        if (c.min && c.max && *c.min > *c.max)
            complain(path + ".min", fmt::format("min {} is above max {}", *c.min, *c.max));
        if (c.kind == check_kind::verdict)
            verdict(c, path);
        else if (c.of.empty())
            complain(path, "'of' is missing: what the check is about");
        if (c.of.empty())
            return;
        if (c.kind == check_kind::value)
            refers(c.of, value_names(), "value", path);
        else if (c.kind == check_kind::capture_clean)
            refers(c.of, capture_files(), "capture file", path);
        else if (c.kind == check_kind::ping_timing)
            refers(c.of, names_of(s_.steps), "step", path);
    }

    void verdict(const check_config& c, const std::string& path) {
        if (std::find(verdict_names.begin(), verdict_names.end(), c.expect) == verdict_names.end())
            complain(path + ".expect",
                     fmt::format("'{}' is no verdict{}", c.expect, suggestion(c.expect, verdict_names)));
    }

    void refers(const std::string& name, const std::vector<std::string>& valid, std::string_view what,
                const std::string& path) {
        if (std::find(valid.begin(), valid.end(), name) == valid.end())
            complain(path + ".of", fmt::format("there is no {} '{}'{}", what, name, suggest(name, valid)));
    }

    std::vector<std::string> value_names() const {
        std::vector<std::string> names;
        for (const step_config& s : s_.steps)
            for (const value_config& v : s.values)
                names.push_back(s.name + "." + v.name);
        return names;
    }

    std::vector<std::string> capture_files() const {
        std::vector<std::string> names;
        for (const capture_config& c : s_.captures)
            names.push_back(c.file);
        return names;
    }

    const scenario& s_;
    input_record& record_;
};

} // namespace

void check_rules(const scenario& s, input_record& record) {
    rules(s, record).check_all();
}

} // namespace vg810::scenarios
