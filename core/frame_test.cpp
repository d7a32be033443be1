// SPDX-License-Identifier: Apache-2.0
#include "core/frame.h"

#include <catch2/catch_test_macros.hpp>
#include <cstring>
#include <set>
#include <vector>

using namespace vg810;

TEST_CASE("a frame knows its length on the wire, whatever it stores") {
    frame_pool pool;
    const frame_ptr f = pool.make(1514, 64);
    CHECK(f->length() == 1514);
    CHECK(f->stored().size() == 64);
    CHECK(f->wire_bytes() == 8 + 1514 + 4);
    CHECK(f->slot_bytes() == 8 + 1514 + 4 + 12);
}

TEST_CASE("lengths outside the range are refused") {
    frame_pool pool;
    CHECK_THROWS_AS(pool.make(0), std::length_error);
    CHECK_THROWS_AS(pool.make(max_frame_bytes + 1), std::length_error);
    CHECK_THROWS_AS(pool.make(100, 101), std::length_error);
    CHECK(pool.make(max_frame_bytes)->stored().size() == max_frame_bytes);
}

TEST_CASE("frames return to the pool with their last owner and come back clean") {
    frame_pool pool;
    std::set<const std::byte*> seen;
    for (int round = 0; round < 3; ++round) {
        std::vector<frame_ptr> held;
        for (int i = 0; i < 100; ++i) {
            held.push_back(pool.make(9000));
            held.back()->fcs_bad = true;
            std::memset(held.back()->stored().data(), 0xa5, 9000);
            seen.insert(held.back()->stored().data());
        }
        CHECK(pool.in_use() == 100);
        const frame_ptr shared = held[0];
        held.clear();
        CHECK(pool.in_use() == 1);
        CHECK(shared->stored()[8999] == std::byte{0xa5});
    }
    CHECK(pool.in_use() == 0);
    CHECK(seen.size() <= 128); // two batches of 64 serve all rounds
    CHECK_FALSE(pool.make(9000)->fcs_bad);
}

TEST_CASE("an event's number carries a frame without changing its owners") {
    frame_pool pool;
    frame_ptr f = pool.make(64);
    const std::uint64_t number = f.release();
    CHECK_FALSE(f);
    CHECK(pool.in_use() == 1);
    f = frame_ptr::adopt(number);
    f = frame_ptr{};
    CHECK(pool.in_use() == 0);
}

TEST_CASE("frames of every size have room of their own") {
    frame_pool pool;
    std::vector<frame_ptr> held;
    for (bytes n : {1, 64, 127, 128, 129, 256, 511, 512, 513, 4096, 9622})
        for (int i = 0; i < 70; ++i) {
            held.push_back(pool.make(max_frame_bytes, n));
            std::memset(held.back()->stored().data(), static_cast<int>(held.size() & 0xff), n);
        }
    for (std::size_t i = 0; i < held.size(); ++i)
        for (std::byte b : held[i]->stored())
            REQUIRE(b == static_cast<std::byte>((i + 1) & 0xff));
}

TEST_CASE("a frame's owners are counted as far as the counter goes") {
    frame_pool pool;
    std::vector<frame_ptr> owners(65'535, frame_ptr{});
    owners[0] = pool.make(64);
    for (std::size_t i = 1; i < owners.size(); ++i)
        owners[i] = owners[0];
    CHECK_THROWS_AS(frame_ptr(owners[0]), std::length_error);
    owners.resize(1);
    CHECK(pool.in_use() == 1);
    owners.clear();
    CHECK(pool.in_use() == 0);
}
