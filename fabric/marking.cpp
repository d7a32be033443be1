// SPDX-License-Identifier: Apache-2.0
#include "fabric/marking.h"

#include "core/checksum.h"
#include "core/ethernet.h"

namespace vg810::fabric {

namespace {

// IPv4's ToS octet and IPv6's traffic class, as the first 16 bits of the header have them.
void change_traffic_class(frame& f, std::uint8_t clear, std::uint8_t set) {
    std::byte* const at = f.stored().data() + f.labels.l3_offset;
    const auto before = load_be<std::uint16_t>(at);
    const int shift = f.labels.ipv6 ? 4 : 0;
    const auto after = static_cast<std::uint16_t>((before & ~(clear << shift)) | set << shift);
    store_be(at, after);
    if (f.labels.ipv6)
        return;
    const ipv4_view<std::byte> ip(at);
    ip.set_checksum(checksum_update(ip.checksum(), before, after));
}

} // namespace

marker::marker(const marking_parameters& p) : kmin_(p.kmin), kmax_(p.kmax), drop_others_(p.drop_others) {
    if (p.kmax > p.kmin)
        slope_ = static_cast<std::uint64_t>(p.pmax * 0x1p44 / static_cast<double>(p.kmax - p.kmin));
}

bool mark_congestion(frame& f) {
    if (!f.labels.ecn_capable || f.labels.l3_offset == 0)
        return false;
    const std::byte* const at = f.stored().data() + f.labels.l3_offset;
    const unsigned ecn = load_be<std::uint16_t>(at) >> (f.labels.ipv6 ? 4 : 0) & 3u;
    if (ecn == 3)
        return false;
    change_traffic_class(f, 3, 3);
    return true;
}

void set_dscp(frame& f, std::uint8_t dscp) {
    if (f.labels.l3_offset != 0)
        change_traffic_class(f, 0xfc, static_cast<std::uint8_t>(dscp << 2));
}

} // namespace vg810::fabric
