// SPDX-License-Identifier: Apache-2.0
// The promises that exact lock-step rests on: no touch of the host before scheduler::next_touch() said, no
// bit on the cable within access_lookahead() of an access.
#include "model/host_if/testing/raw_queues.h"

#include <catch2/catch_test_macros.hpp>

#include <random>

using namespace vg810;
using namespace vg810::testing;

namespace {

/// A bench that watches: every touch of the host is compared with all promises given since the last stimulus
/// from outside.
struct watched_bench : bench {
    watched_bench() {
        cable.keep = false;
        host.on_touch = [this] {
            if (clock.now() < promised)
                ++broken;
            ++touches;
        };
    }
    /// Event by event.
    void watch(picoseconds span) {
        const picoseconds end = clock.now() + span;
        promised = {};
        while (clock.next_time() < end) {
            promised = std::max(promised, clock.next_touch());
            clock.run_before(clock.next_time() + 1_ps);
        }
        clock.advance_to(end);
    }
    picoseconds promised;
    std::uint64_t broken = 0;
    std::uint64_t touches = 0;
};

} // namespace

TEST_CASE("promises: no touch comes before the scheduler said it could") {
    watched_bench b;
    std::mt19937 random(7);
    b.driver.on_receive = [](std::span<const std::byte>, regs::completion_const_view) {};
    b.function.port().signal_changed(true, 25_gbps);
    b.driver.bring_up();
    b.watch(8_ms);
    REQUIRE(b.driver.link_up());
    for (int i = 0; i < 4000; ++i) {
        switch (random() % 8) {
        case 0:
        case 1:
        case 2:
            b.driver.send(plain_frame(peer_mac, card_mac, 60 + random() % 1400),
                          {.descriptors = static_cast<unsigned>(1 + random() % 5)});
            break;
        case 3:
        case 4:
            b.arrive(plain_frame(card_mac, peer_mac, 60 + random() % 1400));
            break;
        case 5:
            b.write(regs::reg::IRQ_TEST_DELAY, random() % 5000);
            break;
        case 6:
            b.driver.command(
                [&](regs::admin_command_view v) {
                    v.set_opcode(regs::admin_opcode::modify_eq);
                    v.set_moderation_ns(static_cast<std::uint32_t>(random() % 20000));
                },
                {}, {});
            break;
        default:
            if (random() % 50 == 0)
                b.function.port().signal_changed(random() % 2 == 0, 25_gbps);
        }
        b.watch(picoseconds(static_cast<std::int64_t>(random() % 3'000'000)));
    }
    CHECK(b.broken == 0);
    CHECK(b.touches > 5'000);
}

TEST_CASE("promises: a frame's arrival touches nothing before rx_quiet") {
    watched_bench b;
    b.function.port().signal_changed(true, 25_gbps);
    b.driver.bring_up();
    b.run(8_ms);
    b.watch(1_ms);
    for (std::size_t length : {60u, 61u, 1514u}) {
        const picoseconds arrived = b.clock.now();
        const auto touches = b.touches;
        b.arrive(plain_frame(card_mac, peer_mac, length));
        const picoseconds quiet = b.function.rx_quiet();
        CHECK(quiet == b.function.port().quiet_after_arrival());
        CHECK(b.clock.next_touch() >= arrived + quiet);
        b.run(quiet - 1_ps);
        CHECK(b.touches == touches);
        b.run(1_us);
        CHECK(b.touches > touches);
        b.run(50_us);
    }
}

TEST_CASE("promises: lookahead bounds every way from an access to the cable") {
    // Whatever an access may start, run it and see when the first bit or the first change of light follows.
    std::mt19937 random(11);
    for (int round = 0; round < 300; ++round) {
        bench b;
        const bool far_light = random() % 4 != 0;
        if (far_light)
            b.function.port().signal_changed(true, 25_gbps);
        b.run(101_us);
        if (random() % 5 != 0)
            b.driver.bring_up();
        b.run(picoseconds(static_cast<std::int64_t>(random() % 9'000'000'000)));
        if (random() % 3 == 0)
            b.write(regs::reg::LOOPBACK, 1);
        b.run(100_us);
        const picoseconds access = b.clock.now();
        const picoseconds bound = access + b.function.access_lookahead();
        const picoseconds queued = b.clock.next_time(); // what is under way bounds itself
        b.cable.light_changes.clear();
        b.cable.frames.clear();
        switch (random() % 4) {
        case 0:
            b.write(regs::reg::RESET, regs::reset_key);
            break;
        case 1:
            b.driver.send(plain_frame(peer_mac, card_mac, 60));
            break;
        case 2:
            b.write(regs::reg::LOOPBACK, 0);
            b.driver.send(plain_frame(peer_mac, card_mac, 60));
            break;
        default:
            b.driver.command(
                [&](regs::admin_command_view v) {
                    v.set_opcode(regs::admin_opcode::set_port);
                    v.set_param(static_cast<std::uint32_t>(random() % 2));
                },
                {}, {});
        }
        b.run(10_ms);
        for (const auto& f : b.cable.frames)
            CHECK(f.first_bit >= std::min(bound, queued));
        for (const picoseconds at : b.cable.light_changes)
            CHECK(at >= std::min(bound, queued));
    }
}
