// SPDX-License-Identifier: Apache-2.0
// Wire hosts that send no frames: messages arrive after a fixed delay. For the tests of the runner.
#pragma once

#include "scenarios/run/wire_hosts.h"
#include "scenarios/workload/testing/fake_port.h"

namespace vg810::scenarios::testing {

class fake_hosts final : public wire_hosts {
  public:
    fake_hosts(const scenario& s, fabric::network& network) {
        for (const host_config& h : s.hosts)
            ports_.push_back(std::make_unique<fake_port>(network.host_clock(h.name), "host " + h.name));
    }
    message_port& port(std::size_t host) override { return *ports_[host]; }
    void power_on() override {}
    bytes mtu() const override { return 4096; }
    bytes frame_bytes(bytes payload) const override { return payload + 58; }
    void add_counters(counter_sampler::counter_list& list) const override {
        list.emplace_back("host0.np_cnp_sent", 7);
    }
    void add_series(series_sampler& series, const std::vector<std::string>&) const override {
        series.add("host0.rate", [] { return 25'000'000'000; });
    }
    std::uint64_t progress() const override { return 0; }
    std::uint64_t frames_sent() const override { return 0; }
    fake_port& fake(std::size_t host) { return *ports_[host]; }

  private:
    std::vector<std::unique_ptr<fake_port>> ports_;
};

} // namespace vg810::scenarios::testing
