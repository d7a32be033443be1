// SPDX-License-Identifier: Apache-2.0
#include "qemu-device/sync_check_guest.h"

#include <poll.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace vg810::qemu::sync_check {

namespace {

constexpr std::uint32_t delay_register = 0x200;

guest_spec spec_in(const std::filesystem::path& folder) {
    guest_spec spec;
    spec.name = "probe";
    spec.memory_mib = 256;
    spec.kernel_arguments = "guest.agent=1 guest.driver=0";
    spec.slots = {{{folder / "p.sock"}}, {{folder / "h.sock"}}};
    spec.console_file = folder / "console";
    spec.agent_file = folder / "agent";
    spec.log_file = folder / "log";
    return spec;
}

} // namespace

probe_function::probe_function(const guest_clock& clock) : clock_(clock), config_(4096), bar_(bar_bytes) {
    const auto put = [this](std::size_t offset, auto value) {
        std::memcpy(config_.data() + offset, &value, sizeof value);
    };
    put(0x00, std::uint32_t{0x81fe1ecc});
    put(0x06, std::uint16_t{0x0010});     // capability list
    put(0x08, std::uint32_t{0xff000001}); // unassigned class
    put(0x10, std::uint32_t{0xc});        // 64-bit, prefetchable
    put(0x34, std::uint8_t{0x40});
    put(0x40, std::uint32_t{0x001f6011}); // MSI-X, 32 vectors
    put(0x44, std::uint32_t{0x8000});
    put(0x48, std::uint32_t{0xc000});
    put(0x60, std::uint32_t{0x00020010}); // PCI Express endpoint
    put(0x64, std::uint32_t{0x00008fc1});
}

void probe_function::read_config(std::uint32_t offset, std::span<std::byte> data) {
    std::memcpy(data.data(), config_.data() + offset, data.size());
}

void probe_function::write_config(std::uint32_t offset, std::span<const std::byte> data) {
    if (offset == 0x10 && data.size() == 4) {
        std::uint32_t base = 0;
        std::memcpy(&base, data.data(), sizeof base);
        base = (base & ~static_cast<std::uint32_t>(bar_bytes - 1)) | 0xc;
        std::memcpy(config_.data() + 0x10, &base, sizeof base);
    } else if (offset == 0x04 || offset == 0x14 || offset == 0x3c || (offset >= 0x42 && offset < 0x60)) {
        std::memcpy(config_.data() + offset, data.data(), data.size());
    }
}

void probe_function::read_bar(unsigned, std::uint64_t offset, std::span<std::byte> data) {
    std::memcpy(data.data(), bar_.data() + offset, data.size());
}

void probe_function::write_bar(unsigned, std::uint64_t offset, std::span<const std::byte> data) {
    std::memcpy(bar_.data() + offset, data.data(), data.size());
    if (offset != delay_register || data.size() != 4)
        return;
    std::uint32_t delay = 0;
    std::memcpy(&delay, data.data(), sizeof delay);
    due_ns = clock_.now_ns() + delay;
}

guest::guest(const guest_root& root, const std::filesystem::path& folder, std::vector<step> steps,
             std::int64_t longest_grant_ns)
    : steps_(std::move(steps)), longest_grant_ns_(longest_grant_ns), probe_(clock_),
      harness_({[this] { next_step(); },
                [this](std::uint32_t number, std::uint32_t result) {
                    results_[number] = result;
                    ends_ns_[number] = clock_.now_ns();
                    next_step();
                }}),
      probe_server_(probe_, folder / "p.sock"), harness_server_(harness_, folder / "h.sock"),
      stream_(folder / "agent"), process_(std::make_unique<guest_process>(root, spec_in(folder), &clock_)) {}

void guest::next_step() {
    if (step_ == steps_.size())
        return harness_.power_off();
    const step& s = steps_[step_++];
    harness_.start_step(step_, s.command, s.timeout);
}

const step_output& guest::output(std::uint32_t number) {
    stream_.poll();
    return stream_.step(number);
}

bool guest::run(std::chrono::seconds limit) {
    const auto deadline = std::chrono::steady_clock::now() + limit;
    while (std::chrono::steady_clock::now() < deadline)
        if (!advance())
            return true;
    return false;
}

bool guest::run_until_ready(std::chrono::seconds limit) {
    const auto deadline = std::chrono::steady_clock::now() + limit;
    while (std::chrono::steady_clock::now() < deadline && !harness_.ready())
        if (!advance())
            return false;
    return harness_.ready();
}

// One round of the schedule. False when QEMU has ended.
bool guest::advance() {
    std::array<pollfd, 4> watch{{{probe_server_.poll_fd(), POLLIN, 0},
                                 {harness_server_.poll_fd(), POLLIN, 0},
                                 {clock_.notify_fd(), POLLIN, 0},
                                 {process_->exit_fd(), POLLIN, 0}}};
    poll(watch.data(), watch.size(), 1000);
    if (watch[2].revents != 0)
        clock_.on_notify();
    if (watch[0].revents != 0)
        probe_server_.on_readable();
    if (watch[1].revents != 0)
        harness_server_.on_readable();
    serve(probe_server_);
    serve(harness_server_);
    if (clock_.state() == guest_state::stopped)
        let_go();
    return process_->running();
}

void guest::serve(vfio_user_server& server) {
    while (server.access()) {
        clock_.enter_access();
        server.perform_access();
        clock_.leave_access(std::max(clock_.now_ns(), std::min(clock_.granted_ns(), probe_.due_ns)));
        server.send_reply();
    }
}

void guest::let_go() {
    if (probe_.due_ns <= clock_.now_ns()) {
        if (probe_.due_ns < clock_.now_ns())
            throw std::logic_error("the guest ran past an interrupt that was due");
        probe_.due_ns = guest_clock::never;
        probe_server_.raise(0);
        clock_.deliver_interrupts([this] { return probe_server_.interrupts_in_flight(); });
    }
    clock_.grant(std::min(clock_.now_ns() + longest_grant_ns_, probe_.due_ns));
}

} // namespace vg810::qemu::sync_check
