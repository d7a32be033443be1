// SPDX-License-Identifier: Apache-2.0
// How fast frames cross a fabric: a two-tier leaf-spine, every host sends one message to the host half the
// network away, each data frame is acknowledged by a frame of its own, PFC and ECN marking are on. The hosts
// are wire hosts: the card's transport with DCQCN, path MTU 1024, which is the permitted one nearest to the
// 1000 octets that other simulators use. With --bare the hosts only fill the link and obey PFC: the engine
// and the switches alone.
//
// usage: fabric_bench [--bare] [hosts [megabytes a flow]]   hosts: 16, 128 or 1024; all three without
// arguments
#include "bare_host.h"
#include "fabric/network.h"
#include "fabric/shapes.h"
#include "model/rdma/cc/built_in.h"
#include "scenarios/wire/wire_host.h"

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <malloc.h>
#include <memory>
#include <string>
#include <sys/resource.h>
#include <vector>

using namespace vg810;
using namespace vg810::fabric;

namespace {

double cpu_seconds() {
    timespec t{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

/// Octets that malloc has handed out, its own overhead included.
std::size_t heap_bytes() {
    return mallinfo2().uordblks + mallinfo2().hblkhd;
}

fabric_options options() {
    fabric_options o;
    o.host_rate = o.spine_rate = 25_gbps;
    o.host_length = o.spine_length = {200'000}; // 1 us
    o.host_phy = o.spine_phy = phy_latency{};
    o.pipeline = {};
    o.switches.trust.mode = trust_mode::dscp;
    o.switches.pfc.priorities = {3};
    o.switches.buffer.total = 12'000'000;
    o.switches.buffer.headroom = 20'000;
    o.switches.buffer.alpha = 0.125;
    marking_parameters mark;
    mark.priorities = {3};
    mark.kmin = 100'000;
    mark.kmax = 400'000;
    mark.pmax = 0.01;
    o.switches.marking = {mark};
    return o;
}

using placements = decltype(numbered_hosts(1, 1));

/// Hosts of the least kind.
class bare_hosts {
  public:
    static constexpr const char* name = "bare hosts";

    bare_hosts(network& net, const placements& placed, frame_pool& pool) : net_(net), placed_(placed) {
        for (const auto& p : placed) {
            const std::string& at = p.station.name;
            all_.push_back(std::make_unique<bench::bare_host>(net.host_clock(at), at, pool, 25_gbps));
            all_.back()->plug(net.plug(at, 0, *all_.back()));
            net.find_link(at + ".0").end(cable_side::a).set_signal(true, 25_gbps);
        }
    }
    std::size_t idle_pair_bytes() { return 0; }
    void send(std::size_t from, std::size_t to, double octets) {
        frames_ = static_cast<std::uint64_t>(octets / bench::bare_host::payload_bytes);
        all_[from]->send(placed_[from].station.ports[0], placed_[to].station.ports[0],
                         net_.station_of(placed_[to].station.name), frames_);
    }
    bool done() const {
        for (const auto& h : all_)
            if (h->data != frames_ || h->acks != frames_)
                return false;
        return true;
    }
    std::uint64_t frames_sent() const { return 2 * frames_ * all_.size(); }
    std::uint64_t again() const { return 0; }

  private:
    network& net_;
    const placements& placed_;
    std::vector<std::unique_ptr<bench::bare_host>> all_;
    std::uint64_t frames_ = 0;
};

/// Hosts with the card's transport under DCQCN.
class wire_hosts : scenarios::message_listener {
  public:
    static constexpr const char* name = "wire hosts, DCQCN";

    wire_hosts(network& net, const placements& placed, frame_pool& pool) : control_(cc::dcqcn) {
        scenarios::wire_host_parameters p;
        p.transport.path_mtu = 1024;
        p.transport.ack_every = 1;
        p.queues.lossless = {3};
        cc::algorithm* const profiles[] = {&control_};
        for (const auto& h : placed) {
            const std::string& at = h.station.name;
            const host_port& port = h.station.ports[0];
            const scenarios::wire_identity who{at, port.mac, *port.ip, net.station_of(at), 25_gbps};
            all_.push_back(
                std::make_unique<scenarios::wire_host>(net.host_clock(at), who, p, pool, profiles, 0));
            all_.back()->attach(net.plug(at, 0, *all_.back()));
            all_.back()->listen(*this);
            all_.back()->power_on();
        }
    }
    /// Measured with as many as do not show in the sum otherwise.
    std::size_t idle_pair_bytes() {
        constexpr std::size_t some = 32;
        const std::size_t before = heap_bytes();
        for (std::size_t i = 0; i < some; ++i)
            all_[0]->connect(*all_[1 + i % 8], {});
        return (heap_bytes() - before) / (2 * some);
    }
    void send(std::size_t from, std::size_t to, double octets) {
        const auto label = static_cast<std::uint16_t>(from * 0x9e37u >> 2);
        const auto c = all_[from]->connect(*all_[to], {.flow_label_hash = label});
        all_[from]->post(c.here, scenarios::message_kind::write, static_cast<bytes>(octets), 0);
    }
    bool done() const { return ended_ == all_.size() && arrived_ == all_.size(); }
    std::uint64_t frames_sent() const {
        std::uint64_t sum = 0;
        for (const auto& h : all_)
            sum += h->count().tx_frames;
        return sum;
    }
    std::uint64_t again() const {
        std::uint64_t sum = 0;
        for (const auto& h : all_)
            sum += h->transport().count().retransmitted_packets;
        return sum;
    }

  private:
    void message_ended(scenarios::connection, const scenarios::message_end& end) override {
        ended_ += end.ok;
    }
    void message_arrived(scenarios::connection, std::uint64_t, bytes) override { ++arrived_; }

    cc::algorithm control_;
    std::vector<std::unique_ptr<scenarios::wire_host>> all_;
    std::size_t ended_ = 0, arrived_ = 0;
};

struct totals {
    std::uint64_t hops = 0, pauses = 0, marks = 0, drops = 0;
};

totals count(const network& net) {
    totals t;
    for (const auto& sw : net.switches())
        for (port_index p = 0; p < sw->ports(); ++p) {
            const port_counters& c = sw->count(p);
            t.hops += c.tx_frames;
            t.pauses += c.priority[3].tx_pause;
            t.marks += c.priority[3].ecn_marked;
            t.drops += c.dropped();
        }
    return t;
}

/// False when something was lost or did not end.
template <class Hosts> bool measure(std::size_t leaves, std::size_t per_leaf, double megabytes) {
    const std::size_t hosts = leaves * per_leaf;
    const double begin = cpu_seconds();
    frame_pool pool;
    const auto placed = numbered_hosts(leaves, per_leaf);
    const std::size_t without = heap_bytes();
    network net(leaf_spine(leaves, per_leaf, placed, options()), pool, domain_split::shared, {});
    Hosts all(net, placed, pool);
    net.power_on();
    const std::size_t built = heap_bytes();
    const double building = cpu_seconds() - begin;
    scheduler& clock = net.host_clock(placed[0].station.name);
    clock.run_before(10_us); // the links are up
    clock.advance_to(10_us);
    for (std::size_t i = 0; i < hosts; ++i)
        all.send(i, (i + hosts / 2) % hosts, megabytes * 1e6);

    const std::uint64_t events_before = clock.events_run();
    const double began = cpu_seconds();
    const picoseconds start = clock.now();
    picoseconds end = start;
    while (!all.done() && end < start + 1'000_ms) {
        end = end + 10_us;
        clock.run_before(end);
    }
    const double took = cpu_seconds() - began;
    const auto events = static_cast<double>(clock.events_run() - events_before);

    totals t = count(net);
    t.hops += all.frames_sent();
    const auto hops = static_cast<double>(t.hops);
    const std::size_t ran = heap_bytes();
    rusage use{};
    getrusage(RUSAGE_SELF, &use);
    std::printf(
        "%5zu %s, %g MB a flow: %.2f M frame-hops/s, %.2f M events/s, %.2f events a hop, %.2f s of CPU "
        "for %.2f M hops; %.2f ms simulated, %.2f Gbit/s of goodput a host\n",
        hosts, Hosts::name, megabytes, hops / took / 1e6, events / took / 1e6, events / hops, took,
        hops / 1e6, (end - start).as_seconds() * 1e3, megabytes * 8e-3 / (end - start).as_seconds());
    std::printf(
        "      %.3f s to build, %zu B an idle host with its share of the network, %zu B more a host after "
        "the "
        "run, %zu B an idle queue pair, peak RSS %ld MB (%ld kB a host); %lu pauses, %lu marks, %lu drops, "
        "%lu sent again%s\n",
        building, (built - without) / hosts, (ran - built) / hosts, all.idle_pair_bytes(),
        use.ru_maxrss / 1024, use.ru_maxrss / static_cast<long>(hosts), t.pauses, t.marks, t.drops,
        all.again(), all.done() ? "" : "; NOT DONE");
    std::fflush(stdout);
    return all.done() && t.drops == 0;
}

bool measure_any(bool bare, std::size_t leaves, std::size_t per_leaf, double megabytes) {
    return bare ? measure<bare_hosts>(leaves, per_leaf, megabytes)
                : measure<wire_hosts>(leaves, per_leaf, megabytes);
}

} // namespace

int main(int argc, char** argv) {
    const bool bare = argc > 1 && std::string(argv[1]) == "--bare";
    argc -= bare;
    argv += bare;
    const std::size_t only = argc > 1 ? static_cast<std::size_t>(std::atoi(argv[1])) : 0;
    const auto size = [&](double standard) { return argc > 2 ? std::atof(argv[2]) : standard; };
    if (argc > 3 || (argc > 1 && only != 16 && only != 128 && only != 1024)) {
        std::fprintf(stderr, "usage: fabric_bench [--bare] [16|128|1024 [megabytes a flow]]\n");
        return 2;
    }
    bool good = true;
    if (only == 0 || only == 16)
        good &= measure_any(bare, 2, 8, size(20));
    if (only == 0 || only == 128)
        good &= measure_any(bare, 8, 16, size(5));
    if (only == 0 || only == 1024)
        good &= measure_any(bare, 64, 16, size(2));
    return good ? 0 : 1;
}
