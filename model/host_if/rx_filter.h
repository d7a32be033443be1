// SPDX-License-Identifier: Apache-2.0
// Which frames a function takes off its port: own address, address lists, promiscuous bits, VLAN bitmap.
#pragma once

#include "core/address.h"
#include "core/ethernet.h"

#include <bitset>
#include <cstdint>
#include <span>
#include <vector>

namespace vg810 {

class rx_filter {
  public:
    /// Own address only, no VLAN filter. Broadcast is always taken.
    void reset(mac_address own);
    void set_own(mac_address own) { own_ = own; }
    mac_address own() const { return own_; }
    /// Unicast and group addresses besides the own one. `promiscuous` takes everything, VLANs included.
    void set_mode(bool promiscuous, bool all_multicast, std::span<const mac_address> addresses);
    /// VLANs taken, bit n of octet n / 8 for id n; untagged and priority-tagged (id 0) frames are always
    /// taken.
    void set_vlans(std::span<const std::byte, 512> bitmap);
    void clear_vlans() { filter_vlans_ = false; }

    bool accepts(mac_address destination, const parse_result& headers) const;

  private:
    bool accepts_address(mac_address destination) const;

    mac_address own_;
    bool promiscuous_ = false;
    bool all_multicast_ = false;
    std::vector<mac_address> addresses_; // sorted
    bool filter_vlans_ = false;
    std::bitset<4096> vlans_;
};

} // namespace vg810
