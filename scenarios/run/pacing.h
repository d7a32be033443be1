// SPDX-License-Identifier: Apache-2.0
// The two ways in which a world moves: in lockstep with its guests, or after the wall clock.
#pragma once

#include "scenarios/report/status_line.h"
#include "scenarios/run/stop_signal.h"
#include "scenarios/run/world.h"

#include <chrono>
#include <string>

namespace vg810::scenarios {

/// Why a run's movement ended.
struct ending {
    enum class kind : std::uint8_t {
        done,        ///< steps finished, guests off
        failed,      ///< the scenario's own fault: a guest panicked, time ran out
        aborted,     ///< something outside: QEMU died, the disk is full
        interrupted, ///< the user
    };
    kind what = kind::done;
    std::string reason;
};

class pacing {
  public:
    using wall_clock = std::chrono::steady_clock;

    /// `status` may be null. `directory`: watched for free space.
    pacing(world& w, const scenario& s, const run_directory& directory, const stop_signal& stop,
           status_line* status);

    /// Moves until the end. Guests that still run afterwards are the caller's to kill.
    ending run();
    picoseconds reached() const { return reached_; }
    /// Paced: how far simulated time is behind the wall's.
    picoseconds behind() const { return behind_; }

  private:
    ending run_lockstep();
    ending run_paced();
    bool wait_for_guests();
    bool go_on();
    bool look_around();
    void settle();
    picoseconds bring_to_present();
    void poll_machines(int timeout_ms, const machine::present_time& present);
    bool machines_gone() const;
    void end(ending::kind what, std::string reason);
    picoseconds wall_time() const;
    run_progress progress() const;

    world& world_;
    const scenario& scenario_;
    const run_directory& directory_;
    const stop_signal& stop_;
    status_line* status_;
    wall_clock::time_point start_ = wall_clock::now();
    wall_clock::time_point next_look_ = start_;
    wall_clock::time_point powering_off_since_{};
    bool powering_off_ = false;
    bool ended_ = false;
    ending ending_;
    unsigned until_look_ = 0;
    picoseconds reached_;
    picoseconds behind_;
    wall_clock::time_point slice_end_{};
    std::vector<pollfd> polled_;
};

} // namespace vg810::scenarios
