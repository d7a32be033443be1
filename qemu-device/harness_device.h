// SPDX-License-Identifier: Apache-2.0
// The harness function (harness_layout.h): hands a guest's agent one shell command after another.
#pragma once

#include "qemu-device/harness_layout.h"
#include "qemu-device/pci_function_backend.h"

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

namespace vg810::qemu {

class harness_device : public pci_function_backend {
  public:
    struct events {
        std::function<void()> agent_ready;                           ///< the guest is up; once per boot
        std::function<void(std::uint32_t, std::uint32_t)> step_done; ///< step, RESULT
    };
    explicit harness_device(events e);
    /// What the TIME register reads: the model's time in nanoseconds. 0 until set.
    void set_time(std::function<std::uint64_t()> now_ns) { now_ns_ = std::move(now_ns); }

    /// Hands over a command; the agent finds it the next time it looks. Steps count from 1 and only one runs
    /// at a time: std::logic_error otherwise, std::length_error for a command over VG810_HARNESS_COMMAND_SIZE
    /// bytes. `timeout` on the guest's clock, 0 for none.
    void start_step(std::uint32_t step, const std::string& command, std::chrono::milliseconds timeout);
    /// Asks the agent to end and the guest to power off.
    void power_off();

    bool ready() const { return ready_; }
    /// The step under way, 0 if none.
    std::uint32_t step_running() const { return running_; }

    std::size_t config_size() const override { return 256; }
    void read_config(std::uint32_t offset, std::span<std::byte> data) override;
    void write_config(std::uint32_t offset, std::span<const std::byte> data) override;
    std::uint64_t bar_size(unsigned bar) const override { return bar == 0 ? VG810_HARNESS_BAR_SIZE : 0; }
    void read_bar(unsigned bar, std::uint64_t offset, std::span<std::byte> data) override;
    void write_bar(unsigned bar, std::uint64_t offset, std::span<const std::byte> data) override;
    unsigned msix_vectors() const override { return 0; }
    void reset() override;

  private:
    void set_register(std::uint32_t offset, std::uint32_t value);

    events events_;
    std::function<std::uint64_t()> now_ns_;
    std::array<std::byte, 256> config_{};
    std::array<std::byte, 256> writable_{};
    std::array<std::byte, VG810_HARNESS_BAR_SIZE> bar_{};
    bool ready_ = false;
    std::uint32_t running_ = 0;
};

} // namespace vg810::qemu
