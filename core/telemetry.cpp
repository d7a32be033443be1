// SPDX-License-Identifier: Apache-2.0
#include "core/telemetry.h"

#include <algorithm>
#include <iterator>

namespace vg810 {

namespace {

// Mbit/s. The paper leaves the code's meaning to the switch; this table is ours.
constexpr std::int64_t rates[16] = {1,      10,     100,    1'000,   2'500,   5'000,   10'000,  20'000,
                                    25'000, 40'000, 50'000, 100'000, 200'000, 400'000, 800'000, 1'600'000};

} // namespace

std::uint8_t telemetry_rate_code(bits_per_second rate) {
    const auto above = std::upper_bound(std::begin(rates), std::end(rates), rate.count() / 1'000'000);
    return static_cast<std::uint8_t>(std::max<std::ptrdiff_t>(above - std::begin(rates) - 1, 0));
}

bits_per_second telemetry_rate(std::uint8_t code) {
    return bits_per_second(rates[code & 15] * 1'000'000);
}

unsigned telemetry_reader::read(const std::byte* at, picoseconds now,
                                std::array<telemetry_hop, telemetry_hops>& out) {
    const telemetry_view block(at);
    const auto path = load_be<std::uint16_t>(at);
    path_changed_ = !seen_ || path != path_;
    seen_ = true;
    path_ = path;
    const auto now_ns = static_cast<std::uint64_t>(now.floor_ns());
    for (unsigned i = 0; i < block.entries(); ++i) {
        const telemetry_entry e = block.entry(i);
        const std::uint64_t grown = (e.tx_units - tx_units_[i]) & 0xf'ffff;
        tx_units_[i] = path_changed_ ? e.tx_units : tx_units_[i] + grown;
        const std::uint64_t age = (now_ns - e.time_ns) & 0xff'ffff;
        out[i] = {(now_ns < age ? 0 : now_ns - age) * 1000, tx_units_[i] * telemetry_tx_unit,
                  e.queue_units * telemetry_queue_unit,
                  static_cast<std::uint64_t>(telemetry_rate(e.rate_code).count())};
    }
    return block.entries();
}

} // namespace vg810
