// SPDX-License-Identifier: Apache-2.0
// DMA through the card's sockets: packet sizes, order and time.
#include "model/pcie/testing/dma_benches.h"

#include <algorithm>
#include <array>

using namespace vg810;
using namespace vg810::pcie;
using namespace vg810::pcie::testing;

namespace {

using sizes = std::vector<std::pair<std::uint64_t, std::uint32_t>>;
sizes sent(const bench& b) {
    sizes result;
    for (const bench::tlp& t : b.tlps)
        result.emplace_back(t.address - base, t.length);
    return result;
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
