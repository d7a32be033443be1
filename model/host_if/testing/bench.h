// SPDX-License-Identifier: Apache-2.0
// A function on a test bench: fake host on one side, a cable that records what leaves on the other.
#pragma once

#include "core/checksum.h"
#include "model/host_if/function.h"
#include "model/host_if/testing/fake_host.h"
#include "model/native/driver.h"

#include <optional>

namespace vg810::testing {

/// Takes what a port sends; the test is the far end.
class fake_cable final : public cable_end {
  public:
    explicit fake_cable(scheduler& clock) : clock_(clock) {}
    struct sent_frame {
        std::vector<std::byte> octets;
        picoseconds first_bit, last_bit;
    };
    std::vector<sent_frame> frames;
    std::vector<picoseconds> light_changes;
    bool keep = true;
    std::uint64_t count = 0;

    void send(frame_ptr f, picoseconds first_bit, picoseconds last_bit) override {
        ++count;
        if (keep)
            frames.push_back({{f->stored().begin(), f->stored().end()}, first_bit, last_bit});
    }
    void set_signal(bool, bits_per_second) override { light_changes.push_back(clock_.now()); }
    picoseconds min_latency() const override { return 30_ns; }

  private:
    scheduler& clock_;
};

/// BAR accesses straight to the function, memory straight to the fake host.
class direct_platform final : public native_platform {
  public:
    direct_platform(pcie::function_target& target, fake_host& host) : target_(target), host_(host) {}
    std::uint64_t read_register(unsigned bar, std::uint64_t offset, unsigned size) override {
        return target_.bar_read(static_cast<int>(bar), offset, size);
    }
    void write_register(unsigned bar, std::uint64_t offset, unsigned size, std::uint64_t value) override {
        target_.bar_write(static_cast<int>(bar), offset, size, value);
    }
    void read_memory(std::uint64_t address, std::span<std::byte> data) override {
        const auto from = host_.memory(address, data.size());
        std::copy(from.begin(), from.end(), data.begin());
    }
    void write_memory(std::uint64_t address, std::span<const std::byte> data) override {
        std::copy(data.begin(), data.end(), host_.memory(address, data.size()).begin());
    }

  private:
    pcie::function_target& target_;
    fake_host& host_;
};

inline const mac_address card_mac = mac_address::from_u64(0x02'1e'cc'00'00'01);
inline const mac_address peer_mac = mac_address::from_u64(0x02'1e'cc'00'00'02);

inline network_function::configuration bench_configuration() {
    network_function::configuration c;
    c.identity = {0, 2, card_mac, 0x001eccfffe000001};
    c.minima = {250_ns, 700_ns};
    return c;
}

/// An Ethernet frame of `length` octets whose payload follows from `seed`.
inline std::vector<std::byte> plain_frame(mac_address to, mac_address from, std::size_t length,
                                          unsigned seed = 1) {
    std::vector<std::byte> f(length);
    for (std::size_t i = 14; i < length; ++i)
        f[i] = static_cast<std::byte>(seed + i * 7 + i / 256);
    const ethernet_view<std::byte> e(f.data());
    e.set_destination(to);
    e.set_source(from);
    e.set_type(0x88b5); // IEEE 802: local experimental
    return f;
}

class bench {
  public:
    explicit bench(const network_function::configuration& c = bench_configuration(),
                   native_driver_config d = {})
        : function(clock, "fn", c, host, frames), platform(function, host),
          driver(clock, "driver", d, platform, fake_host::base) {
        function.port().attach(cable);
        host.on_interrupt = [this](std::uint16_t v) { driver.interrupt(v); };
        driver.on_failure = [this](const std::string& why) { failure = why; };
    }

    void run(picoseconds span) {
        const picoseconds end = clock.now() + span;
        clock.run_before(end);
        clock.advance_to(end);
    }
    /// Driver up and link up, with the far end at the port's rate.
    void bring_up() {
        function.port().signal_changed(true, function.port().parameters().rate);
        driver.bring_up();
        run(8_ms);
    }
    /// A frame arrives from the far end, now.
    void arrive(std::span<const std::byte> octets, bool fcs_bad = false) {
        frame_ptr f = frames.make(octets.size());
        std::copy(octets.begin(), octets.end(), f->stored().begin());
        f->fcs_bad = fcs_bad;
        f->first_bit = clock.now();
        function.port().frame_arrived(std::move(f));
    }
    std::uint64_t read(regs::reg r) {
        const regs::register_info& i = regs::info(r);
        return platform.read_register(i.bar, i.offset, i.bytes);
    }
    void write(regs::reg r, std::uint64_t value, std::uint32_t copy = 0) {
        const regs::register_info& i = regs::info(r);
        platform.write_register(i.bar, i.address(copy), i.bytes, value);
    }
    /// Runs an admin command to its end.
    std::pair<regs::admin_status, std::uint64_t> command(native_driver::command_fill fill,
                                                         std::vector<std::byte> data = {}) {
        std::optional<std::pair<regs::admin_status, std::uint64_t>> result;
        driver.command(std::move(fill), std::move(data),
                       [&](regs::admin_status s, std::uint64_t p) { result.emplace(s, p); });
        for (int i = 0; i < 1000 && !result; ++i)
            run(10_us);
        return result.value(); // throws if the card never answered
    }

    scheduler clock{"bench"};
    frame_pool frames;
    fake_host host{clock};
    fake_cable cable{clock};
    network_function function;
    direct_platform platform;
    native_driver driver;
    std::string failure;
};

} // namespace vg810::testing
