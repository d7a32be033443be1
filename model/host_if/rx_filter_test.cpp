// SPDX-License-Identifier: Apache-2.0
#include "model/host_if/rx_filter.h"

#include <catch2/catch_test_macros.hpp>

using namespace vg810;

namespace {

const mac_address own = mac_address::from_u64(0x02'00'00'00'00'01);
const mac_address other = mac_address::from_u64(0x02'00'00'00'00'02);
const mac_address group = mac_address::from_u64(0x01'00'5e'00'00'05);

parse_result tagged(std::uint16_t tci) {
    parse_result p;
    p.vlan_tags = 1;
    p.vlan_tci = tci;
    return p;
}

} // namespace

TEST_CASE("RX filter: addresses") {
    rx_filter f;
    f.reset(own);
    const parse_result plain;
    CHECK(f.accepts(own, plain));
    CHECK(f.accepts(mac_address::broadcast(), plain));
    CHECK_FALSE(f.accepts(other, plain));
    CHECK_FALSE(f.accepts(group, plain));

    const mac_address list[] = {group, other};
    f.set_mode(false, false, list);
    CHECK(f.accepts(other, plain));
    CHECK(f.accepts(group, plain));
    CHECK_FALSE(f.accepts(mac_address::from_u64(0x01'00'5e'00'00'06), plain));

    f.set_mode(false, true, {});
    CHECK(f.accepts(group, plain));
    CHECK_FALSE(f.accepts(other, plain));

    f.set_mode(true, false, {});
    CHECK(f.accepts(group, plain));
    CHECK(f.accepts(other, plain));

    f.set_mode(false, false, {});
    f.set_own(other);
    CHECK(f.accepts(other, plain));
    CHECK_FALSE(f.accepts(own, plain));
}

TEST_CASE("RX filter: VLANs") {
    rx_filter f;
    f.reset(own);
    CHECK(f.accepts(own, tagged(100)));
    std::array<std::byte, 512> bitmap{};
    bitmap[100 / 8] = std::byte{1 << 100 % 8};
    bitmap[4095 / 8] = std::byte{0x80};
    f.set_vlans(bitmap);
    CHECK(f.accepts(own, tagged(100)));
    CHECK(f.accepts(own, tagged(0xe000 | 100)));
    CHECK(f.accepts(own, tagged(4095)));
    CHECK_FALSE(f.accepts(own, tagged(101)));
    CHECK(f.accepts(own, tagged(0xe000)));
    CHECK(f.accepts(own, parse_result{}));
    f.set_mode(true, false, {});
    CHECK(f.accepts(own, tagged(101)));
    f.set_mode(false, false, {});
    f.clear_vlans();
    CHECK(f.accepts(own, tagged(101)));
}
