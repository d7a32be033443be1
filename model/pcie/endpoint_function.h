// SPDX-License-Identifier: Apache-2.0
// One function of the endpoint: configuration space, BAR accesses, MSI-X, DMA and resets, wired together.
// Plain C++; the sockets are endpoint's.
//
// A register write takes effect register_write_latency after the processor's store. Reads and configuration
// accesses take no simulated time; what was posted before them, in either direction, takes effect first
// (2.4.1).
#pragma once

#include "core/scheduler.h"
#include "model/pcie/config_space.h"
#include "model/pcie/dma_engine.h"
#include "model/pcie/function.h"
#include "model/pcie/link.h"
#include "model/pcie/msix.h"
#include "model/pcie/slots.h"

#include <functional>
#include <span>
#include <string>

namespace vg810::pcie {

class endpoint_function final : public component, private error_log {
  public:
    endpoint_function(scheduler& clock, std::string name, const config_layout& layout, link_timing& wire,
                      memory_port& memory);

    /// Who owns the registers. Without one every BAR access is an unsupported request.
    void set_target(function_target& target) { target_ = &target; }
    /// The machine keeps the MSI-X table: vectors go to `sink` from now on (msix_mode::external).
    void set_interrupt_sink(interrupt_sink& sink);
    /// Told every error message that the function sends (ERR_COR, ERR_NONFATAL, ERR_FATAL).
    void set_error_listener(std::function<void(error_message)> listener) { listener_ = std::move(listener); }

    /// Configuration requests, at any offset and of any length.
    void config_read(std::uint32_t offset, std::span<std::byte> data);
    void config_write(std::uint32_t offset, std::span<const std::byte> data);
    /// Memory requests into BAR 0, 2 or 4. An unsupported request reads all ones; one that is not naturally
    /// aligned is carried out in aligned pieces, as its byte enables would.
    completion_status bar_read(unsigned bar, std::uint64_t offset, std::span<std::byte> data);
    completion_status bar_write(unsigned bar, std::uint64_t offset, std::span<const std::byte> data);
    /// A poisoned write (EP bit): logged and not carried out (2.7.2.2).
    void reject_poisoned(std::uint64_t address, std::size_t length);
    /// A reset from outside: power_on or bus. (Function level and D3hot resets come by configuration write.)
    void reset(reset_kind kind);

    dma_engine& dma() { return dma_; }
    config_space& config() { return config_; }
    const msix& vectors() const { return vectors_; }
    /// Register writes on their way to the card.
    bool writes_pending() const { return !posted_.empty(); }

  private:
    struct register_write {
        std::uint64_t ticket;
        std::uint64_t offset;
        std::uint64_t value;
        std::uint8_t bar;
        std::uint8_t size;
    };

    void report(aer_error error, const tlp_header* header, bool advisory) override;
    bool decodes(unsigned bar, std::uint64_t offset, std::size_t length) const;
    completion_status unsupported(bool writes, unsigned bar, std::uint64_t offset, std::size_t length);
    std::uint64_t read_piece(unsigned bar, std::uint64_t offset, unsigned size);
    void write_piece(const register_write& w);
    void land_writes(std::uint64_t ticket);
    void land_all_writes() { land_writes(last_ticket_); }
    void command_changed();
    bool in_table(unsigned bar, std::uint64_t offset) const;
    bool in_pending(unsigned bar, std::uint64_t offset) const;

    link_timing& wire_;
    config_space config_;
    msix vectors_;
    dma_engine dma_;
    function_target* target_ = nullptr;
    std::function<void(error_message)> listener_;
    ring<register_write> posted_;
    std::uint64_t last_ticket_ = 0;
};

} // namespace vg810::pcie
