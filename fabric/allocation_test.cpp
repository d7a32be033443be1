// SPDX-License-Identifier: Apache-2.0
// A frame's way through cables and switches takes nothing from the heap once pools and event queues have
// their size.
#include "fabric/network.h"
#include "fabric/testing/station.h"

#include <catch2/catch_test_macros.hpp>

#include <cstdlib>
#include <new>

using namespace vg810;
using namespace vg810::fabric;

namespace {
std::uint64_t allocations = 0;
}

[[gnu::noinline]] void* operator new(std::size_t n) {
    ++allocations;
    if (void* p = std::malloc(n ? n : 1))
        return p;
    throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* p) noexcept {
    std::free(p);
}
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept {
    std::free(p);
}

namespace {

/// Sends every frame on to the same destination as fast as they come back: keeps its number in flight for
/// ever.
class juggler final : public component, public wire_receiver {
  public:
    juggler(scheduler& clock, std::string name, frame_pool& pool, mac_address own, mac_address peer)
        : component(clock, std::move(name)), pool_(pool), own_(own), peer_(peer) {}
    void plug(cable_end& end) { end_ = &end; }
    void throw_one() {
        frame_ptr f = testing::make_udp(pool_, peer_, own_, static_cast<std::uint16_t>(++received), 200);
        const picoseconds first = std::max(now(), free_at_);
        free_at_ = first + (25_gbps).time_for(f->slot_bytes());
        const picoseconds last = first + (25_gbps).time_for(f->wire_bytes());
        end_->send(std::move(f), first, last);
    }
    void frame_arrived(frame_ptr) override { throw_one(); }
    void signal_changed(bool present, bits_per_second) override {
        for (int i = 0; present && i < 20; ++i)
            throw_one();
    }
    std::uint64_t received = 0;

  private:
    frame_pool& pool_;
    mac_address own_, peer_;
    cable_end* end_ = nullptr;
    picoseconds free_at_;
};

} // namespace

TEST_CASE("Steady traffic across a leaf-spine allocates nothing") {
    frame_pool pool;
    const auto hosts = numbered_hosts(2, 2);
    network net(leaf_spine(2, 2, hosts, fabric_options{}), pool, domain_split::shared, {});
    std::vector<std::unique_ptr<juggler>> jugglers;
    for (std::size_t i = 0; i < 4; ++i) {
        const std::string name = "host" + std::to_string(i);
        jugglers.push_back(std::make_unique<juggler>(net.host_clock(name), name, pool,
                                                     hosts[i].station.ports[0].mac,
                                                     hosts[(i + 2) % 4].station.ports[0].mac));
        jugglers.back()->plug(net.plug(name, 0, *jugglers.back()));
    }
    net.power_on();
    for (std::size_t i = 0; i < 4; ++i)
        net.find_link("host" + std::to_string(i) + ".0").end(cable_side::a).set_signal(true, 25_gbps);
    scheduler& clock = net.host_clock("host0");
    clock.run_before(1_ms);
    const std::uint64_t before = allocations, received = jugglers[0]->received;
    clock.run_before(5_ms);
    CHECK(allocations == before);
    CHECK(jugglers[0]->received > received + 10'000);
}
