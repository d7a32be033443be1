// SPDX-License-Identifier: Apache-2.0
// The endpoint from its downstream sockets: decoding, access sizes, MSI-X in both modes, power states,
// resets.
#include "model/pcie/testing/elaborate.h"
#include "model/pcie/testing/test_host.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <array>
#include <stdexcept>

using namespace vg810;
using namespace vg810::pcie;
using pcie::testing::bench;
using record = pcie::testing::recording_target::access;

namespace {

link_parameters immediate() {
    link_parameters p;
    p.register_write_latency = picoseconds{};
    return p;
}

/// Vectors as a machine with its own MSI-X table gets them.
struct external_sink final : interrupt_sink {
    void raise(unsigned function, std::uint16_t vector) override { raised.emplace_back(function, vector); }
    std::vector<std::pair<unsigned, std::uint16_t>> raised;
};

struct benches {
    bench usual{"usual", link_parameters{}};
    bench prompt{"prompt", immediate()};
    bench outside{"outside", link_parameters{}};
    bench alone{"alone", link_parameters{}, 1};
    external_sink sink;
    benches() { outside.card.set_interrupt_sink(sink); }
};

benches& all() {
    static benches b;
    pcie::testing::elaborate();
    return b;
}

bench& started(bench& b) {
    b.start();
    return b;
}

constexpr std::uint64_t table = 0x10000, pending = 0x18000;

} // namespace

TEST_CASE("register writes arrive after their latency, in order, and reads push them") {
    bench& b = started(all().usual);
    const picoseconds begin = b.now();
    b.host.bar_write<std::uint32_t>(0, 0, 0x48, 0x11111111);
    b.host.bar_write<std::uint32_t>(0, 2, 0x1008, 0x22222222);
    CHECK(b.targets[0].accesses.empty());
    b.run(begin + 200_ns);
    CHECK(b.targets[0].accesses.empty());
    b.run(begin + 210_ns);
    CHECK(b.targets[0].accesses ==
          std::vector<record>{{true, 0, 0x48, 4, 0x11111111}, {true, 2, 0x1008, 4, 0x22222222}});

    b.host.bar_write<std::uint32_t>(0, 0, 0x48, 0x33333333);
    CHECK(b.host.bar_read<std::uint32_t>(0, 0, 0x48) == 0x33333333);
    b.run();
    CHECK(b.targets[0].accesses.size() == 4); // the pushed write did not come twice
}

TEST_CASE("a write on its way promises the host time") {
    bench& b = started(all().usual);
    b.host.bar_write<std::uint32_t>(0, 0, 0x48, 1);
    CHECK(b.clock.next_touch() >= b.now() + 200_ns + b.card.dma(0).touch_latency());
    b.run();
}

TEST_CASE("with no latency register writes act at once") {
    bench& b = started(all().prompt);
    b.host.bar_write<std::uint32_t>(1, 0, 0x48, 7);
    CHECK(b.targets[1].accesses == std::vector<record>{{true, 0, 0x48, 4, 7}});
    CHECK(b.targets[0].accesses.empty());
}

TEST_CASE("every length at every alignment becomes aligned accesses that cover it once") {
    bench& b = started(all().prompt);
    for (std::uint64_t offset = 0x800; offset < 0x810; ++offset)
        for (std::size_t length = 1; length <= 32; ++length) {
            b.forget();
            std::vector<std::byte> data(length);
            for (std::size_t i = 0; i < length; ++i)
                data[i] = static_cast<std::byte>(offset + 3 * i + length);
            const auto written = data;
            CHECK(b.host.access(0, tlm::TLM_WRITE_COMMAND, address_space::bar0, offset, data) ==
                  completion_status::success);
            std::ranges::fill(data, std::byte{0});
            CHECK(b.host.access(0, tlm::TLM_READ_COMMAND, address_space::bar0, offset, data) ==
                  completion_status::success);
            REQUIRE(data == written);
            std::uint64_t at = offset;
            for (const record& a : b.targets[0].accesses) {
                REQUIRE((a.size == 1 || a.size == 2 || a.size == 4 || a.size == 8));
                REQUIRE(a.offset % a.size == 0);
                REQUIRE(a.offset == at);
                at = at + a.size == offset + length ? offset : at + a.size; // writes first, then reads
            }
            REQUIRE(at == offset);
        }
}

TEST_CASE("what the function does not decode reads all ones and is logged") {
    bench& b = started(all().usual);
    const auto refused = [&](address_space space, std::uint64_t offset) {
        std::array<std::byte, 4> data{};
        CHECK(b.host.access(0, tlm::TLM_READ_COMMAND, space, offset, data) ==
              completion_status::unsupported_request);
        CHECK(std::ranges::all_of(data, [](std::byte x) { return x == std::byte{0xff}; }));
        CHECK(b.host.access(0, tlm::TLM_WRITE_COMMAND, space, offset, data) ==
              completion_status::unsupported_request);
        const auto status = b.host.config_read<std::uint16_t>(0, at::device_status);
        CHECK((status & 0xb) == 0xb); // advisory for the read, non-fatal for the write, unsupported request
        b.host.config_write<std::uint16_t>(0, at::device_status, 0xf);
    };
    SECTION("beyond the end") {
        refused(address_space::bar0, 0x20000);
        refused(address_space::bar0, 0x1fffd); // starts inside
        refused(address_space::bar2, 0x100000);
        refused(address_space::bar2, ~std::uint64_t{0} - 1);
    }
    SECTION("an absent BAR") {
        refused(address_space::bar4, 0);
    }
    SECTION("memory space off") {
        b.host.config_write<std::uint16_t>(0, at::command, 0x0004);
        refused(address_space::bar0, 0);
    }
    SECTION("D3hot") {
        b.host.config_write<std::uint16_t>(0, at::power_control, 3);
        refused(address_space::bar0, 0);
    }
    CHECK(b.targets[0].accesses.empty());
    CHECK(b.host.bar_read<std::uint32_t>(1, 0, 0) == 0); // the other function is well
}

TEST_CASE("payloads that are no accesses are refused, and break nothing") {
    bench& b = started(all().usual);
    std::array<std::byte, 4> data{};
    CHECK(b.host.access(0, tlm::TLM_READ_COMMAND, address_space::memory, 0, data) ==
          completion_status::success);
    CHECK(b.host.access(0, tlm::TLM_IGNORE_COMMAND, address_space::bar0, 0, data) ==
          completion_status::success);
    CHECK(b.host.access(0, tlm::TLM_READ_COMMAND, address_space::bar0, 0, {}) == completion_status::success);
    CHECK(b.targets[0].accesses.empty());
}

TEST_CASE("poisoned writes are logged and have no effect") {
    bench& b = started(all().usual);
    std::array<std::byte, 4> data{std::byte{1}, std::byte{2}, std::byte{3}, std::byte{4}};
    CHECK(b.host.access(0, tlm::TLM_WRITE_COMMAND, address_space::bar0, 0x48, data, true) ==
          completion_status::success);
    b.run();
    CHECK(b.targets[0].accesses.empty());
    CHECK(b.host.config_read<std::uint32_t>(0, at::uncorrectable_status) == 1U << 12);
    CHECK((b.host.config_read<std::uint16_t>(0, at::status) & 0x8000) != 0);
    CHECK(b.host.access(0, tlm::TLM_WRITE_COMMAND, address_space::config, 0x3c, data, true) ==
          completion_status::unsupported_request);
    CHECK(b.host.config_read<std::uint8_t>(0, 0x3c) == 0);
}

TEST_CASE("the whole configuration space is read at once, and past its end") {
    bench& b = started(all().usual);
    std::vector<std::byte> space(5000, std::byte{0x55});
    b.host.access(0, tlm::TLM_READ_COMMAND, address_space::config, 0, space);
    CHECK(space[0] == std::byte{0xcc});
    CHECK(space[4999] == std::byte{0});
    std::array<std::byte, 4> data{};
    CHECK(b.host.access(0, tlm::TLM_READ_COMMAND, address_space::config, ~std::uint64_t{0} - 8, data) ==
          completion_status::success);
}

TEST_CASE("command changes are told to the owner once") {
    bench& b = started(all().usual);
    b.host.config_write<std::uint16_t>(0, at::command, 0x0002);
    b.host.config_write<std::uint16_t>(0, at::command, 0x0102); // SERR#: no matter
    b.host.config_write<std::uint16_t>(0, at::command, 0x0000);
    CHECK(b.targets[0].commands == std::vector<std::pair<bool, bool>>{{true, false}, {false, false}});
}

TEST_CASE("MSI-X messages carry the entry's address and data") {
    bench& b = started(all().usual);
    b.host.bar_write<std::uint64_t>(0, 0, table + 16 * 5, bench::memory_base + 0x100);
    b.host.bar_write<std::uint32_t>(0, 0, table + 16 * 5 + 8, 0xcafef00d);
    b.card.dma(0).interrupt(5);
    b.run();
    CHECK(b.host.memory().get<std::uint32_t>(bench::memory_base + 0x100) ==
          0); // it left before the table changed
    b.card.dma(0).interrupt(5);
    b.run();
    CHECK(b.host.memory().get<std::uint32_t>(bench::memory_base + 0x100) == 0xcafef00d);
    CHECK(b.card.dma(0).counters().interrupts == 2);
    CHECK(b.targets[0].accesses.empty()); // the table is the endpoint's
}

TEST_CASE("masking, pending and unmasking through the socket") {
    bench& b = started(all().usual);
    b.host.bar_write<std::uint32_t>(0, 0, table + 16 * 3 + 12, 1);
    CHECK(b.host.bar_read<std::uint32_t>(0, 0, table + 16 * 3 + 12) == 1);
    b.card.dma(0).interrupt(3);
    b.run();
    CHECK(b.interrupts.empty());
    CHECK(b.host.bar_read<std::uint64_t>(0, 0, pending) == 1 << 3);
    b.host.bar_write<std::uint64_t>(0, 0, pending, ~0ULL); // read only
    CHECK(b.host.bar_read<std::uint64_t>(0, 0, pending) == 1 << 3);
    SECTION("vector unmasked") {
        b.host.bar_write<std::uint32_t>(0, 0, table + 16 * 3 + 12, 0);
    }
    SECTION("behind the function mask") {
        b.host.config_write<std::uint16_t>(0, at::msix_control, 0xc000);
        b.host.bar_write<std::uint32_t>(0, 0, table + 16 * 3 + 12, 0);
        b.run();
        CHECK(b.interrupts.empty());
        b.host.config_write<std::uint16_t>(0, at::msix_control, 0x8000);
    }
    SECTION("MSI-X off and on") {
        b.host.config_write<std::uint16_t>(0, at::msix_control, 0);
        b.host.bar_write<std::uint32_t>(0, 0, table + 16 * 3 + 12, 0);
        b.run();
        CHECK(b.interrupts.empty());
        b.host.config_write<std::uint16_t>(0, at::msix_control, 0x8000);
    }
    b.run();
    REQUIRE(b.interrupts.size() == 1);
    CHECK(b.interrupts[0].vector == 3);
    CHECK(b.host.bar_read<std::uint64_t>(0, 0, pending) == 0);
}

TEST_CASE("an unknown vector is an internal error of the function, not of the simulator") {
    bench& b = started(all().usual);
    b.card.dma(0).interrupt(64);
    b.card.dma(0).interrupt(65535);
    b.run();
    CHECK(b.interrupts.empty());
    CHECK(b.host.config_read<std::uint32_t>(0, at::uncorrectable_status) == 1U << 22);
}

TEST_CASE("a machine that keeps the table gets vectors in order behind the data") {
    bench& b = started(all().outside);
    all().sink.raised.clear();
    const std::array data{std::byte{0x42}};
    const dma_piece piece{bench::memory_base, data};
    b.card.dma(1).write({&piece, 1}, nullptr, 0);
    b.card.dma(1).interrupt(9);
    b.card.dma(1).interrupt(2);
    b.run();
    CHECK(all().sink.raised == std::vector<std::pair<unsigned, std::uint16_t>>{{1, 9}, {1, 2}});
    CHECK(b.host.memory().get<std::uint8_t>(bench::memory_base) == 0x42);
    CHECK(b.tlps.size() == 1);
    b.host.config_write<std::uint16_t>(1, at::msix_control, 0); // the machine's masks are its own affair
    b.card.dma(1).interrupt(1);
    b.run();
    CHECK(all().sink.raised.size() == 3);
}

TEST_CASE("D3hot stops the function, D0 resets it") {
    bench& b = started(all().usual);
    std::vector<std::byte> got(64);
    b.card.dma(0).read(bench::memory_base, got, b.client, 1);
    b.host.config_write<std::uint16_t>(0, at::power_control, 3);
    b.run();
    CHECK(b.client.ends.at(0).status == dma_status::bus_master_disabled);
    CHECK(b.targets[0].commands == std::vector<std::pair<bool, bool>>{{false, false}});
    CHECK(b.host.config_read<std::uint16_t>(0, 0) == 0x1ecc); // configuration space still answers
    CHECK((b.host.config_read<std::uint16_t>(0, at::command) & 0x6) == 0x6);
    b.host.config_write<std::uint16_t>(0, at::power_control, 0);
    CHECK(b.targets[0].resets == std::vector{reset_kind::d3_to_d0});
    CHECK((b.host.config_read<std::uint16_t>(0, at::command) & 0x6) == 0);
}

TEST_CASE("a function level reset is one function's, a bus reset everybody's") {
    bench& b = started(all().usual);
    b.host.bar_write<std::uint32_t>(0, 0, 0x48, 1); // on its way when the reset is asked for
    b.host.config_write<std::uint16_t>(0, at::device_control, 0xa810);
    CHECK(b.targets[0].resets == std::vector{reset_kind::function_level});
    CHECK(b.targets[1].resets.empty());
    CHECK(b.targets[0].accesses.size() == 1); // it came before
    CHECK(b.host.config_read<std::uint32_t>(0, 0x10) == 0x4);
    CHECK(b.host.config_read<std::uint16_t>(1, at::command) == 0x6);
    CHECK(b.host.config_read<std::uint16_t>(0, at::msix_control) == 63);

    b.forget();
    b.host.bar_write<std::uint32_t>(1, 0, 0x48, 1);
    b.card.bus_reset();
    b.run();
    CHECK(b.targets[0].resets == std::vector{reset_kind::bus});
    CHECK(b.targets[1].resets == std::vector{reset_kind::bus});
    CHECK(b.targets[1].accesses.empty()); // the reset overtook it
}

TEST_CASE("error messages reach whoever listens") {
    bench& b = started(all().usual);
    std::vector<error_message> messages;
    b.card.function(0).set_error_listener([&](error_message m) { messages.push_back(m); });
    b.host.config_write<std::uint16_t>(0, at::device_control, 0x291f);
    std::vector<std::byte> got(64);
    b.card.dma(0).read(0x1000, got, b.client, 1); // no memory there
    b.run();
    CHECK(messages == std::vector{error_message::nonfatal});
    b.card.function(0).set_error_listener({});
}

TEST_CASE("a host that acts inside the interrupt is served") {
    bench& b = started(all().usual);
    b.host.set_interrupt_handler([&](unsigned function, std::uint16_t vector) {
        b.interrupts.push_back({function, vector, b.now()});
        if (vector == 1)
            b.host.bar_read<std::uint32_t>(0, 0, 0x10); // pushes the rest from within
        else
            b.host.config_write<std::uint8_t>(0, at::device_control + 1, 0x80); // one level further in
    });
    const std::array data{std::byte{1}, std::byte{2}};
    const dma_piece piece{bench::memory_base + 0x20, data};
    b.card.dma(0).interrupt(1);
    b.card.dma(0).write({&piece, 1}, &b.client, 7);
    b.card.dma(0).interrupt(2);
    b.card.dma(0).write({&piece, 1}, &b.client, 8);
    b.run();
    CHECK(b.interrupts.size() == 2);
    REQUIRE(b.client.ends.size() == 2);
    CHECK(b.client.ends[0].status == dma_status::ok);
    CHECK(b.client.ends[1].status == dma_status::aborted);
}

TEST_CASE("the functions number themselves and know whether they are alone") {
    bench& two = started(all().usual);
    CHECK(two.host.config_read<std::uint8_t>(0, 0x0e) == 0x80);
    CHECK(two.host.config_read<std::uint8_t>(1, 0x0e) == 0x80);
    bench& one = started(all().alone);
    CHECK(one.card.functions() == 1);
    CHECK(one.host.config_read<std::uint8_t>(0, 0x0e) == 0);
    CHECK_THROWS_AS(one.card.dma(1), std::out_of_range);
}

TEST_CASE("requests carry the function's requester id") {
    bench& b = started(all().usual);
    std::vector<std::uint16_t> seen;
    b.host.set_observer([&](unsigned, const tlm::tlm_generic_payload& p) {
        seen.push_back(p.get_extension<tlp_extension>()->requester);
    });
    b.card.set_requester(1, 0x0301);
    b.card.dma(0).interrupt(0);
    b.run();
    b.card.dma(1).interrupt(0);
    b.run();
    CHECK(seen == std::vector<std::uint16_t>{0x0100, 0x0301});
    b.card.set_requester(1, 0x0101);
}
