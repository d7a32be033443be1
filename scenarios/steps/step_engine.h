// SPDX-License-Identifier: Apache-2.0
// Runs a scenario's steps: boot -> batches in file order -> end of the background commands.
//
// The engine lives in a domain of its own. What hosts report arrives there as events with latency, and what
// it sends them takes as long, so in lockstep the moment of each step is a function of the scenario alone.
#pragma once

#include "core/scheduler.h"
#include "scenarios/config/scenario.h"
#include "scenarios/report/run_report.h"
#include "scenarios/steps/command_host.h"

#include <chrono>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace vg810::scenarios {

class step_engine final : public component {
  public:
    /// Told when a step on a host has ended, with its judgement, before later steps start.
    using step_ended = std::function<void(step_result&, const std::string& output)>;

    /// `all_done` is called once, at the end, in the engine's domain.
    step_engine(scheduler& clock, const scenario& s, step_ended ended, std::function<void()> all_done = {});

    /// All hosts that steps name must be there before begin().
    void add_host(command_host& host) { hosts_[host.name()] = &host; }
    /// Waits for `guests` to become ready, then goes through the steps.
    void begin(const std::vector<std::string>& guests);

    // What hosts report, in the engine's domain at its now().
    void host_ready(const std::string& host);
    void command_ended(command_id id, const command_end& end);
    /// The host will answer nothing any more.
    void host_gone(const std::string& host, const std::string& why);

    /// The run ends here: what runs counts as failed, what follows as not run. `all_done` is not called.
    void abandon(const std::string& why);
    bool abandoned() const { return abandoned_; }

    bool finished() const { return phase_ == phase::done; }
    /// When it did.
    picoseconds finished_at() const { return finished_at_; }
    /// Why not all steps were run; empty otherwise.
    const std::string& failure() const { return failure_; }
    const std::vector<step_result>& results() const { return results_; }
    /// For the status line.
    std::string activity() const;
    std::size_t steps_done() const { return results_.size(); }

    /// Steps that set a guest up as its `configure` key says: ports up, addresses, links.
    static std::vector<step_config> configuration_steps(const scenario& s);

  private:
    enum class phase : std::uint8_t { booting, running, ending, done };
    struct running_command {
        std::size_t step;
        std::string host;
        picoseconds started;
        std::chrono::steady_clock::time_point wall_started;
        bool background;
        bool stopped = false;
    };

    void boot_timed_out(std::uint64_t);
    void command_unanswered(std::uint64_t id);
    void start_batch();
    void start_on(std::size_t step, const std::string& host);
    void next();
    void skip_rest();
    void end_background();
    void finish();
    void give_up(std::string why);
    void record(command_id id, const std::optional<command_end>& end);
    bool batch_running() const;

    std::vector<step_config> steps_;
    picoseconds boot_timeout_;
    std::map<std::string, command_host*> hosts_;
    step_ended ended_;
    std::function<void()> all_done_;

    phase phase_ = phase::booting;
    std::map<std::string, bool> ready_;
    std::size_t next_step_ = 0;
    std::size_t commands_in_all_ = 0;
    command_id next_id_ = 1;
    std::map<command_id, running_command> running_;
    bool batch_failed_ = false;
    bool abandoned_ = false;
    std::vector<step_result> results_;
    picoseconds finished_at_;
    std::string failure_;
};

} // namespace vg810::scenarios
