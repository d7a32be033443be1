// SPDX-License-Identifier: Apache-2.0
#include "qemu-device/guest_memory.h"

#include <catch2/catch_test_macros.hpp>

#include <sys/mman.h>

#include <array>
#include <cerrno>
#include <vector>

using namespace vg810::qemu;

namespace {

constexpr std::uint64_t mib = 1 << 20;

file_descriptor ram(std::uint64_t size) {
    file_descriptor fd(memfd_create("ram", MFD_CLOEXEC));
    REQUIRE(ftruncate(fd.get(), static_cast<off_t>(size)) == 0);
    return fd;
}

std::vector<std::byte> pattern(std::size_t size, unsigned seed) {
    std::vector<std::byte> out(size);
    for (std::size_t i = 0; i < size; ++i)
        out[i] = static_cast<std::byte>(seed + i * 7);
    return out;
}

} // namespace

TEST_CASE("a mapping reaches the file behind it") {
    guest_memory m;
    const file_descriptor file = ram(2 * mib);
    REQUIRE(m.map(0x10000, mib, dma_access::read_write, file, mib) == 0);

    const auto data = pattern(100, 3);
    REQUIRE(m.write(0x10000 + 50, data));
    std::vector<std::byte> back(100);
    REQUIRE(pread(file.get(), back.data(), back.size(), mib + 50) == 100);
    CHECK(back == data);
    CHECK(m.lookup(0x10000, mib, dma_access::read) != nullptr);
    CHECK(m.lookup(0x10000, mib + 1, dma_access::read) == nullptr);
    CHECK(m.lookup(0xffff, 2, dma_access::read) == nullptr);
    CHECK(m.lookup(0x10000 + mib, 1, dma_access::read) == nullptr);
    CHECK(m.lookup(0x10001, ~0ull, dma_access::read) == nullptr);
}

TEST_CASE("a transfer across two mappings is whole, one into a hole does nothing") {
    guest_memory m;
    const file_descriptor low = ram(mib);
    const file_descriptor high = ram(mib);
    REQUIRE(m.map(0, mib, dma_access::read_write, low, 0) == 0);
    REQUIRE(m.map(mib, mib, dma_access::read_write, high, 0) == 0);
    const auto data = pattern(4096, 1);
    CHECK(m.lookup(mib - 2048, 4096, dma_access::write) == nullptr);
    REQUIRE(m.write(mib - 2048, data));
    std::vector<std::byte> back(4096);
    REQUIRE(m.read(mib - 2048, back));
    CHECK(back == data);

    const std::array<std::byte, 8> ones{std::byte{1}, std::byte{1}, std::byte{1}, std::byte{1},
                                        std::byte{1}, std::byte{1}, std::byte{1}, std::byte{1}};
    CHECK_FALSE(m.write(2 * mib - 4, ones));
    std::array<std::byte, 4> tail{};
    REQUIRE(m.read(2 * mib - 4, tail));
    CHECK(tail == std::array<std::byte, 4>{});
}

TEST_CASE("the newest of overlapping mappings wins, and the older returns when it goes") {
    guest_memory m;
    const file_descriptor old_ram = ram(mib);
    const file_descriptor new_ram = ram(mib);
    REQUIRE(m.map(0, mib, dma_access::read_write, old_ram, 0) == 0);
    REQUIRE(m.write(0xc0000, pattern(16, 10)));
    REQUIRE(m.map(0xc0000, 0x20000, dma_access::read, new_ram, 0) == 0);
    CHECK(m.lookup(0xc0000, 1, dma_access::write) == nullptr);
    CHECK(m.lookup(0xbffff, 1, dma_access::write) != nullptr);
    CHECK(m.lookup(0xe0000, 1, dma_access::write) != nullptr);
    std::vector<std::byte> got(16);
    REQUIRE(m.read(0xc0000, got));
    CHECK(got == std::vector<std::byte>(16));

    SECTION("the newer goes first") {
        REQUIRE(m.unmap(0xc0000, 0x20000) == 0);
        REQUIRE(m.read(0xc0000, got));
        CHECK(got == pattern(16, 10));
    }
    SECTION("the older goes first") {
        REQUIRE(m.unmap(0, mib) == 0);
        REQUIRE(m.read(0xc0000, got));
        CHECK(m.lookup(0xbffff, 1, dma_access::read) == nullptr);
        CHECK(m.lookup(0xe0000, 1, dma_access::read) == nullptr);
    }
    SECTION("generations: mapped whole, in parts, whole again") {
        REQUIRE(m.unmap(0, mib) == 0);
        REQUIRE(m.map(0, 0xc0000, dma_access::read_write, old_ram, 0) == 0);
        REQUIRE(m.map(0xe0000, 0x20000, dma_access::read_write, old_ram, 0xe0000) == 0);
        CHECK(m.lookup(0, 0xc0000, dma_access::write) != nullptr);
        REQUIRE(m.unmap(0, 0xc0000) == 0);
        REQUIRE(m.unmap(0xc0000, 0x20000) == 0);
        REQUIRE(m.unmap(0xe0000, 0x20000) == 0);
        REQUIRE(m.map(0, mib, dma_access::read_write, old_ram, 0) == 0);
        CHECK(m.lookup(0, mib, dma_access::write) != nullptr);
        CHECK(m.ranges() == 1);
    }
}

TEST_CASE("bad mappings are refused") {
    guest_memory m;
    const file_descriptor file = ram(mib);
    CHECK(m.map(0, 0, dma_access::read, file, 0) == EINVAL);
    CHECK(m.map(~0ull - 4095, 8192, dma_access::read, file, 0) == EINVAL);
    CHECK(m.map(0, 4096, dma_access::read, file, 100) == EINVAL);
    CHECK(m.map(0, mib + 4096, dma_access::read, file, 0) == EINVAL);
    CHECK(m.map(0, 4096, dma_access::read, file, 16 * mib) == EINVAL);
    CHECK(m.unmap(0, 4096) == EINVAL);
    REQUIRE(m.map(0, 4096, dma_access::read, file, 0) == 0);
    CHECK(m.map(0, 4096, dma_access::read, file, 0) == EEXIST);
    CHECK(m.unmap(0, 8192) == EINVAL);
    CHECK(m.ranges() == 1);
    for (std::uint64_t i = 1; i < guest_memory::max_ranges; ++i)
        REQUIRE(m.map(i * 8192, 4096, dma_access::read, {}, 0) == 0);
    CHECK(m.map(1ull << 40, 4096, dma_access::read, file, 0) == ENOSPC);
}

TEST_CASE("memory without a file is out of reach; RAM without one is reported with the cure") {
    guest_memory m;
    REQUIRE(m.map(0xfffc0000, 0x40000, dma_access::read, {}, 0) == 0);
    CHECK(m.lookup(0xfffc0000, 4, dma_access::read) == nullptr);
    CHECK(m.sharing_error().empty());
    REQUIRE(m.map(0, 512 * mib, dma_access::read_write, {}, 0) == 0);
    CHECK(m.sharing_error().find("memory-backend-memfd,share=on") != std::string::npos);
}
