// SPDX-License-Identifier: Apache-2.0
#include "fabric/station_directory.h"

#include <stdexcept>

namespace vg810::fabric {

station_index station_directory::add(mac_address m) {
    const auto next = static_cast<station_index>(macs_.size());
    if (m.is_group() || m.is_zero() || next == unknown_station || !by_mac_.emplace(m, next).second)
        throw std::invalid_argument(m.to_string() + " cannot be added to the directory of stations");
    macs_.push_back(m);
    return next;
}

} // namespace vg810::fabric
