// SPDX-License-Identifier: Apache-2.0
// What the link carries, measured at the card's sockets against Neugebauer et al., "Understanding PCIe
// performance for end host networking", SIGCOMM 2018, section 3: MPS 256, MRRS 512, aligned transfers,
// tolerance 3%.
//   write = rate x S / (S + 24 ceil(S/256)); read = rate x S / (S + 20 ceil(S/256));
//   both ways, each: the upstream direction carries the writes and the read requests.
#include "model/pcie/testing/elaborate.h"
#include "model/pcie/testing/test_host.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>

#include <cstdio>

using namespace vg810;
using namespace vg810::pcie;
using Catch::Matchers::WithinRel;
using pcie::testing::bench;

namespace {

link_parameters generation(std::int64_t g) {
    link_parameters p;
    p.generation = g;
    return p;
}

struct benches {
    bench gen3{"gen3", generation(3), 1};
    bench gen4{"gen4", generation(4), 1};
};

bench& of_generation(int g) {
    static benches b;
    pcie::testing::elaborate();
    return g == 3 ? b.gen3 : b.gen4;
}

/// Keeps as many transfers under way as the tags allow; each is a write, a read, or one of both.
class load final : public dma_client {
  public:
    load(bench& b, std::size_t size, bool reads, bool writes)
        : bench_(b), data_(size), target_(size), reads_(reads), writes_(writes) {}

    /// Gb/s of payload in each direction used, from 50 us to 250 us after the start.
    double measure() {
        const std::size_t tags_each = (data_.size() + 511) / 512;
        for (std::size_t i = 0; i < 240 / tags_each; ++i)
            next();
        const picoseconds begin = bench_.now() + 50_us, end = begin + 200_us;
        bench_.run(begin);
        const std::size_t before = done_;
        bench_.run(end);
        running_ = false;
        bench_.run();
        return static_cast<double>((completed_ - before) * data_.size()) * 8 / 200e3; // bits over ns
    }

    void dma_done(std::uint64_t, dma_status status) override {
        REQUIRE(status == dma_status::ok);
        if (++halves_ % (reads_ && writes_ ? 2 : 1) != 0)
            return;
        ++done_;
        if (running_) {
            completed_ = done_;
            next();
        }
    }

  private:
    void next() {
        const dma_piece piece{bench::memory_base, data_};
        if (writes_)
            bench_.card.dma(0).write({&piece, 1}, this, 0);
        if (reads_)
            bench_.card.dma(0).read(bench::memory_base + 0x10000, target_, *this, 0);
    }

    bench& bench_;
    std::vector<std::byte> data_, target_;
    bool reads_, writes_, running_ = true;
    std::size_t halves_ = 0, done_ = 0, completed_ = 0;
};

/// The paper's "simple NIC", section 3: for each packet sent a descriptor read, the data read, an interrupt
/// and a read of the head pointer; for each packet received a descriptor read, the data written, a descriptor
/// written, an interrupt. Upstream that is 168 octets a pair of packets beside the data and their requests.
class simple_nic final : public dma_client {
  public:
    simple_nic(bench& b, std::size_t size) : bench_(b), data_(size), target_(size) {}

    /// Gb/s of packets in each direction, from 50 us to 250 us after the start.
    double measure() {
        for (int i = 0; i < 40; ++i)
            next();
        const picoseconds begin = bench_.now() + 50_us;
        bench_.run(begin);
        const std::size_t before = packets_;
        bench_.run(begin + 200_us);
        const std::size_t counted = packets_ - before;
        running_ = false;
        bench_.run();
        return static_cast<double>(counted * data_.size()) * 8 / 200e3;
    }

    void dma_done(std::uint64_t, dma_status status) override {
        REQUIRE(status == dma_status::ok);
        if (++parts_ % 4 != 0)
            return;
        ++packets_;
        if (running_)
            next();
    }

  private:
    void next() {
        dma_port& dma = bench_.card.dma(0);
        const dma_piece packet{bench::memory_base, data_};
        const dma_piece descriptor{bench::memory_base + 0x8000, std::span(data_).first(16)};
        dma.read(bench::memory_base + 0x9000, std::span(target_).first(16), *this, 0);
        dma.read(bench::memory_base + 0x10000, target_, *this, 0);
        dma.interrupt(0);
        dma.read(bench::memory_base + 0xa000, std::span(target_).first(16), *this, 0);
        dma.write({&packet, 1}, nullptr, 0);
        dma.write({&descriptor, 1}, this, 0);
        dma.interrupt(1);
        bench_.host.bar_read<std::uint32_t>(0, 0, 0x20);
    }

    bench& bench_;
    std::vector<std::byte> data_, target_;
    bool running_ = true;
    std::size_t parts_ = 0, packets_ = 0;
};

struct row {
    std::size_t size;
    double write3, read3, both3, write4, read4, both4;
};

constexpr row table[] = {
    {64, 42.1, 44.1, 33.1, 84.2, 88.2, 66.2},      {128, 48.8, 50.1, 42.1, 97.5, 100.1, 84.2},
    {256, 52.9, 53.7, 48.8, 105.9, 107.4, 97.5},   {512, 52.9, 53.7, 50.8, 105.9, 107.4, 101.5},
    {1024, 52.9, 53.7, 50.8, 105.9, 107.4, 101.5}, {4096, 52.9, 53.7, 50.8, 105.9, 107.4, 101.5},
};

void check(int g, const char* what, std::size_t size, bool reads, bool writes, double expected) {
    bench& b = of_generation(g);
    b.start(256, 512);
    b.host.set_observer({});
    const double measured = load(b, size, reads, writes).measure();
    std::printf("PCIe Gen%d x8, %-9s %5zu B: expected %6.1f, measured %6.1f Gb/s\n", g, what, size, expected,
                measured);
    UNSCOPED_INFO(what << ", " << size << " octets, Gb/s");
    CHECK_THAT(measured, WithinRel(expected, 0.03));
}

} // namespace

TEST_CASE("PCIe bandwidth, Gen3 x8") {
    for (const row& r : table) {
        check(3, "write", r.size, false, true, r.write3);
        check(3, "read", r.size, true, false, r.read3);
        check(3, "both ways", r.size, true, true, r.both3);
    }
}

TEST_CASE("PCIe bandwidth, Gen4 x8") {
    for (const row& r : table) {
        check(4, "write", r.size, false, true, r.write4);
        check(4, "read", r.size, true, false, r.read4);
        check(4, "both ways", r.size, true, true, r.both4);
    }
}

TEST_CASE("a simple NIC: Gen3 x8 cannot carry two 25G ports both ways, Gen4 x8 can") {
    struct nic_row {
        std::size_t size;
        double gen3, needed;
    };
    for (const nic_row& r : {nic_row{64, 13.2, 38.1}, nic_row{1024, 44.4, 49.0}, nic_row{1518, 46.2, 49.35}})
        for (const int g : {3, 4}) {
            bench& b = of_generation(g);
            b.start(256, 512);
            b.host.set_observer({});
            b.host.set_interrupt_handler({});
            const double expected = g == 3 ? r.gen3 : 2 * r.gen3;
            const double measured = simple_nic(b, r.size).measure();
            std::printf("PCIe Gen%d x8, simple NIC %5zu B: expected %6.1f, measured %6.1f, two ports need "
                        "%5.1f Gb/s\n",
                        g, r.size, expected, measured, r.needed);
            UNSCOPED_INFO("Gen" << g << ", packets of " << r.size << " octets, Gb/s");
            CHECK_THAT(measured, WithinRel(expected, 0.03));
            if (g == 3 || r.size >= 130)
                CHECK((measured > r.needed) == (g == 4));
        }
}
