// SPDX-License-Identifier: Apache-2.0
// Event and completion queues: arming, its races, moderation, full rings.
#include "model/host_if/completion_queue.h"

#include "model/host_if/testing/raw_queues.h"

#include <catch2/catch_test_macros.hpp>

using namespace vg810;
using namespace vg810::testing;
using regs::reg;

namespace {

struct queue_bench : bench, raw_queues {
    queue_bench() : raw_queues(static_cast<bench&>(*this)) {
        bring_up();
        REQUIRE(failure == "");
        REQUIRE(create_all());
    }
    /// One packet sent, and its completion written.
    void complete_one() {
        put_tx({});
        ring_tx();
        run(10_us);
    }
    void drain_completions() {
        while (next_completion()) {
        }
    }
    std::size_t new_events() {
        std::size_t n = 0;
        while (next_event())
            ++n;
        return n;
    }
};

} // namespace

TEST_CASE("CQ: unarmed it is silent; armed it causes one event, then is silent again") {
    queue_bench b;
    b.ring_eq(true);
    b.complete_one();
    CHECK(b.new_events() == 0);
    CHECK(b.interrupts() == 0);
    b.drain_completions();
    b.ring_cq(true);
    b.run(5_us);
    CHECK(b.new_events() == 0); // nothing after the driver's index
    b.complete_one();
    b.complete_one();
    CHECK(b.new_events() == 1);
    CHECK(b.interrupts() == 1);
}

TEST_CASE("CQ: armed too late it fires at once") {
    queue_bench b;
    b.ring_eq(true);
    b.complete_one();
    b.drain_completions();
    b.complete_one(); // after the driver's last look
    b.ring_cq(true);  // index covers the first only
    b.run(5_us);
    CHECK(b.new_events() == 1);
    CHECK(b.interrupts() == 1);
}

TEST_CASE("CQ: freeing without arming leaves it armed") {
    queue_bench b;
    b.ring_eq(true);
    b.ring_cq(true);
    b.run(1_us);
    b.ring_cq(false);
    b.complete_one();
    CHECK(b.new_events() == 1);
}

TEST_CASE("EQ: unarmed it collects; armed with entries it interrupts once") {
    queue_bench b;
    b.ring_cq(true);
    b.complete_one();
    CHECK(b.interrupts() == 0);
    b.ring_eq(true); // index 0: the entry is not freed
    b.run(5_us);
    CHECK(b.interrupts() == 1);
    CHECK(b.new_events() == 1);
    b.drain_completions();
    b.ring_cq(true);
    b.complete_one(); // disarmed: silent
    CHECK(b.interrupts() == 1);
    CHECK(b.new_events() == 1);
    b.ring_eq(true); // everything freed
    b.run(5_us);
    CHECK(b.interrupts() == 1);
    b.drain_completions();
    b.ring_cq(true);
    b.complete_one();
    CHECK(b.interrupts() == 2);
}

TEST_CASE("EQ and CQ: at whatever moment arming and completion cross, exactly one interrupt comes") {
    for (std::int64_t offset = -3'000'000; offset < 3'000'000; offset += 31'000) {
        queue_bench b;
        // What drives the arming: a reader that looked (and saw nothing) and arms at some moment around the
        // completion.
        b.put_tx({});
        if (offset < 0) {
            b.ring_cq(true);
            b.ring_eq(true);
            b.run(picoseconds(-offset));
            b.ring_tx();
        } else {
            b.ring_tx();
            b.run(picoseconds(offset));
            b.ring_cq(true);
            b.ring_eq(true);
        }
        b.run(20_us);
        CHECK(b.interrupts() == 1);
        CHECK(b.new_events() == 1);
    }
}

TEST_CASE("EQ: moderation spaces interrupts, many events end the wait") {
    queue_bench b;
    const auto moderate = [&](std::uint32_t ns, std::uint32_t events) {
        return b
            .command([=](raw_queues::view v) {
                v.set_opcode(regs::admin_opcode::modify_eq);
                v.set_queue_id(raw_queues::eq);
                v.set_moderation_ns(ns);
                v.set_moderation_events(events);
            })
            .first;
    };
    REQUIRE(moderate(200'000, 3) == regs::admin_status::ok);
    const auto event_now = [&] {
        b.drain_completions();
        b.ring_cq(true);
        b.complete_one();
        b.new_events();
    };
    b.ring_eq(true);
    event_now();
    CHECK(b.interrupts() == 1); // the first after a pause comes at once
    b.ring_eq(true);
    event_now();
    CHECK(b.interrupts() == 1);
    event_now();
    CHECK(b.interrupts() == 1);
    event_now();
    CHECK(b.interrupts() == 2); // the third
    b.ring_eq(true);
    event_now();
    CHECK(b.interrupts() == 2);
    b.run(200_us);
    CHECK(b.interrupts() == 3); // the time
    b.ring_eq(true);
    event_now();
    b.ring_eq(true); // freed in time: no interrupt is due any more
    b.run(1_ms);
    CHECK(b.interrupts() == 3);
    b.ring_eq(true);
    event_now();
    b.ring_eq(true);
    event_now();
    CHECK(b.interrupts() == 4);
    REQUIRE(moderate(0, 0) == regs::admin_status::ok); // a shorter time acts at once
    b.run(5_us);
    CHECK(b.interrupts() == 5);
    CHECK(moderate(10'000'001, 0) == regs::admin_status::bad_param);
}

TEST_CASE("EQ: a full ring loses nothing") {
    queue_bench b;
    // 64 entries: fill it without ever freeing.
    for (int i = 0; i < 64; ++i) {
        b.drain_completions();
        b.ring_cq(true);
        b.complete_one();
    }
    b.drain_completions();
    b.ring_cq(true);
    b.complete_one(); // the 65th
    b.run(10_us);
    for (int i = 0; i < 64; ++i)
        REQUIRE(b.next_event().has_value());
    CHECK_FALSE(b.next_event().has_value()); // not overwritten
    b.ring_eq(true);
    b.run(10_us);
    const auto kept = b.next_event();
    REQUIRE(kept.has_value());
    CHECK(kept->id() == b.cq);
    CHECK_FALSE(b.next_event().has_value());
    CHECK(b.interrupts() == 1);
}

TEST_CASE("EQ: phases over many passes") {
    queue_bench b;
    b.ring_eq(true);
    for (int i = 0; i < 300; ++i) {
        b.drain_completions();
        b.ring_cq(true);
        b.complete_one();
        REQUIRE(b.next_event().has_value());
        REQUIRE_FALSE(b.next_event().has_value());
        b.ring_eq(true);
    }
    CHECK(b.interrupts() == 300);
}

TEST_CASE("indices run past 24 bits") {
    // The rings' own arithmetic, without the 16 million packets.
    scheduler clock("wrap");
    fake_host host(clock);
    struct : dma_progress_listener {
        void dma_progressed() override {}
        void dma_failed() override {}
        void interrupt_sent(std::uint16_t) override {}
    } progress;
    struct : regs::register_listener {
        void on_write(reg, std::uint32_t, std::uint64_t, std::uint64_t) override {}
        void on_read(reg, std::uint32_t) override {}
    } nobody;
    struct : error_reporter {
        unsigned stopped = 0;
        void queue_stopped(regs::queue_kind, std::uint32_t, regs::queue_error) override { ++stopped; }
        void bad_doorbell() override {}
        void queue_drained() override {}
        void fatal(regs::fatal_error) override {}
    } errors;
    component self(clock, "self");
    dma_engine dma(host, progress);
    regs::register_file registers(nobody);
    const host_if_parameters parameters;
    const host_path_minima minima{};
    const services s{self, dma, registers, errors, parameters, minima};
    completion_queue cq(s);
    cq.create({3, fake_host::base, 13, 0, nullptr});
    std::uint32_t index = 0;
    for (std::uint32_t i = 0; i < (1u << 24) + 30'000; ++i) {
        write_batch batch;
        if (!cq.add(batch, {}))
            FAIL("full at " << i);
        cq.landed(true);
        if (i % 5000 == 4999) {
            index = (i + 1) & 0xffffff;
            REQUIRE(cq.doorbell(index, false));
        }
    }
    CHECK(errors.stopped == 0);
    CHECK_FALSE(cq.doorbell((index + 30'000) & 0xffffff, false));
    CHECK_FALSE(cq.doorbell((index - 1) & 0xffffff, false));
    for (int i = 0; i < 8192; ++i) {
        write_batch batch;
        cq.add(batch, {});
    }
    CHECK(errors.stopped == 1);
    CHECK(cq.error() == regs::queue_error::cq_overflow);
}
