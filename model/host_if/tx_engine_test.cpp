// SPDX-License-Identifier: Apache-2.0
// The transmit path with descriptors that a test wrote: order, fairness, backpressure, garbage, DMA errors,
// destruction.
#include "model/host_if/tx_engine.h"

#include "model/host_if/testing/raw_queues.h"

#include <catch2/catch_test_macros.hpp>

using namespace vg810;
using namespace vg810::testing;
using regs::completion_status;
using regs::reg;

namespace {

struct tx_bench : bench, raw_queues {
    explicit tx_bench(unsigned ring_log2 = 6,
                      const network_function::configuration& c = bench_configuration())
        : bench(c), raw_queues(static_cast<bench&>(*this), ring_log2) {
        bring_up();
        REQUIRE(failure == "");
        REQUIRE(create_all());
        driver.on_queue_error = [this](regs::event_const_view e) {
            errors.emplace_back(e.kind(), e.id(), e.data());
        };
        const auto octets = plain_frame(peer_mac, card_mac, 4096);
        for (std::uint64_t at = data; at < data + 0x40000; at += octets.size())
            std::copy(octets.begin(), octets.end(), host.memory(at, octets.size()).begin());
    }
    void expect(completion_status status, std::uint16_t index, unsigned descriptors = 1) {
        const auto c = next_completion();
        REQUIRE(c.has_value());
        CHECK(c->status() == status);
        CHECK(c->index() == index);
        CHECK(c->queue_id() == queue);
        CHECK(c->descriptors() == descriptors);
        CHECK_FALSE(regs::completion_flags::rx::get(c->flags()));
    }
    std::vector<std::tuple<regs::queue_kind, std::uint32_t, std::uint64_t>> errors;
};

std::tuple<regs::queue_kind, std::uint32_t, std::uint64_t> tx_error(regs::queue_error e) {
    return {regs::queue_kind::tx, raw_queues::queue, static_cast<std::uint64_t>(e)};
}

} // namespace

TEST_CASE("TX: a packet of many descriptors comes out in one piece, doorbells in the middle") {
    tx_bench b;
    for (unsigned n : {1u, 2u, 19u, 20u}) {
        b.cable.frames.clear();
        for (unsigned i = 0; i < n; ++i) {
            b.put_tx({.address = b.data + 4096 * i,
                      .length = 30 + i,
                      .first = i == 0,
                      .last = i + 1 == n,
                      .segments = static_cast<std::uint8_t>(i == 0 ? n : 0)});
            b.ring_tx();
            b.run(picoseconds(static_cast<std::int64_t>(i) * 333'000));
        }
        b.run(20_us);
        b.expect(completion_status::ok, static_cast<std::uint16_t>(b.tx_tail - 1), n);
        std::vector<std::byte> expected;
        for (unsigned i = 0; i < n; ++i) {
            const auto part = b.host.memory(b.data + 4096 * i, 30 + i);
            expected.insert(expected.end(), part.begin(), part.end());
        }
        expected.resize(std::max<std::size_t>(60, expected.size()));
        REQUIRE(b.cable.frames.size() == 1);
        CHECK(b.cable.frames[0].octets == expected);
    }
}

TEST_CASE("TX: only packets that ask are reported, at the time of their last bit, in order") {
    tx_bench b;
    b.host.reorder_reads = true;
    for (unsigned i = 0; i < 40; ++i)
        b.put_tx({.length = 60 + i * 10, .completion = i % 3 == 0});
    b.ring_tx();
    b.run(100_us);
    REQUIRE(b.cable.frames.size() == 40);
    for (unsigned i = 0; i < 40; ++i)
        CHECK(b.cable.frames[i].octets.size() == 60 + i * 10);
    for (unsigned i = 0; i < 40; i += 3) {
        const auto c = b.next_completion();
        REQUIRE(c.has_value());
        CHECK(c->index() == i);
        CHECK(c->timestamp() == static_cast<std::uint64_t>(b.cable.frames[i].last_bit.floor_ns()));
    }
    CHECK_FALSE(b.next_completion().has_value());
}

TEST_CASE("TX: packets that cannot be sent are reported and harm nobody") {
    struct wrong {
        raw_queues::tx descriptor;
        completion_status expected;
    };
    using flag = regs::tx_descriptor_flags;
    const std::uint64_t nowhere = 0x10;
    const wrong all[] = {
        {{.length = 0}, completion_status::bad_descriptor},
        {{.length = 65536}, completion_status::bad_descriptor},
        {{.length = 0xffffffff}, completion_status::bad_descriptor},
        {{.length = 13}, completion_status::bad_descriptor},
        {{.reserved = 1}, completion_status::bad_descriptor},
        {{.reserved = 1ull << 63}, completion_status::bad_descriptor},
        {{.length = 1523}, completion_status::too_long},
        {{.length = 65535}, completion_status::too_long},
        {{.address = nowhere}, completion_status::dma_error},
        {{.address = ~0ull - 10}, completion_status::dma_error},
        {{.more_flags = flag::l4_checksum::mask, .l4_offset = 90, .checksum_offset = 16},
         completion_status::bad_descriptor},
        {{.more_flags = flag::l3_checksum::mask, .l3_offset = 81}, completion_status::bad_descriptor},
        {{.more_flags = flag::l3_checksum::mask, .l3_offset = 14},
         completion_status::bad_descriptor}, // no IPv4 there
        {{.more_flags = flag::tso::mask, .l3_offset = 14, .l4_offset = 34, .header_length = 54, .mss = 0},
         completion_status::bad_descriptor},
        {{.more_flags = flag::tso::mask, .l3_offset = 14, .l4_offset = 34, .header_length = 54, .mss = 10},
         completion_status::bad_descriptor}, // no TCP there
    };
    for (const bool asks : {true, false})
        for (const wrong& w : all) {
            tx_bench b;
            raw_queues::tx bad = w.descriptor;
            bad.completion = asks;
            b.put_tx({.length = 200});
            b.put_tx(bad);
            b.put_tx({.length = 300});
            b.ring_tx();
            b.run(50_us);
            b.expect(completion_status::ok, 0);
            b.expect(w.expected, 1);
            b.expect(completion_status::ok, 2);
            CHECK(b.cable.frames.size() == 2);
            CHECK(b.errors.empty());
            CHECK(b.read(reg::tx_errors) == 1);
            CHECK((b.read(reg::ERROR_STATUS) != 0) == (w.expected == completion_status::dma_error));
        }
}

TEST_CASE("TX: when a packet's end cannot be told the queue stops behind what was good") {
    const std::vector<raw_queues::tx> broken[] = {
        {{.first = false}},
        {{.segments = 0}},
        {{.segments = 21}},
        {{.segments = 255}},
        {{.last = false, .segments = 1}},
        {{.last = true, .segments = 2}, {.first = false}},
        {{.last = false, .segments = 2}, {.first = true, .last = true}},
        {{.last = false, .segments = 2}, {.first = false, .last = false}},
        {{.last = false, .segments = 3}, {.first = false, .last = true, .segments = 0}},
    };
    for (const auto& descriptors : broken) {
        tx_bench b;
        b.put_tx({.length = 200});
        for (const auto& d : descriptors)
            b.put_tx(d);
        b.put_tx({.length = 300});
        b.ring_tx();
        b.run(50_us);
        b.expect(completion_status::ok, 0);
        CHECK_FALSE(b.next_completion().has_value());
        CHECK(b.cable.frames.size() == 1);
        REQUIRE(b.errors.size() == 1);
        CHECK(b.errors[0] == tx_error(regs::queue_error::bad_descriptor));
        // Its doorbell is dead, the others' is not.
        b.ring_tx();
        b.run(10_us);
        CHECK(b.read(reg::ERROR_STATUS) == regs::ERROR_STATUS::bad_doorbell::mask);
        REQUIRE(b.driver.send(plain_frame(peer_mac, card_mac, 100)));
        b.run(10_us);
        CHECK(b.cable.frames.size() == 2);
        // Made anew, it works.
        CHECK(b.destroy(regs::admin_opcode::destroy_txq, b.queue).first == regs::admin_status::ok);
        REQUIRE(b.create_tx());
        b.tx_tail = 0;
        b.put_tx({.length = 400});
        b.ring_tx();
        b.run(20_us);
        CHECK(b.cable.frames.size() == 3);
    }
}

TEST_CASE("TX: a ring of 16 refuses packets that it cannot hold") {
    tx_bench b(4);
    b.put_tx({.last = false, .segments = 17});
    b.ring_tx();
    b.run(20_us);
    REQUIRE(b.errors.size() == 1);
    CHECK(b.errors[0] == tx_error(regs::queue_error::bad_descriptor));
}

TEST_CASE("TX: descriptors that cannot be read stop the queue") {
    tx_bench b;
    b.put_tx({.length = 100});
    b.ring_tx();
    b.run(20_us);
    b.expect(completion_status::ok, 0);
    b.host.poison(b.tx_base);
    b.put_tx({.length = 100});
    b.ring_tx();
    b.run(20_us);
    REQUIRE(b.errors.size() == 1);
    CHECK(b.errors[0] == tx_error(regs::queue_error::dma));
    CHECK(b.read(reg::ERROR_STATUS) == regs::ERROR_STATUS::dma_error::mask);
}

TEST_CASE("TX: two queues share the wire frame by frame") {
    tx_bench b;
    for (int i = 0; i < 30; ++i)
        REQUIRE(b.driver.send(plain_frame(peer_mac, card_mac, 1000)));
    for (int i = 0; i < 30; ++i)
        b.put_tx({.length = 1001});
    b.ring_tx();
    b.run(200_us);
    REQUIRE(b.cable.frames.size() == 60);
    std::size_t turns = 0;
    for (std::size_t i = 10; i < 50; ++i)
        turns += b.cable.frames[i].octets.size() != b.cable.frames[i - 1].octets.size();
    CHECK(turns >= 38);
}

TEST_CASE("TX: the packet buffer bounds what is read ahead, and everything still gets out") {
    auto c = bench_configuration();
    c.host_if.transmit_buffer = 128 * 1024;
    c.port.rate = bits_per_second(1'000'000'000); // far slower than PCIe
    tx_bench b(8, c);
    REQUIRE(b.command([](regs::admin_command_view v) {
                 v.set_opcode(regs::admin_opcode::set_mtu);
                 v.set_param(9000);
             }).first == regs::admin_status::ok);
    const auto before = b.host.reads;
    for (int i = 0; i < 40; ++i)
        b.put_tx({.length = 9000});
    b.ring_tx();
    b.run(70_us); // less than one frame time
    // 14 packets of 9000 octets fit; each is 3 reads of at most 4096, the descriptors some more.
    CHECK(b.host.reads - before <= 14 * 3 + 6);
    CHECK(b.host.reads - before >= 14 * 3);
    b.run(4_ms);
    CHECK(b.cable.frames.size() == 40);
}

TEST_CASE("TX: a TSO packet's segments leave while the rest still arrives") {
    auto c = bench_configuration();
    tx_bench b(6, c);
    // Ethernet + IPv4 + TCP by hand.
    auto p = b.host.memory(b.data, 60000);
    ethernet_view<std::byte>(p.data()).set_type(ethertype::ipv4);
    const ipv4_view<std::byte> ip(p.data() + 14);
    ip.set_version_and_header_bytes(20);
    ip.set_protocol(ip_protocol::tcp);
    tcp_view<std::byte>(p.data() + 34).set_header_bytes(20);
    b.host.read_latency = 3_us;
    b.put_tx({.length = 60000,
              .more_flags = regs::tx_descriptor_flags::tso::mask,
              .l3_offset = 14,
              .l4_offset = 34,
              .checksum_offset = 16,
              .header_length = 54,
              .mss = 1446});
    b.ring_tx();
    b.run(100_us);
    const std::size_t segments = (60000 - 54 + 1445) / 1446;
    REQUIRE(b.cable.frames.size() == segments);
    for (std::size_t i = 1; i < segments; ++i) // without a gap
        CHECK(b.cable.frames[i].first_bit == b.cable.frames[i - 1].last_bit + picoseconds(12 * 320));
    b.expect(completion_status::ok, 0);
    CHECK(b.read(reg::tx_tso_packets) == 1);
    CHECK(b.read(reg::tx_packets) == segments);
}

TEST_CASE("TX: with the link down packets are given up, one by one") {
    tx_bench b;
    b.function.port().signal_changed(false, 25_gbps);
    for (int i = 0; i < 10; ++i)
        b.put_tx({.length = 100, .completion = i % 2 == 0});
    b.ring_tx();
    b.run(50_us);
    for (std::uint16_t i = 0; i < 10; ++i)
        b.expect(completion_status::flushed, i);
    CHECK(b.cable.frames.empty());
    CHECK(b.read(reg::tx_dropped_link_down) == 10);
    CHECK(b.read(reg::tx_errors) == 0);
    b.function.port().signal_changed(true, 25_gbps);
    b.run(6_ms);
    b.put_tx({.length = 100});
    b.ring_tx();
    b.run(20_us);
    b.expect(completion_status::ok, 10);
}

TEST_CASE("TX: a queue can be destroyed at any moment; then nothing of it touches memory") {
    for (std::int64_t moment = 0; moment < 12'000'000; moment += 137'000) {
        tx_bench b;
        b.cable.keep = false;
        for (int i = 0; i < 60; ++i)
            b.put_tx({.length = 1500});
        b.ring_tx();
        b.run(picoseconds(moment));
        REQUIRE(b.destroy(regs::admin_opcode::destroy_txq, b.queue).first == regs::admin_status::ok);
        const auto writes = b.host.write_batches, reads = b.host.reads;
        b.run(30_us);
        CHECK(b.host.reads == reads);
        CHECK(b.host.write_batches == writes);
        // What was started is reported, in order, sent or flushed; the rest is not.
        std::uint16_t next = 0;
        bool flushed = false;
        while (const auto c = b.next_completion()) {
            REQUIRE(c->index() == next++);
            REQUIRE((c->status() == completion_status::flushed ||
                     (c->status() == completion_status::ok && !flushed)));
            flushed = c->status() == completion_status::flushed;
        }
        CHECK(b.frames.in_use() == 0);
        CHECK(b.errors.empty());
        CHECK(b.destroy(regs::admin_opcode::destroy_cq, b.cq).first ==
              regs::admin_status::busy); // the RX queue's
        CHECK(b.destroy(regs::admin_opcode::destroy_rxq, b.queue).first == regs::admin_status::ok);
        CHECK(b.destroy(regs::admin_opcode::destroy_cq, b.cq).first == regs::admin_status::ok);
    }
}

TEST_CASE("TX: a failed completion queue stops its queues") {
    tx_bench b;
    REQUIRE(b.destroy(regs::admin_opcode::destroy_txq, b.queue).first == regs::admin_status::ok);
    REQUIRE(b.destroy(regs::admin_opcode::destroy_rxq, b.queue).first == regs::admin_status::ok);
    REQUIRE(b.destroy(regs::admin_opcode::destroy_cq, b.cq).first == regs::admin_status::ok);
    b.cq_log2 = 4;
    REQUIRE(b.create_cq());
    REQUIRE(b.create_tx());
    for (int i = 0; i < 40; ++i)
        b.put_tx({.length = 100});
    b.ring_tx();
    b.run(50_us);
    REQUIRE(b.errors.size() == 2);
    CHECK(b.errors[0] == std::tuple(regs::queue_kind::cq, raw_queues::cq,
                                    static_cast<std::uint64_t>(regs::queue_error::cq_overflow)));
    CHECK(b.errors[1] == tx_error(regs::queue_error::cq_overflow));
    for (std::uint16_t i = 0; i < 16; ++i)
        b.expect(completion_status::ok, i); // none was overwritten
    CHECK_FALSE(b.next_completion().has_value());
    CHECK(b.destroy(regs::admin_opcode::destroy_txq, b.queue).first == regs::admin_status::ok);
    CHECK(b.destroy(regs::admin_opcode::destroy_cq, b.cq).first == regs::admin_status::ok);
}
