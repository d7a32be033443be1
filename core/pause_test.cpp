// SPDX-License-Identifier: Apache-2.0
#include "core/pause.h"

#include "core/ethernet.h"

#include <catch2/catch_test_macros.hpp>

using namespace vg810;

namespace {
constexpr mac_address own = mac_address::from_u64(0x020000000001);
}

TEST_CASE("A PFC frame has the octets that 802.3 31D.1 gives it") {
    frame_pool pool;
    pfc_request r;
    r.enabled = 0b0000'1001;
    r.time = {0x1234, 7, 7, 0xffff, 7, 7, 7, 7};
    const frame_ptr f = make_pfc_frame(pool, own, r);
    CHECK(f->length() == 60);
    const auto s = std::as_const(*f).stored();
    REQUIRE(s.size() == 60);
    const unsigned expected[] = {0x01, 0x80, 0xc2, 0x00, 0x00, 0x01, 0x02, 0,    0, 0, 0, 0x01, // addresses
                                 0x88, 0x08, 0x01, 0x01, 0x00, 0x09, 0x12, 0x34, 0, 0, 0, 0,    0xff, 0xff};
    for (std::size_t i = 0; i < s.size(); ++i)
        CHECK(std::to_integer<unsigned>(s[i]) == (i < std::size(expected) ? expected[i] : 0u));
    const auto back = read_pause_frame(*f);
    REQUIRE(back);
    CHECK(back->enabled == r.enabled);
    CHECK(back->time[0] == 0x1234);
    CHECK(back->time[3] == 0xffff);
}

TEST_CASE("A link PAUSE asks for all priorities; other frames ask for nothing") {
    frame_pool pool;
    frame_ptr f = make_pfc_frame(pool, own, {});
    std::byte* const at = f->stored().data() + 14;
    store_be(at, pause_opcode);
    store_be(at + 2, std::uint16_t{100});
    const auto all = read_pause_frame(*f);
    REQUIRE(all);
    CHECK(all->enabled == 0xff);
    for (std::uint16_t t : all->time)
        CHECK(t == 100);
    store_be(at, std::uint16_t{0x0002}); // GATE
    CHECK_FALSE(read_pause_frame(*f));
    store_be(at, pfc_opcode);
    CHECK(read_pause_frame(*f));
    f->fcs_bad = true;
    CHECK_FALSE(read_pause_frame(*f));
    f->fcs_bad = false;
    ethernet_view<std::byte>(f->stored().data()).set_type(ethertype::ipv4);
    CHECK_FALSE(read_pause_frame(*f));
    CHECK_FALSE(read_pause_frame(*pool.make(60, 20)));
}

TEST_CASE("Timers pause for quanta of 512 bit times, are replaced, and end by a time of 0") {
    pause_timers t(25_gbps);
    CHECK(t.quantum() == picoseconds(20'480));
    CHECK(t.paused(1_us) == 0);
    pfc_request r;
    r.enabled = 0b0001'1000;
    r.time[3] = 2;
    r.time[4] = 1;
    CHECK(t.apply(r, 1_us) == 0);
    CHECK(t.paused(1_us) == 0b0001'1000);
    CHECK(t.paused(1_us + 20'479_ps) == 0b0001'1000);
    CHECK(t.paused(1_us + 20'480_ps) == 0b0000'1000);
    CHECK(t.until(3) == 1_us + 40'960_ps);
    // A later request replaces the timer, shorter or longer; priorities not enabled stay as they are.
    r.enabled = 0b0000'1000;
    r.time[3] = 0xffff;
    CHECK(t.apply(r, 1_us + 10_ns) == 0);
    CHECK(t.until(3) == 1_us + 10_ns + 20'480_ps * 65'535);
    CHECK(t.paused(1_us + 11_ns) == 0b0001'1000);
    r.time[3] = 0;
    CHECK(t.apply(r, 2_us) == 0b0000'1000);
    CHECK(t.paused(2_us) == 0);
    CHECK(t.apply(r, 2_us) == 0); // it was not paused
    r.time[3] = 9;
    t.apply(r, 2_us);
    t.clear();
    CHECK(t.paused(2_us) == 0);
}
