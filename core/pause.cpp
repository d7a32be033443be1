// SPDX-License-Identifier: Apache-2.0
#include "core/pause.h"

#include "core/ethernet.h"

#include <algorithm>

namespace vg810 {

namespace {

// 802.3 31A, 31B.1, 31D.1: opcode, then for PFC the class-enable vector (its upper octet zero) and eight
// times, for PAUSE one time.
constexpr std::size_t opcode_at = 14, enabled_at = 16, times_at = 18, pfc_bytes = 34, pause_time_at = 16;

} // namespace

frame_ptr make_pfc_frame(frame_pool& pool, mac_address source, const pfc_request& r) {
    frame_ptr f = pool.make(min_frame_bytes);
    const auto s = f->stored();
    std::ranges::fill(s, std::byte{});
    const ethernet_view<std::byte> eth(s.data());
    eth.set_destination(mac_control_address);
    eth.set_source(source);
    eth.set_type(ethertype::mac_control);
    store_be(s.data() + opcode_at, pfc_opcode);
    store_be(s.data() + enabled_at, static_cast<std::uint16_t>(r.enabled));
    for (priority p = 0; p < priorities; ++p)
        if (r.enabled >> p & 1)
            store_be(s.data() + times_at + 2 * p, r.time[p]);
    f->labels.control = true;
    return f;
}

std::optional<pfc_request> read_pause_frame(const frame& f) {
    const auto s = f.stored();
    if (f.fcs_bad || s.size() < pfc_bytes)
        return std::nullopt;
    const ethernet_view eth(s.data());
    if (eth.type() != ethertype::mac_control || eth.destination() != mac_control_address)
        return std::nullopt;
    pfc_request r;
    switch (load_be<std::uint16_t>(s.data() + opcode_at)) {
    case pfc_opcode:
        r.enabled = static_cast<priority_set>(load_be<std::uint16_t>(s.data() + enabled_at));
        for (priority p = 0; p < priorities; ++p)
            r.time[p] = load_be<std::uint16_t>(s.data() + times_at + 2 * p);
        return r;
    case pause_opcode:
        r.enabled = 0xff;
        r.time.fill(load_be<std::uint16_t>(s.data() + pause_time_at));
        return r;
    default:
        return std::nullopt;
    }
}

priority_set pause_timers::apply(const pfc_request& r, picoseconds now) {
    priority_set resumed = 0;
    for (priority p = 0; p < priorities; ++p) {
        if (!(r.enabled >> p & 1))
            continue;
        if (r.time[p] == 0 && until_[p] > now)
            resumed |= static_cast<priority_set>(1u << p);
        until_[p] = now + quantum_ * r.time[p];
        last_ = std::max(last_, until_[p]);
    }
    return resumed;
}

void pause_timers::clear() {
    until_ = {};
    last_ = {};
}

} // namespace vg810
