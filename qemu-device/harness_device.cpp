// SPDX-License-Identifier: Apache-2.0
#include "qemu-device/harness_device.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace vg810::qemu {

namespace {

// Standard PCI header and a PCI Express capability (PCI Express Base 7.5.1, 7.5.3), the least of an endpoint.
constexpr std::uint32_t express_capability = 0x40;

template <class T, std::size_t N> void put(std::array<std::byte, N>& where, std::size_t offset, T value) {
    std::memcpy(where.data() + offset, &value, sizeof value);
}

} // namespace

harness_device::harness_device(events e) : events_(std::move(e)) {
    put<std::uint16_t>(config_, 0x00, VG810_HARNESS_VENDOR_ID);
    put<std::uint16_t>(config_, 0x02, VG810_HARNESS_DEVICE_ID);
    put<std::uint16_t>(config_, 0x06, 0x0010); // status: capability list
    put<std::uint32_t>(config_, 0x08, VG810_HARNESS_CLASS << 8 | 1);
    put<std::uint16_t>(config_, 0x2c, VG810_HARNESS_VENDOR_ID);
    put<std::uint16_t>(config_, 0x2e, VG810_HARNESS_DEVICE_ID);
    put<std::uint8_t>(config_, 0x34, express_capability);
    put<std::uint16_t>(config_, express_capability, 0x0010);          // PCI Express, last in the list
    put<std::uint16_t>(config_, express_capability + 2, 0x0002);      // version 2, endpoint
    put<std::uint32_t>(config_, express_capability + 4, 0x00008000);  // role-based error reporting
    put<std::uint32_t>(config_, express_capability + 12, 0x00000011); // link: 2.5 GT/s x1
    put<std::uint16_t>(config_, express_capability + 18, 0x0011);

    put<std::uint16_t>(writable_, 0x04, 0x0406); // memory, bus master, INTx disable
    put<std::uint32_t>(writable_, 0x10, ~(VG810_HARNESS_BAR_SIZE - 1u));
    put<std::uint8_t>(writable_, 0x3c, 0xff);
    put<std::uint16_t>(writable_, express_capability + 8, 0x7fff);

    set_register(VG810_HARNESS_MAGIC, VG810_HARNESS_MAGIC_VALUE);
    set_register(VG810_HARNESS_VERSION, VG810_HARNESS_VERSION_VALUE);
    set_register(VG810_HARNESS_WAIT_US, 1000);
}

void harness_device::set_register(std::uint32_t offset, std::uint32_t value) {
    put(bar_, offset, value);
}

void harness_device::start_step(std::uint32_t step, const std::string& command,
                                std::chrono::milliseconds timeout) {
    if (running_ != 0)
        throw std::logic_error("step " + std::to_string(running_) + " is not done yet");
    if (command.size() > VG810_HARNESS_COMMAND_SIZE)
        throw std::length_error("a step's command has at most " + std::to_string(VG810_HARNESS_COMMAND_SIZE) +
                                " bytes");
    running_ = step;
    std::memcpy(bar_.data() + VG810_HARNESS_COMMAND_TEXT, command.data(), command.size());
    set_register(VG810_HARNESS_STEP, step);
    set_register(VG810_HARNESS_COMMAND_LENGTH, static_cast<std::uint32_t>(command.size()));
    set_register(VG810_HARNESS_TIMEOUT_MS, static_cast<std::uint32_t>(timeout.count()));
    set_register(VG810_HARNESS_STATE, VG810_HARNESS_RUN);
}

void harness_device::power_off() {
    set_register(VG810_HARNESS_STATE, VG810_HARNESS_POWER_OFF);
}

void harness_device::read_config(std::uint32_t offset, std::span<std::byte> data) {
    std::ranges::copy(std::span(config_).subspan(offset, data.size()), data.begin());
}

void harness_device::write_config(std::uint32_t offset, std::span<const std::byte> data) {
    for (std::size_t i = 0; i < data.size(); ++i) {
        const std::byte mask = writable_[offset + i];
        config_[offset + i] = (config_[offset + i] & ~mask) | (data[i] & mask);
    }
}

void harness_device::read_bar(unsigned, std::uint64_t offset, std::span<std::byte> data) {
    if (offset == VG810_HARNESS_TIME && now_ns_)
        put(bar_, VG810_HARNESS_TIME, now_ns_());
    std::ranges::copy(std::span(bar_).subspan(offset, data.size()), data.begin());
}

void harness_device::write_bar(unsigned, std::uint64_t offset, std::span<const std::byte> data) {
    std::uint32_t value = 0;
    if (data.size() != sizeof value)
        return;
    std::memcpy(&value, data.data(), sizeof value);
    if (offset == VG810_HARNESS_HELLO) {
        ready_ = true;
        if (events_.agent_ready)
            events_.agent_ready();
    } else if (offset == VG810_HARNESS_RESULT && running_ != 0) {
        const std::uint32_t step = running_;
        running_ = 0;
        set_register(VG810_HARNESS_STATE, VG810_HARNESS_WAIT);
        if (events_.step_done)
            events_.step_done(step, value);
    }
}

// A reset of the machine: the agent is gone, the step with it. The step stays for the owner to see as not
// done.
void harness_device::reset() {
    ready_ = false;
    for (std::size_t i = 0; i < config_.size(); ++i)
        config_[i] &= ~writable_[i];
}

} // namespace vg810::qemu
