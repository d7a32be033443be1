// SPDX-License-Identifier: Apache-2.0
// What the DMA tests share: three cards that differ in one parameter each, and short ways to say things.
#pragma once

#include "model/pcie/testing/elaborate.h"
#include "model/pcie/testing/test_host.h"

#include <catch2/catch_test_macros.hpp>

#include <span>
#include <vector>

namespace vg810::pcie::testing {

inline constexpr std::uint64_t base = bench::memory_base;

inline link_parameters few_tags() {
    link_parameters p;
    p.tags = 3;
    return p;
}

inline link_parameters ungrouped() {
    link_parameters p;
    p.touch_grouping = picoseconds{};
    return p;
}

struct benches {
    bench usual{"usual", link_parameters{}};
    bench starved{"starved", few_tags()};
    bench single{"single", ungrouped()};
};

inline benches& all() {
    static benches b;
    elaborate();
    return b;
}

inline bench& started(bench& b, std::uint32_t mps = 256, std::uint32_t mrrs = 512) {
    b.start(mps, mrrs);
    return b;
}

inline std::vector<std::byte> pattern(std::size_t n, unsigned seed = 1) {
    std::vector<std::byte> data(n);
    for (std::size_t i = 0; i < n; ++i)
        data[i] = static_cast<std::byte>(seed + i * 7 + i / 256);
    return data;
}

inline std::vector<std::byte> stored(bench& b, std::uint64_t address, std::size_t n) {
    std::vector<std::byte> data(n);
    REQUIRE(b.host.memory().read(address, data));
    return data;
}

inline void write(bench& b, std::uint64_t address, std::span<const std::byte> data, std::uint64_t cookie,
                  unsigned function = 0) {
    const dma_piece piece{address, data};
    b.card.dma(function).write({&piece, 1}, &b.client, cookie);
}

} // namespace vg810::pcie::testing
