// SPDX-License-Identifier: Apache-2.0
// Every address of both BARs, in every width: what the map describes answers, everything else is a bad
// access.
#include "model/regs/register_file.h"

#include <catch2/catch_test_macros.hpp>

#include <vector>

using namespace vg810::regs;

namespace {

struct counting_listener : register_listener {
    std::uint64_t writes = 0;
    std::uint64_t reads = 0;
    void on_write(reg, std::uint32_t, std::uint64_t, std::uint64_t) override { ++writes; }
    void on_read(reg, std::uint32_t) override { ++reads; }
};

/// What a register file must do with an access, found the slow way: by looking at every register.
std::vector<const register_info*> bytes_of_bar(unsigned bar, std::size_t size) {
    std::vector<const register_info*> owners(size, nullptr);
    for (const register_info& info : register_table)
        if (info.bar == bar)
            for (std::uint32_t copy = 0; copy < info.count; ++copy)
                for (unsigned byte = 0; byte < info.bytes; ++byte)
                    owners.at(info.address(copy) + byte) = &info;
    return owners;
}

bool acceptable(const register_info* info, std::uint64_t offset, unsigned size) {
    if (info == nullptr)
        return false;
    const std::uint64_t inside = offset - info->address(info->copy(offset));
    return (inside == 0 && size == info->bytes) ||
           (info->bytes == 8 && size == 4 && (inside == 0 || inside == 4));
}

struct totals {
    std::uint64_t accepted = 0;
    std::uint64_t whole_64_bit = 0;
};

/// How many of a sweep's accesses the map allows: a 64-bit register takes itself and two halves.
totals expected_totals(unsigned bar) {
    totals sum;
    for (const register_info& info : register_table)
        if (info.bar == bar) {
            sum.accepted += std::uint64_t{info.count} * (info.bytes == 8 ? 3 : 1);
            sum.whole_64_bit += info.bytes == 8 ? info.count : 0;
        }
    return sum;
}

void sweep(unsigned bar, std::uint64_t size) {
    counting_listener heard;
    register_file file{heard};
    file.set<STATUS, STATUS::ready>(true);
    const std::vector<const register_info*> owners = bytes_of_bar(bar, size);
    std::uint64_t accepted = 0, wrong_decode = 0, wrong_read = 0, wrong_write = 0, leaked = 0;
    for (std::uint64_t offset = 0; offset < size; ++offset) {
        wrong_decode += find(bar, offset) != owners[offset];
        for (const unsigned bytes : {1u, 2u, 3u, 4u, 8u, 16u}) {
            const bool good = acceptable(owners[offset], offset, bytes);
            const read_result got = file.read(bar, offset, bytes);
            wrong_read += got.result != (good ? access_result::ok : access_result::bad);
            leaked += !good && got.value != 0;
            accepted += good;
            if (!good)
                wrong_write += file.write(bar, offset, bytes, ~std::uint64_t{0}) != access_result::bad;
        }
    }
    REQUIRE(wrong_decode == 0);
    REQUIRE(wrong_read == 0);
    REQUIRE(wrong_write == 0);
    REQUIRE(leaked == 0);
    REQUIRE(accepted == expected_totals(bar).accepted);
    REQUIRE(heard.reads ==
            accepted - expected_totals(bar).whole_64_bit); // a high half came with its low half
    REQUIRE(heard.writes == 0);
    file.set<STATUS, STATUS::ready>(false);
    for (const register_info& info : register_table)
        for (std::uint32_t copy = 0; copy < info.count; ++copy)
            REQUIRE(file.get(info.id, copy) == info.reset);
}

} // namespace

TEST_CASE("every address and width of BAR 0 does what the map says") {
    sweep(0, bar0_size);
}
TEST_CASE("every address and width of BAR 2 does what the map says") {
    sweep(2, bar2_size);
}

TEST_CASE("addresses beyond the BARs and other BARs are absent") {
    counting_listener heard;
    register_file file{heard};
    file.set<STATUS, STATUS::ready>(true);
    for (const unsigned bar : {0u, 1u, 2u, 3u, 4u, 5u, 6u, 255u})
        for (const std::uint64_t offset :
             {std::uint64_t{bar0_size}, std::uint64_t{bar2_size}, ~std::uint64_t{0}, ~std::uint64_t{3},
              std::uint64_t{1} << 32, (std::uint64_t{1} << 32) + SCRATCH::reg_offset}) {
            if (bar == 2 && offset < bar2_size)
                continue;
            REQUIRE(find(bar, offset) == nullptr);
            REQUIRE(file.read(bar, offset, 4).result == access_result::bad);
            REQUIRE(file.write(bar, offset, 4, 1) == access_result::bad);
        }
    REQUIRE(heard.reads + heard.writes == 0);
    for (const unsigned bar : {1u, 3u, 4u, 5u})
        REQUIRE(file.read(bar, 0, 4).result == access_result::bad);
}
