// SPDX-License-Identifier: Apache-2.0
#include "core/ets.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace vg810 {

ets_scheduler::ets_scheduler(const per_priority<ets_class>& classes) {
    unsigned smallest = 100;
    for (priority p = 0; p < priorities; ++p) {
        const ets_class& c = classes[p];
        if (c.strict) {
            strict_ |= static_cast<priority_set>(1u << p);
            continue;
        }
        if (c.weight < 1 || c.weight > 100)
            throw std::invalid_argument("priority " + std::to_string(p) + ": a weight of " +
                                        std::to_string(c.weight) + " is outside 1..100");
        smallest = std::min<unsigned>(smallest, c.weight);
    }
    for (priority p = 0; p < priorities; ++p)
        share_[p] = classes[p].strict ? 0 : static_cast<std::int32_t>(quantum * classes[p].weight / smallest);
}

} // namespace vg810
