// SPDX-License-Identifier: Apache-2.0
// The answers to admin commands that cannot be carried out.
#pragma once

#include "model/host_if/admin_queue.h"

namespace vg810::admin {

/// Offsets of admin_command's fields, for the completions of refused commands.
namespace at {
inline constexpr std::uint64_t flags = 1, queue_id = 4, buffer = 8, buffer_bytes = 16, param = 20,
                               ring_log2 = 24, vector = 26, cq_id = 28, eq_id = 32, doorbell_page = 36,
                               moderation_ns = 40, count = 48, mac = 56;
/// A field of the data structure that `buffer` points to: counted from the command's end.
inline constexpr std::uint64_t data = regs::admin_command_view::bytes;
} // namespace at

inline constexpr std::uint32_t max_moderation_ns = 10'000'000;
inline constexpr std::uint32_t no_eq = 0xffffffff;

inline constexpr admin_result ok{};
constexpr admin_result bad_param(std::uint64_t offset) {
    return {regs::admin_status::bad_param, offset};
}
constexpr admin_result no_such_queue(std::uint64_t offset) {
    return {regs::admin_status::bad_queue_id, offset};
}
constexpr bool failed(const admin_result& r) {
    return r.status != regs::admin_status::ok;
}

} // namespace vg810::admin
