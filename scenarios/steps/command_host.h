// SPDX-License-Identifier: Apache-2.0
// A machine that runs shell commands for a scenario: a guest through its agent, or this machine in a network namespace.
#pragma once

#include <cstdint>
#include <string>

namespace vg810::scenarios {

using command_id = std::uint32_t;

class command_host {
  public:
    virtual ~command_host() = default;
    virtual const std::string& name() const = 0;
    /// Starts `command` under a shell. Its end is reported to the step_engine, later. Called in the engine's domain.
    virtual void start(command_id id, const std::string& command) = 0;
    /// Ends a command that runs; the end is reported as usual.
    virtual void stop(command_id id) = 0;
    /// What the command has printed (stdout and stderr, as they came).
    virtual std::string output(command_id id) const = 0;
};

} // namespace vg810::scenarios
