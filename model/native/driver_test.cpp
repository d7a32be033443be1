// SPDX-License-Identifier: Apache-2.0
// The embedded driver against cards that misbehave, and its own limits.
#include "model/native/driver.h"

#include "model/host_if/testing/bench.h"

#include <catch2/catch_test_macros.hpp>

#include <map>

using namespace vg810;
using namespace vg810::testing;
using regs::reg;

namespace {

/// A card of which a test decides what each register reads.
struct scripted_card final : native_platform {
    std::map<std::uint64_t, std::uint64_t> values; // by offset in BAR 0
    std::uint64_t read_register(unsigned bar, std::uint64_t offset, unsigned) override {
        return bar == 0 ? values[offset] : 0;
    }
    void write_register(unsigned bar, std::uint64_t offset, unsigned, std::uint64_t value) override {
        if (bar == 0 && offset != regs::info(reg::CONTROL).offset)
            values[offset] = value;
        if (offset == regs::info(reg::CONTROL).offset)
            values[offset] = value & accepted_control;
    }
    void read_memory(std::uint64_t, std::span<std::byte> data) override {
        std::fill(data.begin(), data.end(), std::byte{0});
    }
    void write_memory(std::uint64_t, std::span<const std::byte>) override {}
    std::uint64_t accepted_control = 3;
    void set(reg r, std::uint64_t v) { values[regs::info(r).offset] = v; }
};

std::string bring_up(scripted_card& card) {
    scheduler clock("native");
    native_driver driver(clock, "driver", {}, card, 0x10000);
    std::string why;
    driver.on_failure = [&](const std::string& w) { why = w; };
    driver.bring_up();
    clock.run_before(2'000_ms); // ends by itself: no unbounded waiting
    CHECK(clock.empty());
    CHECK(driver.failure() == why);
    return why;
}

} // namespace

TEST_CASE("native driver: a missing or broken card is told, in bounded time") {
    scripted_card card;
    card.set(reg::MAGIC, 0xffffffff);
    CHECK(bring_up(card) == "no card answers");
    card.set(reg::MAGIC, regs::magic_value);
    CHECK(bring_up(card) == "the card is not ready after a reset");
    card.set(reg::STATUS, 3); // ready, but still resetting
    CHECK(bring_up(card) == "the card is not ready after a reset");
    card.set(reg::STATUS, 1);
    card.accepted_control = 1;
    CHECK(bring_up(card) == "the card refuses features or admin queue");
    card.accepted_control = 3;
    CHECK(bring_up(card) == "an admin command got no answer");
}

TEST_CASE("native driver: a refused command ends the bring-up and names it") {
    bench b(bench_configuration(), {.mtu = 9601});
    b.bring_up();
    CHECK(b.failure == "admin command 35 ended with status 2, param 20");
    CHECK_FALSE(b.driver.send(plain_frame(peer_mac, card_mac, 60)));
}

TEST_CASE("native driver: a full ring says so and calls when there is room") {
    bench b(bench_configuration(), {.ring_log2 = 4});
    b.bring_up();
    const auto f = plain_frame(peer_mac, card_mac, 1000);
    for (int i = 0; i < 16; ++i)
        REQUIRE(b.driver.send(f));
    CHECK_FALSE(b.driver.send(f));
    unsigned calls = 0;
    b.driver.on_space = [&] { ++calls; };
    b.run(50_us);
    CHECK(calls > 0);
    CHECK(b.driver.send(f, {.descriptors = 16}));
    CHECK_FALSE(b.driver.send(f));
    CHECK_THROWS_AS(b.driver.send(std::vector<std::byte>(b.driver.packet_bytes() + 1)), std::length_error);
    CHECK_THROWS_AS(b.driver.send({}), std::length_error);
    b.run(50_us);
    CHECK(b.cable.frames.size() == 17);
    CHECK(b.cable.frames.back().octets == f);
}

TEST_CASE("native driver: memory holds its plan") {
    for (std::int64_t log2 : {4, 9, 12})
        CHECK(native_driver::memory_needed(native_driver_config{.mtu = 9600, .ring_log2 = log2}) >=
              (2u << log2) * (9622u + 48u + 64u));
}
