// SPDX-License-Identifier: Apache-2.0
#include "model/mac/mac.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>

#include <deque>

using namespace vg810;
using regs::counter;

namespace {

struct silent_listener final : regs::register_listener {
    void on_write(regs::reg, std::uint32_t, std::uint64_t, std::uint64_t) override {}
    void on_read(regs::reg, std::uint32_t) override {}
};

struct cable final : cable_end {
    struct sent {
        bytes length;
        picoseconds first, last;
    };
    std::deque<sent> frames;
    std::vector<std::pair<bool, picoseconds>> light;
    scheduler& clock;
    explicit cable(scheduler& c) : clock(c) {}
    void send(frame_ptr f, picoseconds first, picoseconds last) override {
        frames.push_back({f->length(), first, last});
    }
    void set_signal(bool on, bits_per_second) override { light.emplace_back(on, clock.now()); }
    picoseconds min_latency() const override { return 1_ns; }
};

struct client final : mac_client {
    std::deque<outgoing_frame> queue;
    std::vector<std::pair<std::uint64_t, picoseconds>> sent;
    std::vector<std::pair<frame_ptr, picoseconds>> received;
    std::vector<picoseconds> started;
    unsigned link_changes = 0;
    scheduler& clock;
    explicit client(scheduler& c) : clock(c) {}
    outgoing_frame next_frame() override {
        if (queue.empty())
            return {};
        outgoing_frame f = std::move(queue.front());
        queue.pop_front();
        return f;
    }
    void frame_started(const frame&, picoseconds first) override { started.push_back(first); }
    void frame_sent(std::uint64_t token) override { sent.emplace_back(token, clock.now()); }
    void frame_received(frame_ptr f) override { received.emplace_back(std::move(f), clock.now()); }
    void link_changed() override { ++link_changes; }
};

struct bench {
    scheduler clock{"mac"};
    frame_pool pool;
    silent_listener listener;
    regs::register_file registers{listener};
    client above{clock};
    cable line{clock};
    mac port;
    explicit bench(const mac_parameters& p = {}) : port(clock, "mac", p, registers, above, 0_ps, 0_ps) {}

    void run(picoseconds span) {
        const picoseconds end = clock.now() + span;
        clock.run_before(end);
        clock.advance_to(end);
    }
    void link() {
        port.attach(line);
        port.set_enabled(true);
        port.signal_changed(true, port.parameters().rate);
        run(6_ms);
    }
    void queue(bytes length, std::uint64_t token = 0) { above.queue.push_back({pool.make(length), token}); }
    frame_ptr frame(bytes length, bool bad = false) {
        frame_ptr f = pool.make(length);
        std::fill(f->stored().begin(), f->stored().end(), std::byte{2});
        f->fcs_bad = bad;
        return f;
    }
    std::uint64_t count(counter c) { return registers.count(c); }
};

} // namespace

TEST_CASE("MAC: minimum frames leave every 84 octet times, 37.2 M a second") {
    bench b;
    b.link();
    for (int i = 0; i < 1000; ++i)
        b.queue(60, 1000u + static_cast<unsigned>(i));
    const picoseconds kicked = b.clock.now();
    b.port.kick();
    b.run(1_ms);
    REQUIRE(b.line.frames.size() == 1000);
    CHECK(b.line.frames[0].first == kicked + 60_ns);
    for (std::size_t i = 0; i < 1000; ++i) {
        CHECK(b.line.frames[i].last - b.line.frames[i].first == picoseconds(72 * 320));
        CHECK(b.line.frames[i].first ==
              b.line.frames[0].first + picoseconds(84 * 320) * static_cast<std::int64_t>(i));
        REQUIRE(b.above.sent[i] == std::pair(1000 + i, b.line.frames[i].last));
        CHECK(b.above.started[i] == b.line.frames[i].first);
    }
    CHECK(b.count(counter::tx_packets) == 1000);
    CHECK(b.count(counter::tx_bytes) == 64'000);
    CHECK(b.count(counter::tx_64_bytes) == 1000);
}

TEST_CASE("MAC: 9622 octets at 10G, and a gap after a pause is not needed again") {
    mac_parameters p;
    p.rate = 10_gbps;
    bench b(p);
    b.link();
    b.queue(9622);
    b.port.kick();
    b.run(100_us);
    REQUIRE(b.line.frames.size() == 1);
    CHECK(b.line.frames[0].last - b.line.frames[0].first == picoseconds((8 + 9622 + 4) * 800));
    b.queue(60);
    const picoseconds kicked = b.clock.now();
    b.port.kick();
    b.run(1_us);
    REQUIRE(b.line.frames.size() == 2);
    CHECK(b.line.frames[1].first == kicked + 60_ns);
    CHECK(b.above.sent.empty()); // nobody asked
}

TEST_CASE("MAC: size classes of RFC 2819, octets with FCS") {
    bench b;
    b.link();
    b.port.set_max_frame(9622);
    const std::pair<bytes, counter> lengths[] = {{60, counter::rx_64_bytes},
                                                 {61, counter::rx_65_to_127_bytes},
                                                 {123, counter::rx_65_to_127_bytes},
                                                 {124, counter::rx_128_to_255_bytes},
                                                 {251, counter::rx_128_to_255_bytes},
                                                 {252, counter::rx_256_to_511_bytes},
                                                 {507, counter::rx_256_to_511_bytes},
                                                 {508, counter::rx_512_to_1023_bytes},
                                                 {1019, counter::rx_512_to_1023_bytes},
                                                 {1020, counter::rx_1024_to_1518_bytes},
                                                 {1514, counter::rx_1024_to_1518_bytes},
                                                 {1515, counter::rx_over_1518_bytes},
                                                 {9622, counter::rx_over_1518_bytes}};
    std::uint64_t octets = 0;
    for (const auto& [length, which] : lengths) {
        const auto before = b.count(which);
        b.port.frame_arrived(b.frame(length));
        CHECK(b.count(which) == before + 1);
        octets += length + 4;
    }
    CHECK(b.count(counter::rx_packets) == std::size(lengths));
    CHECK(b.count(counter::rx_bytes) == octets);
    CHECK(b.above.received.size() == std::size(lengths));
}

TEST_CASE("MAC: what it refuses") {
    bench b;
    b.link();
    b.port.frame_arrived(b.frame(100, true));
    b.port.frame_arrived(b.frame(59));
    b.port.frame_arrived(b.frame(1523));
    CHECK(b.count(counter::rx_crc_errors) == 1);
    CHECK(b.count(counter::rx_undersize) == 1);
    CHECK(b.count(counter::rx_oversize) == 1);
    CHECK(b.count(counter::rx_packets) == 0);
    CHECK(b.above.received.empty());
    b.port.frame_arrived(b.frame(1522)); // 1500 + header + two tags
    CHECK(b.above.received.size() == 1);
    b.queue(59);
    CHECK_THROWS_AS(b.port.kick(), std::logic_error); // the block above pads
}

TEST_CASE("MAC: multicast and broadcast are counted apart") {
    bench b;
    b.link();
    frame_ptr f = b.frame(60);
    f->stored()[0] = std::byte{1};
    b.port.frame_arrived(f);
    f = b.frame(60);
    std::fill_n(f->stored().begin(), 6, std::byte{0xff});
    b.port.frame_arrived(f);
    b.port.frame_arrived(b.frame(60));
    CHECK(b.count(counter::rx_multicast) == 1);
    CHECK(b.count(counter::rx_broadcast) == 1);
    CHECK(b.count(counter::rx_packets) == 3);
}

TEST_CASE("link: every reason in its order") {
    link_inputs in;
    CHECK(judge_link(in) == link_down_reason::admin_down);
    in.enabled = true;
    CHECK(judge_link(in) == link_down_reason::no_module);
    in.module = true;
    in.fault = true;
    CHECK(judge_link(in) == link_down_reason::fault);
    in.fault = false;
    CHECK(judge_link(in) == link_down_reason::no_signal);
    in.signal = true;
    in.rate_matches = false;
    CHECK(judge_link(in) == link_down_reason::rate_mismatch);
    in.rate_matches = true;
    CHECK(judge_link(in) == link_down_reason::training);
    CHECK(may_train(in));
    in.trained = true;
    CHECK(judge_link(in) == link_down_reason::none);
    CHECK(judge_link({.loopback = true}) == link_down_reason::none);
    CHECK_FALSE(may_train({.loopback = true}));
}

TEST_CASE("link: training takes its time and starts anew after every interruption") {
    bench b;
    CHECK(b.port.reason() == link_down_reason::admin_down);
    b.port.set_enabled(true);
    CHECK(b.port.reason() == link_down_reason::no_module);
    b.port.attach(b.line);
    CHECK(b.port.reason() == link_down_reason::no_signal);
    b.port.signal_changed(true, 10_gbps);
    CHECK(b.port.reason() == link_down_reason::rate_mismatch);
    b.port.signal_changed(true, 25_gbps);
    CHECK(b.port.reason() == link_down_reason::training);
    b.run(4_ms);
    b.port.signal_changed(false, 25_gbps);
    b.port.signal_changed(true, 25_gbps);
    b.run(4_ms);
    CHECK_FALSE(b.port.link_up()); // the first attempt's timer means nothing
    b.run(1001_us);
    CHECK(b.port.link_up());
    CHECK(b.port.down_count() == 0);
    b.port.set_fault(true);
    CHECK(b.port.reason() == link_down_reason::fault);
    CHECK(b.port.down_count() == 1);
    b.port.frame_arrived(b.frame(60));
    CHECK(b.above.received.empty());
    b.queue(60);
    b.port.kick();
    b.run(1_us);
    CHECK(b.line.frames.empty());
    b.port.set_fault(false);
    b.run(5001_us);
    CHECK(b.line.frames.size() == 1); // what waited goes
}

TEST_CASE("link: light follows the port with the module's delays") {
    bench b;
    b.port.attach(b.line);
    b.port.set_enabled(true);
    CHECK(b.port.transmitter_on());
    b.run(200_us);
    REQUIRE(b.line.light.size() == 1);
    CHECK(b.line.light[0] == std::pair(true, 100_us));
    b.port.set_enabled(false);
    b.run(10_us);
    b.port.set_enabled(true); // in time: never dark
    b.run(1_ms);
    CHECK(b.line.light.size() == 1);
    const picoseconds off = b.clock.now();
    b.port.reset();
    CHECK(b.port.transmitter_on());
    b.run(1_ms);
    REQUIRE(b.line.light.size() == 2);
    CHECK(b.line.light[1] == std::pair(false, off + 20_us));
    CHECK_FALSE(b.port.transmitter_on());
}

TEST_CASE("MAC: loopback") {
    bench b;
    b.port.set_loopback(true);
    CHECK(b.port.link_up());
    CHECK_FALSE(b.port.line_up());
    b.queue(100, 7);
    const picoseconds kicked = b.clock.now();
    b.port.kick();
    b.run(1_us);
    REQUIRE(b.above.received.size() == 1);
    CHECK(b.above.received[0].second == kicked + 60_ns + picoseconds(112 * 320) + 50_ns);
    CHECK(b.above.sent.size() == 1);
    CHECK(b.line.frames.empty());
    CHECK(b.above.started.empty());
    b.port.frame_arrived(b.frame(60)); // from the line: not listened to
    CHECK(b.above.received.size() == 1);

    b.port.set_loopback_corruption(true);
    b.queue(100);
    b.port.kick();
    b.run(1_us);
    REQUIRE(b.above.received.size() == 2);
    CHECK_FALSE(std::ranges::equal(b.above.received[0].first->stored(), b.above.received[1].first->stored()));
}
