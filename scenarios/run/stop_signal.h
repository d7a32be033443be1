// SPDX-License-Identifier: Apache-2.0
// SIGINT and SIGTERM as something to poll for. Children do not inherit it: handlers end with exec, and no
// signal is blocked.
#pragma once

#include "core/file_descriptor.h"

#include <csignal>

namespace vg810::scenarios {

/// While it lives, the first SIGINT or SIGTERM only makes caught() true and descriptor() readable; a second
/// one ends the process at once, as does any when there is no such object. One at a time.
class stop_signal {
  public:
    /// Throws std::system_error.
    stop_signal();
    stop_signal(const stop_signal&) = delete;
    stop_signal& operator=(const stop_signal&) = delete;
    ~stop_signal();

    /// The signal's number, or 0.
    int caught() const;
    /// Readable once a signal came; stays so.
    int descriptor() const { return event_.get(); }

  private:
    file_descriptor event_;
    struct sigaction before_[2];
};

} // namespace vg810::scenarios
