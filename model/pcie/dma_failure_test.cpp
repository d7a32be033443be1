// SPDX-License-Identifier: Apache-2.0
// Every way a DMA request can end but well: bus master off, host errors, timeouts, resets at every moment.
#include "model/pcie/testing/dma_benches.h"

#include <algorithm>

using namespace vg810;
using namespace vg810::pcie;
using namespace vg810::pcie::testing;

namespace {

std::uint16_t status(bench& b, unsigned function = 0) {
    return b.host.config_read<std::uint16_t>(function, at::status);
}
std::uint32_t uncorrectable(bench& b, unsigned function = 0) {
    return b.host.config_read<std::uint32_t>(function, at::uncorrectable_status);
}

} // namespace

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
