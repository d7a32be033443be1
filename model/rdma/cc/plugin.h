// SPDX-License-Identifier: Apache-2.0
// From what a scenario says to an algorithm: the name of a built-in one or a shared object of the user's.
#pragma once

#include "model/rdma/cc/vg810_cc.h"

#include <filesystem>
#include <memory>
#include <string_view>

namespace vg810::cc {

/// The algorithm of that name, or of the shared object at that path when `named` contains a '/' or ends in
/// ".so"; a relative path starts at `folder`. The object stays loaded as long as the result is held. The
/// table has the right version and size; algorithm's constructor checks the rest. Throws std::runtime_error
/// with the file and what to do.
std::shared_ptr<const vg810_cc_algorithm> find_algorithm(std::string_view named,
                                                         const std::filesystem::path& folder = {});

} // namespace vg810::cc
