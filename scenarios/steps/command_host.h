// SPDX-License-Identifier: Apache-2.0
// A machine that runs shell commands for a scenario: a guest through its agent, or this machine in a network
// namespace.
#pragma once

#include "core/units.h"

#include <cstdint>
#include <string>

namespace vg810::scenarios {

using command_id = std::uint32_t;

/// How a command ended.
struct command_end {
    int exit_status = 0; ///< 128 + signal when a signal ended it
    bool timed_out = false;
    bool still_ran = false; ///< a background command that had to be ended
    std::string problem;    ///< why it could not be run at all; else empty
};

class command_host {
  public:
    virtual ~command_host() = default;
    virtual const std::string& name() const = 0;
    /// Starts `command` under a shell; after `timeout` the host ends it. Its end is reported to the
    /// step_engine, later. Called in the engine's domain, when no other such command runs on the host.
    virtual void start(command_id id, const std::string& command, picoseconds timeout) = 0;
    /// Starts `command` beside others. It runs until stop_background().
    virtual void start_background(command_id id, const std::string& command) = 0;
    /// Ends a background command and all that it has started; the end is reported as usual.
    virtual void stop_background(command_id id) = 0;
    /// What the command has printed (stdout and stderr, as they came).
    virtual std::string output(command_id id) const = 0;
};

} // namespace vg810::scenarios
