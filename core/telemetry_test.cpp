// SPDX-License-Identifier: Apache-2.0
#include "core/telemetry.h"

#include <catch2/catch_test_macros.hpp>

#include <vector>

using namespace vg810;

namespace {
struct block {
    block() : view(octets.data()) { view.clear(); }
    std::vector<std::byte> octets{telemetry_bytes, std::byte{0xff}};
    telemetry_view<std::byte> view;
};
} // namespace

TEST_CASE("The block is 42 octets with the fields where the paper has them") {
    CHECK(telemetry_bytes == 42);
    block b;
    b.view.stamp(0x5a5, 8, 0x123456_ns, 128 * 0x98765, 80 * 0x4321);
    const unsigned expected[] = {0x15, 0xa5, 0x81, 0x23, 0x45, 0x69, 0x87, 0x65, 0x43, 0x21, 0};
    for (std::size_t i = 0; i < std::size(expected); ++i)
        CHECK(std::to_integer<unsigned>(b.octets[i]) == expected[i]);
    CHECK(b.view.hops() == 1);
    CHECK(b.view.path_id() == 0x5a5);
    const telemetry_entry e = b.view.entry(0);
    CHECK(e.rate_code == 8);
    CHECK(e.time_ns == 0x123456);
    CHECK(e.tx_units == 0x98765);
    CHECK(e.queue_units == 0x4321);
}

TEST_CASE("Fields wrap, the queue saturates, and a full block only counts on") {
    block b;
    b.view.stamp(1, 0, 0x1000001_ns, 128ull * 0x100002 + 127, 100'000'000);
    CHECK(b.view.entry(0).time_ns == 1);
    CHECK(b.view.entry(0).tx_units == 2);
    CHECK(b.view.entry(0).queue_units == 0xffff);
    for (std::uint16_t i = 2; i < 20; ++i)
        b.view.stamp(i, 8, 5_us, 0, 0);
    CHECK(b.view.hops() == 15);
    CHECK(b.view.entries() == 5);
    CHECK(b.view.entry(0).time_ns == 1);
    std::uint16_t path = 0;
    for (std::uint16_t i = 1; i < 20; ++i)
        path ^= i;
    CHECK(b.view.path_id() == path);
}

TEST_CASE("Rates have codes; one in between counts as the lower") {
    for (std::int64_t g : {1, 5, 10, 20, 25, 40, 50, 100, 200, 400, 800, 1600})
        CHECK(telemetry_rate(telemetry_rate_code(bits_per_second(g * 1'000'000'000))).count() ==
              g * 1'000'000'000);
    CHECK(telemetry_rate(telemetry_rate_code(bits_per_second(2'500'000'000))).count() == 2'500'000'000);
    CHECK(telemetry_rate(telemetry_rate_code(99_gbps)) == 50_gbps);
    CHECK(telemetry_rate(telemetry_rate_code(bits_per_second(9'000'000'000'000))) == 1600_gbps);
    CHECK(telemetry_rate(telemetry_rate_code(bits_per_second(1))).count() == 1'000'000);
}

TEST_CASE("The reader unwraps time and octets of successive blocks") {
    telemetry_reader r;
    std::array<telemetry_hop, telemetry_hops> hops{};
    picoseconds sent = 16'770_us; // 24 bits of ns wrap at 16,777.216 us
    bytes tx = 134'000'000;       // 20 bits of 128 octets wrap at 134,217,728
    std::uint64_t last_tx = 0;
    for (int i = 0; i < 40; ++i) {
        block b;
        b.view.stamp(7, 8, sent, tx, 800);
        b.view.stamp(9, 11, sent + 1_us, tx / 2, 0);
        REQUIRE(r.read(b.octets.data(), sent + 5_us, hops) == 2);
        CHECK(r.path_changed() == (i == 0));
        CHECK(hops[0].time == static_cast<std::uint64_t>(sent.count()));
        CHECK(hops[1].time == static_cast<std::uint64_t>((sent + 1_us).count()));
        CHECK(hops[0].queue_bytes == 800);
        CHECK(hops[0].rate == 25'000'000'000);
        CHECK(hops[1].rate == 100'000'000'000);
        if (i > 0)
            CHECK(hops[0].tx_bytes - last_tx == 128 * 1000);
        last_tx = hops[0].tx_bytes;
        sent += 1_us;
        tx += 128 * 1000;
    }
    block other;
    other.view.stamp(8, 8, sent, 0, 0);
    REQUIRE(r.read(other.octets.data(), sent, hops) == 1);
    CHECK(r.path_changed());
    block empty;
    CHECK(r.read(empty.octets.data(), sent, hops) == 0);
}
