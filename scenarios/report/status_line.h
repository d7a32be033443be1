// SPDX-License-Identifier: Apache-2.0
// How far a run is: one line rewritten in place on a terminal, a plain line now and then otherwise.
#pragma once

#include "core/units.h"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace vg810::scenarios {

struct run_progress {
    picoseconds simulated;
    std::uint64_t events = 0;
    std::string activity; ///< what is going on: "boot", "step 3/12 ping"
    std::size_t steps_done = 0;
    /// Paced mode: how far simulated time is behind wall time.
    picoseconds behind;
};

/// Wall times of an earlier run of the same scenario: seconds from its start to the end of each step, and in
/// all.
struct earlier_run {
    std::vector<double> step_ends;
    double total = 0;

    /// The newest run of `name` in `base` that passed with `steps` steps.
    static std::optional<earlier_run> find(const std::filesystem::path& base, const std::string& name,
                                           std::size_t steps);
    /// Wall seconds still to go, after `elapsed` seconds and `done` steps.
    double remaining(double elapsed, std::size_t done) const;
};

class status_line {
  public:
    using clock = std::chrono::steady_clock;

    /// Writes to descriptor `fd`.
    status_line(int fd, std::optional<earlier_run> earlier);
    status_line(const status_line&) = delete;
    status_line& operator=(const status_line&) = delete;
    ~status_line() { clear(); }

    /// Shows `p` if it is time to: ten times a second on a terminal, every ten seconds otherwise.
    void update(const run_progress& p);
    /// Whether update() would show anything now; cheap.
    bool due() const { return clock::now() >= next_; }
    /// Prints `message` as a line of its own, above the status.
    void say(const std::string& message);
    /// Takes the line away.
    void clear();

    double elapsed() const { return std::chrono::duration<double>(clock::now() - start_).count(); }

  private:
    int fd_;
    bool terminal_;
    bool shown_ = false;
    std::optional<earlier_run> earlier_;
    clock::time_point start_ = clock::now();
    clock::time_point next_ = start_;
    std::uint64_t last_events_ = 0;
    picoseconds last_simulated_;
    double last_elapsed_ = 0;
};

/// The line itself. `rate`: events a wall second; `ratio`: simulated to wall time; `eta`: seconds.
std::string status_text(const run_progress& p, double rate, double ratio, std::optional<double> eta);

} // namespace vg810::scenarios
