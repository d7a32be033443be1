// SPDX-License-Identifier: Apache-2.0
// A host that is a QEMU guest with the card in one slot and the harness in another:
//
//   step_engine --command_latency--> harness_device <--MMIO-- agent in the guest --serial--> agent_stream
//   agent --MMIO RESULT--> harness_device --report_delay + command_latency--> step_engine
#pragma once

#include "core/scheduler.h"
#include "fabric/network.h"
#include "model/card.h"
#include "qemu-device/agent_stream.h"
#include "qemu-device/card_slot.h"
#include "qemu-device/guest_clock.h"
#include "qemu-device/guest_host.h"
#include "qemu-device/guest_process.h"
#include "qemu-device/harness_device.h"
#include "scenarios/config/scenario.h"
#include "scenarios/report/run_directory.h"
#include "scenarios/run/machine.h"
#include "scenarios/steps/step_engine.h"

#include <deque>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace vg810::scenarios {

/// What guest machines share.
struct guest_surroundings {
    const qemu::guest_root* root;
    time_mode mode;
    std::int64_t seed;
    const run_directory* directory;
    std::filesystem::path scratch; ///< for sockets: a short path, removed after the run
    frame_pool* frames;
    bool interactive = false; ///< the first guest's console is this terminal, and there is no agent
};

class guest_machine final : public machine, public component {
  public:
    /// `clock`: its own domain. `card_index` makes the card's serial number.
    guest_machine(scheduler& clock, const host_config& config, std::size_t card_index,
                  const guest_surroundings& around);
    ~guest_machine() override;

    const std::string& name() const override { return config_.name; }
    void report_to(step_engine& engine) override;

    void plug(fabric::network& network) override;
    void add_counters(counter_sampler& sampler) override;
    const ping_recorder* pings() const override { return &pings_; }
    command_host* commands() override;
    bool boots() const override { return !around_.interactive; }
    void start() override;
    void watch(std::vector<pollfd>& set) override;
    void service(std::span<const pollfd> ready, const present_time& present) override;
    bool refresh() override { return host_->refresh(); }
    paced_guest* paced() override { return guest_clock_ ? host_.get() : nullptr; }
    picoseconds pass_through() const override { return card_->pass_through(); }
    std::string failure() override;
    bool ended_early() const override;
    bool failed_outside() override { return !process_ || process_->running() || !process_->ended_well(); }
    bool gone() override;
    void power_off() override;
    void kill() override;
    nlohmann::ordered_json wall_costs() override;

  private:
    class command_link;
    friend class command_link;
    enum class role : std::uint8_t { step, background_start, background_stop };
    struct harness_command {
        command_id id;
        role what;
        std::string text;
        picoseconds timeout;
    };

    void build_functions();
    void deliver(std::uint64_t ticket);
    void hand_over();
    void powered_off(std::uint64_t) { harness_->power_off(); }
    void agent_ready();
    void step_done(std::uint32_t step, std::uint32_t result);
    void check_ram();
    void note_end();
    std::string unexpected_end() const;

    host_config config_;
    guest_surroundings around_;
    ping_recorder pings_;
    std::unique_ptr<card> card_;
    std::unique_ptr<qemu::card_slot> slot_;
    std::unique_ptr<qemu::harness_device> harness_;
    std::unique_ptr<qemu::guest_clock> guest_clock_;
    std::unique_ptr<qemu::guest_host> host_;
    std::unique_ptr<qemu::guest_process> process_;
    std::unique_ptr<command_link> link_;
    std::size_t index_;
    std::vector<std::string> sockets_;

    std::map<std::uint64_t, harness_command> tickets_; ///< on their way from the engine
    std::deque<harness_command> waiting_;              ///< in this domain
    std::uint32_t harness_step_ = 0;
    harness_command running_{};
    bool ending_;
    bool ram_checked_ = false;
    std::size_t watched_ = 0;
};

} // namespace vg810::scenarios
