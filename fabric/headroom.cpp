// SPDX-License-Identifier: Apache-2.0
#include "fabric/headroom.h"

#include "core/priority.h"

namespace vg810::fabric {

namespace {

constexpr std::uint64_t pfc_frame_bits = (preamble_bytes + min_frame_bytes + fcs_bytes + gap_bytes) * 8;
static_assert(pfc_frame_bits == 672);

// Rounded up, so that no part of a bit time is lost.
std::uint64_t bit_times(picoseconds t, bits_per_second rate) {
    constexpr __int128 second = 1'000'000'000'000;
    return static_cast<std::uint64_t>((static_cast<__int128>(t.count()) * rate.count() + second - 1) /
                                      second);
}

} // namespace

std::uint64_t pause_bit_times(const pause_path& p) {
    return 2 * (p.max_frame + preamble_bytes + gap_bytes) * 8 + pfc_frame_bits +
           2 * bit_times(p.cable, p.rate) + 2 * bit_times(p.interface, p.rate) +
           bit_times(p.higher_layer, p.rate);
}

double largest_pfc_threshold(const shared_threshold& s) {
    const double queues = static_cast<double>(priorities) * s.ports;
    return (s.buffer - queues * s.flight) / queues;
}

double ecn_threshold_bound(const shared_threshold& s, double beta) {
    const double queues = static_cast<double>(priorities) * s.ports;
    return beta * (s.buffer - queues * s.flight) / (queues * (beta + 1));
}

} // namespace vg810::fabric
