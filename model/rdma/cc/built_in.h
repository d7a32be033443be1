// SPDX-License-Identifier: Apache-2.0
// The algorithms that come with the card, each in a file of its own behind the interface that users' own
// have.
#pragma once

#include "model/rdma/cc/vg810_cc.h"

#include <span>
#include <string_view>

namespace vg810::cc {

/// No control: line rate, no window.
extern const vg810_cc_algorithm none;
/// DCQCN's reaction point as cards ship it: the vendors' presets.
extern const vg810_cc_algorithm dcqcn;
/// The same with the presets of Zhu et al., SIGCOMM 2015 and CoNEXT 2016.
extern const vg810_cc_algorithm dcqcn_paper;
extern const vg810_cc_algorithm timely;
extern const vg810_cc_algorithm swift;
extern const vg810_cc_algorithm hpcc;

/// All of them, in the order of the documentation.
std::span<const vg810_cc_algorithm* const> built_ins();

/// The one of that name, or null.
const vg810_cc_algorithm* find_built_in(std::string_view name);

} // namespace vg810::cc
