// SPDX-License-Identifier: Apache-2.0
// Once warm, DMA allocates nothing: counted at operator new.
#include "model/pcie/testing/elaborate.h"
#include "model/pcie/testing/test_host.h"

#include <catch2/catch_test_macros.hpp>

#include <cstdlib>
#include <new>

namespace {
std::size_t allocations = 0;
}

void* operator new(std::size_t n) {
    ++allocations;
    if (void* p = std::malloc(n == 0 ? 1 : n))
        return p;
    throw std::bad_alloc();
}
void operator delete(void* p) noexcept {
    std::free(p);
}
void operator delete(void* p, std::size_t) noexcept {
    std::free(p);
}

using namespace vg810;
using namespace vg810::pcie;
using pcie::testing::bench;

namespace {

struct counting_client final : dma_client {
    void dma_done(std::uint64_t, dma_status status) override { good += status == dma_status::ok; }
    std::size_t good = 0;
};

} // namespace

TEST_CASE("DMA does not allocate once it is warm") {
    static bench b("warm", link_parameters{});
    pcie::testing::elaborate();
    b.start(256, 512);
    b.host.set_observer({});
    b.host.set_interrupt_handler({});
    counting_client client;
    std::vector<std::byte> source(4000), target(4000);
    const dma_piece piece{bench::memory_base, source};
    const auto round = [&] {
        for (unsigned i = 0; i < 50; ++i) {
            b.card.dma(0).write({&piece, 1}, &client, i);
            b.card.dma(0).read(bench::memory_base, target, client, i);
            b.card.dma(0).interrupt(1);
        }
        b.run();
    };
    for (int i = 0; i < 20; ++i)
        round();
    const std::size_t before = allocations;
    for (int i = 0; i < 20; ++i)
        round();
    CHECK(allocations == before);
    CHECK(client.good == 40 * 100);
}
