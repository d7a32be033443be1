// SPDX-License-Identifier: Apache-2.0
#include "fabric/shared_buffer.h"

#include <catch2/catch_test_macros.hpp>

using namespace vg810;
using namespace vg810::fabric;

namespace {
constexpr priority_set only3 = 0b1000;

buffer_parameters small() {
    buffer_parameters p;
    p.total = 100'000;
    p.reserved = 1'000; // 16 queues of 2 ports
    p.headroom = 5'000; // 2 lossless queues
    p.xoff = 10'000;
    p.xon_offset = 2'000;
    return p;
}

struct two_ports : shared_buffer {
    explicit two_ports(const buffer_parameters& p) : shared_buffer(p, only3) { set_ports(2); }
    admission lossless(bytes n, port_index in = 0) { return admit(in, 3, n, 0); }
};
} // namespace

TEST_CASE("What is not reserved and not headroom is shared") {
    const two_ports b(small());
    CHECK(b.shared_size() == 100'000 - 16'000 - 10'000);
    CHECK(b.shared_used() == 0);
}

TEST_CASE(
    "A lossless queue fills reserved, shared, then headroom; XOFF comes once, with the crossing frame") {
    two_ports b(small());
    CHECK(b.lossless(1'000) == admission::admitted);
    CHECK(b.shared_used() == 0);
    for (int i = 0; i < 10; ++i)
        CHECK(b.lossless(1'000) == admission::admitted);
    CHECK(b.shared_used() == 10'000);
    CHECK_FALSE(b.paused(0, 3));
    CHECK(b.lossless(1'000) == admission::admitted_xoff); // 11,000 shared: above 10,000
    CHECK(b.paused(0, 3));
    CHECK(b.headroom_used(0, 3) == 0);
    for (int i = 0; i < 5; ++i)
        CHECK(b.lossless(1'000) == admission::admitted);
    CHECK(b.headroom_used(0, 3) == 5'000);
    CHECK(b.lossless(1) == admission::headroom_full);
    CHECK(b.lossless(1'000, 1) == admission::admitted); // the other port is not touched
}

TEST_CASE("Headroom empties first, and XON comes an offset below the threshold") {
    two_ports b(small());
    for (int i = 0; i < 14; ++i)
        b.lossless(1'000); // 1 reserved, 11 shared, 2 headroom
    CHECK_FALSE(b.release(0, 3, 1'000));
    CHECK_FALSE(b.release(0, 3, 1'000));
    CHECK(b.headroom_used(0, 3) == 0);
    CHECK(b.deepest_headroom(0, 3) == 2'000);
    CHECK_FALSE(b.release(0, 3, 1'000));
    CHECK_FALSE(b.release(0, 3, 1'000)); // 9,000 shared
    CHECK(b.release(0, 3, 1'000));       // 8,000 = 10,000 - 2,000
    CHECK_FALSE(b.paused(0, 3));
    for (int i = 0; i < 9; ++i)
        CHECK_FALSE(b.release(0, 3, 1'000));
    CHECK(b.shared_used() == 0);
    CHECK_THROWS_AS(b.release(0, 3, 1), std::logic_error);
}

TEST_CASE("A dynamic threshold shrinks as memory fills, and an emptied queue is never left paused") {
    buffer_parameters p;
    p.total = 100'000;
    p.alpha = 0.5;
    p.xon_offset = 90'000; // more than the threshold ever is
    two_ports b(p);
    CHECK(b.threshold() == 50'000);
    int frames = 0;
    while (b.lossless(1'000) == admission::admitted)
        ++frames;
    // x > (100,000 - x) / 2: x = 34,000
    CHECK(frames == 33);
    CHECK(b.threshold() == 33'000);
    for (int i = 0; i < 33; ++i)
        CHECK_FALSE(b.release(0, 3, 1'000));
    CHECK(b.release(0, 3, 1'000));
}

TEST_CASE("A lossy queue is cut at its share of what is free, and at the end of the memory") {
    buffer_parameters p;
    p.total = 100'000;
    p.lossy_alpha = 1;
    two_ports b(p);
    bytes depth = 0;
    while (b.admit(0, 0, 1'000, depth) == admission::admitted)
        depth += 1'000;
    CHECK(depth == 50'000);
    CHECK(b.admit(0, 0, 1'000, depth) == admission::egress_full);
    CHECK(b.admit(1, 0, 1'000, 0) == admission::admitted); // another queue still gets something
    p.lossy_alpha = 100;
    two_ports greedy(p);
    for (int i = 0; i < 100; ++i)
        CHECK(greedy.admit(0, 0, 1'000, 0) == admission::admitted);
    CHECK(greedy.admit(0, 0, 1'000, 0) == admission::shared_full);
}

TEST_CASE("Lossless frames without shared memory go to the headroom and pause") {
    buffer_parameters p = small();
    p.xoff = 90'000; // more than there is
    two_ports b(p);
    for (int i = 0; i < 75; ++i) // 1 reserved, 74 shared
        CHECK(b.lossless(1'000) == admission::admitted);
    CHECK(b.lossless(1'000) == admission::admitted_xoff);
    CHECK(b.headroom_used(0, 3) == 1'000);
}

TEST_CASE("A headroom pool is shared by all ports") {
    buffer_parameters p = small();
    p.headroom_pool = 6'000;
    p.xoff = 1;
    two_ports b(p);
    for (port_index in : {0, 1}) {
        b.lossless(1'000, in);
        b.lossless(1'000, in); // crosses
    }
    for (int i = 0; i < 5; ++i)
        CHECK(b.lossless(1'000) == admission::admitted);
    CHECK(b.lossless(1'000, 1) == admission::admitted);
    CHECK(b.lossless(1'000, 1) == admission::headroom_full);
}

TEST_CASE("Ports whose shares exceed the memory are refused") {
    shared_buffer b(small(), only3);
    CHECK_THROWS_AS(b.set_ports(20), std::invalid_argument);
}

TEST_CASE("Frames are counted with overhead and in cells") {
    buffer_parameters p;
    CHECK(p.counted(1514) == 1514);
    p.overhead = 24;
    CHECK(p.counted(1514) == 1538);
    p.cell = 208;
    CHECK(p.counted(1514) == 8 * 208);
}
