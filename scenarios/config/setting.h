// SPDX-License-Identifier: Apache-2.0
// `--set path.to.key=value`: puts a value into a TOML tree before it is checked.
#pragma once

#include "scenarios/config/parameter_reader.h"

#include <string>

namespace vg810::scenarios {

/// Applies one setting. Problems with the path become diagnostics; problems with key or value are left to the
/// reader of the tree, which finds "--set ..." as their place.
void apply_setting(toml::table& root, const std::string& setting, input_record& record);

} // namespace vg810::scenarios
