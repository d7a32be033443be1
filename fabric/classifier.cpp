// SPDX-License-Identifier: Apache-2.0
#include "fabric/classifier.h"

#include "core/ethernet.h"
#include "core/telemetry.h"
#include "fabric/forwarding.h"

namespace vg810::fabric {

namespace {

unsigned traffic_class(const frame& f) {
    const auto first = load_be<std::uint16_t>(f.stored().data() + f.labels.l3_offset);
    return (f.labels.ipv6 ? first >> 4 : first) & 0xffu;
}

} // namespace

void classify(frame& f) {
    const auto s = std::as_const(f).stored();
    const parse_result p = parse(s, f.length());
    frame_labels& l = f.labels;
    l.flow_hash = flow_hash(f, p);
    l.l3_offset = p.l3 == l3_type::ipv4 || p.l3 == l3_type::ipv6 ? p.l3_offset : std::uint16_t{0};
    l.ipv6 = p.l3 == l3_type::ipv6;
    l.ecn_capable = l.l3_offset != 0 && (traffic_class(f) & 3) != 0;
    l.telemetry_offset = 0;
    if (p.l4 == l4_type::udp && p.payload_offset + telemetry_bytes <= s.size() &&
        udp_view(s.data() + p.l4_offset).destination_port() == telemetry_udp_port)
        l.telemetry_offset = p.payload_offset;
    l.classified = true;
}

std::uint8_t dscp_of(const frame& f) {
    return f.labels.l3_offset == 0 ? std::uint8_t{0} : static_cast<std::uint8_t>(traffic_class(f) >> 2);
}

priority_map::priority_map(const trust_parameters& t)
    : mode_(t.mode), default_(static_cast<priority>(t.default_priority)) {
    for (std::size_t dscp = 0; dscp < by_dscp_.size(); ++dscp)
        by_dscp_[dscp] = static_cast<priority>(t.dscp_map.empty() ? static_cast<std::int64_t>(dscp / 8)
                                                                  : t.dscp_map[dscp]);
}

priority priority_map::of(const frame& f) const {
    switch (mode_) {
    case trust_mode::port:
        break;
    case trust_mode::dscp:
        if (f.labels.l3_offset != 0)
            return by_dscp_[traffic_class(f) >> 2];
        break;
    case trust_mode::pcp: {
        const auto s = f.stored();
        const std::uint16_t type = ethernet_view(s.data()).type();
        if ((type == ethertype::vlan || type == ethertype::service_vlan) && s.size() >= 16)
            return static_cast<priority>(load_be<std::uint16_t>(s.data() + 14) >> 13);
        break;
    }
    }
    return default_;
}

} // namespace vg810::fabric
