// SPDX-License-Identifier: Apache-2.0
// How fast frames cross a fabric: a two-tier leaf-spine, every host sends one flow to the host half the
// network away, each data frame is acknowledged by a frame of its own, PFC and ECN marking are on. The hosts
// are the simplest that keep the link full and obey PFC, so the engine and the switches are what is measured.
//
// usage: fabric_bench [hosts [megabytes a flow]]      hosts: 16, 128 or 1024; all three without arguments
#include "core/ethernet.h"
#include "core/pause.h"
#include "core/scheduler.h"
#include "fabric/network.h"
#include "fabric/shapes.h"

#include <algorithm>
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

constexpr bytes header_bytes = 14 + 20 + 8 + 12; // Ethernet, IPv4, UDP, BTH
constexpr bytes payload_bytes = 1000;
constexpr bytes icrc_bytes = 4;

double cpu_seconds() {
    timespec t{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

class bench_host final : public component, public wire_receiver {
  public:
    bench_host(scheduler& clock, std::string name, frame_pool& pool, bits_per_second rate)
        : component(clock, std::move(name)), pool_(pool), octet_(rate.time_for(1)), timers_(rate) {}

    void plug(cable_end& end) { end_ = &end; }
    /// `frames` to a peer; its own frames come from the same one.
    void send(const host_port& own, const host_port& peer, station_index to, std::uint64_t frames) {
        const ethernet_view<std::byte> eth(headers_);
        eth.set_destination(peer.mac);
        eth.set_source(own.mac);
        eth.set_type(ethertype::ipv4);
        const ipv4_view<std::byte> ip(headers_ + 14);
        ip.set_version_and_header_bytes(20);
        ip.set_tos(26 << 2 | 2);
        ip.set_ttl(64);
        ip.set_protocol(ip_protocol::udp);
        ip.set_source(*own.ip);
        ip.set_destination(*peer.ip);
        udp_view<std::byte>(headers_ + 34).set_destination_port(4791);
        labels_.station = to;
        labels_.flow_hash = (own.mac.to_u64() ^ 0x5bd1e995) * 0x9e3779b97f4a7c15u;
        labels_.l3_offset = 14;
        labels_.classified = true;
        labels_.ecn_capable = true;
        to_send_ = frames;
        schedule<&bench_host::transmit>(10_us, this);
        wake_ = 10_us;
    }

    void frame_arrived(frame_ptr f) override {
        if (f->labels.control) {
            if (const auto r = read_pause_frame(*f))
                timers_.apply(*r, now());
        } else if (f->length() > 100) {
            ++data;
            ++acks_due_;
        } else {
            ++acks;
        }
        wake();
    }
    void signal_changed(bool, bits_per_second) override {}

    std::uint64_t data = 0, acks = 0;

  private:
    void wake() {
        if (acks_due_ + to_send_ == 0)
            return;
        const picoseconds at = std::max({now(), free_at_, timers_.until(3)});
        if (at >= wake_)
            return;
        wake_ = at;
        schedule<&bench_host::transmit>(at, this);
    }
    void transmit(std::uint64_t) {
        if (wake_ != now())
            return;
        wake_ = never;
        if (free_at_ <= now() && timers_.until(3) <= now()) {
            const bool ack = acks_due_ > 0;
            --(ack ? acks_due_ : to_send_);
            const bytes length = header_bytes + icrc_bytes + (ack ? 4 : payload_bytes);
            frame_ptr f = pool_.make(length, header_bytes);
            std::copy_n(headers_, header_bytes, f->stored().data());
            f->labels = labels_;
            free_at_ = now() + octet_ * static_cast<std::int64_t>(f->slot_bytes());
            const picoseconds last = now() + octet_ * static_cast<std::int64_t>(f->wire_bytes());
            end_->send(std::move(f), now(), last);
        }
        wake();
    }

    frame_pool& pool_;
    picoseconds octet_;
    pause_timers timers_;
    cable_end* end_ = nullptr;
    picoseconds free_at_, wake_ = never;
    std::uint64_t to_send_ = 0, acks_due_ = 0;
    frame_labels labels_;
    std::byte headers_[header_bytes] = {};
};

fabric_options options() {
    fabric_options o;
    o.host_rate = o.spine_rate = 25_gbps;
    o.host_length = o.spine_length = {200'000}; // 1 us
    o.host_phy = o.spine_phy = phy_latency{};
    o.pipeline = {};
    o.switches.trust.default_priority = 3;
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

std::size_t heap_bytes() {
    return mallinfo2().uordblks + mallinfo2().hblkhd;
}

void measure(std::size_t leaves, std::size_t per_leaf, double megabytes) {
    const std::size_t hosts = leaves * per_leaf;
    const std::size_t heap = heap_bytes();
    const double begin = cpu_seconds();
    frame_pool pool;
    const auto placed = numbered_hosts(leaves, per_leaf);
    const std::size_t without = heap_bytes();
    network net(leaf_spine(leaves, per_leaf, placed, options()), pool, domain_split::shared, {});
    std::vector<std::unique_ptr<bench_host>> all;
    for (std::size_t i = 0; i < hosts; ++i) {
        const std::string name = placed[i].station.name;
        all.push_back(std::make_unique<bench_host>(net.host_clock(name), name, pool, 25_gbps));
        all[i]->plug(net.plug(name, 0, *all[i]));
        net.find_link(name + ".0").end(cable_side::a).set_signal(true, 25_gbps);
    }
    net.power_on();
    const std::size_t built = heap_bytes();
    const double building = cpu_seconds() - begin;
    const auto frames = static_cast<std::uint64_t>(megabytes * 1e6 / payload_bytes);
    for (std::size_t i = 0; i < hosts; ++i) {
        const std::size_t to = (i + hosts / 2) % hosts;
        all[i]->send(placed[i].station.ports[0], placed[to].station.ports[0],
                     net.station_of(placed[to].station.name), frames);
    }
    scheduler& clock = net.host_clock(placed[0].station.name);
    const double began = cpu_seconds();
    clock.run_before(never);
    const double took = cpu_seconds() - began;

    std::uint64_t hops = 0, pauses = 0, marks = 0, drops = 0, missing = 0;
    for (const auto& h : all) {
        missing += 2 * frames - h->data - h->acks;
        hops += 2 * frames;
    }
    for (const auto& sw : net.switches())
        for (port_index p = 0; p < sw->ports(); ++p) {
            const port_counters& c = sw->count(p);
            hops += c.tx_frames;
            pauses += c.priority[3].tx_pause;
            marks += c.priority[3].ecn_marked;
            drops += c.dropped();
        }
    rusage use{};
    getrusage(RUSAGE_SELF, &use);
    std::printf(
        "%5zu hosts, %g MB a flow: %.2f M frame-hops/s, %.2f M events/s, %.2f events a hop, %.2f s of CPU "
        "for %.2f M hops, %.2f ms simulated\n",
        hosts, megabytes, static_cast<double>(hops) / took / 1e6,
        static_cast<double>(clock.events_run()) / took / 1e6,
        static_cast<double>(clock.events_run()) / static_cast<double>(hops), took,
        static_cast<double>(hops) / 1e6, clock.now().as_seconds() * 1e3);
    std::printf("      %.3f s to build, %zu B an idle host with its share of the network, %zu B more a host "
                "after the "
                "run, peak RSS %ld MB; %lu pauses, %lu marks, %lu drops, %lu frames missing\n",
                building, (built - without) / hosts, (heap_bytes() - built) / hosts, use.ru_maxrss / 1024,
                pauses, marks, drops, missing);
    (void)heap;
}

} // namespace

int main(int argc, char** argv) {
    const std::size_t only = argc > 1 ? static_cast<std::size_t>(std::atoi(argv[1])) : 0;
    const auto size = [&](double standard) { return argc > 2 ? std::atof(argv[2]) : standard; };
    if (only != 0 && only != 16 && only != 128 && only != 1024) {
        std::fprintf(stderr, "usage: fabric_bench [16|128|1024 [megabytes a flow]]\n");
        return 2;
    }
    if (only == 0 || only == 16)
        measure(2, 8, size(20));
    if (only == 0 || only == 128)
        measure(8, 16, size(5));
    if (only == 0 || only == 1024)
        measure(64, 16, size(2));
}
