// SPDX-License-Identifier: Apache-2.0
// A network with a station on every host port, run by the simplest conservative schedule there is: the domain
// that is farthest behind goes next, as far as its channels allow.
#pragma once

#include "fabric/network.h"
#include "fabric/testing/station.h"

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace vg810::fabric::testing {

class bench {
  public:
    /// `own_domains`: every host gets a domain of its own.
    bench(const topology& t, domain_split split, bool own_domains) {
        net = std::make_unique<network>(t, pool, split, [&](const host& h) -> scheduler* {
            if (!own_domains)
                return nullptr;
            auto& s = host_domains_[h.name];
            if (!s)
                s = std::make_unique<scheduler>(h.name);
            return s.get();
        });
        for (const host& h : t.hosts)
            for (std::size_t i = 0; i < h.ports.size(); ++i) {
                const std::string name = h.name + "." + std::to_string(i);
                auto& s = stations_[name];
                s = std::make_unique<station>(net->host_clock(h.name, i), name, h.ports[i].mac,
                                              net->host_rate(h.name, i));
                s->plug(net->plug(h.name, i, *s));
                s->light();
            }
        net->power_on();
        for (const auto& d : net->domains())
            all_.push_back(d.events);
        for (const auto& [name, d] : host_domains_)
            all_.push_back(d.get());
    }

    station& at(const std::string& port) { return *stations_.at(port); }
    std::map<std::string, std::unique_ptr<station>>& stations() { return stations_; }

    /// Runs until nothing is left to do.
    void run() {
        const auto channels = net->channels();
        for (;;) {
            scheduler* behind = nullptr;
            for (scheduler* s : all_)
                if (!s->empty() && (!behind || s->next_time() < behind->next_time()))
                    behind = s;
            if (!behind)
                return;
            // Whatever anybody does next happens at the next event of all or later.
            picoseconds bound = never;
            for (const auto& c : channels)
                if (c.to == behind)
                    bound = std::min(bound, behind->next_time() + c.latency);
            behind->run_before(bound);
        }
    }

    frame_pool pool;
    std::unique_ptr<network> net;

  private:
    std::map<std::string, std::unique_ptr<scheduler>> host_domains_;
    std::map<std::string, std::unique_ptr<station>> stations_;
    std::vector<scheduler*> all_;
};

/// Options with no latency but wire and queues.
inline fabric_options ideal(millimetres length = {200'000}) {
    fabric_options o;
    o.host_length = o.spine_length = length;
    o.host_phy = o.spine_phy = phy_latency{};
    o.pipeline = {};
    o.arrival = arrival_rule::end_of_gap;
    return o;
}

/// A time after which every link of a bench is up.
inline constexpr picoseconds settled = 10_us;

} // namespace vg810::fabric::testing
