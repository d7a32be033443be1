// SPDX-License-Identifier: Apache-2.0
// The reference of algorithms' parameters, generated from their tables.
#pragma once

#include "model/rdma/cc/vg810_cc.h"

#include <string>

namespace vg810::cc {

/// A number with its unit as people write it: 300e6 "ps" is "300 us", 25e9 "bit/s" is "25 Gbit/s".
std::string with_unit(double value, const char* unit);

/// A Markdown table: parameter, meaning, preset, range. A sentence when there are none.
std::string parameter_table(const vg810_cc_algorithm& a);

} // namespace vg810::cc
