// SPDX-License-Identifier: Apache-2.0
// Everything of a run that lives in simulated time, built from a scenario: fabric, machines, steps, and the
// schedule that joins them.
#pragma once

#include "core/conductor.h"
#include "core/frame.h"
#include "core/scheduler.h"
#include "fabric/capture.h"
#include "fabric/network.h"
#include "qemu-device/qemu_command.h"
#include "scenarios/config/scenario.h"
#include "scenarios/report/run_directory.h"
#include "scenarios/run/machine.h"
#include "scenarios/run/scratch_directory.h"
#include "scenarios/steps/step_engine.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace vg810::scenarios {

class world {
  public:
    /// `root` may be null when no host is a guest. `step_ended` as step_engine's. Throws environment_error,
    /// output_error and bad_input.
    world(const scenario& s, const qemu::guest_root* root, const run_directory& directory, bool interactive,
          step_engine::step_ended ended);
    ~world();

    bool interactive() const { return interactive_; }
    /// Interactive: where the console of a guest but the first one is.
    std::string console_socket(const std::string& host) const {
        return (scratch_.path() / (host + ".console")).string();
    }

    /// Powers the fabric on, starts machines and (unless interactive) steps.
    void start();
    step_engine& steps() { return *engine_; }
    conductor& schedule() { return conductor_; }
    const std::vector<std::unique_ptr<machine>>& machines() const { return machines_; }
    const std::vector<scheduler*>& clocks() const { return clocks_; }
    const fabric::network& network() const { return *network_; }

    /// Has all counters read command_latency from now, as a moment called `name`. Called in the steps'
    /// domain.
    void sample(const std::string& name);
    std::vector<metric> metrics() const;
    std::vector<ping_trip> pings() const;
    closed_form wire_time() const;
    std::uint64_t events() const;

    /// Writes the captures out and closes them.
    void finish_captures();
    /// Why an output could not be written, if so.
    const std::string& output_failure() const { return output_failure_; }

  private:
    void build_network();
    void build_machines(const qemu::guest_root* root);
    void build_steps(step_engine::step_ended ended);
    void build_samplers();
    void build_captures();
    void connect();
    void steps_done();

    scenario scenario_;
    bool interactive_;
    const run_directory& directory_;
    scratch_directory scratch_;
    frame_pool frames_;
    scheduler engine_clock_{"steps"};
    std::vector<std::unique_ptr<scheduler>> host_clocks_; ///< by host
    std::vector<scheduler*> clocks_;                      ///< all
    std::unique_ptr<fabric::network> network_;
    std::vector<std::unique_ptr<machine>> machines_; ///< by host
    std::vector<std::unique_ptr<counter_sampler>> samplers_;
    std::vector<std::unique_ptr<fabric::capture>> captures_;
    std::unique_ptr<step_engine> engine_;
    conductor conductor_;
    std::vector<std::string> moments_;
    std::string output_failure_;
};

} // namespace vg810::scenarios
