// SPDX-License-Identifier: Apache-2.0
#include "scenarios/wire/testing/rack.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>

using namespace vg810;
using namespace vg810::scenarios;
using namespace vg810::scenarios::testing;

namespace {

fabric::link_fault loss(const std::string& link, std::int64_t every, bytes at_least) {
    fabric::link_fault f;
    f.link = link;
    f.kind = fabric::fault_kind::loss;
    f.every = every;
    f.at_least = at_least;
    f.way = fabric::fault_way::both;
    return f;
}

std::uint64_t retransmitted(rack& r, const std::string& host) {
    return r.at(host).transport().count().retransmitted_packets;
}

} // namespace

TEST_CASE("a message of any kind and length arrives once and ends well") {
    for (const message_kind kind : {message_kind::write, message_kind::send, message_kind::read})
        for (const bytes length :
             {bytes{0}, bytes{1}, bytes{1023}, bytes{1024}, bytes{1025}, bytes{100'000}}) {
            CAPTURE(static_cast<int>(kind), length);
            rack r(two_racks(), lossless_host());
            r.send("host0", "host2", length, 42, kind);
            r.run();
            REQUIRE(r.record("host0").ended.size() == 1);
            CHECK(r.record("host0").ended[0].ok);
            CHECK(r.record("host0").ended[0].cookie == 42);
            CHECK(r.record("host0").ended[0].length == length);
            if (kind != message_kind::read) {
                REQUIRE(r.record("host2").arrived.size() == 1);
                CHECK(r.record("host2").arrived[0].cookie == 42);
                CHECK(r.record("host2").arrived[0].length == length);
            } else {
                CHECK(r.record("host2").arrived.empty());
                CHECK(r.at("host0").transport().count().rx_data_octets == length);
            }
            CHECK(retransmitted(r, "host0") == 0);
            CHECK(r.pool.in_use() == 0);
        }
}

TEST_CASE("messages of a connection keep their order, mixed kinds too") {
    rack r(two_racks(), lossless_host());
    const auto c = r.at("host0").connect(r.at("host3"), {});
    for (std::uint64_t i = 0; i < 300; ++i)
        r.at("host0").post(c.here, static_cast<message_kind>(i % 3), 100 + i * 37, i);
    r.run();
    REQUIRE(r.record("host0").ended.size() == 300);
    for (std::uint64_t i = 0; i < 300; ++i) {
        CHECK(r.record("host0").ended[i].cookie == i);
        CHECK(r.record("host0").ended[i].ok);
    }
    CHECK(r.record("host3").arrived.size() == 200);
    CHECK(std::is_sorted(r.record("host3").arrived.begin(), r.record("host3").arrived.end(),
                         [](const auto& a, const auto& b) { return a.cookie < b.cookie; }));
}

TEST_CASE("lost frames are sent again, whichever way of recovery and kind") {
    for (const rdma::recovery way : {rdma::recovery::go_back_n, rdma::recovery::selective})
        for (const message_kind kind : {message_kind::write, message_kind::send, message_kind::read})
            for (const std::int64_t every : {7, 50}) {
                CAPTURE(static_cast<int>(way), static_cast<int>(kind), every);
                wire_host_parameters p = lossless_host();
                p.transport.loss_recovery = way;
                p.transport.timeout = 5;
                rack r(two_racks(), p);
                fabric::apply_faults(r.net, {loss("leaf0-spine0", every, 0)}, 1);
                for (std::uint64_t i = 0; i < 5; ++i)
                    r.send("host0", "host2", 200'000, i, kind);
                r.run();
                REQUIRE(r.record("host0").ended.size() == 5);
                for (const message_end& e : r.record("host0").ended)
                    CHECK(e.ok);
                CHECK(r.record("host2").arrived.size() == (kind == message_kind::read ? 0 : 5));
                const auto& sender = r.at("host0").transport().count();
                const auto& receiver = r.at("host2").transport().count();
                if (kind == message_kind::read) {
                    CHECK(sender.implied_nak_seq_err + sender.local_ack_timeout_err > 0);
                } else {
                    CHECK(receiver.rx_data_octets == 1'000'000);
                    CHECK(receiver.out_of_sequence > 0);
                    CHECK(sender.packet_seq_err > 0);
                    CHECK(sender.retransmitted_packets > 0);
                }
            }
}

TEST_CASE("selective repeat sends again less than go-back-N does") {
    const auto again = [](rdma::recovery way) {
        wire_host_parameters p = lossless_host();
        p.transport.loss_recovery = way;
        rack r(two_racks(), p);
        fabric::apply_faults(r.net, {loss("leaf0-spine0", 100, 1000)}, 1);
        r.send("host0", "host2", 5'000'000);
        r.run();
        REQUIRE(r.record("host0").ended.size() == 1);
        return retransmitted(r, "host0");
    };
    const std::uint64_t lost = 5'000'000 / 1024 / 100;
    CHECK(again(rdma::recovery::selective) <= lost + 2);
    CHECK(again(rdma::recovery::go_back_n) > 5 * lost);
}

TEST_CASE("a peer that is gone breaks the connection after the retries, not later and not never") {
    wire_host_parameters p = lossless_host();
    p.transport.timeout = 8; // 1.049 ms
    p.transport.retry_count = 3;
    rack r(two_racks(), p);
    r.net.find_link("host2.0").cut_at(settled + 1_us);
    const auto c = r.send("host0", "host2", 1'000'000, 1);
    r.at("host0").post(c, message_kind::send, 10, 2);
    r.run();
    REQUIRE(r.record("host0").ended.size() == 2);
    CHECK(!r.record("host0").ended[0].ok);
    CHECK(!r.record("host0").ended[1].ok);
    CHECK(r.at("host0").transport().count().local_ack_timeout_err == 4);
    const double waited = (r.record("host0").ended[0].ended - settled).as_seconds();
    CHECK(waited > 4 * 1.048e-3);
    CHECK(waited < 4 * 1.05e-3 + 1e-3);
    r.at("host0").post(c, message_kind::write, 10, 3); // a broken connection takes nothing any more
    REQUIRE(r.record("host0").ended.size() == 3);
    CHECK(!r.record("host0").ended[2].ok);
}

TEST_CASE("a slow receiver stops its sender by PFC and loses nothing") {
    wire_host_parameters p = lossless_host();
    p.queues.receive.buffer = 256 << 10;
    p.queues.receive.drain = 5_gbps;
    p.queues.receive.xoff = 64 << 10;
    p.queues.receive.xon = 32 << 10;
    rack r(lossless(two_racks()), p);
    r.send("host0", "host2", 4'000'000);
    r.run();
    REQUIRE(r.record("host0").ended.size() == 1);
    CHECK(r.record("host0").ended[0].ok);
    CHECK(r.at("host2").buffer().dropped() == 0);
    CHECK(r.at("host2").count().tx_pause[3] > 1);
    CHECK(retransmitted(r, "host0") == 0);
    // 4 MB in frames of 1024 + 58 octets at 5 Gb/s.
    const double seconds = (r.record("host2").arrived.at(0).at - settled).as_seconds();
    CHECK(std::abs(seconds / (4e6 / 1024 * 1082 * 8 / 5e9) - 1) < 0.02);
}

TEST_CASE("congestion marks come back as CNPs and DCQCN shares the link") {
    fabric::topology t = lossless(fabric::single_switch({fabric::numbered_hosts(1, 3)[0].station,
                                                         fabric::numbered_hosts(1, 3)[1].station,
                                                         fabric::numbered_hosts(1, 3)[2].station},
                                                        ideal({2'000})));
    t.switches[0].marking = {{.priorities = {3}, .kmin = 5'000, .kmax = 200'000, .pmax = 0.01}};
    rack r(t, lossless_host(), cc::dcqcn);
    r.send("host0", "host2", 20'000'000, 1);
    r.send("host1", "host2", 20'000'000, 2);
    r.run();
    REQUIRE(r.record("host0").ended.size() == 1);
    REQUIRE(r.record("host1").ended.size() == 1);
    CHECK(r.at("host2").transport().count().np_ecn_marked_roce_packets > 100);
    CHECK(r.at("host2").transport().count().np_cnp_sent > 10);
    CHECK(r.at("host0").transport().count().rp_cnp_handled > 5);
    CHECK(r.at("host0").count().rx_pause[3] == 0);
    const double a = (r.record("host0").ended[0].ended - settled).as_seconds();
    const double b = (r.record("host1").ended[0].ended - settled).as_seconds();
    CHECK(std::abs(a - b) / std::max(a, b) < 0.25);
    CHECK(std::max(a, b) < 1.2 * 40e6 * 8 / 23.146e9);
}
