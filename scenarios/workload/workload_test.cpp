// SPDX-License-Identifier: Apache-2.0
#include "scenarios/workload/flow_workload.h"
#include "scenarios/workload/group_workload.h"
#include "scenarios/workload/open_workload.h"
#include "scenarios/workload/storage_workload.h"
#include "scenarios/workload/testing/fake_port.h"

#include "scenarios/config/diagnostics.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <set>

using namespace vg810;
using namespace vg810::scenarios;
using vg810::scenarios::testing::fake_fabric;

namespace {

workload_basis basis(const std::string& name, std::uint64_t seed = 1) {
    workload_basis b;
    b.name = name;
    b.seed = seed;
    return b;
}

group_plan ring(std::size_t hosts, bytes size, std::uint32_t slices = 1, std::uint32_t repetitions = 1,
                picoseconds compute = {}) {
    group_plan p;
    for (host_index i = 0; i < hosts; ++i)
        p.members.push_back(i);
    p.steps = ring_all_reduce(hosts, size);
    p.slices = slices;
    p.repetitions = repetitions;
    p.compute = compute;
    return p;
}

std::uint64_t run(fake_fabric& f, workload& w, picoseconds end = never) {
    w.begin();
    return f.clock.run_before(end);
}

constexpr std::string_view sizes_text = "bytes,probability\n1000,0.5\n2000,1\n";

} // namespace

TEST_CASE("a ring all-reduce takes its steps one behind the other") {
    fake_fabric f(4);
    group_workload w(f.clock, f.messages, basis("ring"), ring(4, 100'000));
    run(f, w);
    CHECK(w.over());
    CHECK(f.messages.log().size() == 4 * 6);
    // Six steps of 25,000 octets at 25G (8 us) and 1 us of delay.
    CHECK(w.iterations().at(0).ended - w.iterations().at(0).started == (8_us + 1_us) * 6);
}

TEST_CASE("slices travel apart, so a step does not wait for the whole message") {
    fake_fabric whole(4), cut(4);
    group_workload a(whole.clock, whole.messages, basis("whole"), ring(4, 100'000));
    group_workload b(cut.clock, cut.messages, basis("cut"), ring(4, 100'000, 8));
    run(whole, a);
    run(cut, b);
    CHECK(b.over());
    CHECK(cut.messages.log().size() == 8 * whole.messages.log().size());
    CHECK(b.iterations()[0].ended < a.iterations()[0].ended);
}

TEST_CASE("a host computes between its repetitions") {
    fake_fabric f(2);
    group_workload w(f.clock, f.messages, basis("ring"), ring(2, 50'000, 1, 3, 100_us));
    run(f, w);
    CHECK(w.over());
    REQUIRE(w.iterations().size() == 3);
    for (std::size_t i = 1; i < 3; ++i) {
        const picoseconds pause = w.iterations()[i].started - w.iterations()[i - 1].ended;
        CHECK(pause >= 100_us);
        CHECK(pause < 102_us); // the last acknowledgement
    }
}

TEST_CASE("one slow host holds up its neighbours by their data, not by a barrier") {
    scheduler clock("fabric");
    traffic messages(clock);
    testing::fake_port slow(clock, "slow", 1_ms), a(clock, "a"), b(clock, "b");
    std::vector<std::string> names{"slow", "a", "b"};
    messages.add_host(names[0], slow);
    messages.add_host(names[1], a);
    messages.add_host(names[2], b);
    group_plan p = ring(3, 3'000);
    group_workload w(clock, messages, basis("ring"), p);
    w.begin();
    clock.run_before(500_us);
    // a (behind slow) has sent its first part only, b that and a's.
    CHECK(messages.log().size() == 3);
    clock.run_before(never);
    CHECK(w.over());
}

TEST_CASE("a host that has lost a message begins no further repetition") {
    fake_fabric f(2);
    f.ports[0]->broken = true;
    group_workload w(f.clock, f.messages, basis("ring"), ring(2, 50'000, 1, 3));
    run(f, w);
    CHECK_FALSE(w.over());
    CHECK(f.messages.failed() > 0);
    CHECK(f.messages.outstanding() == 0);
}

TEST_CASE("incast with requests holds its rounds together") {
    fake_fabric f(5);
    group_plan p = ring(5, 10'000);
    p.steps = incast(5, 10'000, 64);
    p.repetitions = 4;
    group_workload w(f.clock, f.messages, basis("incast"), p);
    run(f, w);
    CHECK(w.over());
    for (std::size_t i = 1; i < 4; ++i)
        CHECK(w.iterations()[i].hosts == 5);
    // A sender cannot be a round ahead: every answer arrives before the next round's requests leave.
    std::size_t answers = 0;
    for (const message_record& r : f.messages.log())
        answers += r.to == 0;
    CHECK(answers == 16);
}

TEST_CASE("programs that do not match are a mistake of ours, found at once") {
    fake_fabric f(2);
    group_plan p = ring(2, 100);
    p.steps[0].pop_back();
    CHECK_THROWS_AS(group_workload(f.clock, f.messages, basis("x"), p), std::logic_error);
}

TEST_CASE("a flow's messages follow one another, or come at a rate") {
    fake_fabric f(2);
    flow_workload chained(f.clock, f.messages, basis("chained"), {0, 1, 25'000, 3, 5_us, never, {}, 10_us});
    run(f, chained);
    CHECK(chained.over());
    const auto& log = f.messages.log();
    REQUIRE(log.size() == 3);
    CHECK(log[0].posted == 5_us);
    CHECK(log[1].posted == log[0].ended + 10_us);

    fake_fabric g(2);
    flow_workload paced(g.clock, g.messages, basis("paced"),
                        {0, 1, 1'000, 1'000'000, 0_us, 1_ms, 2_gbps, 0_us});
    run(g, paced);
    CHECK(paced.over());
    CHECK(g.messages.log().size() == 250); // 2 Gb/s for 1 ms in messages of 1000 octets
}

TEST_CASE("Poisson arrivals bring the load they are asked for, the same for the same seed") {
    const auto load = [](std::uint64_t seed) {
        fake_fabric f(8);
        poisson_plan p;
        for (host_index i = 0; i < 8; ++i)
            p.members.push_back(i);
        p.sizes = flow_sizes::parse(sizes_text, "sizes");
        p.mean_gaps.assign(8, poisson_workload::gap_for(0.5, 25_gbps, p.sizes.mean()));
        p.duration = 10_ms;
        poisson_workload w(f.clock, f.messages, basis("web", seed), p);
        run(f, w);
        CHECK(w.over());
        bytes sum = 0;
        for (const message_record& r : f.messages.log()) {
            CHECK(r.from != r.to);
            sum += r.length;
        }
        return sum;
    };
    const bytes expected = 8 * 15'625'000; // half of 25 Gb/s, 10 ms, 8 hosts
    CHECK(static_cast<double>(load(1)) == Catch::Approx(static_cast<double>(expected)).epsilon(0.02));
    CHECK(load(1) == load(1));
    CHECK(load(1) != load(2));
}

TEST_CASE("Poisson arrivals stop at a number of messages") {
    fake_fabric f(3);
    poisson_plan p{{0, 1, 2}, flow_sizes::parse(sizes_text, "sizes"), {10_us, 10_us, 10_us}, 100, never};
    poisson_workload w(f.clock, f.messages, basis("web"), p);
    run(f, w);
    CHECK(w.over());
    CHECK(f.messages.log().size() == 100);
    // No two messages under way share a connection: 3 hosts need few.
    CHECK(f.ports[0]->connections() < 20);
}

TEST_CASE("storage clients keep their requests under way and mix reads and writes") {
    fake_fabric f(4);
    storage_plan p;
    p.clients = {0, 1};
    p.servers = {2, 3};
    p.length = 4096;
    p.outstanding = 4;
    p.requests = 500;
    storage_workload w(f.clock, f.messages, basis("storage"), p);
    run(f, w);
    CHECK(w.over());
    CHECK(f.messages.log().size() == 1000);
    unsigned reads = 0;
    for (const message_record& r : f.messages.log()) {
        const bool read = r.kind == message_kind::read;
        reads += read;
        CHECK((read ? r.from : r.to) >= 2);
        CHECK(r.arrived <= r.ended);
    }
    CHECK(reads / 1000.0 == Catch::Approx(0.7).margin(0.05));
}

TEST_CASE("a trace is replayed at its times, by its priorities") {
    const std::vector<std::string> names{"host0", "host1"};
    fake_fabric f(2);
    trace_workload w(
        f.clock, f.messages, basis("trace"),
        parse_trace("time,src,dst,bytes,priority\n20us,host1,host0,100,5\n10us,host0,host1,7,3\n", "t.csv",
                    names));
    run(f, w);
    CHECK(w.over());
    REQUIRE(f.messages.log().size() == 2);
    CHECK(f.messages.log()[0].posted == 10_us);
    CHECK(f.messages.log()[0].length == 7);
    CHECK(f.ports[0]->options(0).dscp == 24);
}

TEST_CASE("a bad trace is refused with its place") {
    const auto problem = [](std::string_view text) -> std::string {
        try {
            parse_trace(text, "t.csv", {"host0", "host1"});
        } catch (const bad_input& e) {
            return e.what();
        }
        return "accepted";
    };
    const std::string heading = "time,src,dst,bytes,priority\n";
    CHECK(problem("# nothing\n") == "t.csv:1:1: the heading 'time,src,dst,bytes,priority' is missing");
    CHECK(problem("time,src,dst\n") == "t.csv:1:1: column 'bytes' is missing");
    CHECK(problem("time,src,dst,byte\n").find("did you mean 'bytes'?") != std::string::npos);
    CHECK(problem(heading + "10us,host0,host7,1,0\n").find("t.csv:2:12: there is no host 'host7'") == 0);
    CHECK(problem(heading + "10,host0,host1,1,0\n") == "t.csv:2:1: '10' is no time such as 10us");
    CHECK(problem(heading + "10us,host0,host0,1,0\n") == "t.csv:2:12: a host sends nothing to itself");
    CHECK(problem(heading + "10us,host0,host1,0,0\n").find("t.csv:2:18: 0 is out of range 1 to") == 0);
    CHECK(problem(heading + "10us,host0,host1,-1,0\n") == "t.csv:2:18: '-1' is no whole number");
    CHECK(problem(heading + "10us,host0,host1,1,8\n") == "t.csv:2:20: 8 is out of range 0 to 7");
    CHECK(problem(heading + "10us,host0\n") == "t.csv:2:1: 2 fields; the heading has 5");
}

TEST_CASE("every connection takes a path of its own, by the seed") {
    fake_fabric f(9);
    group_plan p = ring(9, 90'000);
    p.steps = incast(9, 100, 0);
    group_workload w(f.clock, f.messages, basis("incast"), p);
    std::set<std::uint16_t> hashes;
    for (std::size_t i = 1; i < 9; ++i)
        hashes.insert(f.ports[i]->options(0).flow_label_hash);
    CHECK(hashes.size() > 6);
}
