// SPDX-License-Identifier: Apache-2.0
// The process that holds a network namespace: first process of a PID namespace of its own, so that when it
// ends, for whatever reason, the kernel ends everything started in the namespace and removes the interfaces.
// It ends when its socket closes, that is when the simulator does.
//
// It is cloned from a program that may have threads, so it uses system calls only: no memory, no locks, no
// stdio.
#pragma once

#include <cstddef>
#include <cstdint>

namespace vg810::fabric {

inline constexpr std::size_t most_taps = 8;

/// What to set up; filled in before the clone.
struct anchor_plan {
    struct tap {
        char name[16];
        std::uint8_t mac[6];
        std::uint32_t ip;   ///< network byte order
        std::uint32_t mask; ///< network byte order
        int mtu;
    };
    bool user_namespace;
    char uid_map[40];
    char gid_map[40];
    std::size_t taps;
    tap tap_list[most_taps];
};

/// Anchor to simulator. `ready` carries the TAP devices' descriptors.
struct anchor_report {
    enum class kind : std::int32_t { ready, failed, exited };
    kind what;
    std::int32_t id;     ///< exited: of the command
    std::int32_t status; ///< exited: as from waitpid; failed: errno
    char step[64];       ///< failed: what was being done
};

/// Simulator to anchor, followed by the command's text and a terminating 0. `run` carries the descriptors for
/// standard output and standard error.
struct anchor_request {
    enum class kind : std::int32_t { run, kill };
    kind what;
    std::int32_t id;
};
inline constexpr std::size_t longest_command = 32 << 10;

/// The anchor's life, in the clone: sets up, reports, serves `socket` until it closes. Never returns.
[[noreturn]] void run_anchor(const anchor_plan& plan, int socket, char** environment);

} // namespace vg810::fabric
