// SPDX-License-Identifier: Apache-2.0
#include "scenarios/run/ping_trace.h"

#include "core/checksum.h"
#include "core/ethernet.h"
#include "scenarios/run/counter_sampler.h"

#include <catch2/catch_test_macros.hpp>

using namespace vg810;
using namespace vg810::scenarios;

namespace {

frame_ptr echo(frame_pool& pool, bool reply, std::uint16_t sequence, std::uint8_t type_changed = 0) {
    frame_ptr f = pool.make(98);
    auto s = f->stored();
    std::fill(s.begin(), s.end(), std::byte{0});
    ethernet_view<std::byte>(s.data()).set_type(ethertype::ipv4);
    const ipv4_view<std::byte> ip(s.data() + 14);
    ip.set_version_and_header_bytes(20);
    ip.set_total_length(84);
    ip.set_protocol(ip_protocol::icmp);
    s[34] = std::byte{static_cast<std::uint8_t>((reply ? 0 : 8) + type_changed)};
    store_be(s.data() + 38, std::uint16_t{7});
    store_be(s.data() + 40, sequence);
    return f;
}

picoseconds at(std::int64_t t) {
    return picoseconds(t);
}

closed_form always(std::int64_t t) {
    return [t](const std::string&, unsigned, const std::string&, unsigned, bytes) { return picoseconds(t); };
}

/// One whole echo, left port 0 to right port 1.
void follow(frame_pool& pool, ping_recorder& left, ping_recorder& right, std::uint16_t sequence,
            std::int64_t start) {
    left.doorbell_seen(0, 3, at(start));
    left.frame_out(0, *echo(pool, false, sequence), at(start + 10));
    right.frame_in(1, *echo(pool, false, sequence), at(start + 110));
    right.interrupt_sent(0, 1, at(start + 111)); // the other port's
    right.interrupt_sent(1, 1, at(start + 120));
    right.doorbell_seen(1, 2, at(start + 200));
    right.frame_out(1, *echo(pool, true, sequence), at(start + 210));
    left.frame_in(0, *echo(pool, true, sequence), at(start + 310));
    left.interrupt_sent(0, 1, at(start + 320));
    left.interrupt_sent(0, 1, at(start + 999)); // somebody else's
}

} // namespace

TEST_CASE("echoes are told from other frames") {
    frame_pool pool;
    CHECK(echo_of(*echo(pool, false, 3)) == echo_id{false, 7, 3});
    CHECK(echo_of(*echo(pool, true, 3)) == echo_id{true, 7, 3});
    CHECK_FALSE(echo_of(*echo(pool, false, 3, 3)));
    CHECK_FALSE(echo_of(*pool.make(60, 0)));
}

TEST_CASE("a trip has its eight stations, and the wire part is theirs") {
    frame_pool pool;
    ping_recorder left, right;
    follow(pool, left, right, 2, 5000);
    follow(pool, left, right, 1, 1000);
    const auto trips = find_trips({{"left", &left}, {"right", &right}});
    REQUIRE(trips.size() == 2);
    const ping_trip& t = trips[0];
    CHECK(t.id.sequence == 1);
    CHECK(t.from == "left");
    CHECK(t.to == "right");
    CHECK(t.far_function == 1);
    CHECK(t.far_interrupt == at(1120));
    CHECK(t.interrupt == at(1320));
    CHECK(t.wire() == at(200));
    CHECK(t.far_host() == at(100));
    CHECK(t.total() == at(320));
    CHECK(wire_error(t, always(100)) == 0);
    CHECK(wire_error(t, always(80)) == 0.25);
    CHECK(to_json(t, always(100))["wire_closed_form_ps"] == 200);
    CHECK(to_table(t, always(100)).find("wire, both ways: 0.200 ns; closed form of the fabric: 0.200 ns") !=
          std::string::npos);
}

TEST_CASE("an echo that got no answer is no trip") {
    frame_pool pool;
    ping_recorder left, right;
    left.frame_out(0, *echo(pool, false, 1), at(10));
    right.frame_in(0, *echo(pool, false, 1), at(20));
    right.interrupt_sent(0, 0, at(30));
    CHECK(find_trips({{"left", &left}, {"right", &right}}).empty());
}

TEST_CASE("counters are read at the exact time asked for") {
    scheduler clock("left");
    counter_sampler sampler(clock);
    std::uint64_t frames = 0;
    sampler.add([&](counter_sampler::counter_list& list) { list.emplace_back("left.frames", frames); });
    sampler.schedule<&counter_sampler::sample>(at(100), &sampler, 0);
    sampler.schedule<&counter_sampler::sample>(at(300), &sampler, 1);
    clock.run_before(at(200));
    frames = 5;
    clock.run_before(at(400));
    const auto all = collect({&sampler}, {"first", "end"});
    REQUIRE(all.size() == 2);
    CHECK(all[0].value == 0);
    CHECK(all[0].at == at(100));
    CHECK(all[1].value == 5);
    CHECK(all[1].moment == "end");
}
