// SPDX-License-Identifier: Apache-2.0
// One life of the function under fuzz, from start to reset, and the proof that it works again afterwards.
#pragma once

#include "fuzz/subject.h"

namespace vg810::fuzz {

/// Ends after some hundred moves, or when the function is past help. Throws violation.
void live(world& w, dice& d, tally& t);

/// Resets the function in one of the ways there are, and sends frames that must arrive. Throws violation.
void recover(world& w, dice& d, tally& t);

} // namespace vg810::fuzz
