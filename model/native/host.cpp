// SPDX-License-Identifier: Apache-2.0
#include "model/native/host.h"

namespace vg810 {

namespace {
constexpr std::uint64_t memory_base = 0x1'0000'0000;
} // namespace

/// One function's registers and memory, as its driver wants them.
struct native_host::port final : native_platform {
    port(pcie::root_complex& r, unsigned f) : root(r), function(f) {}

    std::uint64_t read_register(unsigned bar, std::uint64_t offset, unsigned size) override {
        return size == 8 ? root.bar_read<std::uint64_t>(function, bar, offset)
                         : root.bar_read<std::uint32_t>(function, bar, offset);
    }
    void write_register(unsigned bar, std::uint64_t offset, unsigned size, std::uint64_t value) override {
        if (size == 8)
            root.bar_write<std::uint64_t>(function, bar, offset, value);
        else
            root.bar_write<std::uint32_t>(function, bar, offset, static_cast<std::uint32_t>(value));
    }
    void read_memory(std::uint64_t address, std::span<std::byte> data) override {
        root.memory().read(address, data);
    }
    void write_memory(std::uint64_t address, std::span<const std::byte> data) override {
        root.memory().write(address, data);
    }

    pcie::root_complex& root;
    unsigned function;
    std::unique_ptr<native_driver> driver;
};

native_host::native_host(const std::string& name, scheduler& clock, card& hardware,
                         const native_driver_config& config)
    : card_(hardware), root_((name + "_root").c_str(), hardware.endpoint()) {
    const std::uint64_t each = (native_driver::memory_needed(config) + 0xfffff) & ~std::uint64_t{0xfffff};
    root_.memory().add(memory_base, each * hardware.ports());
    for (unsigned i = 0; i < hardware.ports(); ++i) {
        ports_.push_back(std::make_unique<port>(root_, i));
        ports_.back()->driver = std::make_unique<native_driver>(
            clock, name + ".driver" + std::to_string(i), config, *ports_.back(), memory_base + each * i);
    }
    root_.set_interrupt_handler(
        [this](unsigned function, std::uint16_t vector) { driver(function).interrupt(vector); });
}

native_host::~native_host() = default;

native_driver& native_host::driver(unsigned port) {
    return *ports_.at(port)->driver;
}

void native_host::power_on() {
    for (unsigned i = 0; i < card_.ports(); ++i)
        root_.bring_up(i);
    for (unsigned i = 0; i < card_.ports(); ++i)
        driver(i).bring_up();
}

} // namespace vg810
