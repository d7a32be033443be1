// SPDX-License-Identifier: Apache-2.0
// The 4 KiB configuration space of one function: PCI Express Base 4.0 chapter 7 (header type 0, power
// management, MSI-X, PCI Express v2, advanced error reporting, serial number, LTR). Every octet has a value
// and masks that say which bits software may write, which clear by writing 1, and which survive which reset;
// accesses of any length at any offset are served octet by octet, and what is not described reads 0 and
// ignores writes.
#pragma once

#include "model/pcie/config_layout.h"
#include "model/pcie/function.h"
#include "model/pcie/tlp_header.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace vg810::pcie {

/// Errors as Advanced Error Reporting numbers them (7.8.4.2, 7.8.4.5); correctable ones from 32.
enum class aer_error : std::uint8_t {
    poisoned_tlp = 12,
    completion_timeout = 14,
    completer_abort = 15,
    unexpected_completion = 16,
    malformed_tlp = 18,
    unsupported_request = 20,
    internal_error = 22,
    receiver_error = 32 + 0,
    bad_tlp = 32 + 6,
    replay_timeout = 32 + 12,
    corrected_internal = 32 + 14,
};

/// The message that the function sends to the root complex for an error (2.2.8.3), if enabled.
enum class error_message : std::uint8_t { none, correctable, nonfatal, fatal };

/// What a configuration write has changed beyond the registers themselves.
struct config_effects {
    bool command = false;        ///< memory space or bus master enable
    bool power = false;          ///< D0 to D3hot or back
    bool msix = false;           ///< MSI-X enable or function mask
    bool device_control = false; ///< MPS, MRRS or tags
    bool function_reset = false; ///< Initiate Function Level Reset was written 1
};

class config_space {
  public:
    static constexpr std::size_t size = 4096;

    /// Throws std::invalid_argument for a layout that cannot be encoded.
    explicit config_space(const config_layout& layout);

    const config_layout& layout() const { return layout_; }

    /// Reads or writes `data.size()` octets at `offset`; beyond 4096 reads give 0 and writes are ignored.
    void read(std::uint32_t offset, std::span<std::byte> data) const;
    config_effects write(std::uint32_t offset, std::span<const std::byte> data);

    /// Register values as the rest of the card needs them.
    bool memory_space() const { return (get16(at::command) & 0x2) != 0; }
    bool bus_master() const { return (get16(at::command) & 0x4) != 0; }
    bool d3hot() const { return (get16(at::power_control) & 0x3) == 3; }
    bool msix_enabled() const { return (get16(at::msix_control) & 0x8000) != 0; }
    bool msix_masked() const { return (get16(at::msix_control) & 0x4000) != 0; }
    /// Sizes in force, octets. A setting beyond what the function supports counts as the greatest it
    /// supports.
    std::uint32_t max_payload() const;
    std::uint32_t max_read_request() const;
    std::uint32_t read_completion_boundary() const { return (get16(at::link_control) & 0x8) != 0 ? 128 : 64; }
    bool extended_tags() const { return (get16(at::device_control) & 0x100) != 0; }
    bool relaxed_ordering() const { return (get16(at::device_control) & 0x10) != 0; }
    /// Completion Timeout Value (7.5.3.16), the middle of the range chosen; `never` when disabled.
    picoseconds completion_timeout() const;
    /// Bus address programmed into BAR `bar` (0, 2 or 4).
    std::uint64_t bar_address(unsigned bar) const;

    /// Logs an error as 6.2.4 (figure 6-2) says: status, first error pointer and header log, Device Status,
    /// and the message sent. `header`: of the packet concerned, if there is one. `advisory`: the function is
    /// the completer of a non-posted request and answers it with an error status (6.2.3.2.4.1).
    error_message report(aer_error error, const tlp_header* header = nullptr, bool advisory = false);
    /// Secondary status bits of the Status register (7.5.1.1.4).
    void set_received_master_abort() { raise16(at::status, 0x2000); }
    void set_received_target_abort() { raise16(at::status, 0x1000); }
    void set_signaled_target_abort() { raise16(at::status, 0x0800); }
    /// Poisoned data came in: Detected Parity Error, and Master Data Parity Error if Parity Error Response is
    /// on.
    void set_poisoned_received();
    /// Device Status, Transactions Pending (7.5.3.5).
    void set_transactions_pending(bool pending);

    /// Back to reset values, but for what the kind of reset must not touch (6.6.1, 6.6.2, 7.4 on sticky
    /// bits).
    void reset(reset_kind kind);

  private:
    struct octet {
        std::uint8_t value = 0;
        std::uint8_t initial = 0;
        std::uint8_t writable = 0;
        std::uint8_t write_1_clears = 0;
        std::uint8_t sticky = 0;           // survives all but power-on
        std::uint8_t kept_by_function = 0; // survives a function level reset
    };
    struct reg;

    void define(const reg& r);
    void define_header();
    void define_bars();
    void define_power_management();
    void define_msix();
    void define_express();
    void define_error_reporting();
    void define_serial_number();
    void define_latency_tolerance();

    std::uint16_t get16(std::uint16_t offset) const;
    std::uint32_t get32(std::uint16_t offset) const;
    void set32(std::uint16_t offset, std::uint32_t value);
    void raise16(std::uint16_t offset, std::uint16_t bits);

    error_message report_correctable(unsigned bit, std::uint16_t device_status);
    error_message report_uncorrectable(unsigned bit, const tlp_header* header, bool advisory);
    void log_first(unsigned bit, const tlp_header* header);

    config_layout layout_;
    std::array<octet, size> octets_{};
};

} // namespace vg810::pcie
