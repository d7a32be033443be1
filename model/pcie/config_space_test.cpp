// SPDX-License-Identifier: Apache-2.0
// Every octet of configuration space against an independent table of what software may change, with accesses
// of every length at every offset (firmware and kernels do odd ones), and the rules of each capability.
#include "model/pcie/config_space.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>
#include <vector>

using namespace vg810;
using namespace vg810::pcie;

namespace {

using image = std::array<std::uint8_t, config_space::size>;

config_layout function_layout(unsigned function) {
    config_layout l;
    l.function = function;
    return l;
}

template <class T> T get(const config_space& c, std::uint32_t offset) {
    std::array<std::byte, sizeof(T)> raw;
    c.read(offset, raw);
    T value = 0;
    for (std::size_t i = sizeof(T); i-- > 0;)
        value = static_cast<T>(std::uint64_t{value} << 8 | std::to_integer<std::uint64_t>(raw[i]));
    return value;
}

template <class T> config_effects put(config_space& c, std::uint32_t offset, T value) {
    std::array<std::byte, sizeof(T)> raw;
    for (std::size_t i = 0; i < sizeof(T); ++i)
        raw[i] = static_cast<std::byte>(std::uint64_t{value} >> 8 * i);
    return c.write(offset, raw);
}

image all(const config_space& c) {
    image result;
    c.read(0, std::as_writable_bytes(std::span(result)));
    return result;
}

/// Bits that software may set, by double word; written down from the specification, not from the code.
std::map<std::uint32_t, std::uint32_t> writable_words(bool first) {
    std::map<std::uint32_t, std::uint32_t> m{
        {0x04, 0x00000546}, // memory space, bus master, parity response, SERR#, interrupt disable
        {0x0c, 0x000000ff}, // cache line size
        {0x10, 0xfffe0000},
        {0x14, 0xffffffff}, // BAR 0: 128 KiB
        {0x18, 0xfff00000},
        {0x1c, 0xffffffff},                // BAR 2: 1 MiB
        {0x3c, 0x000000ff},                // interrupt line
        {0x44, 0x00000003},                // power state
        {0x50, 0xc0000000},                // MSI-X enable, function mask
        {0x78, 0x000079ff},                // Device Control
        {0x80, 0x000002cb},                // Link Control
        {0x98, first ? 0x041fU : 0x001fU}, // Device Control 2
        {0x108, 0x0057f010},
        {0x10c, 0x0057f010},
        {0x114, 0x000071c1},
    };
    if (first) {
        m[0xa0] = 0x0000002f;  // Link Control 2
        m[0x154] = 0x1fff1fff; // LTR
    }
    return m;
}

std::uint8_t writable(const std::map<std::uint32_t, std::uint32_t>& m, std::size_t offset) {
    const auto word = m.find(static_cast<std::uint32_t>(offset & ~std::size_t{3}));
    return word == m.end() ? 0 : static_cast<std::uint8_t>(word->second >> 8 * (offset % 4));
}

constexpr std::size_t power_octet = at::power_control; // D1 and D2 are refused, so it is no plain register

} // namespace

TEST_CASE("every octet: what is writable takes both values, all else keeps its own") {
    for (const unsigned function : {0U, 1U}) {
        config_space c(function_layout(function));
        const auto allowed = writable_words(function == 0);
        const image initial = all(c);
        for (std::uint32_t offset = 0; offset < config_space::size; ++offset) {
            const std::uint8_t mask = writable(allowed, offset);
            put<std::uint8_t>(c, offset, 0xff);
            REQUIRE(+get<std::uint8_t>(c, offset) == +static_cast<std::uint8_t>(initial[offset] | mask));
            put<std::uint8_t>(c, offset, 0x00);
            REQUIRE(+get<std::uint8_t>(c, offset) == +static_cast<std::uint8_t>(initial[offset] & ~mask));
            put<std::uint8_t>(c, offset, static_cast<std::uint8_t>(initial[offset]));
        }
    }
}

TEST_CASE("accesses of every length at every offset equal their octets") {
    for (std::size_t length = 1; length <= 8; ++length)
        for (std::uint32_t offset = 0; offset < config_space::size + 8; ++offset) {
            config_space c(function_layout(0)), single(function_layout(0));
            std::array<std::byte, 8> data;
            for (std::size_t i = 0; i < length; ++i)
                data[i] = static_cast<std::byte>(0x55 + offset * 31 + i * 97);
            c.write(offset, std::span(data).first(length));
            for (std::size_t i = 0; i < length; ++i)
                if (offset + i < config_space::size)
                    single.write(static_cast<std::uint32_t>(offset + i), std::span(data).subspan(i, 1));
            REQUIRE(all(c) == all(single));

            std::array<std::byte, 8> read;
            c.read(offset, std::span(read).first(length));
            const image now = all(c);
            for (std::size_t i = 0; i < length; ++i)
                REQUIRE(std::to_integer<unsigned>(read[i]) ==
                        (offset + i < now.size() ? now[offset + i] : 0U));
        }
}

TEST_CASE("the header says what the card is") {
    const config_space c(function_layout(0));
    CHECK(get<std::uint32_t>(c, 0x00) == 0x81021ecc);
    CHECK(get<std::uint32_t>(c, 0x08) == 0x02000001);
    CHECK(get<std::uint8_t>(c, 0x0e) == 0x80); // type 0, more than one function
    CHECK(get<std::uint32_t>(c, 0x2c) == 0x00011ecc);
    CHECK(get<std::uint8_t>(c, 0x3d) == 0);  // no INTx
    CHECK(get<std::uint32_t>(c, 0x30) == 0); // no ROM
    config_layout alone = function_layout(0);
    alone.multi_function = false;
    CHECK(get<std::uint8_t>(config_space(alone), 0x0e) == 0);
}

TEST_CASE("BARs tell their size, and hold an address of 64 bits") {
    config_space c(function_layout(0));
    const std::map<unsigned, std::uint64_t> sizes = {{0, 0x20000}, {2, 0x100000}};
    for (const auto& [bar, size] : sizes) {
        const std::uint32_t offset = 0x10 + 4 * bar;
        CHECK(get<std::uint32_t>(c, offset) == 0x4); // memory, 64 bit, not prefetchable
        put<std::uint32_t>(c, offset, 0xffffffff);
        put<std::uint32_t>(c, offset + 4, 0xffffffff);
        CHECK(~(get<std::uint64_t>(c, offset) & ~std::uint64_t{0xf}) + 1 == size);
        put<std::uint64_t>(c, offset, 0x12'3456'789a);
        CHECK(c.bar_address(bar) == (0x12'3456'789aULL & ~(size - 1)));
        put<std::uint8_t>(c, offset + 5, 0xab); // one octet of the upper half
        CHECK(c.bar_address(bar) == (0xab12'3456'789aULL & ~(size - 1)));
    }
    put<std::uint64_t>(c, 0x20, ~0ULL);
    CHECK(get<std::uint64_t>(c, 0x20) == 0); // BAR 4 does not exist
    config_layout l = function_layout(0);
    l.bars[2] = {0x1000, true};
    CHECK(get<std::uint32_t>(config_space(l), 0x20) == 0xc);
}

TEST_CASE("the capability lists are sound: in range, no loop, no overlap, the ones expected") {
    for (const unsigned function : {0U, 1U}) {
        const config_space c(function_layout(function));
        CHECK((get<std::uint16_t>(c, 0x06) & 0x10) != 0);
        std::map<unsigned, unsigned> found; // id to offset
        for (unsigned at = get<std::uint8_t>(c, 0x34); at != 0; at = get<std::uint8_t>(c, at + 1)) {
            REQUIRE(at >= 0x40);
            REQUIRE(at % 4 == 0);
            REQUIRE(found.emplace(get<std::uint8_t>(c, at), at).second);
        }
        CHECK(found == std::map<unsigned, unsigned>{{0x01, 0x40}, {0x11, 0x50}, {0x10, 0x70}});

        std::map<unsigned, unsigned> extended;
        for (unsigned at = 0x100; at != 0; at = get<std::uint32_t>(c, at) >> 20) {
            REQUIRE(at % 4 == 0);
            REQUIRE(extended.emplace(get<std::uint32_t>(c, at) & 0xfffff, at).second);
        }
        std::map<unsigned, unsigned> expected{{0x20001, 0x100}, {0x10003, 0x140}};
        if (function == 0)
            expected[0x10018] = 0x150; // 7.8.2: LTR in function 0 only
        CHECK(extended == expected);
    }
}

TEST_CASE("command bits act and the effects are told") {
    config_space c(function_layout(0));
    CHECK(!c.memory_space());
    CHECK(!c.bus_master());
    CHECK(put<std::uint16_t>(c, 0x04, 0x0002).command);
    CHECK(c.memory_space());
    CHECK(put<std::uint8_t>(c, 0x04, 0x06).command);
    CHECK(c.bus_master());
    CHECK(!put<std::uint16_t>(c, 0x04, 0x0546).command); // neither of the two changed
    CHECK(get<std::uint16_t>(c, 0x04) == 0x0546);
    CHECK(put<std::uint32_t>(c, 0x04, 0).command);
}

TEST_CASE("status bits clear by writing 1 only") {
    config_space c(function_layout(0));
    c.set_received_master_abort();
    c.set_received_target_abort();
    c.set_signaled_target_abort();
    put<std::uint16_t>(c, 0x04, 0x0040);
    c.set_poisoned_received();
    CHECK(get<std::uint16_t>(c, 0x06) == 0xb910);
    put<std::uint16_t>(c, 0x06, 0);
    CHECK(get<std::uint16_t>(c, 0x06) == 0xb910);
    put<std::uint16_t>(c, 0x06, 0x2000);
    CHECK(get<std::uint16_t>(c, 0x06) == 0x9910);
    put<std::uint32_t>(c, 0x04, 0xffff0000); // together with Command
    CHECK(get<std::uint16_t>(c, 0x06) == 0x0010);
    c.set_poisoned_received(); // parity response off
    CHECK(get<std::uint16_t>(c, 0x06) == 0x8010);
}

TEST_CASE("power states: D0 and D3hot only") {
    config_space c(function_layout(0));
    CHECK(get<std::uint16_t>(c, 0x42) == 3);         // PM 1.2, no PME
    CHECK((get<std::uint16_t>(c, 0x44) & 0x8) == 0); // No_Soft_Reset
    CHECK(!put<std::uint16_t>(c, 0x44, 1).power);
    CHECK(!put<std::uint16_t>(c, 0x44, 2).power);
    CHECK(get<std::uint16_t>(c, 0x44) == 0);
    CHECK(put<std::uint16_t>(c, 0x44, 3).power);
    CHECK(c.d3hot());
    CHECK(!put<std::uint16_t>(c, 0x44, 2).power); // discarded: it stays in D3hot
    CHECK(c.d3hot());
    CHECK(put<std::uint8_t>(c, 0x44, 0).power);
}

TEST_CASE("MSI-X capability") {
    config_space c(function_layout(0));
    CHECK(get<std::uint16_t>(c, 0x52) == 63);
    CHECK(get<std::uint32_t>(c, 0x54) == 0x10000); // BAR 0
    CHECK(get<std::uint32_t>(c, 0x58) == 0x18000);
    CHECK(put<std::uint16_t>(c, 0x52, 0xc000).msix);
    CHECK(c.msix_enabled());
    CHECK(c.msix_masked());
    CHECK(!put<std::uint16_t>(c, 0x52, 0xc7ff).msix);
    CHECK(get<std::uint16_t>(c, 0x52) == 0xc03f);
    CHECK(put<std::uint8_t>(c, 0x53, 0x80).msix);
    CHECK(!c.msix_masked());
}

TEST_CASE("PCI Express capability of a Gen4 x8 endpoint") {
    config_space c(function_layout(0));
    CHECK(get<std::uint16_t>(c, 0x72) == 0x0002);
    CHECK(get<std::uint32_t>(c, 0x74) == 0x10008022); // MPS 512, extended tags, role-based errors, FLR
    CHECK((get<std::uint32_t>(c, 0x7c) & 0x3ff) == 0x84);
    CHECK((get<std::uint32_t>(c, 0x7c) & 0xc00) == 0); // no ASPM
    CHECK((get<std::uint16_t>(c, 0x82) & 0x3ff) == 0x84);
    CHECK(get<std::uint32_t>(c, 0x9c) == 0x1e);
    CHECK(get<std::uint16_t>(c, 0xa0) == 4);
    CHECK((get<std::uint32_t>(c, 0x94) & 0x800) != 0); // LTR
    CHECK((get<std::uint32_t>(config_space(function_layout(1)), 0x94) & 0x800) == 0);
    config_layout older = function_layout(0);
    older.link_generation = 3;
    older.link_lanes = 16;
    CHECK((get<std::uint32_t>(config_space(older), 0x7c) & 0x3ff) == 0x103);
    CHECK(get<std::uint32_t>(config_space(older), 0x9c) == 0xe);
}

TEST_CASE("payload and read request sizes follow Device Control, within what is supported") {
    config_space c(function_layout(0));
    CHECK(c.max_payload() == 128);
    CHECK(c.max_read_request() == 512);
    CHECK(put<std::uint16_t>(c, 0x78, 0x5020).device_control);
    CHECK(c.max_payload() == 256);
    CHECK(c.max_read_request() == 4096);
    put<std::uint16_t>(c, 0x78, 0x70e0);
    CHECK(c.max_payload() == 512);
    CHECK(c.max_read_request() == 4096);
    CHECK(!c.extended_tags());
    CHECK(c.read_completion_boundary() == 64);
    put<std::uint16_t>(c, 0x80, 0x0008);
    CHECK(c.read_completion_boundary() == 128);
}

TEST_CASE("completion timeouts lie within the ranges of 7.5.3.16") {
    config_space c(function_layout(0));
    const std::map<unsigned, std::pair<picoseconds, picoseconds>> ranges = {
        {0, {50_us, 50_ms}},        {1, {50_us, 100_us}},        {2, {1_ms, 10_ms}},
        {5, {16_ms, 55_ms}},        {6, {65_ms, 210_ms}},        {9, {260_ms, 900_ms}},
        {10, {1'000_ms, 3'500_ms}}, {13, {4'000_ms, 13'000_ms}}, {14, {17'000_ms, 64'000_ms}}};
    for (const auto& [code, range] : ranges) {
        put<std::uint16_t>(c, 0x98, static_cast<std::uint16_t>(code));
        CHECK(c.completion_timeout() >= range.first);
        CHECK(c.completion_timeout() <= range.second);
    }
    put<std::uint16_t>(c, 0x98, 0x0010);
    CHECK(c.completion_timeout() == never);
}

TEST_CASE("Initiate Function Level Reset is told and reads 0, however it is written") {
    config_space c(function_layout(0));
    CHECK(put<std::uint16_t>(c, 0x78, 0xa910).function_reset);
    CHECK((get<std::uint16_t>(c, 0x78) & 0x8000) == 0);
    CHECK(put<std::uint8_t>(c, 0x79, 0x80).function_reset);
    CHECK(put<std::uint32_t>(c, 0x76, 0x80000000).function_reset);
    CHECK(!put<std::uint32_t>(c, 0x75, 0x80000000).function_reset); // that is the octet of MPS
    CHECK(put<std::uint32_t>(c, 0x77, 0x00800000).function_reset);
    CHECK(!put<std::uint8_t>(c, 0x79, 0x7f).function_reset);
    CHECK(!put<std::uint8_t>(c, 0x78, 0x80).function_reset);
}

TEST_CASE("resets leave alone what they must") {
    const auto prepared = [] {
        config_space c(function_layout(0));
        put<std::uint16_t>(c, 0x04, 0x0546);
        put<std::uint64_t>(c, 0x10, 0xe0000000);
        put<std::uint16_t>(c, 0x78, 0x203f); // MPS 256, error reporting
        put<std::uint16_t>(c, 0x80, 0x0048); // RCB, common clock
        put<std::uint16_t>(c, 0xa0, 0x0003); // target speed
        put<std::uint32_t>(c, 0x154, 0x10011001);
        put<std::uint32_t>(c, 0x108, 0); // mask nothing
        const tlp_header h = memory_request_header(false, 0x1234000, 64, 0x100, 7);
        c.report(aer_error::unsupported_request, &h);
        return c;
    };
    SECTION("function level reset, 6.6.2") {
        config_space c = prepared();
        c.reset(reset_kind::function_level);
        CHECK(get<std::uint32_t>(c, 0x04) == 0x00100000);
        CHECK(c.bar_address(0) == 0);
        CHECK(c.max_payload() == 256);                   // kept
        CHECK((get<std::uint16_t>(c, 0x78) & 0xf) == 0); // not kept
        CHECK(get<std::uint16_t>(c, 0x7a) == 0);         // Device Status is not sticky
        CHECK(get<std::uint16_t>(c, 0x80) == 0x48);
        CHECK(get<std::uint16_t>(c, 0xa0) == 3);
        CHECK(get<std::uint32_t>(c, 0x154) == 0);
        CHECK(get<std::uint32_t>(c, 0x104) == 1U << 20); // sticky
        CHECK(get<std::uint32_t>(c, 0x108) == 0);
        CHECK(get<std::uint32_t>(c, 0x11c) == 0x10);
        CHECK(get<std::uint32_t>(c, 0x118) == 20);
    }
    SECTION("bus reset and D3hot to D0: sticky bits only") {
        for (const reset_kind kind : {reset_kind::bus, reset_kind::d3_to_d0}) {
            config_space c = prepared();
            c.reset(kind);
            CHECK(c.max_payload() == 128);
            CHECK(get<std::uint16_t>(c, 0x80) == 0);
            CHECK(get<std::uint16_t>(c, 0xa0) == 3); // RWS
            CHECK(get<std::uint32_t>(c, 0x104) == 1U << 20);
            CHECK(get<std::uint32_t>(c, 0x120) == 0x010007ff);
        }
    }
    SECTION("power-on: everything") {
        config_space c = prepared();
        c.reset(reset_kind::power_on);
        CHECK(all(c) == all(config_space(function_layout(0))));
    }
}

TEST_CASE("layouts that cannot be encoded are refused") {
    const auto refused = [](auto change) {
        config_layout l;
        change(l);
        CHECK_THROWS_AS(config_space(l), std::invalid_argument);
    };
    refused([](config_layout& l) { l.function = 8; });
    refused([](config_layout& l) { l.msix_vectors = 0; });
    refused([](config_layout& l) { l.msix_vectors = 2049; });
    refused([](config_layout& l) { l.msix_table_offset = 0x10004; });
    refused([](config_layout& l) { l.max_payload_supported = 200; });
    refused([](config_layout& l) { l.bars[0].size = 0x18000; });
}
