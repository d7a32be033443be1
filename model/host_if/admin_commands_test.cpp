// SPDX-License-Identifier: Apache-2.0
// Every admin command: what it does, and what it says to each field that is wrong.
#include "model/host_if/admin_commands.h"

#include "model/host_if/testing/raw_queues.h"

#include <catch2/catch_test_macros.hpp>

using namespace vg810;
using namespace vg810::testing;
using regs::admin_opcode;
using regs::admin_status;
using regs::reg;
using view = regs::admin_command_view;
using answer = std::pair<admin_status, std::uint64_t>;

namespace {

struct admin_bench : bench, raw_queues {
    explicit admin_bench(const network_function::configuration& c = bench_configuration())
        : bench(c), raw_queues(static_cast<bench&>(*this)) {
        bring_up();
        REQUIRE(failure == "");
    }
    answer give(
        admin_opcode opcode, const native_driver::command_fill& fill = [](view) {},
        std::vector<std::byte> data_at_buffer = {}) {
        return command(
            [&](view v) {
                v.set_opcode(opcode);
                fill(v);
            },
            std::move(data_at_buffer));
    }
    answer set(admin_opcode opcode, std::uint32_t param) {
        return give(opcode, [=](view v) { v.set_param(param); });
    }
};

constexpr answer fine{admin_status::ok, 0};
constexpr answer wrong(std::uint64_t offset) {
    return {admin_status::bad_param, offset};
}

/// Creation of a queue that would succeed, to be spoilt field by field.
void good_queue(view v) {
    v.set_queue_id(5);
    v.set_buffer(raw_queues::eq_base);
    v.set_ring_log2(6);
    v.set_vector(3);
    v.set_cq_id(0);
    v.set_eq_id(0);
}

} // namespace

TEST_CASE("admin: unknown opcodes and flags") {
    admin_bench b;
    CHECK(b.give(admin_opcode::nop) == fine);
    CHECK(b.give(static_cast<admin_opcode>(0x02)).first == admin_status::bad_opcode);
    CHECK(b.give(static_cast<admin_opcode>(0xff)).first == admin_status::bad_opcode);
    for (auto opcode : {admin_opcode::nop, admin_opcode::create_eq, admin_opcode::self_test})
        CHECK(b.give(opcode, [](view v) { v.set_flags(0x80); }) == wrong(1));
}

TEST_CASE("admin: identify") {
    admin_bench b;
    const auto at = fake_host::base + 0x700000;
    const auto identify = [&](std::uint32_t bytes, std::uint64_t address) {
        return b.give(admin_opcode::identify, [=](view v) {
            v.set_buffer(address);
            v.set_buffer_bytes(bytes);
        });
    };
    CHECK(identify(127, at) == wrong(16));
    CHECK(identify(128, 0x10).first == admin_status::dma_error);
    REQUIRE(identify(128, at + 3) == fine); // any alignment
    const regs::identify_data_const_view d(b.host.memory(at + 3, 128).first<128>());
    CHECK(d.max_tx_queues() == 32);
    CHECK(d.max_rx_queues() == 32);
    CHECK(d.max_cqs() == 128);
    CHECK(d.max_eqs() == 64);
    CHECK(d.max_ring_log2() == 13);
    CHECK(d.max_mtu() == 9600);
    CHECK(d.max_filters() == 64);
    CHECK(d.max_tx_segments() == 20);
    CHECK(d.doorbell_pages() == 256);
    CHECK(d.msix_vectors() == 64);
    CHECK(d.rss_table_entries() == 128);
    CHECK(d.rss_key_bytes() == 40);
    CHECK(d.port_speed_mbps() == 25000);
    CHECK(d.firmware_version() == b.read(reg::FIRMWARE_VERSION));
    CHECK(d.serial_number() == bench_configuration().identity.serial_number);
    CHECK(d.permanent_mac() == b.read(reg::MAC_ADDRESS));
}

TEST_CASE("admin: creating queues checks every field") {
    struct spoilt {
        const char* what;
        native_driver::command_fill fill;
        answer expected;
    };
    const auto ring_mistakes = std::vector<spoilt>{
        {"ring too small", [](view v) { v.set_ring_log2(3); }, wrong(24)},
        {"ring too large", [](view v) { v.set_ring_log2(14); }, wrong(24)},
        {"ring absurd", [](view v) { v.set_ring_log2(255); }, wrong(24)},
        {"misaligned", [](view v) { v.set_buffer(v.buffer() + 64); }, {admin_status::bad_alignment, 8}},
        {"doorbell page", [](view v) { v.set_doorbell_page(256); }, wrong(36)},
    };
    const std::pair<admin_opcode, std::uint32_t> kinds[] = {{admin_opcode::create_eq, 64},
                                                            {admin_opcode::create_cq, 128},
                                                            {admin_opcode::create_txq, 32},
                                                            {admin_opcode::create_rxq, 32}};
    for (const auto& [opcode, limit] : kinds) {
        admin_bench b;
        auto mistakes = ring_mistakes;
        mistakes.push_back(
            {"id", [l = limit](view v) { v.set_queue_id(l); }, {admin_status::bad_queue_id, 4}});
        mistakes.push_back({"id", [](view v) { v.set_queue_id(~0u); }, {admin_status::bad_queue_id, 4}});
        mistakes.push_back({"exists", [](view v) { v.set_queue_id(0); }, {admin_status::busy, 4}});
        if (opcode == admin_opcode::create_eq) {
            mistakes.push_back({"vector", [](view v) { v.set_vector(64); }, wrong(26)});
            mistakes.push_back({"moderation", [](view v) { v.set_moderation_ns(10'000'001); }, wrong(40)});
        }
        if (opcode == admin_opcode::create_cq)
            for (std::uint32_t eq : {5u, 64u, 0xfffffffeu})
                mistakes.push_back(
                    {"no EQ", [eq](view v) { v.set_eq_id(eq); }, {admin_status::bad_queue_id, 32}});
        if (opcode == admin_opcode::create_txq || opcode == admin_opcode::create_rxq)
            for (std::uint32_t cq : {5u, 128u, ~0u})
                mistakes.push_back(
                    {"no CQ", [cq](view v) { v.set_cq_id(cq); }, {admin_status::bad_queue_id, 28}});
        for (const spoilt& m : mistakes) {
            INFO(static_cast<int>(opcode) << ": " << m.what);
            CHECK(b.give(opcode, [&](view v) {
                good_queue(v);
                m.fill(v);
            }) == m.expected);
        }
        CHECK(b.give(opcode, good_queue) == fine); // nothing was left behind
        CHECK(b.give(opcode, good_queue) == answer{admin_status::busy, 4});
    }
}

TEST_CASE("admin: a CQ without events") {
    admin_bench b;
    REQUIRE(b.give(admin_opcode::create_cq, [](view v) {
        good_queue(v);
        v.set_eq_id(~0u);
    }) == fine);
    b.write(reg::DB_CQ, std::uint64_t{5} << 32 | 1u << 31); // armed: for nobody
    b.run(10_us);
    CHECK(b.read(reg::ERROR_STATUS) == 0);
    CHECK(b.destroy(admin_opcode::destroy_cq, 5) == fine);
}

TEST_CASE("admin: queues go in order, what is referred to stays") {
    admin_bench b;
    for (auto [opcode, limit] :
         {std::pair{admin_opcode::destroy_eq, 64u}, std::pair{admin_opcode::destroy_cq, 128u},
          std::pair{admin_opcode::destroy_txq, 32u}, std::pair{admin_opcode::destroy_rxq, 32u}})
        for (std::uint32_t id : {9u, limit, ~0u})
            CHECK(b.destroy(opcode, id) == answer{admin_status::bad_queue_id, 4});
    REQUIRE(b.create_all());
    CHECK(b.destroy(admin_opcode::destroy_eq, b.eq).first == admin_status::busy);
    CHECK(b.destroy(admin_opcode::destroy_cq, b.cq).first == admin_status::busy);
    CHECK(b.destroy(admin_opcode::destroy_txq, b.queue) == fine);
    CHECK(b.destroy(admin_opcode::destroy_cq, b.cq).first == admin_status::busy);
    CHECK(b.destroy(admin_opcode::destroy_rxq, b.queue) == fine);
    CHECK(b.destroy(admin_opcode::destroy_cq, b.cq) == fine);
    CHECK(b.destroy(admin_opcode::destroy_eq, b.eq) == fine);
    CHECK(b.destroy(admin_opcode::destroy_eq, b.eq).first == admin_status::bad_queue_id);
    // ADMIN_EQ refers, too.
    REQUIRE(b.create_eq());
    b.write(reg::ADMIN_EQ, b.eq);
    CHECK(b.destroy(admin_opcode::destroy_eq, b.eq).first == admin_status::busy);
    b.write(reg::ADMIN_EQ, 0);
    CHECK(b.destroy(admin_opcode::destroy_eq, b.eq) == fine);
}

TEST_CASE("admin: address and MTU") {
    admin_bench b;
    const auto set_mac = [&](std::uint64_t mac) {
        return b.give(admin_opcode::set_mac, [=](view v) { v.set_mac(mac); });
    };
    CHECK(set_mac(0) == wrong(56));
    CHECK(set_mac(0x0000'0000'0001) == wrong(56)); // first octet 01: a group
    CHECK(set_mac(0x1'0000'0000'0002) == wrong(56));
    CHECK(b.read(reg::CURRENT_MAC) == b.read(reg::MAC_ADDRESS));
    CHECK(set_mac(0x0605'0403'0202) == fine);
    CHECK(b.read(reg::CURRENT_MAC) == 0x0605'0403'0202);
    std::size_t received = 0;
    b.driver.on_receive = [&](std::span<const std::byte>, regs::completion_const_view) { ++received; };
    b.arrive(plain_frame(mac_address::from_u64(0x020203040506), peer_mac, 60));
    b.arrive(plain_frame(card_mac, peer_mac, 60));
    b.run(20_us);
    CHECK(received == 1);

    CHECK(b.set(admin_opcode::set_mtu, 67) == wrong(20));
    CHECK(b.set(admin_opcode::set_mtu, 9601) == wrong(20));
    CHECK(b.set(admin_opcode::set_mtu, 1000) == fine);
    CHECK(b.read(reg::PORT_MTU) == 1000);
    b.arrive(plain_frame(card_mac, peer_mac, 1023));
    CHECK(b.read(reg::rx_oversize) == 1);
    b.arrive(plain_frame(card_mac, peer_mac, 1022));
    CHECK(b.read(reg::rx_oversize) == 1);
}

TEST_CASE("admin: settings with a bit too many") {
    admin_bench b;
    CHECK(b.set(admin_opcode::set_offloads, 0x22) == fine);
    CHECK(b.set(admin_opcode::set_offloads, 0x01) == wrong(20)); // a transmit feature
    CHECK(b.set(admin_opcode::set_offloads, 0x100) == wrong(20));
    CHECK(b.set(admin_opcode::set_port, 2) == wrong(20));
    CHECK(b.set(admin_opcode::set_rx_mode, 4) == wrong(20));
    CHECK(b.set(admin_opcode::set_vlan_filter, 2) == wrong(20));
    CHECK(b.give(admin_opcode::set_rx_mode, [](view v) { v.set_count(65); }) == wrong(48));
    CHECK(b.give(admin_opcode::set_rx_mode, [](view v) { v.set_count(~0u); }) == wrong(48));
    CHECK(b.give(
              admin_opcode::set_rx_mode, [](view v) { v.set_count(2); }, std::vector<std::byte>(15)) ==
          wrong(16));
    CHECK(b.give(
              admin_opcode::set_rx_mode, [](view v) { v.set_count(64); }, std::vector<std::byte>(512)) ==
          fine);
    CHECK(b.give(
              admin_opcode::set_vlan_filter, [](view v) { v.set_param(1); }, std::vector<std::byte>(511)) ==
          wrong(16));
    CHECK(b.give(admin_opcode::modify_eq, [](view v) { v.set_queue_id(7); }) ==
          answer{admin_status::bad_queue_id, 4});
}

TEST_CASE("admin: data that cannot be read") {
    admin_bench b;
    for (auto opcode : {admin_opcode::set_rss, admin_opcode::set_rx_mode, admin_opcode::set_vlan_filter})
        CHECK(b.give(opcode, [](view v) {
            v.set_buffer(0x100);
            v.set_buffer_bytes(512);
            v.set_count(1);
            v.set_param(1);
        }) == answer{admin_status::dma_error, 8});
    CHECK(b.read(reg::ERROR_STATUS) == regs::ERROR_STATUS::dma_error::mask);
}

TEST_CASE("admin: RSS structures with mistakes, by their offset") {
    admin_bench b;
    const auto rss = [&](std::size_t at, unsigned value, std::size_t size = 304) {
        std::vector<std::byte> d(304);
        d[at] = static_cast<std::byte>(value);
        d.resize(size);
        return b.give(
            admin_opcode::set_rss, [](view) {}, d);
    };
    CHECK(rss(0, 1) == fine);
    CHECK(rss(0, 1, 303) == wrong(16));
    CHECK(rss(0, 2) == wrong(64));
    CHECK(rss(3, 1) == wrong(64));
    CHECK(rss(4, 0x10) == wrong(64 + 4));
    CHECK(rss(48, 31) == fine);
    CHECK(rss(48, 32) == wrong(64 + 48));
    CHECK(rss(48 + 2 * 127 + 1, 1) == wrong(64 + 48 + 2 * 127));
}

TEST_CASE("admin: what was not negotiated is refused") {
    // The embedded driver takes everything, so the registers are driven by hand.
    bench b;
    b.run(101_us);
    b.write(reg::CONTROL, 1); // no features
    auto asq = b.host.memory(fake_host::base, 4096), acq = b.host.memory(fake_host::base + 4096, 4096);
    b.write(reg::ASQ_BASE, fake_host::base);
    b.write(reg::ACQ_BASE, fake_host::base + 4096);
    b.write(reg::ADMIN_SIZE, 0x0404);
    b.write(reg::CONTROL, 3);
    std::uint32_t n = 0;
    const auto give = [&](admin_opcode opcode, std::uint32_t param, std::uint32_t moderation = 0) {
        const view v(asq.subspan(64 * n, 64).first<64>());
        v.set_opcode(opcode);
        v.set_param(param);
        v.set_ring_log2(4);
        v.set_buffer_bytes(512);
        v.set_buffer(fake_host::base + 0x10000);
        v.set_moderation_ns(moderation);
        v.set_command_id(static_cast<std::uint16_t>(0x700 + n));
        ++n;
        b.write(reg::ASQ_TAIL, n);
        b.run(20_us);
        const regs::admin_completion_const_view c(acq.subspan(16 * (n - 1), 16).first<16>());
        CHECK(c.phase() == 1);
        CHECK(c.command_id() == 0x700 + n - 1);
        CHECK(c.asq_head() == n);
        return answer{c.status(), c.param()};
    };
    CHECK(give(admin_opcode::set_rss, 0) == answer{admin_status::bad_state, 0});
    CHECK(give(admin_opcode::set_vlan_filter, 1) == answer{admin_status::bad_state, 0});
    CHECK(give(admin_opcode::set_offloads, 2) == wrong(20));
    CHECK(give(admin_opcode::set_offloads, 0) == fine);
    CHECK(give(admin_opcode::create_eq, 0, 1000) == wrong(40));
    CHECK(give(admin_opcode::create_eq, 0) == fine);
    CHECK(b.read(reg::ASQ_HEAD) == n);
}

TEST_CASE("admin: a full completion ring holds the card back; nothing is overwritten") {
    bench b;
    b.run(101_us);
    b.write(reg::CONTROL, 1);
    b.write(reg::ASQ_BASE, fake_host::base);
    b.write(reg::ACQ_BASE, fake_host::base + 4096);
    b.write(reg::ADMIN_SIZE, 0x0206); // 64 commands, 4 completions
    b.write(reg::CONTROL, 3);
    auto acq = b.host.memory(fake_host::base + 4096, 64);
    for (unsigned i = 0; i < 20; ++i)
        view(b.host.memory(fake_host::base + 64 * i, 64).first<64>())
            .set_command_id(static_cast<std::uint16_t>(i));
    b.write(reg::ASQ_TAIL, 20);
    std::uint32_t read = 0;
    for (int turn = 0; turn < 100 && read < 20; ++turn) {
        b.run(100_us);
        unsigned found = 0;
        while (true) {
            const regs::admin_completion_const_view c(acq.subspan(16 * (read % 4), 16).first<16>());
            if (c.phase() != ring_phase(read, 2))
                break;
            REQUIRE(c.command_id() == read);
            ++read;
            ++found;
        }
        CHECK(found == std::min(3u, 20 - (read - found)));
        b.write(reg::ACQ_HEAD, read % 4);
    }
    CHECK(read == 20);
    b.write(reg::ACQ_HEAD, 1); // more than there is to free
    b.run(10_us);
    CHECK(b.read(reg::ERROR_CODE) == static_cast<std::uint64_t>(regs::fatal_error::admin_doorbell));
}

TEST_CASE("admin: the built-in test passes, and fails for each seeded fault") {
    admin_bench sound;
    const picoseconds began = sound.clock.now();
    CHECK(sound.give(admin_opcode::self_test) == fine);
    CHECK(sound.clock.now() - began >= 1_ms);

    auto c = bench_configuration();
    c.faults.scratch_stuck_at_one = 1;
    admin_bench stuck(c);
    CHECK(stuck.give(admin_opcode::self_test) ==
          answer{admin_status::self_test_failed, self_test_unit::registers});
    c.faults = {};
    c.faults.loopback_corrupts = true;
    c.faults.self_test_failures = self_test_unit::packet_memory;
    admin_bench memory(c);
    CHECK(memory.give(admin_opcode::self_test) ==
          answer{admin_status::self_test_failed, self_test_unit::packet_memory | self_test_unit::loopback});
}

TEST_CASE("admin: completions announce themselves, port events, too") {
    admin_bench b;
    REQUIRE(b.create_eq());
    b.write(reg::ADMIN_EQ, b.eq);
    CHECK(b.give(admin_opcode::nop) == fine); // the driver polls as well
    auto e = b.next_event();
    REQUIRE(e.has_value());
    CHECK(e->type() == regs::event_type::admin);
    b.function.port().signal_changed(false, 25_gbps);
    b.run(10_us);
    e = b.next_event();
    REQUIRE(e.has_value());
    CHECK(e->type() == regs::event_type::port);
    CHECK(e->data() == 0x300); // no signal
    CHECK(b.read(reg::PORT_STATUS) == 0x300);
    b.write(reg::IRQ_TEST_VECTOR, 64);
    b.write(reg::IRQ_TEST_DELAY, 100);
    b.run(10_us);
    e = b.next_event();
    REQUIRE(e.has_value());
    CHECK(e->type() == regs::event_type::self_test);
}
