// SPDX-License-Identifier: Apache-2.0
#include "model/pcie/config_space.h"

#include <algorithm>
#include <bit>

namespace vg810::pcie {

namespace {

constexpr std::uint16_t bit(unsigned n) {
    return static_cast<std::uint16_t>(1U << n);
}

// Device Control (7.5.3.4), Device Status (7.5.3.5).
constexpr std::uint16_t report_correctable_enable = bit(0), report_nonfatal_enable = bit(1),
                        report_fatal_enable = bit(2), report_unsupported_enable = bit(3);
constexpr std::uint8_t initiate_reset = 0x80; // in the upper octet of Device Control
constexpr std::uint16_t correctable_detected = bit(0), nonfatal_detected = bit(1), fatal_detected = bit(2),
                        unsupported_detected = bit(3), transactions_pending = bit(5);
constexpr unsigned advisory_nonfatal = 13; // Correctable Error Status (7.8.4.5)
constexpr std::uint16_t serr_enable = bit(8), parity_response = bit(6);
constexpr std::uint16_t signaled_system_error = bit(14), detected_parity_error = bit(15),
                        master_parity_error = bit(8);

} // namespace

void config_space::read(std::uint32_t offset, std::span<std::byte> data) const {
    for (std::size_t i = 0; i < data.size(); ++i)
        data[i] = offset + i < size ? std::byte{octets_[offset + i].value} : std::byte{0};
}

config_effects config_space::write(std::uint32_t offset, std::span<const std::byte> data) {
    const std::uint16_t command = get16(at::command), power = get16(at::power_control) & 0x3,
                        msix = get16(at::msix_control), control = get16(at::device_control);
    config_effects effects;
    for (std::size_t i = 0; i < data.size() && offset + i < size; ++i) {
        octet& o = octets_[offset + i];
        const auto written = std::to_integer<std::uint8_t>(data[i]);
        o.value = static_cast<std::uint8_t>((o.value & ~o.writable) | (written & o.writable));
        o.value = static_cast<std::uint8_t>(o.value & ~(written & o.write_1_clears));
        if (offset + i == at::device_control + 1U && (written & initiate_reset) != 0)
            effects.function_reset = true;
    }

    // 7.5.2.2: a write of a state that is not supported (D1, D2) is discarded.
    octet& state = octets_[at::power_control];
    if ((state.value & 0x3) == 1 || (state.value & 0x3) == 2)
        state.value = static_cast<std::uint8_t>((state.value & ~0x3) | power);

    effects.command = ((command ^ get16(at::command)) & 0x6) != 0;
    effects.power = power != (get16(at::power_control) & 0x3);
    effects.msix = ((msix ^ get16(at::msix_control)) & 0xc000) != 0;
    effects.device_control = control != get16(at::device_control);
    return effects;
}

std::uint32_t config_space::max_payload() const {
    return std::min(128U << (get16(at::device_control) >> 5 & 7), layout_.max_payload_supported);
}

std::uint32_t config_space::max_read_request() const {
    return std::min(128U << (get16(at::device_control) >> 12 & 7),
                    4096U); // 7.5.3.4: 110b and 111b are reserved
}

picoseconds config_space::completion_timeout() const {
    const std::uint16_t control = get16(at::device_control_2);
    if ((control & 0x10) != 0)
        return never;
    switch (control & 0xf) { // 7.5.3.16: ranges A to D
    case 1:
        return 75_us;
    case 2:
        return 5_ms;
    case 5:
        return 35_ms;
    case 6:
        return 130_ms;
    case 9:
        return 500_ms;
    case 10:
        return 2'000_ms;
    case 13:
        return 8'000_ms;
    case 14:
        return 40'000_ms;
    default:
        return 25_ms; // default range: 50 us to 50 ms
    }
}

std::uint64_t config_space::bar_address(unsigned bar) const {
    const auto offset = static_cast<std::uint16_t>(at::bar + 4 * bar);
    return (std::uint64_t{get32(static_cast<std::uint16_t>(offset + 4))} << 32 | get32(offset)) &
           ~std::uint64_t{0xf};
}

error_message config_space::report(aer_error error, const tlp_header* header, bool advisory) {
    const auto number = static_cast<unsigned>(error);
    return number >= 32 ? report_correctable(number - 32, 0) : report_uncorrectable(number, header, advisory);
}

error_message config_space::report_correctable(unsigned number, std::uint16_t device_status) {
    raise16(at::device_status, correctable_detected | device_status);
    set32(at::correctable_status, get32(at::correctable_status) | 1U << number);
    if ((get32(at::correctable_mask) >> number & 1) != 0)
        return error_message::none;
    const std::uint16_t control = get16(at::device_control);
    if (device_status != 0 && (control & report_unsupported_enable) == 0)
        return error_message::none;
    return (control & report_correctable_enable) != 0 ? error_message::correctable : error_message::none;
}

error_message config_space::report_uncorrectable(unsigned number, const tlp_header* header, bool advisory) {
    const bool unsupported = number == static_cast<unsigned>(aer_error::unsupported_request);
    const bool fatal = (get32(at::uncorrectable_severity) >> number & 1) != 0;
    const bool masked = (get32(at::uncorrectable_mask) >> number & 1) != 0;
    const std::uint32_t status = get32(at::uncorrectable_status);

    if (advisory && !fatal) { // 6.2.3.2.4: the requester will signal it; we log it as correctable
        if ((get32(at::correctable_mask) >> advisory_nonfatal & 1) == 0) {
            if (!masked)
                log_first(number, header);
            set32(at::uncorrectable_status, status | 1U << number);
        }
        return report_correctable(advisory_nonfatal, unsupported ? unsupported_detected : 0);
    }

    raise16(at::device_status, static_cast<std::uint16_t>((fatal ? fatal_detected : nonfatal_detected) |
                                                          (unsupported ? unsupported_detected : 0)));
    if (!masked)
        log_first(number, header);
    set32(at::uncorrectable_status, status | 1U << number);
    if (masked)
        return error_message::none;

    const std::uint16_t control = get16(at::device_control);
    const bool system_error = (get16(at::command) & serr_enable) != 0;
    if (unsupported && (control & report_unsupported_enable) == 0 && !system_error)
        return error_message::none;
    if (!system_error && (control & (fatal ? report_fatal_enable : report_nonfatal_enable)) == 0)
        return error_message::none;
    if (system_error)
        raise16(at::status, signaled_system_error);
    return fatal ? error_message::fatal : error_message::nonfatal;
}

void config_space::log_first(unsigned number, const tlp_header* header) {
    // 6.2.4.2: the pointer stays while the error it names has not been cleared, and so does the log.
    const std::uint32_t control = get32(at::error_control);
    if ((get32(at::uncorrectable_status) >> (control & 0x1f) & 1) != 0)
        return;
    set32(at::error_control, (control & ~0x1fU) | number);
    for (unsigned i = 0; i < 4; ++i)
        set32(static_cast<std::uint16_t>(at::header_log + 4 * i), header != nullptr ? (*header)[i] : 0);
}

void config_space::set_poisoned_received() {
    raise16(at::status, detected_parity_error);
    if ((get16(at::command) & parity_response) != 0)
        raise16(at::status, master_parity_error);
}

void config_space::set_transactions_pending(bool pending) {
    octet& o = octets_[at::device_status];
    o.value =
        static_cast<std::uint8_t>((o.value & ~transactions_pending) | (pending ? transactions_pending : 0));
}

void config_space::reset(reset_kind kind) {
    for (octet& o : octets_) {
        std::uint8_t kept = 0;
        if (kind != reset_kind::power_on)
            kept = o.sticky;
        if (kind == reset_kind::function_level)
            kept |= o.kept_by_function;
        o.value = static_cast<std::uint8_t>((o.value & kept) | (o.initial & ~kept));
    }
}

std::uint16_t config_space::get16(std::uint16_t offset) const {
    return static_cast<std::uint16_t>(octets_[offset].value | octets_[offset + 1U].value << 8);
}

std::uint32_t config_space::get32(std::uint16_t offset) const {
    return get16(offset) | std::uint32_t{get16(static_cast<std::uint16_t>(offset + 2))} << 16;
}

void config_space::set32(std::uint16_t offset, std::uint32_t value) {
    for (unsigned i = 0; i < 4; ++i)
        octets_[offset + i].value = static_cast<std::uint8_t>(value >> 8 * i);
}

void config_space::raise16(std::uint16_t offset, std::uint16_t bits) {
    octets_[offset].value |= static_cast<std::uint8_t>(bits);
    octets_[offset + 1U].value |= static_cast<std::uint8_t>(bits >> 8);
}

} // namespace vg810::pcie
