// SPDX-License-Identifier: Apache-2.0
// card_fuzz: the whole card against traffic that was valid until one field of it was changed. A run is a
// function of its options; --first-life repeats a part of one, for lives depend on their number, not on those
// before.
#include "fuzz/life.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <unistd.h>

namespace {

using namespace vg810;
using namespace vg810::fuzz;

struct options {
    std::uint64_t operations = 1'000'000;
    std::uint64_t seed = 1;
    std::uint64_t first_life = 0;
    bool verbose = false;
};

constexpr unsigned life_seconds = 120;

[[noreturn]] void usage() {
    std::fputs("usage: card_fuzz [--operations N] [--seed N] [--first-life N] [--verbose]\n", stderr);
    std::exit(2);
}

options parse_arguments(int argc, char** argv) {
    options o;
    for (int i = 1; i < argc; ++i) {
        const std::string name = argv[i];
        if (name == "--verbose") {
            o.verbose = true;
            continue;
        }
        char* end = nullptr;
        const std::uint64_t value = i + 1 < argc ? std::strtoull(argv[i + 1], &end, 0) : 0;
        if (end == nullptr || *end != '\0' || end == argv[i + 1])
            usage();
        ++i;
        if (name == "--operations")
            o.operations = value;
        else if (name == "--seed")
            o.seed = value;
        else if (name == "--first-life")
            o.first_life = value;
        else
            usage();
    }
    return o;
}

/// The card in three machines: as shipped; behind a narrow link, with few tags, where defects were seeded;
/// with everything immediate, in a machine that keeps the MSI-X table itself.
std::array<profile, 3> profiles() {
    std::array<profile, 3> p;
    p[0].name = "shipped";
    p[1].name = "narrow";
    p[1].card.pcie.generation = 1;
    p[1].card.pcie.lanes = 1;
    p[1].card.pcie.tags = 3;
    p[1].card.host_if.read_chunk = 512;
    p[1].card.host_if.transmit_buffer = p[1].card.host_if.receive_buffer = 128 * 1024;
    p[1].card.fault.scratch_stuck_at_one = 0x80;
    p[1].card.fault.self_test_failures = 2;
    p[1].card.fault.loopback_corrupts = true;
    p[2].name = "immediate";
    p[2].card.pcie.register_write_latency = {};
    p[2].card.pcie.touch_grouping = {};
    p[2].machine_keeps_msix_table = true;
    for (profile& each : p) {
        each.card.mac.training_time = 20_us; // 5 ms would be spent waiting
        each.card.mac.transmitter_on = 5_us;
        each.card.mac.transmitter_off = 2_us;
    }
    return p;
}

/// Where it hung, if it hangs.
std::uint64_t current_life;

void hung(int) {
    static constexpr char text[] = "card_fuzz: no end of a life; the last one told of is at fault\n";
    [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, text, sizeof text - 1);
    _exit(3);
}

void run(const options& o, tally& t) {
    const std::array<profile, 3> p = profiles();
    std::array<std::unique_ptr<world>, 3> worlds;
    for (std::size_t i = 0; i < p.size(); ++i)
        worlds[i] = std::make_unique<world>(p[i], t);
    for (const auto& w : worlds) {
        w->start();
        dice d(o.seed, ~std::uint64_t{0});
        recover(*w, d, t);
    }
    for (current_life = o.first_life; t.total() < o.operations; ++current_life) {
        if (o.verbose || current_life % 1000 == 0)
            std::printf("life %llu\n", static_cast<unsigned long long>(current_life)), std::fflush(stdout);
        alarm(life_seconds);
        dice d(o.seed, current_life);
        world& w = *worlds[current_life % worlds.size()];
        live(w, d, t);
        recover(w, d, t);
    }
    alarm(0);
    for (const auto& w : worlds)
        t.clean_frames += w->neighbour_frames();
}

} // namespace

int main(int argc, char** argv) {
    const options o = parse_arguments(argc, argv);
    std::signal(SIGALRM, hung);
    tally t;
    try {
        run(o, t);
    } catch (const std::exception& e) {
        std::fflush(stdout);
        std::fprintf(stderr, "card_fuzz: seed %llu, life %llu, operation %llu: %s\n",
                     static_cast<unsigned long long>(o.seed), static_cast<unsigned long long>(current_life),
                     static_cast<unsigned long long>(t.total()), e.what());
        return 1;
    }
    t.print();
    return 0;
}
