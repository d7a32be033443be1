// SPDX-License-Identifier: Apache-2.0
#include "scenarios/run/wire_hosts.h"

#include "model/rdma/cc/flow_control.h"
#include "scenarios/config/diagnostics.h"
#include "scenarios/config/host_pattern.h"
#include "scenarios/wire/wire_host.h"

#include <algorithm>
#include <fmt/format.h>

namespace vg810::scenarios {
namespace {

/// Around a middle packet's data: Ethernet 14, IPv4 20, UDP 8, BTH 12, ICRC 4.
constexpr bytes around_data = 14 + 20 + 8 + 12 + 4;

std::unique_ptr<cc::algorithm> make_algorithm(const cc_config& c) {
    std::vector<cc::parameter_value> values;
    for (std::size_t i = 0; i < c.values.size(); ++i)
        values.push_back({c.table->parameters[i].name, c.values[i]});
    auto made = std::make_unique<cc::algorithm>(*c.table, values, c.name);
    made->report_to([](const std::string& what) { fmt::print(stderr, "vg810: {}\n", what); });
    return made;
}

class real_hosts final : public wire_hosts {
  public:
    real_hosts(const scenario& s, fabric::network& network, frame_pool& frames)
        : profiles_(s.profiles), parameters_(s.wire.parameters) {
        for (const cc_config& c : profiles_) {
            algorithms_.push_back(make_algorithm(c));
            pointers_.push_back(algorithms_.back().get());
        }
        const wire_host::path_facts facts = [this, &network](const wire_host& from, const wire_host& to) {
            return facts_of(network, from, to);
        };
        for (const host_config& h : s.hosts) {
            const wire_identity who{
                h.name, *mac_address::parse(h.macs[0]),
                *ipv4_address::parse(std::string_view(h.addresses[0]).substr(0, h.addresses[0].find('/'))),
                network.station_of(h.name), network.host_rate(h.name, 0)};
            wire_host_parameters own = parameters_;
            own.queues.receive = h.receive;
            hosts_.push_back(std::make_unique<wire_host>(network.host_clock(h.name), who, own, frames,
                                                         pointers_, profile(h.cc.empty() ? s.wire.cc : h.cc),
                                                         facts));
            hosts_.back()->attach(network.plug(h.name, 0, *hosts_.back()));
        }
    }

    message_port& port(std::size_t host) override { return *hosts_[host]; }
    void power_on() override {
        for (const auto& h : hosts_)
            h->power_on();
    }
    bytes mtu() const override { return parameters_.transport.path_mtu; }
    bytes frame_bytes(bytes payload) const override { return payload + around_data; }

    void add_counters(counter_sampler::counter_list& list) const override {
        for (const auto& a : algorithms_)
            for (std::size_t m = 0; m < cc::misdeed_kinds; ++m)
                if (const std::uint64_t n = a->count(static_cast<cc::misdeed>(m)); n > 0)
                    list.emplace_back(
                        fmt::format("cc.{}.{}", a->origin(), cc::name_of(static_cast<cc::misdeed>(m))), n);
        for (const auto& h : hosts_) {
            const std::string& name = h->identity().name;
            list.emplace_back(name + ".tx_frames", h->count().tx_frames);
            list.emplace_back(name + ".rx_frames", h->count().rx_frames);
            list.emplace_back(name + ".rx_crc_errors", h->count().rx_crc_errors);
            for (priority p = 0; p < priorities; ++p) {
                if (h->count().rx_pause[p] > 0)
                    list.emplace_back(fmt::format("{}.rx_prio{}_pause", name, p), h->count().rx_pause[p]);
                if (h->count().tx_pause[p] > 0)
                    list.emplace_back(fmt::format("{}.tx_prio{}_pause", name, p), h->count().tx_pause[p]);
            }
            for (const auto& [what, value] : h->transport().count().list())
                list.emplace_back(fmt::format("{}.{}", name, what), value);
        }
    }

    void add_series(series_sampler& series, const std::vector<std::string>& patterns) const override {
        for (const auto& pointer : hosts_) {
            const wire_host& h = *pointer;
            const auto add = [&](const char* what, auto read) {
                const std::string name = h.identity().name + what;
                if (std::any_of(patterns.begin(), patterns.end(),
                                [&](const auto& p) { return matches(p, name); }))
                    series.add(name, read);
            };
            add(".paused", [&h] { return static_cast<std::int64_t>(h.paused() != 0); });
            add(".rate", [&h] { return static_cast<std::int64_t>(h.transport().allowed_rate()); });
        }
    }

    std::uint64_t progress() const override {
        std::uint64_t sum = 0;
        for (const auto& h : hosts_)
            sum += h->transport().progress();
        return sum;
    }
    std::uint64_t frames_sent() const override {
        std::uint64_t sum = 0;
        for (const auto& h : hosts_)
            sum += h->count().tx_frames;
        return sum;
    }

  private:
    std::size_t profile(const std::string& name) const {
        const auto found =
            std::find_if(profiles_.begin(), profiles_.end(), [&](const auto& p) { return p.name == name; });
        return static_cast<std::size_t>(found - profiles_.begin()); // the rules and fill_in see to it
    }

    cc::flow_facts facts_of(const fabric::network& network, const wire_host& from,
                            const wire_host& to) const {
        const auto there =
            network.closed_form_latency(from.identity().name, 0, to.identity().name, 0, frame_bytes(mtu()));
        const auto back =
            network.closed_form_latency(to.identity().name, 0, from.identity().name, 0, min_frame_bytes);
        return {from.identity().rate, there.total() + back.total(), static_cast<std::uint32_t>(mtu()),
                there.links - 1};
    }

    std::vector<cc_config> profiles_; ///< hold their tables
    wire_host_parameters parameters_;
    std::vector<std::unique_ptr<cc::algorithm>> algorithms_;
    std::vector<cc::algorithm*> pointers_;
    std::vector<std::unique_ptr<wire_host>> hosts_;
};

} // namespace

std::unique_ptr<wire_hosts> make_wire_hosts(const scenario& s, fabric::network& network, frame_pool& frames) {
    try {
        return std::make_unique<real_hosts>(s, network, frames);
    } catch (const std::invalid_argument& e) {
        throw bad_input(fmt::format("the wire hosts cannot be made: {}", e.what()));
    }
}

} // namespace vg810::scenarios
