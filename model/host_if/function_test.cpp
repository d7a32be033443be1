// SPDX-License-Identifier: Apache-2.0
// The function as a driver sees it: reset and negotiation, traffic both ways, doorbell errors, resets in the
// middle.
#include "model/host_if/function.h"

#include "model/host_if/testing/bench.h"

#include <catch2/catch_test_macros.hpp>

using namespace vg810;
using namespace vg810::testing;
using regs::reg;

TEST_CASE("function: after power-up the card becomes ready") {
    bench b;
    CHECK(b.read(reg::MAGIC) == regs::magic_value);
    CHECK(b.read(reg::STATUS) == regs::STATUS::reset_active::mask);
    CHECK(b.read(reg::PORT_SPEED) == 0); // silent before ready
    b.run(99_us);
    CHECK_FALSE(regs::STATUS::ready::get(static_cast<std::uint32_t>(b.read(reg::STATUS))));
    b.run(2_us);
    CHECK(b.read(reg::STATUS) == regs::STATUS::ready::mask);
    CHECK(b.read(reg::PORT_SPEED) == 25000);
    CHECK(b.read(reg::FUNCTION_INFO) == 0x200);
    CHECK(b.read(reg::CLOCK) == 101'000);
    CHECK(b.read(reg::PORT_STATUS) == 0x100); // admin down
    CHECK(b.read(reg::MAC_ADDRESS) == 0x010000cc1e02);
}

TEST_CASE("function: negotiation") {
    bench b;
    b.run(101_us);
    const auto control = [&](std::uint32_t v) {
        b.write(reg::CONTROL, v);
        return b.read(reg::CONTROL);
    };
    b.write(reg::DRIVER_FEATURES, 0x100); // not offered
    CHECK(control(1) == 0);
    CHECK(control(3) == 0);
    b.write(reg::DRIVER_FEATURES, 0x03);
    CHECK(control(1) == 1);
    b.write(reg::DRIVER_FEATURES, 0xff); // too late
    CHECK(b.read(reg::DRIVER_FEATURES) == 0x03);
    CHECK(control(3) == 1); // no rings
    b.write(reg::ASQ_BASE, fake_host::base);
    b.write(reg::ACQ_BASE, fake_host::base + 4096);
    for (std::uint32_t bad : {0x000u, 0x101u & 0x00fu, 0x901u, 0x109u}) {
        b.write(reg::ADMIN_SIZE, bad);
        CHECK(control(3) == 1);
    }
    b.write(reg::ADMIN_SIZE, 0x0101);
    b.write(reg::ASQ_BASE, fake_host::base + 64); // not aligned
    CHECK(control(3) == 1);
    b.write(reg::ASQ_BASE, fake_host::base);
    CHECK(control(3) == 3);
    b.write(reg::ASQ_BASE, 0); // in use
    CHECK(b.read(reg::ASQ_BASE) == fake_host::base);
    CHECK(control(0) == 3); // until reset
    b.write(reg::RESET, 1); // wrong key
    CHECK(b.read(reg::CONTROL) == 3);
    CHECK(regs::ERROR_STATUS::bad_access::get(static_cast<std::uint32_t>(b.read(reg::ERROR_STATUS))));
    b.write(reg::RESET, regs::reset_key);
    CHECK(b.read(reg::CONTROL) == 0);
}

TEST_CASE("function: bring-up, link and one frame each way") {
    bench b;
    b.bring_up();
    REQUIRE(b.failure == "");
    REQUIRE(b.driver.link_up());
    CHECK(b.read(reg::PORT_STATUS) == 1);

    const auto out = plain_frame(peer_mac, card_mac, 200);
    REQUIRE(b.driver.send(out));
    b.run(50_us);
    REQUIRE(b.cable.frames.size() == 1);
    CHECK(b.cable.frames[0].octets == out);
    CHECK(b.driver.counts().sent == 1);
    CHECK(b.driver.sends_pending() == 0);

    std::vector<std::byte> in_octets;
    regs::rss_hash_type type{};
    b.driver.on_receive = [&](std::span<const std::byte> f, regs::completion_const_view c) {
        in_octets.assign(f.begin(), f.end());
        type = c.hash_type();
        CHECK(regs::completion_flags::rx::get(c.flags()));
        CHECK_FALSE(regs::completion_flags::multicast::get(c.flags()));
    };
    const auto in = plain_frame(card_mac, peer_mac, 1514, 9);
    b.arrive(in);
    b.run(50_us);
    CHECK(in_octets == in);
    CHECK(type == regs::rss_hash_type::none);
    CHECK(b.read(reg::tx_packets) == 1);
    CHECK(b.read(reg::tx_bytes) == 204);
    CHECK(b.read(reg::rx_packets) == 1);
    CHECK(b.read(reg::rx_1024_to_1518_bytes) == 1);
    CHECK(b.read(reg::ERROR_STATUS) == 0);
}

TEST_CASE("function: a short frame is padded with zeros") {
    bench b;
    b.bring_up();
    const auto out = plain_frame(peer_mac, card_mac, 20);
    REQUIRE(b.driver.send(out));
    b.run(50_us);
    REQUIRE(b.cable.frames.size() == 1);
    auto expected = out;
    expected.resize(60);
    CHECK(b.cable.frames[0].octets == expected);
}

TEST_CASE("function: rings and phases wrap, indices run past 16 bits") {
    native_driver_config d;
    d.ring_log2 = 4;
    bench b(bench_configuration(), d);
    b.bring_up();
    REQUIRE(b.failure == "");
    std::uint64_t received = 0, wrong = 0;
    b.driver.on_receive = [&](std::span<const std::byte> f, regs::completion_const_view) {
        const auto expected =
            plain_frame(card_mac, peer_mac, 64 + received % 100, static_cast<unsigned>(received));
        wrong += !std::equal(f.begin(), f.end(), expected.begin(), expected.end());
        ++received;
    };
    b.cable.keep = false;
    constexpr std::uint64_t rounds = 6000;
    for (std::uint64_t i = 0; i < rounds; ++i) {
        for (unsigned k = 0; k < 12; ++k)
            REQUIRE(b.driver.send(plain_frame(peer_mac, card_mac, 60 + k)));
        b.arrive(plain_frame(card_mac, peer_mac, 64 + i % 100, static_cast<unsigned>(i)));
        b.run(20_us);
    }
    CHECK(b.driver.counts().sent == rounds * 12); // 72000: past 65536
    CHECK(b.cable.count == rounds * 12);
    CHECK(received == rounds);
    CHECK(wrong == 0);
    CHECK(b.read(reg::ERROR_STATUS) == 0);
    CHECK(b.frames.in_use() == 0);
}

TEST_CASE("function: a doorbell that cannot be stops its queue, with an event") {
    bench b;
    b.bring_up();
    std::vector<std::tuple<regs::queue_kind, std::uint32_t, std::uint64_t>> errors;
    b.driver.on_queue_error = [&](regs::event_const_view e) {
        errors.emplace_back(e.kind(), e.id(), e.data());
    };
    const auto bad_bell = static_cast<std::uint64_t>(regs::queue_error::bad_doorbell);

    SECTION("more descriptors than the ring has") {
        b.write(reg::DB_TX, 513);
        b.run(20_us);
        REQUIRE(errors.size() == 1);
        CHECK(errors[0] == std::tuple(regs::queue_kind::tx, 0u, bad_bell));
        CHECK(b.read(reg::ERROR_STATUS) == regs::ERROR_STATUS::bad_doorbell::mask);
        // It stays stopped.
        CHECK(b.driver.send(plain_frame(peer_mac, card_mac, 100)));
        b.run(20_us);
        CHECK(b.cable.frames.empty());
    }
    SECTION("an index that goes back") {
        b.write(reg::DB_RX, 400);
        b.run(20_us);
        REQUIRE(errors.size() == 1);
        CHECK(errors[0] == std::tuple(regs::queue_kind::rx, 0u, bad_bell));
        b.arrive(plain_frame(card_mac, peer_mac, 100));
        b.run(20_us);
        CHECK(b.read(reg::rx_no_queue) == 1);
    }
    SECTION("completions freed that never were") {
        b.write(reg::DB_CQ, 5);
        b.run(20_us);
        REQUIRE(errors.size() == 1);
        CHECK(errors[0] == std::tuple(regs::queue_kind::cq, 0u, bad_bell));
    }
    SECTION("no such queue, or not on that page") {
        b.write(reg::DB_TX, 7u << 16);
        b.write(reg::DB_TX, 0, 3);
        b.write(reg::DB_CQ, std::uint64_t{1000} << 32);
        b.write(reg::DB_EQ, std::uint64_t{0xffffffff} << 32);
        b.run(20_us);
        CHECK(errors.empty());
        CHECK(b.read(reg::ERROR_STATUS) == regs::ERROR_STATUS::bad_doorbell::mask);
        b.write(reg::ERROR_STATUS, regs::ERROR_STATUS::bad_doorbell::mask);
        CHECK(b.read(reg::ERROR_STATUS) == 0);
        REQUIRE(b.driver.send(plain_frame(peer_mac, card_mac, 100)));
        b.run(20_us);
        CHECK(b.cable.frames.size() == 1);
    }
}

TEST_CASE("function: fatal errors stop everything until a reset") {
    bench b;
    b.bring_up();
    std::uint32_t code = 0;
    SECTION("doorbell outside the admin ring") {
        b.write(reg::ASQ_TAIL, 32);
        code = static_cast<std::uint32_t>(regs::fatal_error::admin_doorbell);
    }
    SECTION("admin ring not readable") {
        b.host.poison(fake_host::base);
        b.write(reg::ASQ_TAIL, 31);
        code = static_cast<std::uint32_t>(regs::fatal_error::admin_read);
    }
    SECTION("event ring not writable") {
        b.host.poison(fake_host::base + 2 * 4096);
        b.function.port().signal_changed(false, 25_gbps);
        code = static_cast<std::uint32_t>(regs::fatal_error::admin_write);
    }
    b.run(30_us);
    CHECK(regs::STATUS::failed::get(static_cast<std::uint32_t>(b.read(reg::STATUS))));
    CHECK(b.read(reg::ERROR_CODE) == code);
    const auto reads = b.host.reads;
    b.driver.send(plain_frame(peer_mac, card_mac, 100));
    b.arrive(plain_frame(card_mac, peer_mac, 100));
    b.run(30_us);
    CHECK(b.host.reads == reads);
    CHECK(b.cable.frames.empty());

    b.host.heal();
    b.bring_up();
    CHECK(b.failure == "");
    CHECK(b.read(reg::ERROR_CODE) == 0);
    REQUIRE(b.driver.send(plain_frame(peer_mac, card_mac, 100)));
    b.run(30_us);
    CHECK(b.driver.counts().sent == 1);
}

TEST_CASE("function: a reset in the middle of traffic leaves nothing behind") {
    bench b;
    b.bring_up();
    b.cable.keep = false;
    for (int round = 0; round < 60; ++round) {
        for (int i = 0; i < 40; ++i)
            b.driver.send(plain_frame(peer_mac, card_mac, 1000));
        for (int i = 0; i < 10; ++i)
            b.arrive(plain_frame(card_mac, peer_mac, 800));
        b.run(picoseconds(round * 97'003));
        const auto pending = b.host.pending();
        if (round % 2 == 0) {
            b.function.reset(pcie::reset_kind::function_level);
            b.host.abort_all();
        } else {
            b.write(reg::RESET, regs::reset_key);
            CHECK((pending == 0 || b.host.pending() == pending));
        }
        CHECK(b.read(reg::tx_packets) == 0);
        // Ready only when what was under way has ended; nothing starts meanwhile.
        b.run(90_us);
        CHECK(b.host.pending() == 0);
        const auto writes = b.host.write_batches;
        b.run(50_us);
        CHECK(b.host.write_batches == writes);
        b.bring_up();
        REQUIRE(b.failure == "");
        REQUIRE(b.driver.link_up());
    }
    CHECK(b.frames.in_use() == 0);
}

TEST_CASE("function: the delayed interrupt comes after exactly N ns and a constant") {
    bench b;
    b.bring_up();
    b.write(reg::IRQ_TEST_VECTOR, 5);
    std::optional<std::int64_t> constant;
    for (std::uint32_t n : {0u, 500u, 5'000u, 123'456u, 10'000'000u}) {
        std::vector<picoseconds> raised;
        b.host.on_interrupt = [&](std::uint16_t v) {
            if (v == 5)
                raised.push_back(b.clock.now());
        };
        const picoseconds written = b.clock.now();
        b.write(reg::IRQ_TEST_DELAY, n);
        b.run(picoseconds::from_ns(n + 10'000));
        REQUIRE(raised.size() == 1);
        const std::int64_t extra = (raised[0] - written).count() - std::int64_t{n} * 1000;
        CHECK(constant.value_or(extra) == extra);
        constant = extra;
        CHECK(b.read(reg::IRQ_TEST_RAISED) - b.read(reg::IRQ_TEST_WRITTEN) == n);
    }
    std::size_t count = 0;
    b.host.on_interrupt = [&](std::uint16_t v) { count += v == 5; };
    b.write(reg::IRQ_TEST_DELAY, 1000);
    b.run(500_ns);
    b.write(reg::IRQ_TEST_DELAY, 3000); // replaces
    b.run(20_us);
    CHECK(count == 1);
    CHECK(b.read(reg::IRQ_TEST_RAISED) - b.read(reg::IRQ_TEST_WRITTEN) == 3000);
}

TEST_CASE("function: loopback returns frames and keeps them off the cable") {
    for (bool broken : {false, true}) {
        auto c = bench_configuration();
        c.faults.loopback_corrupts = broken;
        bench b(c);
        b.driver.bring_up(); // no far end
        b.run(8_ms);
        CHECK_FALSE(b.driver.link_up());
        b.write(reg::LOOPBACK, 1);
        b.run(20_us);
        CHECK(b.driver.link_up());
        std::vector<std::byte> in;
        b.driver.on_receive = [&](std::span<const std::byte> f, regs::completion_const_view) {
            in.assign(f.begin(), f.end());
        };
        const auto out = plain_frame(card_mac, card_mac, 300);
        REQUIRE(b.driver.send(out));
        b.run(20_us);
        CHECK((in == out) == !broken);
        CHECK(in.size() == out.size());
        CHECK(b.cable.frames.empty());
        b.write(reg::LOOPBACK, 0);
        b.run(20_us);
        CHECK_FALSE(b.driver.link_up());
    }
}

TEST_CASE("function: a failure that the scenario asked for") {
    auto c = bench_configuration();
    c.faults.fatal_at = 9_ms;
    bench b(c);
    b.bring_up();
    CHECK(b.driver.link_up());
    b.run(2_ms);
    CHECK(regs::STATUS::failed::get(static_cast<std::uint32_t>(b.read(reg::STATUS))));
    CHECK(b.read(reg::ERROR_CODE) == static_cast<std::uint64_t>(regs::fatal_error::injected));
    b.bring_up(); // once only
    CHECK(b.failure == "");
    CHECK(b.driver.link_up());
}

TEST_CASE("function: a transmitter that the scenario made stick") {
    auto c = bench_configuration();
    c.faults.transmit_stuck_at = 9_ms;
    bench b(c);
    b.bring_up();
    b.run(2_ms);
    const auto out = plain_frame(card_mac, card_mac, 300);
    REQUIRE(b.driver.send(out));
    b.run(1_ms);
    CHECK(b.cable.frames.empty());
    CHECK(b.driver.link_up());
    b.bring_up(); // resets the function
    REQUIRE(b.driver.send(out));
    b.run(1_ms);
    CHECK(b.cable.frames.size() == 1);
    CHECK(b.failure == "");
}

TEST_CASE("function: stuck bits of SCRATCH") {
    auto c = bench_configuration();
    c.faults.scratch_stuck_at_one = 0x10;
    bench b(c);
    b.run(101_us);
    b.write(reg::SCRATCH, 0x0f);
    CHECK(b.read(reg::SCRATCH) == 0x1f);
    bench sound;
    sound.write(reg::SCRATCH, 0x0f);
    CHECK(sound.read(reg::SCRATCH) == 0x0f);
}
