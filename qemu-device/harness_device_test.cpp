// SPDX-License-Identifier: Apache-2.0
#include "qemu-device/harness_device.h"

#include <catch2/catch_test_macros.hpp>

#include <cstring>
#include <vector>

using namespace vg810::qemu;

namespace {

struct rig {
    int ready = 0;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> done;
    harness_device device{
        {[this] { ++ready; }, [this](std::uint32_t s, std::uint32_t r) { done.emplace_back(s, r); }}};

    std::uint32_t read(std::uint64_t offset) {
        std::uint32_t value = 0;
        device.read_bar(0, offset, std::as_writable_bytes(std::span(&value, 1)));
        return value;
    }
    void write(std::uint64_t offset, std::uint32_t value) {
        device.write_bar(0, offset, std::as_bytes(std::span(&value, 1)));
    }
    std::uint32_t config(std::uint32_t offset) {
        std::uint32_t value = 0;
        device.read_config(offset, std::as_writable_bytes(std::span(&value, 1)));
        return value;
    }
    void set_config(std::uint32_t offset, std::uint32_t value) {
        device.write_config(offset, std::as_bytes(std::span(&value, 1)));
    }
};

} // namespace

TEST_CASE("a step goes from the scenario to the agent and back") {
    rig r;
    CHECK(r.read(VG810_HARNESS_MAGIC) == VG810_HARNESS_MAGIC_VALUE);
    CHECK(r.read(VG810_HARNESS_STATE) == VG810_HARNESS_WAIT);
    r.write(VG810_HARNESS_HELLO, 1);
    CHECK(r.ready == 1);
    CHECK(r.device.ready());

    r.device.start_step(7, "echo hello", std::chrono::milliseconds(1500));
    CHECK(r.read(VG810_HARNESS_STATE) == VG810_HARNESS_RUN);
    CHECK(r.read(VG810_HARNESS_STEP) == 7);
    CHECK(r.read(VG810_HARNESS_TIMEOUT_MS) == 1500);
    REQUIRE(r.read(VG810_HARNESS_COMMAND_LENGTH) == 10);
    std::string text(12, '\0');
    for (std::size_t i = 0; i < 12; i += 4) {
        const std::uint32_t word = r.read(VG810_HARNESS_COMMAND_TEXT + i);
        std::memcpy(text.data() + i, &word, 4);
    }
    CHECK(text.substr(0, 10) == "echo hello");
    CHECK_THROWS_AS(r.device.start_step(8, "x", {}), std::logic_error);

    r.write(VG810_HARNESS_RESULT, 3);
    CHECK(r.done == std::vector<std::pair<std::uint32_t, std::uint32_t>>{{7, 3}});
    CHECK(r.read(VG810_HARNESS_STATE) == VG810_HARNESS_WAIT);
    r.write(VG810_HARNESS_RESULT, 4); // nothing was asked
    CHECK(r.done.size() == 1);
    CHECK_THROWS_AS(r.device.start_step(8, std::string(VG810_HARNESS_COMMAND_SIZE + 1, 'x'), {}),
                    std::length_error);
    r.device.power_off();
    CHECK(r.read(VG810_HARNESS_STATE) == VG810_HARNESS_POWER_OFF);
}

TEST_CASE("the function enumerates like a PCI Express endpoint and ignores what it does not have") {
    rig r;
    CHECK(r.config(0) == 0x81ff1ecc);
    CHECK((r.config(8) >> 8) == VG810_HARNESS_CLASS);
    r.set_config(0x10, 0xffffffff);
    CHECK(r.config(0x10) == ~(VG810_HARNESS_BAR_SIZE - 1u));
    r.set_config(0x14, 0xffffffff);
    CHECK(r.config(0x14) == 0);
    r.set_config(0, 0);
    CHECK(r.config(0) == 0x81ff1ecc);
    r.set_config(4, 0xffffffff);
    CHECK((r.config(4) & 0xffff) == 0x0406);
    r.write(VG810_HARNESS_MAGIC, 0);
    r.write(VG810_HARNESS_COMMAND_TEXT, 1);
    CHECK(r.read(VG810_HARNESS_MAGIC) == VG810_HARNESS_MAGIC_VALUE);
    CHECK(r.read(VG810_HARNESS_COMMAND_TEXT) == 0);
    r.device.reset();
    CHECK(r.config(0x10) == 0);
    CHECK_FALSE(r.device.ready());
}
