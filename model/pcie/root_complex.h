// SPDX-License-Identifier: Apache-2.0
// The machine around the card for hosts without a guest, and for tests: memory, accesses to the card as a
// processor makes them, and MSI-X messages told from memory writes by their address. Firmware's part (BARs,
// MPS, MSI-X) is `bring_up`.
//
// Takes no time of its own: the card's link model has the root complex's latencies.
#pragma once

#include "model/pcie/endpoint.h"
#include "model/pcie/host_memory.h"
#include "model/pcie/host_port.h"
#include "model/systemc_compat.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace vg810::pcie {

/// How the host misbehaves at one bus address, once for each TLP that covers it.
enum class host_fault : std::uint8_t {
    none,
    poisoned,      ///< read data come back poisoned
    no_completion, ///< a read is never answered
    abort,         ///< completer abort
};

class root_complex : public sc_core::sc_module, public interrupt_sink {
  public:
    /// Addresses whose writes are interrupts, as on x86.
    static constexpr std::uint64_t message_base = 0xfee00000;
    static constexpr std::uint64_t message_size = 0x100000;

    /// Vector of a function; called at the card's now(), after everything written before is visible.
    using interrupt_handler = std::function<void(unsigned function, std::uint16_t vector)>;
    /// Every TLP of the card, before it is carried out.
    using observer = std::function<void(unsigned function, const tlm::tlm_generic_payload& tlp)>;

    /// Binds all of the card's sockets.
    root_complex(sc_core::sc_module_name name, endpoint& card);
    ~root_complex() override;

    host_memory& memory() { return memory_; }
    void set_interrupt_handler(interrupt_handler handler) { handler_ = std::move(handler); }
    void set_observer(observer o) { observer_ = std::move(o); }
    void set_fault(std::uint64_t address, host_fault fault) {
        fault_address_ = address;
        fault_ = fault;
    }

    /// What firmware and a driver's probe do: BARs at fixed addresses, MPS and MRRS (octets), memory space
    /// and bus master on, all MSI-X vectors unmasked and enabled with message data = vector.
    void bring_up(unsigned function, std::uint32_t mps = 256, std::uint32_t mrrs = 512);

    /// A processor's accesses. A read of what the card does not answer gives all ones.
    template <class T> T config_read(unsigned function, std::uint32_t offset) {
        return read_value<T>(function, address_space::config, offset);
    }
    template <class T> void config_write(unsigned function, std::uint32_t offset, T value) {
        write_value<T>(function, address_space::config, offset, value);
    }
    template <class T> T bar_read(unsigned function, unsigned bar, std::uint64_t offset) {
        return read_value<T>(function, bar_space(bar), offset);
    }
    template <class T> void bar_write(unsigned function, unsigned bar, std::uint64_t offset, T value) {
        write_value<T>(function, bar_space(bar), offset, value);
    }
    /// The same for any length; `poisoned` sets a write's EP bit.
    completion_status access(unsigned function, tlm::tlm_command command, address_space space,
                             std::uint64_t offset, std::span<std::byte> data, bool poisoned = false);

    /// msix_mode::external: what endpoint calls when this is its interrupt sink.
    void raise(unsigned function, std::uint16_t vector) override;

  private:
    struct port;

    static address_space bar_space(unsigned bar);
    template <class T> T read_value(unsigned function, address_space space, std::uint64_t offset);
    template <class T>
    void write_value(unsigned function, address_space space, std::uint64_t offset, T value);
    void b_transport(int function, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
    bool inject_fault(tlm::tlm_generic_payload& payload);

    host_memory memory_;
    interrupt_handler handler_;
    observer observer_;
    std::uint64_t fault_address_ = 0;
    host_fault fault_ = host_fault::none;
    std::vector<std::unique_ptr<port>> ports_;
};

template <class T> T root_complex::read_value(unsigned function, address_space space, std::uint64_t offset) {
    std::array<std::byte, sizeof(T)> raw{};
    access(function, tlm::TLM_READ_COMMAND, space, offset, raw);
    T value = 0;
    for (std::size_t i = sizeof(T); i-- > 0;)
        value = static_cast<T>(std::uint64_t{value} << 8 | std::to_integer<std::uint64_t>(raw[i]));
    return value;
}

template <class T>
void root_complex::write_value(unsigned function, address_space space, std::uint64_t offset, T value) {
    std::array<std::byte, sizeof(T)> raw;
    for (std::size_t i = 0; i < sizeof(T); ++i)
        raw[i] = static_cast<std::byte>(std::uint64_t{value} >> 8 * i);
    access(function, tlm::TLM_WRITE_COMMAND, space, offset, raw);
}

} // namespace vg810::pcie
