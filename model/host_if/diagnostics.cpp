// SPDX-License-Identifier: Apache-2.0
#include "model/host_if/diagnostics.h"

#include "core/checksum.h"
#include "model/host_if/rss.h"

#include <array>

namespace vg810 {

namespace {

/// RFC 1071 3: the example's sum is ddf2.
bool checksum_unit_works() {
    static constexpr std::array<std::byte, 8> example{std::byte{0x00}, std::byte{0x01}, std::byte{0xf2},
                                                      std::byte{0x03}, std::byte{0xf4}, std::byte{0xf5},
                                                      std::byte{0xf6}, std::byte{0xf7}};
    return checksum_sum().add(example).folded() == 0xddf2;
}

/// A key of one bit passes the input's first 32 bits through shifted: the hash of a lone leading bit is the
/// key's start.
bool rss_unit_works() {
    toeplitz::key_type key{};
    key[0] = std::byte{0x80};
    key[3] = std::byte{0x01};
    static constexpr std::array<std::byte, 8> input{std::byte{0x80}};
    return toeplitz(key).hash(input) == 0x80000001;
}

} // namespace

std::uint32_t run_self_test(const card_faults& faults) {
    auto failures = static_cast<std::uint32_t>(faults.self_test_failures);
    if (faults.scratch_stuck_at_one != 0)
        failures |= self_test_unit::registers;
    if (faults.loopback_corrupts)
        failures |= self_test_unit::loopback;
    if (!checksum_unit_works())
        failures |= self_test_unit::checksum;
    if (!rss_unit_works())
        failures |= self_test_unit::rss;
    return failures;
}

} // namespace vg810
