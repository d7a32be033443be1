// SPDX-License-Identifier: Apache-2.0
// One run of this program in a process of its own, that never outlives this one.
#pragma once

#include "core/file_descriptor.h"

#include <filesystem>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace vg810::scenarios {

class child_run {
  public:
    /// Starts this program with `arguments`; what it prints goes to `log`. Throws std::system_error.
    child_run(const std::vector<std::string>& arguments, const std::filesystem::path& log);
    child_run(child_run&& other) noexcept;
    child_run& operator=(child_run&&) = delete;
    /// Kills and reaps it if it still runs.
    ~child_run();

    /// Readable once it has ended.
    int exit_fd() const { return pid_fd_.get(); }
    /// Its exit status, 128 + signal when a signal ended it, once it has ended.
    std::optional<int> poll();
    /// Asks it to stop (SIGTERM), or kills it and what it started.
    void ask_to_stop();
    void kill();

  private:
    pid_t pid_ = -1; ///< -1: none, or reaped
    file_descriptor pid_fd_;
    std::optional<int> status_;
};

} // namespace vg810::scenarios
