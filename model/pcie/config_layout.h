// SPDX-License-Identifier: Apache-2.0
// What one function's configuration space says about it, and where its capabilities lie.
#pragma once

#include <array>
#include <cstdint>

namespace vg810::pcie {

/// One 64-bit memory BAR (7.5.1.2.1). `size` is a power of two, at least 16; 0 for none.
struct bar_layout {
    std::uint64_t size = 0;
    bool prefetchable = false;
};

/// The constants of one function. Sizes in octets; ids as registered in the map of the card.
struct config_layout {
    std::uint16_t vendor = 0x1ecc;
    std::uint16_t device = 0x8102;
    std::uint16_t subsystem_vendor = 0x1ecc;
    std::uint16_t subsystem = 0x0001;
    std::uint32_t class_code = 0x020000; ///< Ethernet controller
    std::uint8_t revision = 0x01;

    unsigned function = 0; ///< 0 .. 7
    bool multi_function = true;
    std::array<bar_layout, 3> bars = {bar_layout{0x20000}, bar_layout{0x100000},
                                      bar_layout{}}; ///< BAR 0, 2, 4

    std::uint16_t msix_vectors = 64; ///< 1 .. 2048
    unsigned msix_bar = 0;
    std::uint32_t msix_table_offset = 0x10000;
    std::uint32_t msix_pba_offset = 0x18000;

    std::uint64_t serial_number =
        0x001ecc'fffe'000000; ///< EUI-64 (7.9.3), the same in all functions of a card
    unsigned link_generation = 4;
    unsigned link_lanes = 8;
    std::uint32_t max_payload_supported = 512;

    /// Latency Tolerance Reporting is function 0's alone, for the whole card (7.8.2).
    bool has_ltr() const { return function == 0; }
};

/// Where the capabilities lie.
namespace at {
inline constexpr std::uint16_t command = 0x04, status = 0x06, bar = 0x10;
inline constexpr std::uint16_t power_management = 0x40, msix = 0x50, express = 0x70;
inline constexpr std::uint16_t power_control = power_management + 4, msix_control = msix + 2;
inline constexpr std::uint16_t device_control = express + 0x08, device_status = express + 0x0a,
                               link_control = express + 0x10, device_control_2 = express + 0x28;
inline constexpr std::uint16_t error_reporting = 0x100, serial_number = 0x140, latency_tolerance = 0x150;
inline constexpr std::uint16_t uncorrectable_status = error_reporting + 0x04,
                               uncorrectable_mask = error_reporting + 0x08,
                               uncorrectable_severity = error_reporting + 0x0c,
                               correctable_status = error_reporting + 0x10,
                               correctable_mask = error_reporting + 0x14,
                               error_control = error_reporting + 0x18, header_log = error_reporting + 0x1c;
} // namespace at

} // namespace vg810::pcie
