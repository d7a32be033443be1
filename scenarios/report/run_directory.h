// SPDX-License-Identifier: Apache-2.0
// The directory that a run leaves behind. Every failure to write names the file and the cure.
#pragma once

#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace vg810::scenarios {

/// A file of the run could not be written: what() names it and says why.
class output_error : public std::runtime_error {
  public:
    output_error(const std::filesystem::path& file, int error);
};

class run_directory {
  public:
    /// Makes `chosen`, which may exist when it is empty or an earlier run's, or else <base>/<name>-<UTC
    /// time>, a new one. Throws output_error.
    run_directory(const std::optional<std::filesystem::path>& chosen, const std::filesystem::path& base,
                  const std::string& name);

    const std::filesystem::path& path() const { return path_; }
    std::filesystem::path file(std::string_view name) const { return path_ / name; }

    /// Replaces `name` as a whole: readers see the old file or the new one. Throws output_error.
    void write(std::string_view name, std::string_view content) const;
    /// Throws output_error when the file system has no room left for `needed` more octets.
    void check_space(std::uintmax_t needed = 1 << 20) const;

  private:
    std::filesystem::path path_;
};

} // namespace vg810::scenarios
