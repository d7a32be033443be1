// SPDX-License-Identifier: Apache-2.0
// A host of a run, whatever its kind.
#pragma once

#include "core/conductor.h"
#include "core/units.h"
#include "fabric/network.h"
#include "scenarios/run/counter_sampler.h"
#include "scenarios/run/ping_trace.h"
#include "scenarios/steps/command_host.h"

#include <functional>
#include <poll.h>
#include <span>
#include <string>
#include <vector>

namespace vg810::scenarios {

class step_engine;

class machine {
  public:
    virtual ~machine() = default;
    virtual const std::string& name() const = 0;
    /// Plugs its ports into the fabric.
    virtual void plug(fabric::network& network) = 0;
    /// Its domain's counters.
    virtual void add_counters(counter_sampler& sampler) = 0;
    /// What its card sees of pings; null without a card.
    virtual const ping_recorder* pings() const { return nullptr; }
    /// Where steps run; null when it has no shell.
    virtual command_host* commands() { return nullptr; }
    /// It boots and reports its agent before the first step.
    virtual bool boots() const { return false; }

    /// Where its steps' ends are reported, in another domain.
    virtual void report_to(step_engine&) {}
    /// Starts what runs outside the model. Throws environment_error.
    virtual void start() {}
    /// Appends what to poll for; after poll(2) the same entries go to service().
    virtual void watch(std::vector<pollfd>&) {}
    /// Brings the model to the present (paced mode) and returns that time.
    using present_time = std::function<picoseconds()>;
    /// Takes what has arrived.
    virtual void service(std::span<const pollfd>, const present_time&) {}
    /// Lockstep: looks whether it has stopped, without a system call.
    virtual bool refresh() { return false; }
    /// The guest that the conductor must keep step with; null when there is none.
    virtual paced_guest* paced() { return nullptr; }
    /// Shortest time from a frame in to a frame out that it causes; 0 promises nothing.
    virtual picoseconds pass_through() const { return {}; }
    /// Why it cannot go on; empty while all is well.
    virtual std::string failure() { return {}; }
    /// The failure is not the scenario's doing: QEMU died, a descriptor broke.
    virtual bool failed_outside() { return false; }
    /// Lockstep: it has ended although it was not asked to. Cheap; the reason is failure()'s to find.
    virtual bool ended_early() const { return false; }
    /// It has ended as it was told to.
    virtual bool gone() { return true; }
    /// Tells it to end; called in the steps' domain. gone() becomes true later.
    virtual void power_off() {}
    /// Ends it, whatever it does. Bounded.
    virtual void kill() {}
    /// For wall.json: what keeping step with it cost.
    virtual nlohmann::ordered_json wall_costs() { return nullptr; }
};

} // namespace vg810::scenarios
