// SPDX-License-Identifier: Apache-2.0
// For sync_check: one guest with a probe function and the harness, under the smallest possible schedule.
#pragma once

#include "qemu-device/agent_stream.h"
#include "qemu-device/guest_clock.h"
#include "qemu-device/guest_process.h"
#include "qemu-device/harness_device.h"
#include "qemu-device/vfio_user_server.h"

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace vg810::qemu::sync_check {

/// A function whose register 0x200 asks for MSI-X vector 0 that many nanoseconds after the write.
class probe_function : public pci_function_backend {
  public:
    explicit probe_function(const guest_clock& clock);

    std::int64_t due_ns = guest_clock::never; ///< of the interrupt

    void read_config(std::uint32_t offset, std::span<std::byte> data) override;
    void write_config(std::uint32_t offset, std::span<const std::byte> data) override;
    std::uint64_t bar_size(unsigned bar) const override { return bar == 0 ? bar_bytes : 0; }
    void read_bar(unsigned bar, std::uint64_t offset, std::span<std::byte> data) override;
    void write_bar(unsigned bar, std::uint64_t offset, std::span<const std::byte> data) override;
    unsigned msix_vectors() const override { return 32; }
    void reset() override { due_ns = guest_clock::never; }

    static constexpr std::uint64_t bar_bytes = 0x10000;

  private:
    const guest_clock& clock_;
    std::vector<std::byte> config_;
    std::vector<std::byte> bar_;
};

struct step {
    std::string command;
    std::chrono::milliseconds timeout{60'000};
};

class guest {
  public:
    /// Starts QEMU; console, agent stream and log land in `folder`.
    guest(const guest_root& root, const std::filesystem::path& folder, std::vector<step> steps,
          std::int64_t longest_grant_ns = 10'000'000);

    /// Runs until QEMU ends or `limit` has passed on the wall clock. True: it ended.
    bool run(std::chrono::seconds limit);
    /// Waits until the agent has said hello.
    bool run_until_ready(std::chrono::seconds limit);

    guest_process& process() { return *process_; }
    const guest_clock& clock() const { return clock_; }
    const step_output& output(std::uint32_t number);
    const std::map<std::uint32_t, std::uint32_t>& results() const { return results_; }
    /// The guest's time at each step's end.
    const std::map<std::uint32_t, std::int64_t>& ends_ns() const { return ends_ns_; }

  private:
    bool advance();
    void serve(vfio_user_server& server);
    void let_go();
    void next_step();

    std::vector<step> steps_;
    std::int64_t longest_grant_ns_;
    guest_clock clock_;
    probe_function probe_;
    harness_device harness_;
    vfio_user_server probe_server_;
    vfio_user_server harness_server_;
    agent_stream stream_;
    std::unique_ptr<guest_process> process_;
    std::uint32_t step_ = 0;
    std::map<std::uint32_t, std::uint32_t> results_;
    std::map<std::uint32_t, std::int64_t> ends_ns_;
};

} // namespace vg810::qemu::sync_check
