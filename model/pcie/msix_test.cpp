// SPDX-License-Identifier: Apache-2.0
#include "model/pcie/msix.h"

#include <catch2/catch_test_macros.hpp>

#include <stdexcept>

using namespace vg810::pcie;

namespace {

/// A table of 64 vectors, enabled, all entries still masked.
msix enabled() {
    msix m(64);
    m.set_blocked(false);
    m.set_control(true, false);
    return m;
}

void unmask(msix& m, unsigned vector) {
    m.write_table(16 * vector + 12, 4, 0);
}
void mask(msix& m, unsigned vector) {
    m.write_table(16 * vector + 12, 4, 1);
}

} // namespace

TEST_CASE("an entry holds address, data and mask; reserved bits read 0") {
    msix m(64);
    m.write_table(0x20, 8, 0x1122334455667788);
    m.write_table(0x28, 8, 0xffffffff'99aabbcc);
    CHECK(m.read_table(0x20, 8) == 0x1122334455667788);
    CHECK(m.read_table(0x28, 8) == 0x1'99aabbcc); // vector control: mask bit only
    m.write_table(0x20, 4, 0xffffffff);
    CHECK(m.read_table(0x20, 4) == 0xfffffffc); // aligned to a double word
    CHECK(m.read_table(0x24, 4) == 0x11223344);
    CHECK(m.message(2).address == 0x11223344'fffffffc);
    CHECK(m.message(2).data == 0x99aabbcc);
}

TEST_CASE("entries begin masked and zero") {
    const msix m(64);
    for (unsigned v = 0; v < 64; ++v) {
        CHECK(m.read_table(16 * v, 8) == 0);
        CHECK(m.read_table(16 * v + 8, 8) == std::uint64_t{1} << 32);
    }
}

TEST_CASE("only aligned double and quad words write; any part reads") {
    msix m(64);
    m.write_table(0, 8, 0x0807060504030200);
    m.write_table(0, 1, 0xff);
    m.write_table(2, 2, 0xffff);
    m.write_table(2, 4, 0xffffffff);
    m.write_table(4, 8, ~0ULL);
    CHECK(m.read_table(0, 8) == 0x0807060504030200);
    CHECK(m.read_table(1, 1) == 0x02);
    CHECK(m.read_table(6, 2) == 0x0807);
}

TEST_CASE("beyond the last entry there is nothing") {
    msix m(3);
    CHECK(m.table_bytes() == 48);
    m.write_table(48, 4, 0xffffffff);
    m.write_table(44, 8, ~0ULL);
    CHECK(m.read_table(48, 4) == 0);
    CHECK(m.read_table(40, 8) == std::uint64_t{1} << 32);
    CHECK(m.read_pending(8, 8) == 0);
    CHECK(m.read_pending(1 << 20, 4) == 0);
}

TEST_CASE("a masked vector becomes pending and is sent once when unmasked") {
    msix m = enabled();
    unmask(m, 5);
    CHECK(m.trigger(5));
    CHECK(!m.pending(5));
    mask(m, 5);
    CHECK(!m.trigger(5));
    CHECK(!m.trigger(5));
    CHECK(m.read_pending(0, 8) == 1 << 5);
    CHECK(m.read_pending(0, 1) == 1 << 5);
    CHECK(!m.take_ready());
    unmask(m, 5);
    CHECK(m.take_ready() == 5);
    CHECK(!m.take_ready());
    CHECK(m.read_pending(0, 8) == 0);
}

TEST_CASE("the function mask and a disabled MSI-X hold every vector back, lowest is sent first") {
    msix m = enabled();
    unmask(m, 7);
    unmask(m, 63);
    m.set_control(true, true);
    CHECK(!m.trigger(63));
    CHECK(!m.trigger(7));
    CHECK(m.read_pending(0, 8) == (std::uint64_t{1} << 63 | 1 << 7));
    CHECK(m.read_pending(4, 4) == 0x80000000);
    m.set_control(false, false);
    CHECK(!m.take_ready());
    m.set_control(true, false);
    CHECK(m.take_ready() == 7);
    CHECK(m.take_ready() == 63);
    CHECK(!m.take_ready());
}

TEST_CASE("without bus master messages wait, whoever keeps the table") {
    msix m = enabled();
    unmask(m, 1);
    m.set_blocked(true);
    CHECK(!m.trigger(1));
    m.set_mode(msix_mode::external);
    CHECK(!m.trigger(2));
    m.set_blocked(false);
    CHECK(m.take_ready() == 1);
    CHECK(m.take_ready() == 2);
}

TEST_CASE("an external table ignores masks and enable here") {
    msix m(64);
    m.set_mode(msix_mode::external);
    m.set_blocked(false);
    CHECK(m.trigger(0));
    CHECK(m.trigger(63));
}

TEST_CASE("a reset masks, clears and forgets, but leaves the mode") {
    msix m = enabled();
    m.write_table(0, 8, 0x1000);
    m.trigger(9);
    m.set_mode(msix_mode::external);
    m.reset();
    CHECK(m.read_table(0, 8) == 0);
    CHECK(m.read_pending(0, 8) == 0);
    CHECK(m.mode() == msix_mode::external);
    CHECK(!m.trigger(0)); // bus master is off after a reset
}

TEST_CASE("more than 64 vectors have more than one word of pending bits") {
    msix m(2048);
    CHECK(m.pending_bytes() == 256);
    CHECK(!m.trigger(2047));
    CHECK(m.read_pending(248, 8) == std::uint64_t{1} << 63);
    CHECK(m.read_pending(255, 1) == 0x80);
    CHECK_THROWS_AS(msix(0), std::invalid_argument);
    CHECK_THROWS_AS(msix(2049), std::invalid_argument);
}
