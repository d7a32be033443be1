// SPDX-License-Identifier: Apache-2.0
// Two whole cards, TLM sockets included, back to back: embedded drivers on both hosts, real PCIe and MAC
// timing.
#include "model/card.h"

#include "core/ethernet.h"
#include "model/mac/testing/cable_pair.h"
#include "model/native/host.h"
#include "model/pcie/testing/elaborate.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <new>

using namespace vg810;

namespace {
std::uint64_t allocations = 0;
} // namespace

// Counts what the whole program allocates.
[[gnu::noinline]] void* operator new(std::size_t n) {
    ++allocations;
    if (void* p = std::malloc(n != 0 ? n : 1))
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

constexpr picoseconds cable_latency = 500_ns;

card_identity identity(unsigned index) {
    card_identity id;
    id.serial_number += index;
    for (unsigned port = 0; port < 2; ++port)
        id.addresses.push_back(mac_address::from_u64(0x021ecc000000 + index * 16 + port));
    return id;
}

struct site {
    site(const std::string& name, unsigned index, scheduler& clock, frame_pool& frames,
         const card_parameters& p, const native_driver_config& d)
        : hardware((name + "_card").c_str(), clock, identity(index), p, frames),
          host(name, clock, hardware, d) {}
    card hardware;
    native_host host;
};

/// A pair of cards, port n to port n.
struct pair_of_cards {
    explicit pair_of_cards(const std::string& name, const card_parameters& p = {},
                           const native_driver_config& d = {})
        : clock(name), left(name + "_left", 0, clock, frames, p, d),
          right(name + "_right", 1, clock, frames, p, d),
          cables{std::make_unique<testing::cable_pair>(clock, name + "_cable0", cable_latency),
                 std::make_unique<testing::cable_pair>(clock, name + "_cable1", cable_latency)} {
        for (unsigned port = 0; port < 2; ++port) {
            left.hardware.attach(port, cables[port]->plug(0, left.hardware.receiver(port)));
            right.hardware.attach(port, cables[port]->plug(1, right.hardware.receiver(port)));
        }
    }
    void run(picoseconds span) {
        const picoseconds end = clock.now() + span;
        clock.run_before(end);
        clock.advance_to(end);
    }
    void start() {
        left.hardware.endpoint().power_on_reset();
        right.hardware.endpoint().power_on_reset();
        left.host.power_on();
        right.host.power_on();
        run(10_ms);
    }

    scheduler clock;
    frame_pool frames;
    site left, right;
    std::array<std::unique_ptr<testing::cable_pair>, 2> cables;
};

native_driver_config jumbo() {
    native_driver_config d;
    d.mtu = 9600;
    return d;
}

struct benches {
    pair_of_cards plain{"plain"};
    pair_of_cards jumbo{"jumbo", {}, ::jumbo()};
};

benches& all() {
    static benches* const b = [] {
        auto* made = new benches; // lives as long as the SystemC kernel, whose modules it has
        pcie::testing::elaborate();
        return made;
    }();
    return *b;
}

std::vector<std::byte> frame_to(mac_address to, mac_address from, std::size_t length, unsigned seed) {
    std::vector<std::byte> f(length);
    for (std::size_t i = 14; i < length; ++i)
        f[i] = static_cast<std::byte>(seed * 31 + i * 7 + i / 256);
    const ethernet_view<std::byte> e(f.data());
    e.set_destination(to);
    e.set_source(from);
    e.set_type(0x88b5); // IEEE 802: local experimental
    return f;
}

/// Sends `count` frames from left to right as fast as the driver takes them; the arrival times.
std::vector<picoseconds> blast(pair_of_cards& p, unsigned port, std::size_t length, unsigned count) {
    std::vector<picoseconds> arrivals;
    unsigned sent = 0, wrong = 0;
    native_driver& from = p.left.host.driver(port);
    native_driver& to = p.right.host.driver(port);
    const auto make = [&](unsigned n) {
        return frame_to(identity(1).addresses[port], identity(0).addresses[port], length, n);
    };
    to.on_receive = [&](std::span<const std::byte> f, regs::completion_const_view) {
        const auto expected = make(static_cast<unsigned>(arrivals.size()));
        wrong += !std::equal(f.begin(), f.end(), expected.begin(), expected.end());
        arrivals.push_back(p.clock.now());
    };
    const auto fill = [&] {
        while (sent < count && from.send(make(sent)))
            ++sent;
    };
    from.on_space = fill;
    fill();
    p.run(picoseconds(static_cast<std::int64_t>(count) * 1'200'000) + 1_ms);
    from.on_space = {};
    to.on_receive = {};
    CHECK(wrong == 0);
    CHECK(arrivals.size() == count);
    return arrivals;
}

} // namespace

TEST_CASE("card: two cards bring both links up and carry frames") {
    pair_of_cards& p = all().plain;
    p.start();
    for (unsigned port = 0; port < 2; ++port) {
        REQUIRE(p.left.host.driver(port).failure() == "");
        REQUIRE(p.left.host.driver(port).link_up());
        REQUIRE(p.right.host.driver(port).link_up());
        blast(p, port, 60, 1000);
        blast(p, port, 1514, 1000);
    }
    CHECK(p.frames.in_use() == 0);
}

TEST_CASE("card: jumbo frames") {
    pair_of_cards& p = all().jumbo;
    p.start();
    blast(p, 0, 9614, 300);
}

TEST_CASE("card: line rate at 1514 octets") {
    // 25e9 / (8 * (8 + 1514 + 4 + 12)) = 2.032 M frames/s: 492.16 ns each, IEEE 802.3 4.4.2.
    pair_of_cards& p = all().plain;
    const std::uint64_t before =
        p.left.hardware.function(0).bar_read(0, regs::info(regs::reg::tx_packets).offset, 8);
    std::vector<picoseconds> arrivals = blast(p, 0, 1514, 5000);
    CHECK(p.left.hardware.function(0).bar_read(0, regs::info(regs::reg::tx_packets).offset, 8) - before ==
          5000);
    // The receiving driver's interrupts come in bunches: compare the whole with the line's time.
    const double seconds = (arrivals.back() - arrivals.front()).as_seconds();
    CHECK(seconds < 5000 * 492.16e-9 * 1.02);
    CHECK(seconds > 4900 * 492.16e-9);
}

TEST_CASE("card: after a reset of everything the same traffic takes the same time, to the picosecond") {
    pair_of_cards& p = all().plain;
    std::array<std::vector<picoseconds>, 2> arrivals;
    for (auto& round : arrivals) {
        p.start();
        const picoseconds began = p.clock.now();
        round = blast(p, 0, 700, 500);
        for (picoseconds& at : round)
            at = at - began;
    }
    CHECK(arrivals[0] == arrivals[1]);
}

namespace {

/// Follows one frame and checks the promises on its way.
class tracker final : public card_observer {
  public:
    void doorbell_seen(unsigned, std::uint16_t, picoseconds at) override { doorbell = at; }
    void frame_out(unsigned, const frame&, picoseconds at) override { out = at; }
    void frame_in(unsigned, const frame&, picoseconds at) override { in = at; }
    void interrupt_sent(unsigned, std::uint16_t, picoseconds at) override {
        if (in != picoseconds{} && interrupt == picoseconds{})
            interrupt = at;
    }
    picoseconds doorbell, out, in, interrupt;
};

} // namespace

TEST_CASE("card: one frame's stations, and the promises of lookahead and quiet") {
    pair_of_cards& p = all().plain;
    tracker sender, receiver;
    p.left.hardware.set_observer(&sender);
    p.right.hardware.set_observer(&receiver);
    const picoseconds written = p.clock.now();
    const picoseconds lookahead = p.left.hardware.access_lookahead(0);
    blast(p, 0, 60, 1);
    p.left.hardware.set_observer(nullptr);
    p.right.hardware.set_observer(nullptr);

    CHECK(lookahead > 1_us); // else two busy guests would crawl
    CHECK(sender.out - written >= lookahead);
    CHECK(sender.doorbell > written);
    // 8 + 60 + 4 octets at 320 ps.
    CHECK((receiver.in - sender.out) == 320_ps * 72 + cable_latency);
    CHECK(receiver.interrupt - receiver.in >=
          p.right.hardware.rx_quiet() - p.right.hardware.endpoint().wire().touch_latency());
    CHECK(p.left.hardware.pass_through() > 1_us);
}

TEST_CASE("card: frames cost no allocations once the pools have grown") {
    pair_of_cards& p = all().plain;
    native_driver& from = p.left.host.driver(0);
    std::uint64_t received = 0;
    p.right.host.driver(0).on_receive = [&](std::span<const std::byte>, regs::completion_const_view) {
        ++received;
    };
    const auto f = frame_to(identity(1).addresses[0], identity(0).addresses[0], 1000, 1);
    const auto traffic = [&](unsigned count) {
        for (unsigned i = 0; i < count; ++i) {
            from.send(f);
            p.run(400_ns);
        }
        p.run(50_us);
    };
    traffic(3000);
    const std::uint64_t before = allocations, had = received;
    traffic(3000);
    const std::uint64_t made = allocations - before; // the test framework allocates, too
    CHECK(made < 10); // a pool's slot may still see its first large request; 3000 frames would be thousands
    CHECK(received - had == 3000);
    p.right.host.driver(0).on_receive = {};
}

TEST_CASE("card: lookahead follows the card's state") {
    pair_of_cards& p = all().jumbo;
    const picoseconds up = p.left.hardware.access_lookahead(0);
    // The cable goes dark: nothing leaves before the port has trained again.
    p.left.hardware.function(0).port().signal_changed(false, 25_gbps);
    CHECK(p.left.hardware.access_lookahead(0) > up);
    CHECK(p.left.hardware.access_lookahead() == std::min(up, p.left.hardware.access_lookahead(1)));
    p.left.hardware.function(0).port().signal_changed(true, 25_gbps);
    p.run(6_ms);
    CHECK(p.left.hardware.access_lookahead(0) == up);
    // Reset: first the light goes off, then nothing can happen for a training time.
    p.left.hardware.endpoint().bus_reset();
    CHECK(p.left.hardware.access_lookahead(0) <= mac_parameters{}.transmitter_off);
    p.run(1_ms);
    CHECK(p.left.hardware.access_lookahead(0) > mac_parameters{}.transmitter_on);
}
