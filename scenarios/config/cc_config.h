// SPDX-License-Identifier: Apache-2.0
// Congestion control by name: an algorithm with values for its parameters.
#pragma once

#include "core/parameters.h"
#include "model/rdma/cc/vg810_cc.h"

#include <memory>
#include <string>
#include <vector>

namespace vg810::scenarios {

struct cc_config {
    std::string name;
    std::string algorithm = "dcqcn"; ///< a built-in one, or a shared object's file
    /// Of the algorithm's parameters, in the order of its table and in its units; empty: the presets.
    std::vector<double> values;
    std::shared_ptr<const vg810_cc_algorithm>
        table; ///< set by describe(); null when there is no such algorithm

    void describe(parameter_visitor& v);
};

} // namespace vg810::scenarios
