// SPDX-License-Identifier: Apache-2.0
// One QEMU process: started, watched, ended, never left behind.
#pragma once

#include "qemu-device/file_descriptor.h"
#include "qemu-device/qemu_command.h"

#include <chrono>
#include <optional>
#include <stdexcept>
#include <string>
#include <sys/types.h>

namespace vg810::qemu {

class guest_clock;

/// QEMU could not be started or has died; what() names the guest, the reason and, where there is one, the
/// cure.
class guest_error : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

class guest_process {
  public:
    /// Starts QEMU. `clock` is the guest's clock in lockstep, nullptr in paced mode; it must outlive the
    /// process and asks it from now on whether QEMU is alive. QEMU dies with the thread that starts it.
    /// Throws guest_error.
    guest_process(const guest_root& root, const guest_spec& spec, guest_clock* clock);
    guest_process(const guest_process&) = delete;
    guest_process& operator=(const guest_process&) = delete;
    /// Kills and reaps QEMU if it still runs.
    ~guest_process();

    pid_t pid() const { return pid_; }
    /// Readable once QEMU has ended.
    int exit_fd() const { return pid_fd_.get(); }
    /// Reaps QEMU if it has ended.
    bool running();
    /// Exit status, or -signal, once QEMU has ended.
    std::optional<int> exit_status() const { return status_; }
    /// QEMU ended by itself with status 0.
    bool ended_well() const { return status_ == 0; }
    /// Whether QEMU maps the guest's RAM privately: it then hands out the file behind it all the same, but
    /// what the guest writes never gets there.
    bool ram_is_private() const;
    /// Why QEMU ended when it should not have: the reason with its cure, and QEMU's last words.
    std::string failure() const;

    /// Ends QEMU: a polite request, then, after `patience`, SIGKILL; waits for the end (bounded). A guest
    /// that is stopped in lockstep cannot hear a request and is killed at once.
    void stop(std::chrono::milliseconds patience = std::chrono::milliseconds(1000));

  private:
    struct child_setup;
    void spawn(const std::vector<std::string>& arguments, const child_setup& setup);
    bool wait_for_end(std::chrono::milliseconds limit);

    guest_spec spec_;
    guest_clock* clock_;
    pid_t pid_ = -1;
    file_descriptor pid_fd_;
    std::optional<int> status_;
};

} // namespace vg810::qemu
