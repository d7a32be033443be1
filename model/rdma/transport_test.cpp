// SPDX-License-Identifier: Apache-2.0
// Both halves of a connection, packet by packet, against what chapter 9 of the IBTA's volume 1 asks of them.
#include "model/rdma/requester.h"
#include "model/rdma/responder.h"

#include <catch2/catch_test_macros.hpp>

#include <limits>
#include <vector>

using namespace vg810;
using namespace vg810::rdma;

namespace {

constexpr std::uint64_t no_window = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint8_t ack = make_syndrome(syndrome_kind::ack, credits_invalid);
constexpr std::uint8_t sequence_nak = make_syndrome(syndrome_kind::nak, 0);

struct sender final : requester_client {
    explicit sender(transport_parameters p = {}, psn first = 0)
        : parameters(p), half(parameters, pool, count, first) {}
    void request_ended(const work_entry& e, work_status s) override {
        ended.emplace_back(e.request.cookie, s);
    }
    void post(work_kind k, bytes length, std::uint64_t cookie = 0) {
        half.post({k, length, cookie}, {}, *this);
    }
    std::vector<packet_plan> send_all(std::uint64_t window = no_window) {
        std::vector<packet_plan> out;
        while (half.can_send(window))
            out.push_back(half.send(window));
        return out;
    }
    transport_parameters parameters;
    work_pool pool;
    counters count;
    requester half;
    std::vector<std::pair<std::uint64_t, work_status>> ended;
};

struct receiver final : responder_client {
    explicit receiver(transport_parameters p = {}, psn first = 0)
        : parameters(p), half(parameters, count, first) {}
    void message_complete(opcode, bytes length) override { lengths.push_back(length); }
    std::optional<answer> take(opcode op, psn n, bytes payload = 1024, bool ask = false, bytes dma = 0) {
        return half.receive({op, n, ask, payload, dma}, *this);
    }
    transport_parameters parameters;
    counters count;
    responder half;
    std::vector<bytes> lengths;
};

bool is(const std::optional<answer>& a, std::uint8_t syndrome, psn n) {
    return a && a->syndrome == syndrome && a->number == n;
}

} // namespace

TEST_CASE("PSNs wrap and compare within half their range") {
    CHECK(psn_add(psn_mask, 1) == 0);
    CHECK(psn_ahead(0, psn_mask) == 1);
    CHECK(psn_ahead(psn_mask, 0) == -1);
    CHECK(psn_ahead(psn_window - 1, 0) == static_cast<std::int32_t>(psn_window) - 1);
    CHECK(psn_ahead(psn_window, 0) < 0);
}

TEST_CASE("a message is cut at the path MTU with the right opcodes, numbers and acknowledge requests") {
    for (const psn first : {0u, psn_mask - 1}) {
        sender s({}, first);
        s.post(work_kind::write, 2500);
        s.post(work_kind::send, 1024);
        s.post(work_kind::write_immediate, 0);
        const auto p = s.send_all();
        REQUIRE(p.size() == 5);
        const opcode ops[] = {opcode::write_first, opcode::write_middle, opcode::write_last,
                              opcode::send_only, opcode::write_only_immediate};
        const bytes payloads[] = {1024, 1024, 452, 1024, 0};
        for (std::uint32_t i = 0; i < 5; ++i) {
            CHECK(p[i].op == ops[i]);
            CHECK(p[i].payload == payloads[i]);
            CHECK(p[i].number == psn_add(first, i));
            CHECK(p[i].ack_request == (i >= 2));
            CHECK(!p[i].again);
        }
        CHECK(p[0].dma_length == 2500);
    }
}

TEST_CASE("an acknowledgement covers all before it; ghosts and old ones change nothing") {
    sender s({}, psn_mask - 1);
    for (std::uint64_t i = 0; i < 3; ++i)
        s.post(work_kind::write, 2048, i);
    s.send_all();                                         // PSNs -2 .. 3
    CHECK(!s.half.acknowledge(4, ack, s).any);            // never sent
    CHECK(!s.half.acknowledge(psn_mask - 2, ack, s).any); // older than all
    CHECK(s.half.acknowledge(0, ack, s).acknowledged == 3 * 1024);
    CHECK(s.ended.size() == 1);
    CHECK(!s.half.acknowledge(psn_mask, ack, s).any); // again
    CHECK(s.half.acknowledge(3, ack, s).acknowledged == 3 * 1024);
    REQUIRE(s.ended.size() == 3);
    for (std::uint64_t i = 0; i < 3; ++i)
        CHECK(s.ended[i] == std::pair{i, work_status::success});
    CHECK(s.half.idle());
    CHECK(!s.half.outstanding());
}

TEST_CASE("a sequence NAK acknowledges what came before and sends again from there") {
    sender s;
    s.post(work_kind::write, 10 * 1024);
    s.send_all();
    const auto p = s.half.acknowledge(4, sequence_nak, s);
    CHECK(p.acknowledged == 4 * 1024);
    CHECK(p.rewound);
    const auto again = s.send_all();
    REQUIRE(again.size() == 6);
    CHECK(again[0].number == 4);
    CHECK(again[0].op == opcode::write_middle);
    CHECK(again[5].op == opcode::write_last);
    CHECK(again[0].again);
    CHECK(s.count.retransmitted_packets == 6);
    CHECK(s.count.packet_seq_err == 1);
}

TEST_CASE("retries that bring no progress break the connection; the rest is flushed") {
    transport_parameters p;
    p.retry_count = 2;
    sender s(p);
    s.post(work_kind::write, 1024, 1);
    s.post(work_kind::write, 1024, 2);
    for (int i = 0; i < 2; ++i) {
        CHECK(s.send_all().size() == 2);
        CHECK(s.half.timed_out(s).rewound);
    }
    CHECK(s.ended.empty());
    s.half.timed_out(s);
    REQUIRE(s.ended.size() == 2);
    CHECK(s.ended[0] == std::pair{std::uint64_t{1}, work_status::retry_exceeded});
    CHECK(s.ended[1] == std::pair{std::uint64_t{2}, work_status::flushed});
    s.post(work_kind::send, 5, 3);
    CHECK(s.ended.back() == std::pair{std::uint64_t{3}, work_status::flushed});
    CHECK(!s.half.can_send(no_window));
}

TEST_CASE("progress gives the retries back") {
    transport_parameters p;
    p.retry_count = 1;
    sender s(p);
    s.post(work_kind::write, 8 * 1024);
    for (psn i = 0; i < 7; ++i) {
        s.send_all();
        s.half.timed_out(s);
        s.send_all();
        CHECK(s.half.acknowledge(i, ack, s).any);
    }
    CHECK(s.ended.empty());
}

TEST_CASE("receiver not ready: waits as told, without end at 7, else so many times") {
    const std::uint8_t rnr = make_syndrome(syndrome_kind::rnr_nak, 12);
    transport_parameters p;
    p.rnr_retry = 1;
    for (const std::int64_t limit : {std::int64_t{1}, std::int64_t{7}}) {
        p.rnr_retry = limit;
        sender s(p);
        s.post(work_kind::send, 3000, 9);
        for (int i = 0; i < 20 && s.ended.empty(); ++i) {
            s.send_all();
            const auto done = s.half.acknowledge(0, rnr, s);
            if (s.ended.empty())
                CHECK(done.wait == 640_us);
        }
        if (limit == 7) {
            CHECK(s.ended.empty());
        } else {
            REQUIRE(s.ended.size() == 1);
            CHECK(s.ended[0].second == work_status::rnr_retry_exceeded);
            CHECK(s.count.rnr_nak_retry_err == 2);
        }
    }
}

TEST_CASE("error NAKs end the request with their reason") {
    const std::pair<nak_code, work_status> rows[] = {
        {nak_code::invalid_request, work_status::remote_invalid},
        {nak_code::remote_access_error, work_status::remote_access},
        {nak_code::remote_operational_error, work_status::remote_operation}};
    for (const auto& [code, status] : rows) {
        sender s;
        s.post(work_kind::write, 100, 1);
        s.send_all();
        s.half.acknowledge(0, make_syndrome(syndrome_kind::nak, static_cast<std::uint8_t>(code)), s);
        REQUIRE(s.ended.size() == 1);
        CHECK(s.ended[0].second == status);
    }
}

TEST_CASE("a READ is one request for many responses; a gap among them is asked for again") {
    sender s;
    s.post(work_kind::read, 5 * 1024, 1);
    s.post(work_kind::write, 10, 2);
    const auto p = s.send_all();
    REQUIRE(p.size() == 2);
    CHECK(p[0].op == opcode::read_request);
    CHECK(p[0].dma_length == 5 * 1024);
    CHECK(p[1].number == 5); // the responses have 0 .. 4
    CHECK(s.half.response(0, s).acknowledged == 1024);
    CHECK(s.half.response(1, s).any);
    CHECK(s.half.response(3, s).rewound);
    CHECK(s.count.implied_nak_seq_err == 1);
    const auto again = s.send_all();
    REQUIRE(again.size() == 2);
    CHECK(again[0].op == opcode::read_request);
    CHECK(again[0].number == 2);
    CHECK(again[0].dma_offset == 2 * 1024);
    CHECK(again[0].dma_length == 3 * 1024);
    for (psn i = 2; i < 5; ++i)
        s.half.response(i, s);
    REQUIRE(s.ended.size() == 1);
    // An acknowledgement beyond a READ whose data have not come stands for nothing but the need to ask again.
    sender late;
    late.post(work_kind::read, 1024, 1);
    late.post(work_kind::write, 10, 2);
    late.send_all();
    CHECK(late.half.acknowledge(1, ack, late).rewound);
    CHECK(late.ended.empty());
}

TEST_CASE("the window bounds what is outstanding, and whoever must stop asks for an acknowledgement") {
    sender s;
    s.post(work_kind::write, 100 * 1024);
    const auto p = s.send_all(4 * 1024);
    REQUIRE(p.size() == 4);
    CHECK(p[3].ack_request);
    s.half.acknowledge(3, ack, s);
    CHECK(s.send_all(4 * 1024).size() == 4);
    sender one;
    one.post(work_kind::write, 10 * 1024);
    CHECK(one.send_all(1).size() == 1); // a window below one packet lets one out
}

TEST_CASE("requests are taken in order, each message complete once") {
    receiver r({}, psn_mask);
    CHECK(!r.take(opcode::write_first, psn_mask));
    CHECK(!r.take(opcode::write_middle, 0));
    CHECK(is(r.take(opcode::write_last, 1, 100, true), ack, 1));
    CHECK(r.lengths == std::vector<bytes>{2148});
    CHECK(
        is(r.take(opcode::write_last, 1, 100, true), ack, 1)); // a duplicate is acknowledged, and that is all
    CHECK(r.lengths.size() == 1);
    CHECK(r.count.duplicate_request == 1);
    CHECK(r.half.msn() == 1);
}

TEST_CASE("a gap is complained of once, with the PSN that is expected, until it is filled") {
    receiver r;
    r.take(opcode::send_first, 0);
    CHECK(is(r.take(opcode::send_middle, 2), sequence_nak, 1));
    CHECK(!r.take(opcode::send_middle, 3));
    CHECK(!r.take(opcode::send_last, 4, 10, true));
    CHECK(r.count.out_of_sequence == 3);
    CHECK(!r.take(opcode::send_middle, 1));
    CHECK(is(r.take(opcode::send_middle, 3), sequence_nak, 2)); // the next gap
}

TEST_CASE(
    "sequences of opcodes and lengths that no message has are refused, and nothing after them is taken") {
    const std::uint8_t invalid = make_syndrome(syndrome_kind::nak, 1);
    const std::vector<std::pair<opcode, bytes>> bad[] = {
        {{opcode::send_middle, 1024}},
        {{opcode::write_last, 10}},
        {{opcode::send_first, 1024}, {opcode::write_middle, 1024}},
        {{opcode::send_first, 1024}, {opcode::send_first, 1024}},
        {{opcode::write_first, 1024}, {opcode::read_request, 0}},
        {{opcode::send_first, 1000}},
        {{opcode::send_only, 1025}},
    };
    for (const auto& packets : bad) {
        receiver r;
        psn n = 0;
        std::optional<answer> last;
        for (const auto& [op, payload] : packets)
            last = r.take(op, n++, payload, false, 10);
        CHECK(is(last, invalid, n - 1));
        CHECK(!r.take(opcode::send_only, n - 1, 10, true));
        CHECK(r.lengths.empty());
    }
}

TEST_CASE("without a receive request SEND is refused for the time being") {
    receiver r;
    r.half.set_receives(1);
    CHECK(is(r.take(opcode::send_only, 0, 10, true), ack, 0));
    CHECK(is(r.take(opcode::send_only, 1, 10, true), make_syndrome(syndrome_kind::rnr_nak, 12), 1));
    CHECK(!r.take(opcode::write_only, 1, 10)); // WRITE needs none
    CHECK(
        is(r.take(opcode::write_only_immediate, 2, 10, true), make_syndrome(syndrome_kind::rnr_nak, 12), 2));
    r.half.set_receives(1);
    CHECK(is(r.take(opcode::send_only, 2, 10, true), ack, 2));
    CHECK(r.count.out_of_buffer == 2);
}

TEST_CASE("READ responses come in order, acknowledgements behind them") {
    receiver r;
    CHECK(!r.take(opcode::read_request, 0, 0, true, 2100));
    CHECK(!r.take(opcode::write_only, 3, 10, true)); // its ACK waits
    const opcode ops[] = {opcode::read_response_first, opcode::read_response_middle,
                          opcode::read_response_last};
    for (psn i = 0; i < 3; ++i) {
        REQUIRE(r.half.has_response());
        CHECK(!r.half.take_held_back());
        const packet_plan p = r.half.send_response();
        CHECK(p.op == ops[i]);
        CHECK(p.number == i);
        CHECK(p.payload == (i == 2 ? 52 : 1024));
    }
    CHECK(is(r.half.take_held_back(), ack, 3));
    // A duplicate READ is executed again (9.7.4.2).
    CHECK(!r.take(opcode::read_request, 1, 0, true, 1076));
    CHECK(r.half.send_response().number == 1);
}

TEST_CASE("selective repeat keeps what comes early and sends again what is missing alone") {
    transport_parameters p;
    p.loss_recovery = recovery::selective;
    sender s(p);
    receiver r(p);
    s.post(work_kind::write, 20 * 1024);
    auto wire = s.send_all();
    REQUIRE(wire.size() == 20);
    std::vector<std::uint32_t> again;
    const auto deliver = [&](const packet_plan& x) {
        const auto a = r.take(x.op, x.number, x.payload, x.ack_request, x.dma_length);
        if (a && a->held)
            s.half.negative_selective(a->number, *a->held, s);
        else if (a)
            s.half.acknowledge(a->number, a->syndrome, s);
    };
    for (const packet_plan& x : wire)
        if (x.number != 3 && x.number != 4 && x.number != 11)
            deliver(x);
    for (const packet_plan& x : s.send_all()) {
        again.push_back(x.number);
        deliver(x);
    }
    CHECK(again == std::vector<std::uint32_t>{3, 4, 11});
    CHECK(r.lengths == std::vector<bytes>{20 * 1024});
    REQUIRE(s.ended.size() == 1);
    CHECK(s.ended[0].second == work_status::success);
}

TEST_CASE("go-back-0 starts the message over, at both ends") {
    transport_parameters p;
    p.loss_recovery = recovery::go_back_0;
    sender s(p);
    receiver r(p);
    s.post(work_kind::write, 1024);
    s.post(work_kind::write, 5 * 1024);
    const auto wire = s.send_all();
    r.take(wire[0].op, 0, 1024, true);
    s.half.acknowledge(0, ack, s);
    r.take(wire[1].op, 1, 1024, true);
    r.take(wire[2].op, 2, 1024, true);
    const auto a = r.take(wire[4].op, 4, 1024);
    REQUIRE(is(a, sequence_nak, 1));
    s.half.acknowledge(a->number, a->syndrome, s);
    const auto again = s.send_all();
    REQUIRE(again.size() == 5);
    CHECK(again[0].op == opcode::write_first);
    for (const packet_plan& x : again)
        r.take(x.op, x.number, x.payload, x.ack_request);
    CHECK(r.lengths == std::vector<bytes>{1024, 5 * 1024});
}
