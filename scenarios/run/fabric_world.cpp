// SPDX-License-Identifier: Apache-2.0
#include "scenarios/run/fabric_world.h"

#include "fabric/link_fault.h"
#include "scenarios/config/diagnostics.h"
#include "scenarios/config/host_pattern.h"
#include "scenarios/run/fabric_plan.h"
#include "scenarios/workload/make_workload.h"

#include <algorithm>
#include <fmt/format.h>
#include <system_error>

namespace vg810::scenarios {
namespace {

bool wanted(const std::string& name, const std::vector<std::string>& patterns) {
    return std::any_of(patterns.begin(), patterns.end(), [&](const auto& p) { return matches(p, name); });
}

void add_counters(const fabric::ethernet_switch& s, counter_sampler::counter_list& list) {
    for (std::size_t p = 0; p < s.ports(); ++p) {
        const auto& c = s.count(static_cast<fabric::port_index>(p));
        const std::string name = fmt::format("{}.port{}.", s.parameters().name, p);
        list.emplace_back(name + "rx_frames", c.rx_frames);
        list.emplace_back(name + "rx_octets", c.rx_octets);
        list.emplace_back(name + "tx_frames", c.tx_frames);
        list.emplace_back(name + "tx_octets", c.tx_octets);
        list.emplace_back(name + "deepest_queue", c.deepest_queue);
        for (std::size_t r = 0; r < fabric::drop_reason_names.size(); ++r)
            if (c.drops[r] > 0)
                list.emplace_back(fmt::format("{}drop.{}", name, fabric::drop_reason_names[r]), c.drops[r]);
        for (priority q = 0; q < priorities; ++q) {
            const auto& k = c.priority[q];
            const auto put = [&](std::string_view what, std::uint64_t value) {
                if (value > 0)
                    list.emplace_back(fmt::format("{}prio{}.{}", name, q, what), value);
            };
            put("tx_frames", k.tx_frames);
            put("tx_pause", k.tx_pause);
            put("rx_pause", k.rx_pause);
            put("paused_ns",
                static_cast<std::uint64_t>(s.paused_time(static_cast<fabric::port_index>(p), q).floor_ns()));
            put("ecn_marked", k.ecn_marked);
            put("storms", k.storms);
            put("restored", k.restored);
        }
    }
}

/// The switch at a host's cable, or the other host.
const fabric::link* link_of(const fabric::topology& t, const std::string& host) {
    const auto found = std::find_if(t.links.begin(), t.links.end(), [&](const fabric::link& l) {
        return l.a.node == host || l.b.node == host;
    });
    return found == t.links.end() ? nullptr : &*found;
}

} // namespace

fabric_world::fabric_world(const scenario& s, const run_directory& directory,
                           const wire_host_maker& make_hosts)
    : scenario_(s), directory_(directory), topology_(plan_fabric(s)) {
    build_network(make_hosts);
    build_workloads();
    build_series();
    build_captures();
}

fabric_world::~fabric_world() = default;

void fabric_world::build_network(const wire_host_maker& make_hosts) {
    network_ = std::make_unique<fabric::network>(topology_, frames_, fabric::domain_split::shared,
                                                 [](const fabric::host&) { return nullptr; });
    clock_ = &network_->host_clock(scenario_.hosts.front().name);
    try {
        fabric::apply_faults(*network_, scenario_.faults, static_cast<std::uint64_t>(scenario_.seed));
    } catch (const fabric::topology_error& e) {
        throw bad_input(e.what());
    }
    hosts_ = make_hosts(scenario_, *network_, frames_);
    messages_ = std::make_unique<traffic>(*clock_);
    for (std::size_t i = 0; i < scenario_.hosts.size(); ++i)
        messages_->add_host(scenario_.hosts[i].name, hosts_->port(i));
    if (scenario_.output.pauses)
        watch_pauses();
}

void fabric_world::watch_pauses() {
    for (const fabric::link& l : topology_.links)
        pauses_.watch(network_->find_link(l.cable.name), pauses_.node(l.a.node), pauses_.node(l.b.node));
}

void fabric_world::build_workloads() {
    workload_surroundings around;
    around.clock = clock_;
    around.messages = messages_.get();
    around.seed = static_cast<std::uint64_t>(scenario_.seed);
    for (const host_config& h : scenario_.hosts) {
        around.names.push_back(h.name);
        around.rates.push_back(network_->host_rate(h.name, 0));
    }
    for (const cc_config& c : scenario_.profiles)
        around.profiles.push_back(c.name);
    std::vector<pattern_problem> none; // the rules have found them
    for (const workload_config& w : scenario_.workloads) {
        const workload_hosts who{find_hosts(w.hosts, around.names, none),
                                 find_hosts(w.to, around.names, none)};
        workloads_.push_back(make_workload(w, who, static_cast<std::uint16_t>(workloads_.size()), around));
    }
    for (const flow_config& f : scenario_.flows)
        workloads_.push_back(make_flow(f, find_hosts({f.from}, around.names, none).front(),
                                       find_hosts({f.to}, around.names, none).front(),
                                       static_cast<std::uint16_t>(workloads_.size()), around));
}

/// Names: leaf0.port3.queue (octets), leaf0.port3.queue.prio3, leaf0.port3.pause.prio3 (0 or 1).
void fabric_world::build_series() {
    series_ = std::make_unique<series_sampler>(*clock_, scenario_.output.sample);
    const auto add = [&](const std::string& name, series_sampler::reading read) {
        if (wanted(name, scenario_.output.series))
            series_->add(name, std::move(read));
    };
    for (const auto& pointer : network_->switches()) {
        const fabric::ethernet_switch& s = *pointer;
        add(s.parameters().name + ".buffer",
            [&s] { return static_cast<std::int64_t>(s.buffer().shared_used()); });
        for (fabric::port_index p = 0; p < s.ports(); ++p) {
            const std::string name = fmt::format("{}.port{}", s.parameters().name, p);
            add(name + ".queue", [&s, p] { return static_cast<std::int64_t>(s.queued(p)); });
            for (priority q = 0; q < priorities; ++q) {
                add(fmt::format("{}.queue.prio{}", name, q),
                    [&s, p, q] { return static_cast<std::int64_t>(s.queued(p, q)); });
                add(fmt::format("{}.pause.prio{}", name, q),
                    [&s, p, q] { return static_cast<std::int64_t>(s.paused(p, q)); });
            }
        }
    }
    hosts_->add_series(*series_, scenario_.output.series);
}

void fabric_world::build_captures() {
    for (const capture_config& c : scenario_.captures) {
        const auto file = directory_.file(c.file);
        try {
            captures_.push_back(std::make_unique<fabric::capture>(network_->find_link(c.link), file.string(),
                                                                  [this](const std::string& problem) {
                                                                      if (output_failure_.empty())
                                                                          output_failure_ = problem;
                                                                  }));
        } catch (const std::system_error& e) {
            throw output_error(file, e.code().value());
        }
    }
}

void fabric_world::start() {
    network_->power_on();
    hosts_->power_on();
    for (const auto& w : workloads_)
        w->begin();
    series_->begin([this] { return !over(); });
}

bool fabric_world::over() const {
    return std::all_of(workloads_.begin(), workloads_.end(),
                       [](const auto& w) { return w->background() || w->over(); });
}

std::uint64_t fabric_world::progress() const {
    return messages_->arrived() + hosts_->progress();
}

std::uint64_t fabric_world::frames_sent() const {
    return hosts_->frames_sent();
}

stuck_fabric fabric_world::find_stuck(std::uint64_t sent) const {
    if (const auto cycle = fabric::deadlock_detector(network_->switches(), network_->graph()).find();
        !cycle.empty())
        return {"deadlock", fabric::cycle_name(cycle)};
    const std::string waiting = waiting_messages();
    if (messages_->failed() > 0)
        return {"broken", fmt::format("{} messages were lost for good; {}", messages_->failed(), waiting)};
    if (sent > 0)
        return {"livelock", fmt::format("hosts have sent {} frames meanwhile; {}", sent, waiting)};
    return {"stalled", fmt::format("no host has sent anything meanwhile; {}", waiting)};
}

std::string fabric_world::lasting_deadlock() {
    if (!deadlocks_)
        deadlocks_.emplace(network_->switches(), network_->graph());
    const auto cycle = deadlocks_->confirm();
    return cycle.empty() ? std::string() : fabric::cycle_name(cycle);
}

std::string fabric_world::waiting_messages() const {
    constexpr std::size_t shown = 4;
    const auto waiting = messages_->unfinished();
    std::string text = fmt::format("{} messages wait", waiting.size());
    for (std::size_t i = 0; i < std::min(shown, waiting.size()); ++i)
        text += fmt::format("{} {} to {} ({} octets of {})", i == 0 ? ":" : ",",
                            scenario_.hosts[waiting[i].from].name, scenario_.hosts[waiting[i].to].name,
                            waiting[i].length, workloads_[waiting[i].workload]->title());
    return text + (waiting.size() > shown ? " .." : "");
}

std::string fabric_world::activity() const {
    return fmt::format("{} messages done, {} under way", messages_->log().size(), messages_->outstanding());
}

counter_sampler::counter_list fabric_world::counters() const {
    counter_sampler::counter_list list;
    hosts_->add_counters(list);
    for (const auto& s : network_->switches())
        add_counters(*s, list);
    return list;
}

traffic_facts fabric_world::facts() const {
    traffic_facts f;
    f.messages = messages_->log();
    f.unfinished = messages_->unfinished();
    for (const host_config& h : scenario_.hosts)
        f.hosts.push_back(h.name);
    for (const auto& w : workloads_) {
        f.workloads.push_back(w->title());
        f.iterations.emplace_back();
        for (const iteration& it : w->iterations())
            if (it.complete)
                f.iterations.back().push_back(it);
    }
    f.ideal = [this](const message_record& r) { return ideal(r); };
    return f;
}

/// Remembered by what distinguishes hosts: their switch, and the rate and length of their cable.
fabric::network::path_latency fabric_world::path(const message_record& r, bytes frame_bytes) const {
    if (place_of_host_.empty())
        for (const host_config& h : scenario_.hosts) {
            const fabric::link* l = link_of(topology_, h.name);
            const std::string& far = l->a.node == h.name ? l->b.node : l->a.node;
            place_of_host_.push_back(
                fmt::format("{} {} {}", far, l->cable.rate.count(), l->cable.length.count));
        }
    const auto key = std::pair(place_of_host_[r.from] + " to " + place_of_host_[r.to], frame_bytes);
    const auto known = paths_.find(key);
    if (known != paths_.end())
        return known->second;
    const auto found = network_->closed_form_latency(scenario_.hosts[r.from].name, 0,
                                                     scenario_.hosts[r.to].name, 0, frame_bytes);
    return paths_.emplace(key, found).first->second;
}

/// Store and forward: all packets but the last at the rate of the slowest link, then the last one's way; or
/// the last but one's, when the last is short and waits behind it. The slowest link is the hosts' or one of
/// spine_rate: single links that differ (spine_rates, a graph's own rates) are not looked at.
picoseconds fabric_world::ideal(const message_record& r) const {
    const bytes mtu = hosts_->mtu();
    const bytes packets = (r.length + mtu - 1) / mtu;
    const bytes full = hosts_->frame_bytes(mtu), last = hosts_->frame_bytes(r.length - (packets - 1) * mtu);
    const auto on_last = path(r, last);
    bits_per_second slowest = std::min(network_->host_rate(scenario_.hosts[r.from].name, 0),
                                       network_->host_rate(scenario_.hosts[r.to].name, 0));
    if (on_last.links > 2)
        slowest = std::min(slowest, scenario_.topology.spine_rate);
    const auto slot = [&](bytes frame_bytes) {
        return slowest.time_for(preamble_bytes + std::max(frame_bytes, min_frame_bytes) + fcs_bytes +
                                gap_bytes);
    };
    if (packets == 1)
        return on_last.total();
    const auto before = static_cast<std::int64_t>(packets - 1);
    return std::max(slot(full) * before + on_last.total(),
                    slot(full) * (before - 1) + path(r, full).total() + slot(last));
}

void fabric_world::finish_captures() {
    for (const auto& c : captures_)
        c->finish();
}

} // namespace vg810::scenarios
