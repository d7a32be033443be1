// SPDX-License-Identifier: Apache-2.0
// One guest's virtual clock, driven by the plugin inside its QEMU (sync_plugin.c) over shared memory: grants
// of time, the exact time of an access to the card, delivery of interrupts at an exact time.
//
//   starting --first stop, at 0--> stopped --grant--> running --granted time reached--> stopped
//                                                     running --enter_access--> in_access --leave_access-->
//                                                     running
//   any --QEMU ends--> exited
#pragma once

#include "qemu-device/shared_page.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

namespace vg810::qemu {

enum class guest_state : std::uint8_t {
    starting,  ///< the machine is being built; its accesses happen at time 0
    running,   ///< executes under a grant
    stopped,   ///< stands at now_ns(), waits for a grant
    in_access, ///< its vCPU waits in an access to the card at now_ns()
    exited,    ///< QEMU has ended or is ending
};

class guest_clock {
  public:
    struct options {
        std::chrono::nanoseconds spin{5'000};        ///< the simulator's busy wait before it sleeps
        std::chrono::nanoseconds plugin_spin{5'000}; ///< the plugin's
        std::chrono::milliseconds answer_limit{20'000};
    };
    /// What synchronisation cost so far. `*_wall`: wall time that the simulator spent waiting in it.
    struct counters {
        std::uint64_t stops = 0;
        std::uint64_t accesses = 0;
        std::uint64_t cuts = 0;
        std::uint64_t deliveries = 0;
        std::uint64_t polls = 0; ///< of QEMU's event loop, for the deliveries
        std::chrono::nanoseconds
            running_wall{}; ///< from grant to stop or access, the guest's own work included
        std::chrono::nanoseconds access_wall{}; ///< asking for the time
        std::chrono::nanoseconds cut_wall{};
        std::chrono::nanoseconds delivery_wall{};
    };

    static constexpr std::int64_t never = VG810_SYNC_NEVER;

    guest_clock() : guest_clock(options{}) {}
    /// Throws std::system_error.
    explicit guest_clock(const options& o);

    guest_state state() const { return state_; }
    /// Exact when stopped or in an access; while running the time from which it was last let go.
    std::int64_t now_ns() const { return now_ns_; }
    /// Only when stopped: the vCPU sleeps and does nothing before next_timer_ns() (`never`: no timer is
    /// armed) unless it is interrupted.
    bool halted() const { return halted_; }
    std::int64_t next_timer_ns() const { return next_timer_ns_; }
    /// End of the current or last grant.
    std::int64_t granted_ns() const { return granted_ns_; }

    /// Only when stopped: lets the guest run to `until_ns` (> now_ns()) at most.
    void grant(std::int64_t until_ns);
    /// An access arrived: returns the exact guest time of the instruction that makes it. Throws sync_error.
    std::int64_t enter_access();
    /// Lets the guest go on after the access, to `until_ns` (>= now_ns()) at most; a longer grant than before
    /// is not given. Call before the access is answered. Throws sync_error.
    void leave_access(std::int64_t until_ns);
    /// Only when stopped, after eventfds were written: has QEMU take them, until `in_flight()` is false.
    /// Throws sync_error when that does not happen within the answer limit.
    void deliver_interrupts(const std::function<bool()>& in_flight);

    /// Readable when the guest has stopped or ended; then call on_notify().
    int notify_fd() const { return notify_.get(); }
    void on_notify();
    /// The same without the descriptor: looks at the shared memory only. True if the state has changed.
    bool refresh();

    /// The process behind the clock is gone. `alive` is asked during waits.
    void set_exited();
    void set_liveness(std::function<bool()> alive) { policy_.alive = std::move(alive); }
    /// What the plugin reported as the reason it cannot work, if it did.
    std::string plugin_error() const;

    std::uint64_t syncs() const {
        return counts_.stops + counts_.accesses + counts_.cuts + counts_.deliveries;
    }
    const counters& counts() const { return counts_; }

    /// For the child process: descriptors to pass on, and the plugin's arguments once they have numbers
    /// there.
    int memory_fd() const { return page_.memory_fd(); }
    int alive_read_fd() const { return alive_read_.get(); }
    std::string plugin_arguments(int memory_fd, int notify_fd, int alive_fd) const;

  private:
    using wall_clock = std::chrono::steady_clock;
    std::int64_t ask(std::int64_t cut_ns);
    void cut(std::int64_t until_ns);
    void take_report();
    void poll_interrupts();
    void end_run();

    shared_page page_;
    file_descriptor notify_;
    file_descriptor alive_read_;
    file_descriptor alive_write_; // its end is how the plugin learns that the simulator is gone
    shared_page::wait_policy policy_;
    std::chrono::nanoseconds plugin_spin_;

    guest_state state_ = guest_state::starting;
    std::int64_t now_ns_ = 0;
    std::int64_t next_timer_ns_ = 0;
    std::int64_t granted_ns_ = 0;
    bool halted_ = false;
    std::uint32_t seen_stop_ = 0;
    guest_state before_access_ = guest_state::starting;

    counters counts_;
    wall_clock::time_point let_go_at_{};
};

} // namespace vg810::qemu
