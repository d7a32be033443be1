// SPDX-License-Identifier: Apache-2.0
#include "model/host_if/rx_filter.h"

#include <algorithm>

namespace vg810 {

void rx_filter::reset(mac_address own) {
    own_ = own;
    promiscuous_ = false;
    all_multicast_ = false;
    addresses_.clear();
    filter_vlans_ = false;
}

void rx_filter::set_mode(bool promiscuous, bool all_multicast, std::span<const mac_address> addresses) {
    promiscuous_ = promiscuous;
    all_multicast_ = all_multicast;
    addresses_.assign(addresses.begin(), addresses.end());
    std::sort(addresses_.begin(), addresses_.end());
}

void rx_filter::set_vlans(std::span<const std::byte, 512> bitmap) {
    filter_vlans_ = true;
    for (std::size_t id = 0; id < vlans_.size(); ++id)
        vlans_[id] = std::to_integer<unsigned>(bitmap[id / 8]) >> id % 8 & 1;
}

bool rx_filter::accepts(mac_address destination, const parse_result& headers) const {
    if (promiscuous_)
        return true;
    const unsigned vlan = headers.vlan_tags == 0 ? 0 : headers.vlan_tci & 0xfffu;
    if (filter_vlans_ && vlan != 0 && !vlans_[vlan])
        return false;
    return accepts_address(destination);
}

bool rx_filter::accepts_address(mac_address destination) const {
    if (destination == own_ || destination.is_broadcast())
        return true;
    if (all_multicast_ && destination.is_group())
        return true;
    return std::binary_search(addresses_.begin(), addresses_.end(), destination);
}

} // namespace vg810
