// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>

namespace vg810::scenarios {

/// Something outside the scenario is missing or broke: QEMU, the guest root, a kernel feature. what() names
/// it and the cure.
class environment_error : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

} // namespace vg810::scenarios
