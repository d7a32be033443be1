// SPDX-License-Identifier: Apache-2.0
// The registers of the configuration space: offset, width, reset value and who may change which bits. Clauses
// are those of PCI Express Base 4.0.
#include "model/pcie/config_space.h"

#include <bit>
#include <initializer_list>
#include <stdexcept>

namespace vg810::pcie {

/// One register or a part of one, 1 to 4 octets wide.
struct config_space::reg {
    std::uint16_t offset;
    unsigned width; // octets
    std::uint32_t initial;
    std::uint32_t writable = 0;
    std::uint32_t write_1_clears = 0;
    std::uint32_t sticky = 0;           // ROS, RWS, RW1CS (7.4)
    std::uint32_t kept_by_function = 0; // 6.6.2, list of fields that a function level reset leaves alone
};

config_space::config_space(const config_layout& layout) : layout_(layout) {
    if (layout.function > 7 || layout.msix_vectors < 1 || layout.msix_vectors > 2048 || layout.msix_bar > 5 ||
        layout.msix_table_offset % 8 != 0 || layout.msix_pba_offset % 8 != 0 ||
        !std::has_single_bit(layout.max_payload_supported) || layout.max_payload_supported < 128 ||
        layout.max_payload_supported > 4096)
        throw std::invalid_argument(
            "config space: function 0 .. 7, MSI-X vectors 1 .. 2048 with tables at multiples "
            "of 8, Max_Payload_Size 128 .. 4096");
    define_header();
    define_bars();
    define_power_management();
    define_msix();
    define_express();
    define_error_reporting();
    define_serial_number();
    if (layout.has_ltr())
        define_latency_tolerance();
    reset(reset_kind::power_on);
}

void config_space::define(const reg& r) {
    const auto part = [](std::uint32_t value, unsigned i) {
        return static_cast<std::uint8_t>(value >> 8 * i);
    };
    for (unsigned i = 0; i < r.width; ++i)
        octets_[r.offset + i] = {part(r.initial, i),        part(r.initial, i), part(r.writable, i),
                                 part(r.write_1_clears, i), part(r.sticky, i),  part(r.kept_by_function, i)};
}

void config_space::define_header() { // 7.5.1
    for (const reg& r : std::initializer_list<reg>{
             {0x00, 2, layout_.vendor},
             {0x02, 2, layout_.device},
             // Command: memory space, bus master, parity response, SERR#, interrupt disable. No I/O space.
             {at::command, 2, 0, 0x0546},
             // Status: capability list; the error bits clear by writing 1.
             {at::status, 2, 0x0010, 0, 0xf900},
             {0x08, 1, layout_.revision},
             {0x09, 3, layout_.class_code},
             {0x0c, 1, 0, 0xff}, // Cache Line Size: for legacy software, no effect
             {0x0e, 1, layout_.multi_function ? 0x80U : 0U},
             {0x2c, 2, layout_.subsystem_vendor},
             {0x2e, 2, layout_.subsystem},
             {0x34, 1, at::power_management},
             {0x3c, 1, 0, 0xff}, // Interrupt Line; Interrupt Pin reads 0: no INTx
         })
        define(r);
}

void config_space::define_bars() { // 7.5.1.2.1: sizing works because the low address bits cannot be written
    for (unsigned i = 0; i < layout_.bars.size(); ++i) {
        const bar_layout& b = layout_.bars[i];
        if (b.size == 0)
            continue;
        if (!std::has_single_bit(b.size) || b.size < 128)
            throw std::invalid_argument("config space: a BAR's size must be a power of two of at least 128");
        const std::uint64_t writable = ~(b.size - 1);
        const auto offset = static_cast<std::uint16_t>(at::bar + 8 * i);
        define({offset, 4, b.prefetchable ? 0xcU : 0x4U, static_cast<std::uint32_t>(writable)});
        define({static_cast<std::uint16_t>(offset + 4), 4, 0, static_cast<std::uint32_t>(writable >> 32)});
    }
}

void config_space::define_power_management() { // 7.5.2
    const std::uint16_t base = at::power_management;
    define({base, 2, std::uint32_t{at::msix} << 8 | 0x01});
    define({static_cast<std::uint16_t>(base + 2), 2, 0x0003}); // version 3; no PME, no D1, no D2
    define({at::power_control, 2, 0, 0x0003}); // No_Soft_Reset 0: leaving D3hot resets the function
}

void config_space::define_msix() { // 7.7.2
    const std::uint16_t base = at::msix;
    define({base, 2, std::uint32_t{at::express} << 8 | 0x11});
    define({at::msix_control, 2, layout_.msix_vectors - 1U, 0xc000});
    define({static_cast<std::uint16_t>(base + 4), 4, layout_.msix_table_offset | layout_.msix_bar});
    define({static_cast<std::uint16_t>(base + 8), 4, layout_.msix_pba_offset | layout_.msix_bar});
}

void config_space::define_express() { // 7.5.3
    const std::uint16_t base = at::express;
    const auto payload = static_cast<std::uint32_t>(std::countr_zero(layout_.max_payload_supported) - 7);
    const std::uint32_t speed = layout_.link_generation, width = layout_.link_lanes;
    const std::uint32_t first =
        layout_.function == 0 ? 0xffffffff : 0; // fields that act for the card are function 0's
    const std::uint32_t ltr = layout_.has_ltr() ? 1 : 0;
    const auto here = [base](unsigned offset) { return static_cast<std::uint16_t>(base + offset); };
    for (const reg& r : std::initializer_list<reg>{
             {base, 2, 0x0010},    // last in the list
             {here(2), 2, 0x0002}, // version 2, endpoint, MSI-X message 0
             // Device Capabilities: extended tags, role-based error reporting, function level reset.
             {here(0x04), 4, 0x10008020 | payload},
             // Device Control: error reporting enables, relaxed ordering, MPS (kept by a function level
             // reset), extended tags, no snoop, MRRS 512. Initiate Function Level Reset reads 0.
             {at::device_control, 2, 0x2910, 0x79ff, 0, 0, 0x00e0},
             {at::device_status, 2, 0, 0, 0x000f},
             // Link Capabilities: no ASPM, ASPM optionality compliance.
             {here(0x0c), 4, 0x00400000 | width << 4 | speed},
             // Link Control: ASPM, RCB, common clock, extended synch, hardware autonomous width disable.
             {at::link_control, 2, 0, 0x02cb, 0, 0, 0x02cb},
             {here(0x12), 2, 0x1000 | width << 4 | speed}, // Link Status: slot clock
             // Device Capabilities 2: completion timeout ranges A to D and disable, LTR, 10-bit tag
             // completer.
             {here(0x24), 4, 0x0001001f | ltr << 11},
             // Device Control 2: completion timeout value and disable, LTR enable in function 0.
             {at::device_control_2, 2, 0, 0x001f | ltr << 10},
             {here(0x2c), 4, ((1U << speed) - 1) << 1}, // Link Capabilities 2: every speed up to the card's
             // Link Control 2: target speed, hardware autonomous speed disable.
             {here(0x30), 2, speed & first, 0x002f & first, 0, 0x002f & first, 0x002f & first},
             // Link Status 2: equalization complete with all phases at 8 GT/s (16 GT/s has a register of its
             // own).
             {here(0x32), 2, speed >= 3 ? 0x001eU : 0U},
         })
        define(r);
}

void config_space::define_error_reporting() { // 7.8.4
    // Data link protocol, poisoned, flow control, timeout, abort, unexpected, overflow, malformed,
    // unsupported, internal.
    constexpr std::uint32_t uncorrectable = 0x0057f010;
    constexpr std::uint32_t correctable = 0x000071c1;
    for (const reg& r : std::initializer_list<reg>{
             {at::error_reporting, 4, std::uint32_t{at::serial_number} << 20 | 2 << 16 | 0x0001},
             {at::uncorrectable_status, 4, 0, 0, uncorrectable, uncorrectable},
             {at::uncorrectable_mask, 4, 0x00400000, uncorrectable, 0,
              uncorrectable}, // internal errors start masked
             {at::uncorrectable_severity, 4, 0x00462010, uncorrectable, 0, uncorrectable},
             {at::correctable_status, 4, 0, 0, correctable, correctable},
             {at::correctable_mask, 4, 0x00006000, correctable, 0, correctable},
             {at::error_control, 4, 0, 0, 0, 0x0000001f}, // First Error Pointer; no ECRC, one header
             {at::header_log, 4, 0, 0, 0, 0xffffffff},
             {at::header_log + 4, 4, 0, 0, 0, 0xffffffff},
             {at::header_log + 8, 4, 0, 0, 0, 0xffffffff},
             {at::header_log + 12, 4, 0, 0, 0, 0xffffffff},
         })
        define(r);
}

void config_space::define_serial_number() { // 7.9.3
    const std::uint32_t next = layout_.has_ltr() ? at::latency_tolerance : 0;
    define({at::serial_number, 4, next << 20 | 1 << 16 | 0x0003});
    define({at::serial_number + 4, 4, static_cast<std::uint32_t>(layout_.serial_number)});
    define({at::serial_number + 8, 4, static_cast<std::uint32_t>(layout_.serial_number >> 32)});
}

void config_space::define_latency_tolerance() { // 7.8.2: value and scale of the greatest latencies, written
                                                // by software
    define({at::latency_tolerance, 4, 1 << 16 | 0x0018});
    define({at::latency_tolerance + 4, 2, 0, 0x1fff});
    define({at::latency_tolerance + 6, 2, 0, 0x1fff});
}

} // namespace vg810::pcie
