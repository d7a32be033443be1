// SPDX-License-Identifier: Apache-2.0
// A host with a card and an embedded driver instead of a guest. It answers ARP requests and pings (RFC 826,
// RFC 792) on both ports, and takes everything else in silence.
#pragma once

#include "core/scheduler.h"
#include "model/native/host.h"
#include "scenarios/config/scenario.h"
#include "scenarios/run/machine.h"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace vg810::scenarios {

/// The reply that a station with these addresses sends to `request`, or nothing: a whole frame, checksums
/// right.
std::vector<std::byte> answer(std::span<const std::byte> request, mac_address mac, ipv4_address ip);

class native_machine final : public machine {
  public:
    native_machine(scheduler& clock, const host_config& config, std::size_t card_index, frame_pool& frames);
    ~native_machine() override;

    const std::string& name() const override { return config_.name; }
    void plug(fabric::network& network) override;
    void add_counters(counter_sampler& sampler) override;
    const ping_recorder* pings() const override { return &pings_; }
    void start() override;
    std::string failure() override { return failure_; }
    bool failed_outside() override { return false; }

  private:
    host_config config_;
    ping_recorder pings_;
    std::unique_ptr<card> card_;
    std::unique_ptr<native_host> host_;
    std::string failure_;
};

} // namespace vg810::scenarios
