// SPDX-License-Identifier: Apache-2.0
// Field accessors, the decoder at compile time, and views of structures in host memory.
#include "model/regs/vg810_regs.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <array>

using namespace vg810::regs;

static_assert(find(0, STATUS::reg_offset) == &info(reg::STATUS));
static_assert(find(0, CLOCK::reg_offset + 7) == &info(reg::CLOCK));
static_assert(find(2, 255 * doorbell_page_size + DB_EQ::reg_offset) == &info(reg::DB_EQ));
static_assert(find(2, 255 * doorbell_page_size + DB_EQ::reg_offset + 8) == nullptr);
static_assert(info(reg::DB_CQ).copy(3 * doorbell_page_size + DB_CQ::reg_offset) == 3);

TEST_CASE("a field is read from and written into its bits only") {
    using middle = field<std::uint32_t, 8, 8>;
    STATIC_REQUIRE(middle::mask == 0x0000ff00);
    STATIC_REQUIRE(middle::get(0x12345678) == 0x56);
    STATIC_REQUIRE(middle::set(0x12345678, 0xab) == 0x1234ab78);
    STATIC_REQUIRE(middle::set(0xffffffff, 0) == 0xffff00ff);
    STATIC_REQUIRE(middle::set(0, 0xfff) == 0xff00); // what does not fit is cut off
}

TEST_CASE("fields reach the ends of their word") {
    using whole = field<std::uint64_t, 0, 64>;
    STATIC_REQUIRE(whole::mask == ~std::uint64_t{0});
    STATIC_REQUIRE(whole::set(1, 0x123456789abcdef0) == 0x123456789abcdef0);
    using top = field<std::uint64_t, 63, 1, bool>;
    STATIC_REQUIRE(top::get(std::uint64_t{1} << 63));
    STATIC_REQUIRE_FALSE(top::get((std::uint64_t{1} << 63) - 1));
    STATIC_REQUIRE(top::set(0, true) == std::uint64_t{1} << 63);
    using byte_top = field<std::uint8_t, 4, 4>;
    STATIC_REQUIRE(byte_top::set(0x5a, 0xf) == 0xfa);
}

TEST_CASE("register fields are typed by what they hold") {
    STATIC_REQUIRE(std::is_same_v<decltype(STATUS::ready::get(0)), bool>);
    STATIC_REQUIRE(PORT_STATUS::reason::get(0x00000100) == link_reason::admin_down);
    STATIC_REQUIRE(PORT_STATUS::reason::set(1, link_reason::fault) == 0x601);
    STATIC_REQUIRE(DB_CQ::queue::get(0x0000000780000123) == 7);
    STATIC_REQUIRE(DB_CQ::arm::get(0x0000000780000123));
    STATIC_REQUIRE(DB_CQ::index::get(0x0000000780000123) == 0x123);
}

TEST_CASE("every value survives the way through little-endian memory, low byte first") {
    std::array<std::byte, 8> memory{};
    store_little_endian<std::uint64_t>(memory.data(), 0x8877665544332211);
    for (unsigned i = 0; i < 8; ++i)
        REQUIRE(std::to_integer<unsigned>(memory[i]) == 0x11 * (i + 1));
    REQUIRE(load_little_endian<std::uint64_t>(memory.data()) == 0x8877665544332211);
    REQUIRE(load_little_endian<std::uint32_t>(memory.data() + 4) == 0x88776655);
    REQUIRE(load_little_endian<std::uint16_t>(memory.data() + 6) == 0x8877);
    REQUIRE(load_little_endian<std::uint8_t>(memory.data() + 7) == 0x88);
}

TEST_CASE("a view writes its field and nothing else") {
    std::array<std::byte, tx_descriptor_view::bytes> memory{};
    tx_descriptor_view view{memory};
    view.set_address(0x0102030405060708);
    view.set_flags(tx_descriptor_flags::last::set(tx_descriptor_flags::first::mask, true));
    REQUIRE(view.flags() == 3);
    REQUIRE(std::to_integer<int>(memory[0]) == 8);
    REQUIRE(std::to_integer<int>(memory[7]) == 1);
    REQUIRE(std::to_integer<int>(memory[12]) == 3);
    REQUIRE(std::count(memory.begin(), memory.end(), std::byte{0}) == tx_descriptor_view::bytes - 9);
}

TEST_CASE("a constant view reads what a view wrote, enumerations included") {
    std::array<std::byte, admin_command_view::bytes> memory{};
    admin_command_view{memory}.set_opcode(admin_opcode::create_cq);
    admin_command_view{memory}.set_mac(0x060504030201);
    const admin_command_const_view view{std::span<const std::byte, 64>{memory}};
    REQUIRE(view.opcode() == admin_opcode::create_cq);
    REQUIRE(view.mac() == 0x060504030201);
    REQUIRE(std::to_integer<int>(memory[56]) == 1);
    REQUIRE(std::to_integer<int>(memory[61]) == 6);
}

TEST_CASE("garbage in an enumerated field is kept as it is") {
    std::array<std::byte, admin_command_view::bytes> memory{std::byte{0xee}};
    REQUIRE(static_cast<int>(admin_command_view{memory}.opcode()) == 0xee);
}

TEST_CASE("arrays in a view are indexed by element") {
    std::array<std::byte, rss_config_view::bytes> memory{};
    rss_config_view view{memory};
    STATIC_REQUIRE(rss_config_view::key_count == rss_key_bytes);
    STATIC_REQUIRE(rss_config_view::table_count == rss_table_entries);
    for (std::size_t i = 0; i < rss_config_view::table_count; ++i)
        view.set_table(i, static_cast<std::uint16_t>(i * 257));
    view.set_key(39, 0x5a);
    for (std::size_t i = 0; i < rss_config_view::table_count; ++i)
        REQUIRE(view.table(i) == i * 257);
    REQUIRE(std::to_integer<int>(memory[47]) == 0x5a);
    REQUIRE(std::to_integer<int>(memory[303]) == 127);
}
