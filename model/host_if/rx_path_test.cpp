// SPDX-License-Identifier: Apache-2.0
// The receive path with buffers that a test posted: scattering, classification, backpressure, garbage, DMA
// errors.
#include "model/host_if/rx_path.h"

#include "model/host_if/testing/raw_queues.h"

#include <catch2/catch_test_macros.hpp>

using namespace vg810;
using namespace vg810::testing;
using regs::completion_status;
using regs::reg;
using flags = regs::completion_flags;

namespace {

struct rx_bench : bench, raw_queues {
    explicit rx_bench(const network_function::configuration& c = bench_configuration(),
                      unsigned ring_log2 = 6)
        : bench(c), raw_queues(static_cast<bench&>(*this), ring_log2) {
        bring_up();
        REQUIRE(failure == "");
        REQUIRE(create_all());
        steer_here();
        driver.on_queue_error = [this](regs::event_const_view e) {
            errors.emplace_back(e.kind(), e.id(), e.data());
        };
    }
    regs::admin_status set(regs::admin_opcode opcode, std::uint32_t param, std::vector<std::byte> more = {}) {
        return command(
                   [=](view v) {
                       v.set_opcode(opcode);
                       v.set_param(param);
                   },
                   std::move(more))
            .first;
    }
    void post(unsigned count, std::uint32_t length) {
        for (unsigned i = 0; i < count; ++i)
            put_rx(data + 0x1000 * rx_tail, length);
        ring_rx();
        run(5_us);
    }
    std::vector<std::byte> received(std::uint64_t at, std::size_t n) {
        const auto m = host.memory(at, n);
        return {m.begin(), m.end()};
    }
    std::vector<std::tuple<regs::queue_kind, std::uint32_t, std::uint64_t>> errors;
};

std::tuple<regs::queue_kind, std::uint32_t, std::uint64_t> rx_error(regs::queue_error e) {
    return {regs::queue_kind::rx, raw_queues::queue, static_cast<std::uint64_t>(e)};
}

/// A UDP datagram over IPv4 with both checksums right, padded to 60 octets.
std::vector<std::byte> udp_frame(std::size_t payload, std::optional<std::uint16_t> tci = {}) {
    std::vector<std::byte> f(14 + 20 + 8 + payload);
    const ethernet_view<std::byte> e(f.data());
    e.set_destination(card_mac);
    e.set_source(peer_mac);
    e.set_type(ethertype::ipv4);
    const ipv4_view<std::byte> ip(f.data() + 14);
    ip.set_version_and_header_bytes(20);
    ip.set_total_length(static_cast<std::uint16_t>(28 + payload));
    ip.set_ttl(64);
    ip.set_protocol(ip_protocol::udp);
    ip.set_source(ipv4_address(0x0a000001));
    ip.set_destination(ipv4_address(0x0a000002));
    const udp_view<std::byte> udp(f.data() + 34);
    udp.set_source_port(1000);
    udp.set_destination_port(2000);
    udp.set_length(static_cast<std::uint16_t>(8 + payload));
    for (std::size_t i = 42; i < f.size(); ++i)
        f[i] = static_cast<std::byte>(i);
    const parse_result p = parse(f);
    fill_ipv4_checksum(f, p);
    fill_l4_checksum(f, p);
    if (tci) {
        std::vector<std::byte> tag(4);
        store_be<std::uint16_t>(tag.data(), ethertype::vlan);
        store_be<std::uint16_t>(tag.data() + 2, *tci);
        f.insert(f.begin() + 12, tag.begin(), tag.end());
    }
    f.resize(std::max<std::size_t>(60, f.size()));
    return f;
}

} // namespace

TEST_CASE("RX: a frame fills as many buffers as it needs, and nothing behind its end") {
    rx_bench b;
    auto all = b.host.memory(b.data, 0x20000);
    std::fill(all.begin(), all.end(), std::byte{0xee});
    for (std::uint32_t buffer : {100u, 256u, 1514u, 2048u}) {
        const std::uint16_t first = b.rx_tail;
        const auto need = static_cast<std::uint16_t>((1514 + buffer - 1) / buffer);
        b.post(need, buffer);
        const auto f = plain_frame(card_mac, peer_mac, 1514, buffer);
        b.arrive(f);
        b.run(20_us);
        const auto c = b.next_completion();
        REQUIRE(c.has_value());
        CHECK(c->status() == completion_status::ok);
        CHECK(c->index() == first);
        CHECK(c->descriptors() == need);
        CHECK(c->length() == 1514);
        std::vector<std::byte> got;
        for (unsigned i = 0; i < need; ++i) {
            const auto part = b.received(b.data + 0x1000 * (first + i), buffer);
            got.insert(got.end(), part.begin(), part.end());
            CHECK(b.host.memory(b.data + 0x1000 * (first + i) + buffer, 1)[0] == std::byte{0xee});
        }
        got.resize(1514);
        CHECK(got == f);
        CHECK(b.host.memory(b.data + 0x1000 * (first + need - 1) + (1514 - (need - 1) * buffer), 1)[0] ==
              std::byte{buffer == 1514 ? 0xee : 0xee});
    }
}

TEST_CASE("RX: one frame costs one write, with its completion and event, and one interrupt") {
    rx_bench b;
    b.post(40, 2048);
    b.ring_cq(true);
    b.ring_eq(true);
    b.run(10_us);
    const auto writes = b.host.write_batches, reads = b.host.reads;
    b.arrive(udp_frame(100));
    b.run(10_us);
    CHECK(b.host.write_batches == writes + 1);
    CHECK(b.host.reads == reads);
    CHECK(b.interrupts() == 1);
    const auto e = b.next_event();
    REQUIRE(e.has_value());
    CHECK(e->type() == regs::event_type::completion);
    CHECK(e->id() == b.cq);
    CHECK(b.next_completion().has_value());
}

TEST_CASE("RX: checksums are told as they are") {
    rx_bench b;
    b.post(40, 2048);
    const auto told = [&](const std::vector<std::byte>& f) {
        b.arrive(f);
        b.run(10_us);
        const auto c = b.next_completion();
        REQUIRE(c.has_value());
        CHECK(c->length() == f.size());
        return std::tuple(flags::l3_ok::get(c->flags()), flags::l4_ok::get(c->flags()),
                          flags::csum_bad::get(c->flags()));
    };
    REQUIRE(b.set(regs::admin_opcode::set_offloads, 0) == regs::admin_status::ok);
    CHECK(told(udp_frame(100)) == std::tuple(false, false, false)); // not asked for
    REQUIRE(b.set(regs::admin_opcode::set_offloads, 2) == regs::admin_status::ok);
    CHECK(told(udp_frame(100)) == std::tuple(true, true, false));
    CHECK(told(udp_frame(1)) == std::tuple(true, true, false)); // padding does not count
    auto f = udp_frame(100);
    f[60] ^= std::byte{1};
    CHECK(told(f) == std::tuple(true, false, true));
    f = udp_frame(100);
    f[22] ^= std::byte{1}; // TTL
    CHECK(std::get<2>(told(f)));
    f = udp_frame(100);
    std::fill_n(f.begin() + 40, 2, std::byte{0}); // RFC 768: none computed
    CHECK(told(f) == std::tuple(true, false, false));
    f = udp_frame(100);
    ipv4_view<std::byte>(f.data() + 14).set_flags_and_offset(0x2000);
    fill_ipv4_checksum(f, parse(f));
    CHECK(told(f) == std::tuple(true, false, false));
    CHECK(told(plain_frame(card_mac, peer_mac, 100)) == std::tuple(false, false, false));
    CHECK(b.read(reg::rx_csum_good) == 2);
    CHECK(b.read(reg::rx_csum_bad) == 2);
}

TEST_CASE("RX: VLAN tags stay, or are stripped and told") {
    rx_bench b;
    b.post(10, 2048);
    const auto f = udp_frame(100, 0xb123);
    b.arrive(f);
    b.run(10_us);
    auto c = b.next_completion();
    REQUIRE(c.has_value());
    CHECK(c->length() == f.size());
    CHECK_FALSE(flags::vlan_stripped::get(c->flags()));
    CHECK(b.received(b.data, f.size()) == f);

    REQUIRE(b.set(regs::admin_opcode::set_offloads, 0x22) == regs::admin_status::ok);
    b.arrive(f);
    b.run(10_us);
    c = b.next_completion();
    REQUIRE(c.has_value());
    const auto untagged = udp_frame(100);
    CHECK(c->length() == untagged.size());
    CHECK(flags::vlan_stripped::get(c->flags()));
    CHECK(flags::l4_ok::get(c->flags()));
    CHECK(c->vlan_tci() == 0xb123);
    CHECK(b.received(b.data + 0x1000, untagged.size()) == untagged);
}

TEST_CASE("RX: filters count what they keep out") {
    rx_bench b;
    b.post(40, 2048);
    const auto arrives = [&](const std::vector<std::byte>& f) {
        b.arrive(f);
        b.run(10_us);
        return b.next_completion().has_value();
    };
    const mac_address group = mac_address::from_u64(0x01005e000001);
    CHECK(arrives(plain_frame(card_mac, peer_mac, 60)));
    CHECK(arrives(plain_frame(mac_address::broadcast(), peer_mac, 60)));
    CHECK_FALSE(arrives(plain_frame(peer_mac, peer_mac, 60)));
    CHECK_FALSE(arrives(plain_frame(group, peer_mac, 60)));
    CHECK(b.read(reg::rx_filtered) == 2);
    CHECK(b.read(reg::rx_packets) == 4);

    std::vector<std::byte> list(8);
    group.store(list.data());
    REQUIRE(b.command(
                 [](raw_queues::view v) {
                     v.set_opcode(regs::admin_opcode::set_rx_mode);
                     v.set_count(1);
                 },
                 list)
                .first == regs::admin_status::ok);
    CHECK(arrives(plain_frame(group, peer_mac, 60)));
    CHECK_FALSE(arrives(plain_frame(peer_mac, peer_mac, 60)));
    REQUIRE(b.set(regs::admin_opcode::set_rx_mode, 1) == regs::admin_status::ok);
    CHECK(arrives(plain_frame(peer_mac, peer_mac, 60)));
    REQUIRE(b.set(regs::admin_opcode::set_rx_mode, 2) == regs::admin_status::ok);
    CHECK(arrives(plain_frame(group, peer_mac, 60)));
    CHECK_FALSE(arrives(plain_frame(peer_mac, peer_mac, 60)));

    std::vector<std::byte> bitmap(512);
    bitmap[5] = std::byte{4}; // VLAN 42
    REQUIRE(b.set(regs::admin_opcode::set_vlan_filter, 1, bitmap) == regs::admin_status::ok);
    CHECK(arrives(udp_frame(50, 42)));
    CHECK_FALSE(arrives(udp_frame(50, 43)));
    CHECK(arrives(udp_frame(50)));
    REQUIRE(b.set(regs::admin_opcode::set_vlan_filter, 0) == regs::admin_status::ok);
    CHECK(arrives(udp_frame(50, 43)));
}

TEST_CASE("RX: frames without room are counted and the queue goes on") {
    rx_bench b;
    b.arrive(udp_frame(500));
    b.run(10_us);
    CHECK(b.read(reg::rx_out_of_buffer) == 1);
    b.post(2, 200); // too little for this one
    b.arrive(udp_frame(500));
    b.run(10_us);
    CHECK(b.read(reg::rx_out_of_buffer) == 2);
    b.arrive(udp_frame(300)); // but enough for this one
    b.run(10_us);
    const auto c = b.next_completion();
    REQUIRE(c.has_value());
    CHECK(c->descriptors() == 2);
    CHECK(b.errors.empty());
}

TEST_CASE("RX: a frame that would take more than 16 buffers") {
    rx_bench b;
    b.post(40, 60);
    b.arrive(udp_frame(1000)); // 1042 octets: 18 buffers
    b.arrive(udp_frame(16 * 60 - 42));
    b.run(10_us);
    auto c = b.next_completion();
    REQUIRE(c.has_value());
    CHECK(c->status() == completion_status::too_long);
    CHECK(c->descriptors() == 16);
    CHECK(c->length() == 0);
    c = b.next_completion();
    REQUIRE(c.has_value());
    CHECK(c->status() == completion_status::ok);
    CHECK(c->index() == 16);
    CHECK(c->descriptors() == 16);
}

TEST_CASE("RX: garbage descriptors are given back, the frame takes the next") {
    rx_bench b;
    b.put_rx(b.data, 0);
    b.put_rx(b.data, 65536);
    b.put_rx(b.data, 2048, 1);
    b.put_rx(b.data + 0x10000, 100); // good, but the next is not
    b.put_rx(b.data, 0xffffffff);
    b.put_rx(b.data + 0x20000, 2048);
    b.ring_rx();
    b.run(10_us);
    const auto f = udp_frame(500);
    b.arrive(f);
    b.run(10_us);
    const std::pair<std::uint16_t, unsigned> bad[] = {{0, 1}, {1, 1}, {2, 1}, {3, 2}};
    for (const auto& [index, count] : bad) {
        const auto c = b.next_completion();
        REQUIRE(c.has_value());
        CHECK(c->status() == completion_status::bad_descriptor);
        CHECK(c->index() == index);
        CHECK(c->descriptors() == count);
        CHECK(flags::rx::get(c->flags()));
    }
    const auto c = b.next_completion();
    REQUIRE(c.has_value());
    CHECK(c->status() == completion_status::ok);
    CHECK(c->index() == 5);
    CHECK(b.received(b.data + 0x20000, f.size()) == f);
}

TEST_CASE("RX: what cannot be written stops the queue and its completion queue") {
    rx_bench b;
    b.put_rx(0x1000, 2048); // no memory there
    b.ring_rx();
    b.run(10_us);
    b.arrive(udp_frame(100));
    b.run(10_us);
    REQUIRE(b.errors.size() == 2);
    CHECK(b.errors[0] == std::tuple(regs::queue_kind::cq, raw_queues::cq,
                                    static_cast<std::uint64_t>(regs::queue_error::dma)));
    CHECK(b.errors[1] == rx_error(regs::queue_error::dma));
    CHECK(b.read(reg::rx_dma_errors) == 1);
    CHECK(b.read(reg::ERROR_STATUS) == regs::ERROR_STATUS::dma_error::mask);
    b.arrive(udp_frame(100));
    b.run(10_us);
    CHECK(b.read(reg::rx_no_queue) == 1);
    CHECK(b.destroy(regs::admin_opcode::destroy_rxq, b.queue).first == regs::admin_status::ok);
}

TEST_CASE("RX: descriptors that cannot be read stop the queue") {
    rx_bench b;
    b.host.poison(b.rx_base);
    b.put_rx(b.data, 2048);
    b.ring_rx();
    b.run(10_us);
    REQUIRE(b.errors.size() == 1);
    CHECK(b.errors[0] == rx_error(regs::queue_error::dma));
}

TEST_CASE("RX: a host slower than the wire fills the buffer, then loses frames, and counts them") {
    auto c = bench_configuration();
    c.host_if.receive_buffer = 128 * 1024;
    c.host_if.receive_window = 16 * 1024;
    rx_bench b(c, 10);
    b.cq_log2 = 8;
    b.post(512, 2048);
    b.host.read_latency = 80_us;
    b.host.touch = 40_us; // 16 KiB every 40 us: 3.3 Gb/s
    std::uint64_t sent = 0;
    for (int i = 0; i < 200; ++i) {
        b.arrive(udp_frame(1400));
        ++sent;
        b.run(500_ns);
    }
    const auto dropped = b.read(reg::rx_fifo_dropped);
    CHECK(dropped > 0);
    CHECK(dropped < 120);
    b.run(2_ms);
    std::uint64_t got = 0;
    while (b.next_completion())
        ++got;
    CHECK(got + dropped == sent);
    CHECK(b.frames.in_use() == 0);
}

TEST_CASE("RX: synthetic frames, stored in part, are delivered with zeros") {
    rx_bench b;
    b.post(2, 2048);
    auto f = plain_frame(card_mac, peer_mac, 64);
    frame_ptr p = b.frames.make(1000, 64);
    std::copy(f.begin(), f.end(), p->stored().begin());
    auto m = b.host.memory(b.data, 1000);
    std::fill(m.begin(), m.end(), std::byte{0xee});
    b.function.port().frame_arrived(std::move(p));
    b.run(10_us);
    f.resize(1000);
    CHECK(b.received(b.data, 1000) == f);
}

TEST_CASE("RX: RSS spreads over queues and tells the hash") {
    rx_bench b;
    std::vector<std::byte> config(regs::rss_config_view::bytes);
    const regs::rss_config_view v(
        std::span<std::byte, regs::rss_config_view::bytes>(config.data(), config.size()));
    v.set_enable(1);
    v.set_hash_types(0xf);
    for (std::size_t i = 0; i < regs::rss_key_bytes; ++i)
        v.set_key(i, static_cast<std::uint8_t>(i * 37 + 5));
    for (std::size_t i = 0; i < regs::rss_table_entries; ++i)
        v.set_table(i, i % 2);
    REQUIRE(b.set(regs::admin_opcode::set_rss, 0, config) == regs::admin_status::ok);
    b.post(60, 2048);
    std::size_t elsewhere = 0;
    b.driver.on_receive = [&](std::span<const std::byte>, regs::completion_const_view c) {
        CHECK(c.rss_hash() % 2 == 0);
        ++elsewhere;
    };
    for (unsigned i = 0; i < 60; ++i) {
        auto f = udp_frame(100);
        udp_view<std::byte>(f.data() + 34).set_source_port(static_cast<std::uint16_t>(5000 + i));
        b.arrive(f);
        b.run(2_us);
    }
    b.run(20_us);
    std::size_t here = 0;
    while (const auto c = b.next_completion()) {
        CHECK(c->hash_type() == regs::rss_hash_type::ipv4_l4);
        CHECK(c->rss_hash() % 2 == 1);
        ++here;
    }
    CHECK(here + elsewhere == 60);
    CHECK(here > 10);
    CHECK(elsewhere > 10);
}

TEST_CASE("RX: a queue can be destroyed at any moment; then nothing of it touches memory") {
    for (std::int64_t moment = 0; moment < 3'000'000; moment += 61'000) {
        rx_bench b;
        b.post(50, 2048);
        for (int i = 0; i < 20; ++i)
            b.arrive(udp_frame(1000));
        b.run(picoseconds(moment));
        REQUIRE(b.destroy(regs::admin_opcode::destroy_rxq, b.queue).first == regs::admin_status::ok);
        auto m = b.host.memory(b.data, 0x20000);
        std::fill(m.begin(), m.end(), std::byte{0xee});
        b.arrive(udp_frame(1000));
        b.run(30_us);
        CHECK(std::all_of(m.begin(), m.end(), [](std::byte x) { return x == std::byte{0xee}; }));
        CHECK(b.frames.in_use() == 0);
        CHECK(b.errors.empty());
    }
}
