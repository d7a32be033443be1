// SPDX-License-Identifier: Apache-2.0
#include "model/pcie/tag_set.h"
#include "model/pcie/tlp_header.h"
#include "model/pcie/tlp_split.h"

#include <catch2/catch_test_macros.hpp>

#include <limits>
#include <utility>
#include <vector>

using namespace vg810::pcie;

namespace {

using packets = std::vector<std::pair<std::uint64_t, std::uint32_t>>;

packets requests(std::uint64_t address, std::uint64_t length, std::uint32_t limit) {
    packets result;
    split_request(address, length, limit,
                  [&](std::uint64_t a, std::uint32_t n) { result.emplace_back(a, n); });
    return result;
}

packets completions(std::uint64_t address, std::uint32_t length, std::uint32_t mps, std::uint32_t rcb) {
    packets result;
    split_completion(address, length, mps, rcb,
                     [&](std::uint64_t a, std::uint32_t n) { result.emplace_back(a, n); });
    return result;
}

} // namespace

TEST_CASE("requests are cut at the limit and at 4 KiB") {
    CHECK(requests(0, 1, 128) == packets{{0, 1}});
    CHECK(requests(0xfff, 2, 512) == packets{{0xfff, 1}, {0x1000, 1}});
    CHECK(requests(0x1000, 512, 256) == packets{{0x1000, 256}, {0x1100, 256}});
    CHECK(requests(0x10f0, 0x20, 4096) == packets{{0x10f0, 0x20}});
    CHECK(requests(0, 0, 256).empty());
}

TEST_CASE("no request crosses 4 KiB, exceeds the limit, or leaves a gap") {
    for (const std::uint32_t limit : {128U, 256U, 512U, 4096U})
        for (std::uint64_t address = 0xf00; address < 0x1100; address += 13)
            for (const std::uint64_t length : {1ULL, 127ULL, 4096ULL, 9622ULL, 65536ULL}) {
                std::uint64_t at = address;
                for (const auto& [a, n] : requests(address, length, limit)) {
                    REQUIRE(a == at);
                    REQUIRE(n >= 1);
                    REQUIRE(n <= limit);
                    REQUIRE(a / 4096 == (a + n - 1) / 4096);
                    at += n;
                }
                REQUIRE(at == address + length);
            }
}

TEST_CASE("requests at the end of the address space wrap without losing octets") {
    const auto last = std::numeric_limits<std::uint64_t>::max();
    CHECK(requests(last - 1, 4, 256) == packets{{last - 1, 2}, {0, 2}});
}

TEST_CASE("completions end at read completion boundaries") {
    CHECK(completions(0, 512, 256, 64) == packets{{0, 256}, {256, 256}});
    CHECK(completions(0x20, 500, 256, 64) == packets{{0x20, 224}, {0x100, 256}, {0x200, 20}});
    CHECK(completions(0x7f, 2, 128, 64) == packets{{0x7f, 2}}); // 2.3.1.1: may cross, when it fits
    CHECK(completions(0x40, 512, 128, 128) ==
          packets{{0x40, 64}, {0x80, 128}, {0x100, 128}, {0x180, 128}, {0x200, 64}});
    CHECK(completions(3, 1, 512, 64) == packets{{3, 1}});
}

TEST_CASE("data travel in whole double words") {
    CHECK(padded(0, 1) == 4);
    CHECK(padded(3, 1) == 4);
    CHECK(padded(3, 2) == 8);
    CHECK(padded(0x1000, 64) == 64);
    CHECK(padded(0x1002, 64) == 68);
}

TEST_CASE("byte enables, 2.2.5") {
    CHECK(byte_enables(0, 4) == 0x0f);
    CHECK(byte_enables(1, 1) == 0x02);
    CHECK(byte_enables(2, 2) == 0x0c);
    CHECK(byte_enables(0, 8) == 0xff);
    CHECK(byte_enables(1, 8) == 0x1e);
    CHECK(byte_enables(3, 2) == 0x18);
    CHECK(byte_enables(0, 0) == 0);
}

TEST_CASE("headers of memory requests, 2.2.4.1") {
    CHECK(memory_request_header(false, 0x1000, 64, 0x0100, 5) ==
          tlp_header{0x00000010, 0x010005ff, 0x1000, 0});
    CHECK(memory_request_header(true, 0x1'0000'0003, 2, 0x0101, 0) ==
          tlp_header{0x60000002, 0x01010018, 0x1, 0});
    CHECK(memory_request_header(false, 0x2000, 4096, 0, 0)[0] == 0); // 1024 double words are coded 0
}

TEST_CASE("tags are unique, lowest first, and limited") {
    tag_set tags;
    for (unsigned i = 0; i < 256; ++i)
        REQUIRE(tags.take(256) == static_cast<std::uint8_t>(i));
    CHECK(!tags.take(256));
    tags.give_back(200);
    tags.give_back(63);
    CHECK(!tags.take(63));
    CHECK(tags.take(64) == 63);
    CHECK(!tags.take(200));
    CHECK(tags.take(256) == 200);
}
