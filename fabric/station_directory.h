// SPDX-License-Identifier: Apache-2.0
// Who is plugged into a network: every host port has a small number, so that each switch's table is an array
// and not a map of addresses. One directory serves all switches of a network.
#pragma once

#include "core/address.h"
#include "core/frame.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

namespace vg810::fabric {

/// A host port's number: 0 .. size() - 1 in the order they were added.
using station_index = std::uint32_t;
inline constexpr station_index unknown_station = frame_labels::unknown_station;

class station_directory {
  public:
    /// Throws std::invalid_argument for a group address, zero, or an address that is there already.
    station_index add(mac_address m);
    /// `unknown_station` when nobody has that address.
    station_index find(mac_address m) const {
        const auto at = by_mac_.find(m);
        return at == by_mac_.end() ? unknown_station : at->second;
    }
    /// Range: s < size().
    mac_address mac(station_index s) const { return macs_.at(s); }
    std::size_t size() const { return macs_.size(); }

    /// For routers: who has this IP address. A later call for the same address wins.
    void add_ip(ipv4_address ip, station_index s) { by_ip_[ip] = s; }
    station_index find(ipv4_address ip) const {
        const auto at = by_ip_.find(ip);
        return at == by_ip_.end() ? unknown_station : at->second;
    }

  private:
    std::vector<mac_address> macs_;
    std::unordered_map<mac_address, station_index> by_mac_;
    std::unordered_map<ipv4_address, station_index> by_ip_;
};

} // namespace vg810::fabric
