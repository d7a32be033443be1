// SPDX-License-Identifier: Apache-2.0
// DMA through the card's sockets: packet sizes, order, time, and every way a transfer can end.
#include "model/pcie/testing/elaborate.h"
#include "model/pcie/testing/test_host.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <array>
#include <numeric>

using namespace vg810;
using namespace vg810::pcie;
using pcie::testing::bench;

namespace {

constexpr std::uint64_t base = bench::memory_base;

link_parameters few_tags() {
    link_parameters p;
    p.tags = 3;
    return p;
}

link_parameters ungrouped() {
    link_parameters p;
    p.touch_grouping = picoseconds{};
    return p;
}

struct benches {
    bench usual{"usual", link_parameters{}};
    bench starved{"starved", few_tags()};
    bench single{"single", ungrouped()};
};

benches& all() {
    static benches b;
    pcie::testing::elaborate();
    return b;
}

bench& started(bench& b, std::uint32_t mps = 256, std::uint32_t mrrs = 512) {
    b.start(mps, mrrs);
    return b;
}

std::vector<std::byte> pattern(std::size_t n, unsigned seed = 1) {
    std::vector<std::byte> data(n);
    for (std::size_t i = 0; i < n; ++i)
        data[i] = static_cast<std::byte>(seed + i * 7 + i / 256);
    return data;
}

std::vector<std::byte> stored(bench& b, std::uint64_t address, std::size_t n) {
    std::vector<std::byte> data(n);
    REQUIRE(b.host.memory().read(address, data));
    return data;
}

void write(bench& b, std::uint64_t address, std::span<const std::byte> data, std::uint64_t cookie,
           unsigned function = 0) {
    const dma_piece piece{address, data};
    b.card.dma(function).write({&piece, 1}, &b.client, cookie);
}

using sizes = std::vector<std::pair<std::uint64_t, std::uint32_t>>;
sizes sent(const bench& b) {
    sizes result;
    for (const bench::tlp& t : b.tlps)
        result.emplace_back(t.address - base, t.length);
    return result;
}

std::uint16_t status(bench& b, unsigned function = 0) {
    return b.host.config_read<std::uint16_t>(function, at::status);
}
std::uint32_t uncorrectable(bench& b, unsigned function = 0) {
    return b.host.config_read<std::uint32_t>(function, at::uncorrectable_status);
}

} // namespace

TEST_CASE("writes are split at MPS and at 4 KiB") {
    bench& b = started(all().usual);
    const auto data = pattern(700);
    write(b, base + 0xf80, data, 1);
    b.run();
    CHECK(sent(b) == sizes{{0xf80, 128}, {0x1000, 256}, {0x1100, 256}, {0x1200, 60}});
    CHECK(stored(b, base + 0xf80, 700) == data);
    REQUIRE(b.client.ends.size() == 1);
    CHECK(b.client.ends[0].status == dma_status::ok);
    CHECK(b.card.dma(0).counters().write_requests == 4);
    CHECK(b.card.dma(0).counters().write_bytes == 700);
}

TEST_CASE("reads are split at MRRS and at 4 KiB") {
    bench& b = started(all().usual, 128, 256);
    const auto data = pattern(1000);
    b.host.memory().write(base + 0xfc1, data);
    std::vector<std::byte> got(1000);
    b.card.dma(1).read(base + 0xfc1, got, b.client, 9);
    b.run();
    CHECK(sent(b) == sizes{{0xfc1, 63}, {0x1000, 256}, {0x1100, 256}, {0x1200, 256}, {0x1300, 169}});
    CHECK(got == data);
    CHECK(b.card.dma(1).counters().read_requests == 5);
    CHECK(std::ranges::all_of(b.tlps, [](const auto& t) { return t.function == 1 && !t.write; }));
}

TEST_CASE("outstanding reads have distinct tags") {
    bench& b = started(all().usual, 256, 128);
    std::vector<std::byte> first(1024), second(1024);
    b.card.dma(0).read(base, first, b.client, 1);
    b.card.dma(0).read(base + 0x1000, second, b.client, 2);
    b.run();
    std::vector<unsigned> tags;
    for (const auto& t : b.tlps)
        tags.push_back(t.tag);
    std::ranges::sort(tags);
    CHECK(tags.size() == 16);
    CHECK(std::ranges::adjacent_find(tags) == tags.end());
}

TEST_CASE("pieces of one write become visible at one instant, in order") {
    bench& b = started(all().usual);
    const auto one = pattern(300, 1), two = pattern(20, 99);
    const std::array pieces = {dma_piece{base, one}, dma_piece{base + 0x2000, two}};
    b.card.dma(0).write(pieces, &b.client, 5);
    const picoseconds begin = b.now();
    b.run();
    CHECK(sent(b) == sizes{{0, 256}, {256, 44}, {0x2000, 20}});
    const link_timing& wire = b.card.wire();
    const picoseconds due = begin + wire.packet_rate().time_for(300 + 20 + 3 * 24) + wire.to_memory();
    for (const auto& t : b.tlps)
        CHECK(t.at == due);
    REQUIRE(b.client.ends.size() == 1);
    CHECK(b.client.ends[0].at == due);
}

TEST_CASE("the data of a write are copied when it is requested") {
    bench& b = started(all().usual);
    auto data = pattern(64);
    const auto before = data;
    write(b, base, data, 1);
    std::ranges::fill(data, std::byte{0});
    b.run();
    CHECK(stored(b, base, 64) == before);
}

TEST_CASE("a read takes the memory's state when its request arrives and ends a round trip later") {
    bench& b = started(all().usual);
    const picoseconds begin = b.now();
    std::vector<std::byte> got(64);
    b.card.dma(0).read(base + 0x4000, got, b.client, 1);
    const link_timing& wire = b.card.wire();
    const picoseconds sampled = begin + wire.packet_rate().time_for(24) + wire.to_memory();
    b.run(sampled);
    b.host.memory().put<std::uint32_t>(base + 0x4000, 0x11223344); // just in time
    b.run(sampled + 1_ps);
    b.host.memory().put<std::uint32_t>(base + 0x4000, 0); // too late
    b.run();
    CHECK(got[0] == std::byte{0x44});
    REQUIRE(b.client.ends.size() == 1);
    CHECK(b.client.ends[0].at == sampled + wire.packet_rate().time_for(64 + 20) + wire.from_memory());
}

TEST_CASE("completions of an unaligned read end at read completion boundaries") {
    bench& b = started(all().usual); // MPS 256, RCB 64
    const picoseconds begin = b.now();
    std::vector<std::byte> got(500);
    b.card.dma(0).read(base + 0x20, got, b.client, 1);
    b.run();
    const link_timing& wire = b.card.wire();
    // 0x20..0x100 (224), 0x100..0x200 (256), 0x200..0x214 (20): three completions
    const picoseconds due = begin + wire.packet_rate().time_for(24) + wire.to_memory() +
                            wire.packet_rate().time_for(500 + 3 * 20) + wire.from_memory();
    CHECK(b.client.ends.at(0).at == due);
}

TEST_CASE("requests of one instant touch the host together and in order") {
    bench& b = started(all().usual);
    const auto data = pattern(64);
    std::vector<std::byte> got(64);
    write(b, base, data, 1);
    b.card.dma(0).read(base, got, b.client, 2); // sees the write before it, not the one after
    write(b, base, pattern(64, 50), 3);
    b.card.dma(0).interrupt(7);
    b.run();
    REQUIRE(b.tlps.size() == 4);
    CHECK(std::ranges::all_of(b.tlps, [&](const auto& t) { return t.at == b.tlps[0].at; }));
    CHECK(got == data);
    REQUIRE(b.interrupts.size() == 1);
    CHECK(b.interrupts[0].vector == 7);
    CHECK(b.tlps[3].address == root_complex::message_base);
}

TEST_CASE("without grouping each request arrives by itself") {
    bench& b = started(all().single);
    write(b, base, pattern(64), 1);
    write(b, base + 64, pattern(64), 2);
    b.run();
    REQUIRE(b.tlps.size() == 2);
    CHECK(b.tlps[1].at - b.tlps[0].at == b.card.wire().packet_rate().time_for(64 + 24));
}

TEST_CASE("grouping ends where the packets of an instant span too much time") {
    bench& b = started(all().usual);
    for (unsigned i = 0; i < 40; ++i)
        write(b, base + 0x1000 * i, pattern(256), i);
    b.run();
    REQUIRE(b.tlps.size() == 40);
    const picoseconds one = b.card.wire().packet_rate().time_for(256 + 24);
    std::vector<picoseconds> instants;
    for (const auto& t : b.tlps)
        if (instants.empty() || instants.back() != t.at)
            instants.push_back(t.at);
    CHECK(instants.size() > 5);
    for (std::size_t i = 1; i < instants.size(); ++i)
        CHECK(instants[i] - instants[i - 1] <= b.card.wire().parameters().touch_grouping + one);
}

TEST_CASE("nothing touches the host before the touch latency has passed") {
    bench& b = started(all().usual);
    const picoseconds begin = b.now();
    std::vector<std::byte> got(4);
    b.card.dma(0).read(base, got, b.client, 1);
    b.card.dma(1).interrupt(0);
    while (!b.clock.empty() && b.tlps.empty()) {
        const picoseconds promised = b.clock.next_touch();
        CHECK(promised >= begin);
        b.clock.run_before(b.clock.next_time() + 1_ps);
        if (!b.tlps.empty())
            CHECK(b.tlps[0].at >= promised);
    }
    REQUIRE(!b.tlps.empty());
    CHECK(b.tlps[0].at - begin >= b.card.dma(0).touch_latency());
    b.run();
}

TEST_CASE("interrupts stay behind the writes before them") {
    bench& b = started(all().usual);
    const auto data = pattern(4096);
    bool visible = false;
    b.host.set_interrupt_handler([&](unsigned, std::uint16_t) { visible = stored(b, base, 4096) == data; });
    write(b, base, data, 1);
    b.card.dma(0).interrupt(3);
    b.run();
    CHECK(visible);
}

TEST_CASE("a processor's read pushes posted writes and interrupts before it returns") {
    bench& b = started(all().usual);
    const auto data = pattern(64);
    write(b, base, data, 1);
    b.card.dma(0).interrupt(2);
    std::vector<std::byte> got(64);
    b.card.dma(0).read(base + 0x100, got, b.client, 2);
    b.host.bar_read<std::uint32_t>(0, 0, 0x10);
    CHECK(stored(b, base, 64) == data);
    CHECK(b.interrupts.size() == 1);
    CHECK(b.client.ends.size() == 1); // the read goes its own way
    b.run();
    CHECK(b.client.ends.size() == 2);
    CHECK(b.tlps.size() == 3); // nothing twice
}

TEST_CASE("reads wait for tags, and end in the order of request when the host keeps it") {
    bench& b = started(all().starved, 256, 128); // 3 tags
    std::vector<std::vector<std::byte>> got(5, std::vector<std::byte>(640));
    for (unsigned i = 0; i < 5; ++i) {
        b.host.memory().write(base + 0x1000 * i, pattern(640, i));
        b.card.dma(0).read(base + 0x1000 * i, got[i], b.client, i);
    }
    std::size_t most = 0;
    while (!b.clock.empty()) {
        const std::size_t before = b.tlps.size();
        b.clock.run_before(b.clock.next_time() + 1_ps);
        most = std::max(most, b.tlps.size() - before);
    }
    CHECK(most <= 3);
    REQUIRE(b.client.ends.size() == 5);
    for (unsigned i = 0; i < 5; ++i) {
        CHECK(b.client.ends[i].cookie == i);
        CHECK(b.client.ends[i].status == dma_status::ok);
        CHECK(got[i] == pattern(640, i));
    }
    CHECK(b.tlps.size() == 25);
    CHECK(std::ranges::all_of(b.tlps, [](const auto& t) { return t.tag < 3; }));
}

TEST_CASE("without extended tags 32 reads are outstanding at most") {
    bench& b = started(all().usual, 256, 128);
    const auto control = b.host.config_read<std::uint16_t>(0, at::device_control);
    b.host.config_write<std::uint16_t>(0, at::device_control, control & ~0x100);
    std::vector<std::byte> got(8192);
    b.card.dma(0).read(base, got, b.client, 1);
    b.run();
    CHECK(b.tlps.size() == 64);
    CHECK(std::ranges::all_of(b.tlps, [](const auto& t) { return t.tag < 32; }));
    CHECK(b.tlps[31].at < b.tlps[32].at);
}

TEST_CASE("with bus master off nothing is asked for") {
    bench& b = started(all().usual);
    b.host.config_write<std::uint16_t>(0, at::command, 0x0002);
    std::vector<std::byte> got(64);
    b.card.dma(0).read(base, got, b.client, 1);
    write(b, base, pattern(8), 2);
    CHECK(b.client.ends.empty()); // told later, never from within
    b.run();
    REQUIRE(b.client.ends.size() == 2);
    CHECK(b.client.ends[0].status == dma_status::bus_master_disabled);
    CHECK(b.client.ends[1].status == dma_status::bus_master_disabled);
    CHECK(b.tlps.empty());
}

TEST_CASE("turning bus master off lands what was posted and ends reads") {
    bench& b = started(all().usual);
    const auto data = pattern(64);
    std::vector<std::byte> got(64);
    write(b, base, data, 1);
    b.card.dma(0).read(base, got, b.client, 2);
    b.host.config_write<std::uint16_t>(0, at::command, 0x0002);
    CHECK(stored(b, base, 64) == data);
    b.run();
    REQUIRE(b.client.ends.size() == 2);
    CHECK(b.client.ends[0].status == dma_status::ok);
    CHECK(b.client.ends[1].status == dma_status::bus_master_disabled);
    CHECK(b.tlps.size() == 1);
}

TEST_CASE("an interrupt while bus master is off is sent when it is on again") {
    bench& b = started(all().usual);
    b.host.config_write<std::uint16_t>(0, at::command, 0x0002);
    b.card.dma(0).interrupt(4);
    b.run();
    CHECK(b.interrupts.empty());
    CHECK(b.host.bar_read<std::uint64_t>(0, 0, 0x18000) == 0x10);
    b.host.config_write<std::uint16_t>(0, at::command, 0x0006);
    b.run();
    REQUIRE(b.interrupts.size() == 1);
    CHECK(b.interrupts[0].vector == 4);
    CHECK(b.host.bar_read<std::uint64_t>(0, 0, 0x18000) == 0);
}

TEST_CASE("DMA to an absent address is an unsupported request with its header logged") {
    bench& b = started(all().usual);
    const std::uint64_t nowhere = 0x9'0000'0040;
    SECTION("read") {
        std::vector<std::byte> got(64, std::byte{0x5a});
        b.card.dma(0).read(nowhere, got, b.client, 1);
        b.run();
        CHECK(b.client.ends.at(0).status == dma_status::unsupported_request);
        CHECK((status(b) & 0x2000) != 0); // received master abort
        CHECK(b.host.config_read<std::uint32_t>(0, at::header_log) == 0x20000010);
    }
    SECTION("write") {
        write(b, nowhere, pattern(64), 1);
        b.run();
        CHECK(b.client.ends.at(0).status == dma_status::unsupported_request);
        CHECK(b.host.config_read<std::uint32_t>(0, at::header_log) == 0x60000010);
    }
    CHECK(uncorrectable(b) == 1U << 20);
    CHECK((b.host.config_read<std::uint32_t>(0, at::error_control) & 0x1f) == 20);
    CHECK(b.host.config_read<std::uint32_t>(0, at::header_log + 4) == 0x010000ff);
    CHECK(b.host.config_read<std::uint32_t>(0, at::header_log + 8) == 0x9);
    CHECK(b.host.config_read<std::uint32_t>(0, at::header_log + 12) == 0x40);
    CHECK((b.host.config_read<std::uint16_t>(0, at::device_status) & 0xf) ==
          0xa);                      // non-fatal, unsupported request
    CHECK(uncorrectable(b, 1) == 0); // function 1 has had no part in it
}

TEST_CASE("a transfer that leaves the present memory half way fails, and the card goes on") {
    bench& b = started(all().usual);
    const std::uint64_t end = base + bench::memory_size;
    std::vector<std::byte> got(1024);
    b.card.dma(0).read(end - 512, got, b.client, 1);
    write(b, end - 256, pattern(512), 2);
    write(b, base, pattern(16), 3);
    b.run();
    REQUIRE(b.client.ends.size() == 3);
    std::ranges::sort(b.client.ends, {}, [](const auto& e) { return e.cookie; });
    CHECK(b.client.ends[0].status == dma_status::unsupported_request);
    CHECK(b.client.ends[1].status == dma_status::unsupported_request);
    CHECK(b.client.ends[2].status == dma_status::ok);
}

TEST_CASE("an address space that wraps around is no crash") {
    bench& b = started(all().usual);
    std::vector<std::byte> got(8192);
    b.card.dma(0).read(~std::uint64_t{0} - 100, got, b.client, 1);
    b.run();
    CHECK(b.client.ends.at(0).status == dma_status::unsupported_request);
}

TEST_CASE("poisoned read data") {
    bench& b = started(all().usual);
    b.host.set_fault(base + 0x80, host_fault::poisoned);
    std::vector<std::byte> got(1024);
    b.card.dma(0).read(base, got, b.client, 1);
    b.run();
    CHECK(b.client.ends.at(0).status == dma_status::poisoned);
    CHECK(uncorrectable(b) == 1U << 12);
    CHECK((status(b) & 0x8000) != 0); // detected parity error
}

TEST_CASE("a completer abort") {
    bench& b = started(all().usual);
    b.host.set_fault(base, host_fault::abort);
    std::vector<std::byte> got(64);
    b.card.dma(0).read(base, got, b.client, 1);
    b.run();
    CHECK(b.client.ends.at(0).status == dma_status::unsupported_request);
    CHECK((status(b) & 0x1000) != 0); // received target abort
}

TEST_CASE("a read that is never answered times out as Device Control 2 says") {
    bench& b = started(all().usual);
    b.host.set_fault(base, host_fault::no_completion);
    b.host.config_write<std::uint16_t>(0, at::device_control_2, 0x0001); // 50 .. 100 us
    const picoseconds begin = b.now();
    std::vector<std::byte> got(64);
    b.card.dma(0).read(base, got, b.client, 1);
    b.run(begin + 40_us);
    CHECK((b.host.config_read<std::uint16_t>(0, at::device_status) & 0x20) != 0); // transactions pending
    CHECK(b.client.ends.empty());
    b.run();
    REQUIRE(b.client.ends.size() == 1);
    CHECK(b.client.ends[0].status == dma_status::timeout);
    CHECK(b.client.ends[0].at - begin >= 50_us);
    CHECK(b.client.ends[0].at - begin <= 100_us);
    CHECK(uncorrectable(b) == 1U << 14);
    CHECK((b.host.config_read<std::uint16_t>(0, at::device_status) & 0x20) == 0);
}

TEST_CASE("a function level reset at every moment of a transfer stops it for good") {
    bench& b = all().starved;
    for (unsigned step = 0; step < 60; ++step) {
        started(b, 256, 128);
        std::vector<std::byte> got(1000);
        const auto data = pattern(2000);
        write(b, base, data, 1);
        b.card.dma(0).read(base + 0x8000, got, b.client, 2);
        b.card.dma(0).interrupt(1);
        write(b, base + 0x4000, data, 3);
        const picoseconds end = b.now() + picoseconds::from_ns(25 * step);
        b.run(end);
        const std::size_t ended = b.client.ends.size();
        b.host.config_write<std::uint8_t>(0, at::device_control + 1, 0x80);
        REQUIRE(b.client.ends.size() == 3); // those still under way were answered at once, in order
        for (std::size_t i = ended; i < 3; ++i)
            CHECK(b.client.ends[i].status == dma_status::aborted);
        CHECK(std::ranges::is_sorted(b.client.ends.begin() + static_cast<std::ptrdiff_t>(ended),
                                     b.client.ends.end(), {}, [](const auto& e) { return e.cookie; }));
        const std::size_t tlps = b.tlps.size(), interrupts = b.interrupts.size();
        std::ranges::fill(got, std::byte{0x77});
        b.run();
        CHECK(b.tlps.size() == tlps);
        CHECK(b.interrupts.size() == interrupts);
        CHECK(b.client.ends.size() == 3);
        CHECK(std::ranges::all_of(got, [](std::byte x) { return x == std::byte{0x77}; }));
        CHECK(b.targets[0].resets == std::vector{reset_kind::function_level});
        CHECK(b.targets[1].resets.empty());
    }
}

TEST_CASE("after a reset in the middle of DMA the function works as new") {
    bench& b = started(all().starved, 256, 128);
    std::vector<std::byte> got(4000);
    b.card.dma(0).read(base, got, b.client, 1);
    b.run(b.now() + 400_ns);
    b.host.config_write<std::uint8_t>(0, at::device_control + 1, 0x80);
    b.host.bring_up(0);
    b.forget();
    const auto data = pattern(4000, 3);
    b.host.memory().write(base, data);
    b.card.dma(0).read(base, got, b.client, 2);
    b.run();
    CHECK(got == data);
    REQUIRE(b.client.ends.size() == 1);
    CHECK(b.client.ends[0].status == dma_status::ok);
}

TEST_CASE("a bus reset stops both functions") {
    bench& b = started(all().usual);
    write(b, base, pattern(64), 1, 0);
    write(b, base, pattern(64), 2, 1);
    b.card.bus_reset();
    b.run();
    CHECK(b.client.ends.size() == 2);
    CHECK(std::ranges::all_of(b.client.ends, [](const auto& e) { return e.status == dma_status::aborted; }));
    CHECK(b.tlps.empty());
}

TEST_CASE("the functions share the link") {
    bench& b = started(all().usual);
    const picoseconds begin = b.now();
    write(b, base, pattern(4096), 1, 0);
    write(b, base + 0x10000, pattern(4096), 2, 1);
    b.run();
    const link_timing& wire = b.card.wire();
    const picoseconds one = wire.packet_rate().time_for(4096 + 16 * 24);
    CHECK(b.client.ends.at(0).at == begin + one + wire.to_memory());
    CHECK(b.client.ends.at(1).at == begin + one + one + wire.to_memory());
}

TEST_CASE("lengths that are no transfer are refused loudly") {
    bench& b = started(all().usual);
    std::vector<std::byte> too_much(65537);
    CHECK_THROWS_AS(b.card.dma(0).read(base, {}, b.client, 1), std::length_error);
    CHECK_THROWS_AS(b.card.dma(0).read(base, too_much, b.client, 1), std::length_error);
    CHECK_THROWS_AS(write(b, base, {}, 1), std::length_error);
}
