// SPDX-License-Identifier: Apache-2.0
#include "scenarios/run/scratch_directory.h"

#include "scenarios/run/environment_error.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <string>

namespace vg810::scenarios {

scratch_directory::scratch_directory() {
    const char* base = std::getenv("TMPDIR");
    std::string name = std::string(base && *base ? base : "/tmp") + "/vg810-XXXXXX";
    if (!::mkdtemp(name.data()))
        throw environment_error(
            fmt::format("cannot make a folder {}: {}; set TMPDIR to a place for short-lived files", name,
                        std::strerror(errno)));
    path_ = name;
}

scratch_directory::~scratch_directory() {
    std::error_code ignored; // nothing depends on it any more
    std::filesystem::remove_all(path_, ignored);
}

} // namespace vg810::scenarios
