// SPDX-License-Identifier: Apache-2.0
// One machine with one card: function 0 is the one under fuzz, function 1 carries traffic that must arrive.
// Judges every DMA request and interrupt, and the card's promises about when they come.
#pragma once

#include "fuzz/clean_traffic.h"
#include "fuzz/dma_monitor.h"
#include "fuzz/mirror.h"
#include "model/card.h"
#include "model/pcie/root_complex.h"

#include <functional>
#include <memory>
#include <optional>

namespace vg810::fuzz {

/// Host memory. Nothing else is present, and function 0 is never told of the neighbour's.
namespace memory {
inline constexpr std::uint64_t rings = 0x10000000, rings_bytes = 0x1000000;
inline constexpr std::uint64_t buffers = rings + rings_bytes, buffers_bytes = 0x400000;
inline constexpr std::uint64_t driver = 0x20000000;           ///< function 0's embedded driver
inline constexpr std::uint64_t neighbour = 0x5a5a'0000'0000u; ///< several bits from any of the others
} // namespace memory

struct profile {
    std::string name;
    card_parameters card;
    bool machine_keeps_msix_table = false; ///< as QEMU does
};

class world {
  public:
    static constexpr unsigned fuzzed = 0, neighbour = 1;

    /// All worlds must be made before start() of the first.
    world(const profile& p, tally& t);
    ~world();
    /// Elaborates SystemC, powers up, and starts the neighbour's traffic.
    void start();

    /// Processor's accesses to function 0, counted. Reads of 1, 2, 4 or 8 octets.
    std::uint64_t bar_read(unsigned bar, std::uint64_t offset, unsigned size);
    void bar_write(unsigned bar, std::uint64_t offset, unsigned size, std::uint64_t value);
    std::uint64_t read(regs::reg r, std::uint32_t copy = 0);
    void write(regs::reg r, std::uint64_t value, std::uint32_t copy = 0);
    std::uint64_t config_read(std::uint32_t offset, unsigned size);
    void config_write(std::uint32_t offset, unsigned size, std::uint64_t value);
    /// Of any length, poisoned or not.
    void access(pcie::address_space space, bool write, std::uint64_t offset, std::span<std::byte> data,
                bool poisoned);
    /// A payload that is no access, of which the card must say so.
    void malformed_access(dice& d);
    /// Firmware's part of a start of function 0.
    void plug_and_play(std::uint32_t mps, std::uint32_t mrrs);

    /// Simulated time passes.
    void run(picoseconds span);
    /// Within run(): an interrupt has come.
    bool running() const { return running_; }
    /// Runs until `done`, at most `limit`; false if it was not done by then.
    bool run_until(const std::function<bool()>& done, picoseconds limit);
    /// A reset of function 0 has ended, by configuration / by register, which leaves the MSI-X table alone:
    /// the card has forgotten what it knew of the host.
    void forget() { monitor_.forget(); }
    void forget_queues() { monitor_.forget_queues(); }
    /// Resets both functions, then the neighbour starts anew.
    void reset_all(bool power);

    /// One frame of the neighbour's, now and then.
    void neighbour_sends(dice& d) { neighbour_->send(d); }
    std::uint64_t neighbour_frames() const { return neighbour_->verified(); }
    /// No frame is on its way any more, anywhere; those expected have come. Function 0 must be at rest.
    void settle();
    /// A frame arrives at function 0's port; it stores the first `stored` octets.
    void frame_arrives(std::span<const std::byte> octets, std::size_t stored, bool fcs_bad);

    /// Function 0's embedded driver, used between two lives.
    clean_traffic& driver() { return *driver_; }
    mac_address address(unsigned port) const { return addresses_[port]; }
    /// The host has left reads without an answer, since this was last set to false.
    bool unanswered_reads = false;
    /// Function 0's interrupts; null: to the embedded driver.
    std::function<void(std::uint16_t)> on_interrupt;

    scheduler clock;
    frame_pool frames;
    std::array<mac_address, 2> addresses_;
    card hardware;
    pcie::root_complex root;
    std::array<std::unique_ptr<mirror>, 2> cables;

  private:
    class port_platform;
    class transaction;

    void told(unsigned bar, std::uint64_t offset, unsigned size, std::uint64_t value);
    void access_begins();
    void judge_departure(picoseconds at);
    void judge(unsigned function, const tlm::tlm_generic_payload& tlp);
    void judge_time(const char* what);
    void judge_neighbour(const tlm::tlm_generic_payload& tlp);
    void interrupted(unsigned function, std::uint16_t vector);

    /// Counts the stations that packets pass.
    class stations final : public card_observer {
      public:
        explicit stations(tally& t) : tally_(t) {}
        void doorbell_seen(unsigned, std::uint16_t, picoseconds) override { ++tally_.doorbells_seen; }
        void frame_out(unsigned, const frame&, picoseconds) override { ++tally_.frames_out; }
        void frame_in(unsigned, const frame&, picoseconds) override { ++tally_.frames_in; }
        void interrupt_sent(unsigned, std::uint16_t, picoseconds) override {}

      private:
        tally& tally_;
    };

    const profile profile_;
    tally& tally_;
    stations observer_;
    dma_monitor monitor_;
    std::array<std::unique_ptr<port_platform>, 2> platforms_;
    std::unique_ptr<clean_traffic> driver_, neighbour_;
    bool running_ = false;       ///< in run()
    unsigned accesses_ = 0;      ///< of the processor, under way: more than one when a handler makes them
    picoseconds untouched_till_; ///< the card's promise when run() began
    /// Its other promise, by the accesses since nothing was under way: when function 0's cable shows
    /// something.
    std::optional<picoseconds> dark_till_;
};

} // namespace vg810::fuzz
