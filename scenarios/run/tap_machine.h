// SPDX-License-Identifier: Apache-2.0
// A host that is this machine's own kernel: a network namespace with a TAP on the fabric, made and removed by
// the run. Its commands run in that namespace.
#pragma once

#include "core/scheduler.h"
#include "fabric/tap_bridge.h"
#include "scenarios/config/scenario.h"
#include "scenarios/run/machine.h"
#include "scenarios/steps/step_engine.h"

#include <map>
#include <memory>
#include <string>

namespace vg810::scenarios {

class tap_machine final : public machine {
  public:
    /// Throws environment_error when the namespace cannot be made.
    tap_machine(scheduler& clock, const host_config& config, frame_pool& frames,
                const fabric::network& network);
    ~tap_machine() override;

    const std::string& name() const override { return config_.name; }
    void plug(fabric::network& network) override;
    void add_counters(counter_sampler& sampler) override;
    void report_to(step_engine& engine) override;
    command_host* commands() override;
    void start() override { bridge_->power_on(); }
    void watch(std::vector<pollfd>& set) override;
    void service(std::span<const pollfd> ready, const present_time& present) override;

  private:
    class shell;

    host_config config_;
    std::unique_ptr<fabric::tap_bridge> bridge_;
    std::unique_ptr<shell> shell_;
};

} // namespace vg810::scenarios
