// SPDX-License-Identifier: Apache-2.0
// toml++ with the settings that the whole folder agrees on.
#pragma once

#define TOML_EXCEPTIONS 1
#define TOML_HEADER_ONLY 1
#include <toml++/toml.h>
