// SPDX-License-Identifier: Apache-2.0
// A bench for model tests: one card's endpoint in a host without a guest, in a domain of its own, and the
// records that a test looks at. The SystemC kernel elaborates once a process, so a test program makes all its
// benches before the first test runs, elaborates them, and every test begins with `start`.
#pragma once

#include "core/scheduler.h"
#include "model/pcie/endpoint.h"
#include "model/pcie/root_complex.h"

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace vg810::pcie::testing {

/// Registers that remember: what is written is read back, little-endian, and every call is on record.
class recording_target final : public function_target {
  public:
    struct access {
        bool write;
        int bar;
        std::uint64_t offset;
        unsigned size;
        std::uint64_t value;
        bool operator==(const access&) const = default;
    };

    std::uint64_t bar_read(int bar, std::uint64_t offset, unsigned size) override {
        std::uint64_t value = 0;
        for (unsigned i = size; i-- > 0;)
            value = value << 8 | octets[{bar, offset + i}];
        accesses.push_back({false, bar, offset, size, value});
        return value;
    }
    void bar_write(int bar, std::uint64_t offset, unsigned size, std::uint64_t value) override {
        for (unsigned i = 0; i < size; ++i)
            octets[{bar, offset + i}] = static_cast<std::uint8_t>(value >> 8 * i);
        accesses.push_back({true, bar, offset, size, value});
    }
    void reset(reset_kind kind) override { resets.push_back(kind); }
    void command_changed(bool memory_space, bool bus_master) override {
        commands.emplace_back(memory_space, bus_master);
    }

    void clear() { *this = {}; }

    std::map<std::pair<int, std::uint64_t>, std::uint8_t> octets;
    std::vector<access> accesses;
    std::vector<reset_kind> resets;
    std::vector<std::pair<bool, bool>> commands;
};

/// Records the ends of DMA requests.
class recording_client final : public dma_client {
  public:
    struct end {
        std::uint64_t cookie;
        dma_status status;
        picoseconds at;
    };
    explicit recording_client(const scheduler& clock) : clock_(&clock) {}
    void dma_done(std::uint64_t cookie, dma_status status) override {
        ends.push_back({cookie, status, clock_->now()});
    }
    std::vector<end> ends;

  private:
    const scheduler* clock_;
};

/// Card, host and records.
class bench {
  public:
    struct tlp {
        unsigned function;
        bool write;
        std::uint64_t address;
        std::uint32_t length;
        std::uint8_t tag;
        picoseconds at;
    };
    struct interrupt {
        unsigned function;
        std::uint16_t vector;
        picoseconds at;
    };
    static constexpr std::uint64_t memory_base = 0x10000000;
    static constexpr std::uint64_t memory_size = 0x4000000;

    bench(const std::string& name, const link_parameters& parameters, unsigned functions = 2)
        : clock(name),
          card((name + "_card").c_str(), clock, parameters, std::vector<config_layout>(functions)),
          host((name + "_host").c_str(), card), targets(functions), client(clock) {
        host.memory().add(memory_base, memory_size);
        host.set_observer([this](unsigned function, const tlm::tlm_generic_payload& p) {
            tlps.push_back({function, p.is_write(), p.get_address(), p.get_data_length(),
                            p.get_extension<tlp_extension>()->tag, clock.now()});
        });
        for (unsigned i = 0; i < functions; ++i)
            card.set_target(i, targets[i]);
    }

    /// Power-up, firmware, and empty records. Called at the start of a test.
    void start(std::uint32_t mps = 256, std::uint32_t mrrs = 512) {
        run();
        host.set_fault(0, host_fault::none);
        card.power_on_reset();
        host.set_interrupt_handler([this](unsigned function, std::uint16_t vector) {
            interrupts.push_back({function, vector, clock.now()});
        });
        for (unsigned i = 0; i < card.functions(); ++i)
            host.bring_up(i, mps, mrrs);
        run();
        forget();
    }
    void forget() {
        for (recording_target& t : targets)
            t.clear();
        tlps.clear();
        interrupts.clear();
        client.ends.clear();
    }

    /// Everything due before `until`; then now() == until, unless that is `never`.
    void run(picoseconds until = never) {
        clock.run_before(until);
        if (until != never)
            clock.advance_to(until);
    }
    picoseconds now() const { return clock.now(); }

    scheduler clock;
    endpoint card;
    root_complex host;
    std::vector<recording_target> targets;
    recording_client client;
    std::vector<tlp> tlps;
    std::vector<interrupt> interrupts;
};

} // namespace vg810::pcie::testing
