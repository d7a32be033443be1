// SPDX-License-Identifier: Apache-2.0
// Error logging and signalling as PCI Express Base 4.0 figure 6-2 draws it.
#include "model/pcie/config_space.h"

#include <catch2/catch_test_macros.hpp>

using namespace vg810::pcie;

namespace {

struct reporter : config_space {
    reporter() : config_space(config_layout{}) {}

    std::uint32_t get(std::uint32_t offset) const {
        std::array<std::uint32_t, 1> value{};
        read(offset, std::as_writable_bytes(std::span(value)));
        return value[0];
    }
    std::uint16_t get16(std::uint32_t offset) const { return static_cast<std::uint16_t>(get(offset)); }
    void put(std::uint32_t offset, std::uint32_t value) {
        const std::array<std::uint32_t, 1> v{value};
        write(offset, std::as_bytes(std::span(v)));
    }
    void enable(std::uint16_t reporting) { put(at::device_control, 0x2910U | reporting); }
    std::uint16_t device_status() const { return get16(at::device_status); }
    std::uint32_t first_error() const { return get(at::error_control) & 0x1f; }
};

constexpr tlp_header one = {1, 2, 3, 4}, two = {5, 6, 7, 8};

} // namespace

TEST_CASE("an uncorrectable error is logged, and signalled only if enabled") {
    reporter c;
    CHECK(c.report(aer_error::poisoned_tlp, &one) == error_message::none);
    CHECK(c.get(at::uncorrectable_status) == 1U << 12);
    CHECK(c.first_error() == 12);
    CHECK(c.get(at::header_log) == 1);
    CHECK(c.get(at::header_log + 12) == 4);
    CHECK(c.device_status() == 0x2);
    c.enable(0x2);
    CHECK(c.report(aer_error::poisoned_tlp, &one) == error_message::nonfatal);
}

TEST_CASE("severity decides between fatal and non-fatal") {
    reporter c;
    c.enable(0x6);
    CHECK(c.report(aer_error::malformed_tlp, &one) == error_message::fatal);
    CHECK(c.device_status() == 0x4);
    c.put(at::uncorrectable_severity, 0);
    CHECK(c.report(aer_error::malformed_tlp, &one) == error_message::nonfatal);
    CHECK(c.device_status() == 0x6);
}

TEST_CASE("SERR# enable signals as well, and says so in Status") {
    reporter c;
    c.put(at::command, 0x0100);
    CHECK(c.report(aer_error::completion_timeout) == error_message::nonfatal);
    CHECK((c.get16(at::status) & 0x4000) != 0);
}

TEST_CASE("a masked error sets its status bit and nothing more") {
    reporter c;
    c.enable(0xf);
    CHECK(c.report(aer_error::internal_error) == error_message::none); // masked from reset
    CHECK(c.get(at::uncorrectable_status) == 1U << 22);
    CHECK(c.first_error() == 0);
    c.put(at::uncorrectable_mask, 1U << 20);
    CHECK(c.report(aer_error::unsupported_request, &one) == error_message::none);
    CHECK(c.get(at::header_log) == 0);
    CHECK(c.report(aer_error::internal_error) == error_message::fatal);
}

TEST_CASE("the first error's header stays until its bit is cleared") {
    reporter c;
    c.report(aer_error::unsupported_request, &one);
    c.report(aer_error::poisoned_tlp, &two);
    CHECK(c.first_error() == 20);
    CHECK(c.get(at::header_log) == 1);
    CHECK(c.get(at::uncorrectable_status) == (1U << 20 | 1U << 12));
    c.put(at::uncorrectable_status, 1U << 12);
    c.report(aer_error::poisoned_tlp, &two);
    CHECK(c.first_error() == 20);
    c.put(at::uncorrectable_status, 1U << 20);
    c.report(aer_error::completer_abort, &two);
    CHECK(c.first_error() == 15);
    CHECK(c.get(at::header_log) == 5);
}

TEST_CASE("unsupported requests need their own enable") {
    reporter c;
    c.enable(0x7);
    CHECK(c.report(aer_error::unsupported_request, &one) == error_message::none);
    CHECK(c.device_status() == 0xa);
    c.enable(0xf);
    CHECK(c.report(aer_error::unsupported_request, &one) == error_message::nonfatal);
}

TEST_CASE("an advisory error counts as correctable, 6.2.3.2.4") {
    reporter c;
    c.enable(0xf);
    CHECK(c.report(aer_error::unsupported_request, &one, true) == error_message::none); // masked from reset
    CHECK(c.get(at::correctable_status) == 1U << 13);
    CHECK(c.get(at::uncorrectable_status) == 0);
    CHECK(c.device_status() == 0x9);
    c.put(at::correctable_mask, 0);
    CHECK(c.report(aer_error::unsupported_request, &one, true) == error_message::correctable);
    CHECK(c.get(at::uncorrectable_status) == 1U << 20);
    CHECK(c.get(at::header_log) == 1);
    c.put(at::uncorrectable_severity, 1U << 20); // fatal errors are never advisory
    CHECK(c.report(aer_error::unsupported_request, &one, true) == error_message::fatal);
}

TEST_CASE("correctable errors") {
    reporter c;
    CHECK(c.report(aer_error::bad_tlp) == error_message::none);
    CHECK(c.get(at::correctable_status) == 1U << 6);
    CHECK(c.device_status() == 0x1);
    c.enable(0x1);
    CHECK(c.report(aer_error::receiver_error) == error_message::correctable);
    c.put(at::correctable_mask, 1);
    CHECK(c.report(aer_error::receiver_error) == error_message::none);
    CHECK(c.report(aer_error::corrected_internal) == error_message::correctable); // mask now 1 only
    CHECK(c.get(at::uncorrectable_status) == 0);
    c.put(at::device_status, 0xf);
    CHECK(c.device_status() == 0);
}
