// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace vg810::scenarios {

/// A new directory for sockets and pipes, with a short path (a socket's has 107 octets at most), gone with
/// the object.
class scratch_directory {
  public:
    /// Throws output_error.
    scratch_directory();
    scratch_directory(const scratch_directory&) = delete;
    scratch_directory& operator=(const scratch_directory&) = delete;
    ~scratch_directory();

    const std::filesystem::path& path() const { return path_; }

  private:
    std::filesystem::path path_;
};

} // namespace vg810::scenarios
