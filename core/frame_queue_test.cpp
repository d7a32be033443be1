// SPDX-License-Identifier: Apache-2.0
#include "core/frame_queue.h"

#include <catch2/catch_test_macros.hpp>

using namespace vg810;

TEST_CASE("Frames leave a queue in the order they came, and the sums follow") {
    frame_pool pool;
    frame_queue q;
    CHECK(q.empty());
    for (bytes n : {60, 1500, 9000})
        q.push(pool.make(n));
    CHECK(q.frames() == 3);
    CHECK(q.octets() == 60 + 1500 + 9000);
    CHECK(q.front().length() == 60);
    CHECK(q.pop()->length() == 60);
    q.push(pool.make(100));
    CHECK(q.pop()->length() == 1500);
    CHECK(q.pop()->length() == 9000);
    CHECK(q.pop()->length() == 100);
    CHECK(q.empty());
    CHECK(q.octets() == 0);
    CHECK(pool.in_use() == 0);
}

TEST_CASE("A queue that goes away, is cleared or moved from gives its frames back once") {
    frame_pool pool;
    {
        frame_queue q;
        q.push(pool.make(60));
        q.push(pool.make(60));
        frame_queue moved(std::move(q));
        CHECK(q.empty());
        CHECK(moved.frames() == 2);
        moved.pop();
        moved.push(pool.make(70));
        CHECK(pool.in_use() == 2);
    }
    CHECK(pool.in_use() == 0);
    frame_queue q;
    q.push(pool.make(60));
    q.clear();
    CHECK(q.empty());
    CHECK(pool.in_use() == 0);
}
