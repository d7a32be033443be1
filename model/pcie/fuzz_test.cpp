// SPDX-License-Identifier: Apache-2.0
// A host and a card that do anything at any time: random configuration and register accesses, DMA and
// interrupts, resets, faults. Whatever happens, every request is answered exactly once, a reset answers all
// of them, packets keep the rules, and the function works again afterwards. Seeded; the seed is printed with
// a failure.
#include "model/pcie/testing/elaborate.h"
#include "model/pcie/testing/test_host.h"

#include <catch2/catch_test_macros.hpp>

#include <map>
#include <random>

using namespace vg810;
using namespace vg810::pcie;
using pcie::testing::bench;

namespace {

link_parameters few_tags() {
    link_parameters p;
    p.tags = 5;
    return p;
}

class chaos final : public dma_client {
  public:
    chaos(bench& b, std::uint64_t seed) : bench_(b), random_(seed) {
        b.start();
        b.host.set_interrupt_handler({});
        b.host.set_observer(
            [this](unsigned function, const tlm::tlm_generic_payload& p) { check(function, p); });
    }

    void run(unsigned steps) {
        for (unsigned i = 0; i < steps; ++i)
            step();
        reset_all();
        bench_.run();
        REQUIRE(open_.empty());
    }

    void dma_done(std::uint64_t cookie, dma_status) override { REQUIRE(open_.erase(cookie) == 1); }

    std::uint64_t packets = 0, requests = 0;

  private:
    std::uint64_t below(std::uint64_t n) { return random_() % n; }

    void check(unsigned function, const tlm::tlm_generic_payload& p) {
        ++packets;
        REQUIRE(p.get_data_length() >= 1);
        REQUIRE(p.get_address() / 4096 == (p.get_address() + p.get_data_length() - 1) / 4096);
        REQUIRE(p.get_data_length() <= 4096);
        if (accessing_)
            return; // an access pushes what was posted, even the one that turns bus master off
        const config_space& c = bench_.card.function(function).config();
        REQUIRE(c.bus_master());
        REQUIRE(!c.d3hot());
    }

    void step() {
        const unsigned f = static_cast<unsigned>(below(2));
        switch (below(16)) {
        case 0:
        case 1:
            return configure(f);
        case 2:
            return touch_control(f);
        case 3:
        case 4:
            return touch_bar(f);
        case 5:
        case 6:
        case 7:
            return request_read(f);
        case 8:
        case 9:
        case 10:
            return request_write(f);
        case 11:
            return bench_.card.dma(f).interrupt(static_cast<std::uint16_t>(below(66)));
        case 12:
        case 13:
            return bench_.run(bench_.now() + picoseconds(static_cast<std::int64_t>(below(400'000))));
        case 14:
            return below(8) == 0 ? fault() : recover(f);
        default:
            return below(50) == 0 ? reset_all() : bench_.run(bench_.now() + 5_us);
        }
    }

    void access(unsigned f, address_space space, std::uint64_t offset, std::size_t length) {
        std::vector<std::byte> data(length);
        for (std::byte& b : data)
            b = static_cast<std::byte>(random_());
        accessing_ = true;
        bench_.host.access(f, below(2) == 0 ? tlm::TLM_READ_COMMAND : tlm::TLM_WRITE_COMMAND, space, offset,
                           data, below(20) == 0);
        accessing_ = false;
    }
    void configure(unsigned f) {
        access(f, address_space::config, below(below(2) == 0 ? 0x160 : 4100), 1 + below(8));
    }
    void touch_control(unsigned f) {
        static constexpr std::uint16_t registers[] = {
            at::command,        at::power_control,      at::msix_control,
            at::device_control, at::device_control + 1, at::device_control_2,
            at::link_control};
        access(f, address_space::config, registers[below(std::size(registers))], 1 + below(2));
    }
    void touch_bar(unsigned f) {
        const address_space space = below(4) == 0 ? address_space::bar2 : address_space::bar0;
        const std::uint64_t offset = below(2) == 0 ? 0x10000 + below(0x9000) : below(0x20010);
        access(f, space, offset, 1 + below(16));
    }
    std::uint64_t address() {
        switch (below(8)) {
        case 0:
            return random_();
        case 1:
            return bench::memory_base + bench::memory_size - below(3000); // runs off the end
        case 2:
            return ~std::uint64_t{0} - below(5000);
        default:
            return bench::memory_base + below(bench::memory_size / 2);
        }
    }
    void request_read(unsigned f) {
        const std::uint64_t cookie = requests++;
        auto& buffer = open_[cookie];
        buffer.resize(1 + below(below(4) == 0 ? 65536 : 300));
        bench_.card.dma(f).read(address(), buffer, *this, cookie);
    }
    void request_write(unsigned f) {
        const std::uint64_t cookie = requests++;
        auto& buffer = open_[cookie];
        buffer.resize(2 + below(2000));
        const std::size_t cut = below(buffer.size());
        const std::array pieces = {dma_piece{address(), std::span(buffer).first(cut)},
                                   dma_piece{address(), std::span(buffer).subspan(cut)}};
        bench_.card.dma(f).write(pieces, this, cookie);
    }
    void fault() {
        bench_.host.set_fault(bench::memory_base + below(0x100000), static_cast<host_fault>(below(4)));
    }
    void recover(unsigned f) {
        accessing_ = true;
        if (below(3) == 0) {
            bench_.host.config_write<std::uint8_t>(f, at::device_control + 1, 0x80);
            bench_.host.config_write<std::uint16_t>(f, at::power_control, 0);
        }
        bench_.host.bring_up(f, 128U << below(3), 128U << below(6));
        accessing_ = false;
    }
    void reset_all() {
        bench_.card.bus_reset();
        REQUIRE(open_.empty());
        recover(0);
        recover(1);
    }

    bench& bench_;
    std::mt19937_64 random_;
    std::map<std::uint64_t, std::vector<std::byte>> open_; // cookie to buffer of every request under way
    bool accessing_ = false;
};

} // namespace

TEST_CASE("anything at any time") {
    static bench usual("usual", link_parameters{}), starved("starved", few_tags());
    pcie::testing::elaborate();
    for (std::uint64_t seed = 1; seed <= 4; ++seed)
        for (bench* b : {&usual, &starved}) {
            INFO("seed " << seed);
            chaos c(*b, seed);
            c.run(60'000);
            CHECK(c.packets > 100'000);
            CHECK(c.requests > 12'000);
            for (auto& t : b->targets)
                t.clear();

            b->start(); // and it still works
            std::vector<std::byte> got(100);
            b->host.memory().put<std::uint64_t>(bench::memory_base, 0x1122334455667788);
            b->card.dma(1).read(bench::memory_base, got, b->client, 1);
            b->run();
            CHECK(b->client.ends.at(0).status == dma_status::ok);
            CHECK(got[0] == std::byte{0x88});
        }
}
