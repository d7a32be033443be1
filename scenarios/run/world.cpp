// SPDX-License-Identifier: Apache-2.0
#include "scenarios/run/world.h"

#include "scenarios/run/environment_error.h"
#include "scenarios/run/fabric_plan.h"
#include "scenarios/run/guest_machine.h"
#include "scenarios/run/native_machine.h"
#include "scenarios/run/tap_machine.h"
#include "scenarios/steps/latency.h"

#include <fmt/format.h>
#include <map>
#include <system_error>

namespace vg810::scenarios {
namespace {

void add_switch_counters(counter_sampler& sampler, const fabric::ethernet_switch& s) {
    sampler.add([&s](counter_sampler::counter_list& list) {
        for (std::size_t p = 0; p < s.ports(); ++p) {
            const auto& c = s.count(static_cast<fabric::port_index>(p));
            const std::string name = fmt::format("{}.port{}.", s.parameters().name, p);
            list.emplace_back(name + "rx_frames", c.rx_frames);
            list.emplace_back(name + "rx_octets", c.rx_octets);
            list.emplace_back(name + "tx_frames", c.tx_frames);
            list.emplace_back(name + "tx_octets", c.tx_octets);
            list.emplace_back(name + "flooded", c.flooded);
            list.emplace_back(name + "deepest_queue", c.deepest_queue);
            for (std::size_t r = 0; r < fabric::drop_reason_names.size(); ++r)
                list.emplace_back(fmt::format("{}drop.{}", name, fabric::drop_reason_names[r]), c.drops[r]);
        }
    });
}

/// The link behind what a scenario calls it: back to back, both ports' names mean the one cable between them.
std::string link_called(const std::string& name, const scenario& s) {
    if (s.topology.kind != topology_kind::back_to_back)
        return name;
    const std::string port = name.substr(name.rfind('.'));
    return s.hosts[0].name + port + "-" + s.hosts[1].name +
           port; // scenario_rules: two hosts, and a port's name
}

} // namespace

world::world(const scenario& s, const qemu::guest_root* root, const run_directory& directory,
             bool interactive, step_engine::step_ended ended)
    : scenario_(s), interactive_(interactive), directory_(directory), conductor_(s.poll_slack) {
    build_network();
    build_machines(root);
    build_steps(std::move(ended));
    build_samplers();
    build_captures();
    connect();
}

world::~world() = default;

void world::build_network() {
    clocks_.push_back(&engine_clock_);
    std::map<std::string, scheduler*> by_name;
    for (const host_config& h : scenario_.hosts) {
        host_clocks_.push_back(std::make_unique<scheduler>(h.name));
        by_name[h.name] = host_clocks_.back().get();
        clocks_.push_back(host_clocks_.back().get());
    }
    network_ =
        std::make_unique<fabric::network>(plan_fabric(scenario_), frames_, fabric::domain_split::per_switch,
                                          [&](const fabric::host& h) { return by_name.at(h.name); });
    for (const auto& d : network_->domains())
        clocks_.push_back(d.events);
}

void world::build_machines(const qemu::guest_root* root) {
    const guest_surroundings around{root,     scenario_.mode, scenario_.seed, &directory_, scratch_.path(),
                                    &frames_, interactive_};
    for (std::size_t i = 0; i < scenario_.hosts.size(); ++i) {
        const host_config& h = scenario_.hosts[i];
        scheduler& clock = *host_clocks_[i];
        if (h.kind == host_kind::guest)
            machines_.push_back(std::make_unique<guest_machine>(clock, h, i, around));
        else if (h.kind == host_kind::native)
            machines_.push_back(std::make_unique<native_machine>(clock, h, i, frames_));
        else
            machines_.push_back(std::make_unique<tap_machine>(clock, h, frames_, *network_));
        machines_.back()->plug(*network_);
    }
}

void world::build_steps(step_engine::step_ended ended) {
    // The machines' command hosts know the engine, so the engine is told of them afterwards.
    engine_ = std::make_unique<step_engine>(
        engine_clock_, scenario_,
        [this, ended = std::move(ended)](step_result& r, const std::string& output) {
            if (!engine_->abandoned())
                sample(r.name);
            ended(r, output);
        },
        [this] { steps_done(); });
    for (const auto& m : machines_) {
        m->report_to(*engine_);
        if (m->commands())
            engine_->add_host(*m->commands());
    }
}

void world::build_samplers() {
    for (scheduler* clock : clocks_)
        samplers_.push_back(std::make_unique<counter_sampler>(*clock));
    const auto of = [&](const scheduler& clock) -> counter_sampler& {
        for (const auto& s : samplers_)
            if (&s->clock() == &clock)
                return *s;
        throw std::logic_error("a domain without a sampler");
    };
    for (std::size_t i = 0; i < machines_.size(); ++i)
        machines_[i]->add_counters(of(*host_clocks_[i]));
    for (const auto& s : network_->switches())
        add_switch_counters(of(s->clock()), *s);
}

void world::build_captures() {
    for (const capture_config& c : scenario_.captures) {
        const auto file = directory_.file(c.file);
        try {
            captures_.push_back(
                std::make_unique<fabric::capture>(network_->find_link(link_called(c.link, scenario_)),
                                                  file.string(), [this](const std::string& problem) {
                                                      if (output_failure_.empty())
                                                          output_failure_ = problem;
                                                  }));
        } catch (const std::system_error& e) {
            throw output_error(file, e.code().value());
        }
    }
}

void world::connect() {
    std::map<const scheduler*, conductor::domain_index> index;
    const auto engine = conductor_.add_domain(engine_clock_);
    index[&engine_clock_] = engine;
    for (std::size_t i = 0; i < host_clocks_.size(); ++i) {
        index[host_clocks_[i].get()] = conductor_.add_domain(*host_clocks_[i], machines_[i]->pass_through());
        if (paced_guest* guest = machines_[i]->paced())
            conductor_.attach_guest(index[host_clocks_[i].get()], *guest);
        conductor_.add_channel(index[host_clocks_[i].get()], engine, command_latency);
    }
    for (const auto& d : network_->domains())
        index[d.events] = conductor_.add_domain(*d.events, d.pass_through);
    for (const scheduler* clock : clocks_)
        if (clock != &engine_clock_)
            conductor_.add_channel(engine, index.at(clock), command_latency);
    for (const auto& c : network_->channels())
        conductor_.add_channel(index.at(c.from), index.at(c.to), c.latency);
}

void world::start() {
    network_->power_on();
    std::vector<std::string> guests;
    for (const auto& m : machines_) {
        m->start();
        if (m->boots())
            guests.push_back(m->name());
    }
    if (!interactive_)
        engine_->begin(guests);
}

void world::sample(const std::string& name) {
    const std::uint64_t moment = moments_.size();
    moments_.push_back(name);
    for (const auto& s : samplers_)
        engine_->schedule_in<&counter_sampler::sample>(s->clock(), engine_clock_.now() + command_latency,
                                                       s.get(), moment, never);
}

void world::steps_done() {
    sample("end");
    for (const auto& m : machines_)
        m->power_off();
}

std::vector<metric> world::metrics() const {
    std::vector<const counter_sampler*> all;
    for (const auto& s : samplers_)
        all.push_back(s.get());
    return collect(all, moments_);
}

std::vector<ping_trip> world::pings() const {
    std::vector<traced_card> cards;
    for (const auto& m : machines_)
        if (m->pings())
            cards.push_back({m->name(), m->pings()});
    return find_trips(cards);
}

closed_form world::wire_time() const {
    return [this](const std::string& from, unsigned from_port, const std::string& to, unsigned to_port,
                  bytes length) {
        return network_->closed_form_latency(from, from_port, to, to_port, length).total();
    };
}

std::uint64_t world::events() const {
    std::uint64_t sum = 0;
    for (const scheduler* clock : clocks_)
        sum += clock->events_run();
    return sum;
}

void world::finish_captures() {
    for (const auto& c : captures_)
        c->finish();
}

} // namespace vg810::scenarios
