// SPDX-License-Identifier: Apache-2.0
#include "fabric/switch_parameters.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace vg810::fabric {

namespace {

constexpr range<std::int64_t> any_priority{0, priorities - 1};
constexpr range<std::int64_t> any_quanta{1, 0xffff};
constexpr range<bytes> any_memory{0, bytes{1} << 40};
constexpr range<double> any_share{0, 1024};

std::string text(double d) {
    std::string s = std::to_string(d);
    s.erase(s.find_last_not_of('0') + 1);
    return s.back() == '.' ? s + "0" : s;
}
std::string text(bytes n) {
    return std::to_string(n);
}

void demand(bool sane, const std::string& why) {
    if (!sane)
        throw std::invalid_argument(why);
}

/// Range checks repeat what readers of files have checked: parameters are set by programs, too.
void check_priorities(const std::string& key, const std::vector<std::int64_t>& list) {
    priority_set seen = 0;
    for (const std::int64_t p : list) {
        demand(p >= 0 && p < 8, key + " has " + std::to_string(p) + ", which is not within 0..7");
        demand(!(seen >> p & 1), key + " has " + std::to_string(p) + " twice");
        seen |= static_cast<priority_set>(1u << p);
    }
}

void check_buffer(const buffer_parameters& b, priority_set lossless, std::size_t ports) {
    demand(std::isfinite(b.alpha) && b.alpha > 0, "buffer.alpha = " + text(b.alpha) + " must be above 0");
    demand(std::isfinite(b.lossy_alpha) && b.lossy_alpha > 0,
           "buffer.lossy_alpha = " + text(b.lossy_alpha) + " must be above 0");
    demand(b.cell > 0, "buffer.cell = 0 holds nothing");
    demand(b.xoff == 0 || b.xon_offset <= b.xoff,
           "buffer.xon_offset = " + text(b.xon_offset) + " puts XON below 0: buffer.xoff = " + text(b.xoff));
    if (b.total == 0) {
        demand(lossless == 0, "pfc.priorities need a buffer: buffer.total is 0");
        demand(b.headroom == 0 && b.reserved == 0 && b.headroom_pool == 0 && b.xoff == 0,
               "buffer.headroom, headroom_pool, reserved and xoff need buffer.total, which is 0");
        return;
    }
    for (const auto& [key, value] : {std::pair{"headroom", b.headroom},
                                     {"headroom_pool", b.headroom_pool},
                                     {"reserved", b.reserved},
                                     {"xoff", b.xoff}})
        demand(value < b.total, std::string("buffer.") + key + " = " + text(value) +
                                    " leaves nothing of buffer.total = " + text(b.total));
    const auto queues = static_cast<bytes>(std::popcount(lossless)) * ports;
    const bytes pool = b.headroom_pool ? b.headroom_pool : b.headroom * queues;
    const bytes reserved = b.reserved * ports * priorities;
    demand(pool + reserved < b.total,
           "buffer.total = " + text(b.total) + " is too small: " + std::to_string(ports) + " ports take " +
               text(pool) + " octets of headroom and " + text(reserved) + " reserved");
}

} // namespace

void buffer_parameters::describe(parameter_visitor& v) {
    v.visit_size({"total", "Memory shared by all ports; 0: none, each port has its own."}, total, any_memory);
    v.visit_size({"reserved", "Reserved for each ingress port and priority."}, reserved, any_memory);
    v.visit_size({"headroom", "Headroom of each ingress port and lossless priority."}, headroom, any_memory);
    v.visit_size({"headroom_pool", "All headroom there is; 0: that of all ports together."}, headroom_pool,
                 any_memory);
    v.visit_size({"xoff", "Static XOFF threshold; 0: alpha times the free memory."}, xoff, any_memory);
    v.visit({"alpha", "XOFF threshold as a share of the free memory."}, alpha, any_share);
    v.visit_size({"xon_offset", "XON is sent so far below the threshold."}, xon_offset, any_memory);
    v.visit({"lossy_alpha", "Limit of a lossy queue as a share of the free memory."}, lossy_alpha, any_share);
    v.visit_size({"overhead", "Octets counted for each frame beyond its own without FCS."}, overhead,
                 range<bytes>{0, 1024});
    v.visit_size({"cell", "Frames take whole cells of this size."}, cell, range<bytes>{1, 16'384});
}

void pfc_parameters::describe(parameter_visitor& v) {
    v.visit({"priorities", "The lossless priorities; none: PFC is off."}, priorities, any_priority);
    v.visit({"pause_quanta", "Pause that XOFF asks for, in quanta of 512 bit times."}, pause_quanta,
            any_quanta);
    v.visit({"refresh_quanta", "XOFF is repeated after so many quanta."}, refresh_quanta, any_quanta);
    v.visit({"response_delay", "From a PFC frame's last bit to its effect."}, response_delay, any_time);
}

void marking_parameters::describe(parameter_visitor& v) {
    v.visit({"priorities", "The priorities that are marked so.", true}, priorities, any_priority);
    v.visit_size({"kmin", "Queue up to which nothing is marked.", true}, kmin, any_memory);
    v.visit_size({"kmax", "Queue above which everything is marked.", true}, kmax, any_memory);
    v.visit({"pmax", "Probability of a mark at kmax.", true}, pmax, range<double>{0, 1});
    v.visit({"drop_others", "Drop frames without ECN where others are marked."}, drop_others);
}

void class_parameters::describe(parameter_visitor& v) {
    v.visit({"priority", "The class.", true}, priority, any_priority);
    v.visit({"strict", "Before all classes that are not."}, strict);
    v.visit({"weight", "Share among classes that are not strict."}, weight, range<std::int64_t>{1, 100});
}

void trust_parameters::describe(parameter_visitor& v) {
    v.visit_enum({"mode", "Where a frame's priority comes from."}, mode, trust_mode_names);
    v.visit({"default_priority", "Priority of frames that do not say."}, default_priority, any_priority);
    v.visit({"dscp_map", "64 priorities, by DSCP; none: DSCP / 8."}, dscp_map, any_priority);
    v.visit({"remark_dscp", "8 DSCPs to write, by priority; none: left alone."}, remark_dscp,
            range<std::int64_t>{0, 63});
}

void balancing_parameters::describe(parameter_visitor& v) {
    v.visit_enum({"mode", "How one of several equal paths is chosen."}, mode, balancing_names);
    v.visit({"flowlet_gap", "Idle time after which a flow may change its path."}, flowlet_gap, any_time);
}

void watchdog_parameters::describe(parameter_visitor& v) {
    v.visit({"on", "Whether paused queues are watched."}, on);
    v.visit({"detection", "Pause without progress that is taken for a storm."}, detection, any_time);
    v.visit({"restoration", "Time without pause that ends a storm."}, restoration, any_time);
    v.visit_enum({"action", "What happens to the queue of a storm."}, action, storm_action_names);
}

void switch_parameters::describe(parameter_visitor& v) {
    v.visit_enum({"mode", "When a frame is sent on."}, mode, switching_names);
    v.visit_size({"cut_through_bytes", "Octets seen before a frame is cut through."}, cut_through_bytes,
                 range<bytes>{min_frame_bytes + fcs_bytes, 2'048});
    v.visit_struct({"buffer", "The memory shared by all ports."}, buffer);
    v.visit_struct({"pfc", "Priority-based flow control."}, pfc);
    v.visit_structs({"marking", "ECN marking and random early drop."}, marking);
    v.visit_enum({"mark_at", "Where the queue is looked at for marking."}, mark_at, marking_point_names);
    v.visit_structs({"classes", "How priorities share a port."}, classes);
    v.visit_struct({"trust", "How a frame's priority is found."}, trust);
    v.visit_struct({"paths", "How one of several equal paths is chosen."}, paths);
    v.visit_struct({"watchdog", "Breaks pause storms."}, watchdog);
    v.visit({"telemetry", "Write in-band telemetry into frames that carry a block."}, telemetry);
}

void switch_parameters::check(std::size_t ports) const {
    demand(pipeline >= picoseconds{}, "pipeline must not be negative");
    demand(cut_through_bytes >= min_frame_bytes + fcs_bytes,
           "cut_through_bytes = " + text(cut_through_bytes) + " is less than the shortest frame's 64");
    check_priorities("pfc.priorities", pfc.priorities);
    check_buffer(buffer, lossless(), ports);
    demand(pfc.pause_quanta >= 1 && pfc.pause_quanta <= 0xffff,
           "pfc.pause_quanta = " + std::to_string(pfc.pause_quanta) + " is not within 1..65535");
    demand(pfc.refresh_quanta >= 1 && pfc.refresh_quanta < pfc.pause_quanta,
           "pfc.refresh_quanta = " + std::to_string(pfc.refresh_quanta) +
               " must be below pfc.pause_quanta = " + std::to_string(pfc.pause_quanta));
    demand(pfc.response_delay >= picoseconds{}, "pfc.response_delay must not be negative");
    priority_set marked = 0;
    for (const marking_parameters& m : marking) {
        check_priorities("marking.priorities", m.priorities);
        for (const std::int64_t p : m.priorities) {
            demand(!(marked >> p & 1), "marking names priority " + std::to_string(p) + " twice");
            marked |= static_cast<priority_set>(1u << p);
        }
        demand(m.kmax >= m.kmin,
               "marking.kmax = " + text(m.kmax) + " is below marking.kmin = " + text(m.kmin));
        demand(m.kmax < any_memory.most, "marking.kmax = " + text(m.kmax) + " is more than any buffer");
        demand(m.pmax >= 0 && m.pmax <= 1, "marking.pmax = " + text(m.pmax) + " is not within 0..1");
    }
    std::vector<std::int64_t> named;
    for (const class_parameters& c : classes) {
        named.push_back(c.priority);
        demand(c.weight >= 1 && c.weight <= 100,
               "classes.weight = " + std::to_string(c.weight) + " is not within 1..100");
    }
    check_priorities("classes.priority", named);
    demand(trust.default_priority >= 0 && trust.default_priority < 8,
           "trust.default_priority = " + std::to_string(trust.default_priority) + " is not within 0..7");
    demand(trust.dscp_map.empty() || trust.dscp_map.size() == 64,
           "trust.dscp_map has " + std::to_string(trust.dscp_map.size()) + " entries, not 64");
    demand(trust.remark_dscp.empty() || trust.remark_dscp.size() == priorities,
           "trust.remark_dscp has " + std::to_string(trust.remark_dscp.size()) + " entries, not 8");
    for (const std::int64_t p : trust.dscp_map)
        demand(p >= 0 && p < 8, "trust.dscp_map has " + std::to_string(p) + ", which is not within 0..7");
    for (const std::int64_t d : trust.remark_dscp)
        demand(d >= 0 && d < 64,
               "trust.remark_dscp has " + std::to_string(d) + ", which is not within 0..63");
    demand(!watchdog.on || !pfc.priorities.empty(), "watchdog.on without pfc.priorities watches nothing");
    demand(!watchdog.on || watchdog.detection > picoseconds{}, "watchdog.detection must be above 0");
    demand(watchdog.restoration >= picoseconds{}, "watchdog.restoration must not be negative");
}

priority_set switch_parameters::lossless() const {
    priority_set set = 0;
    for (const std::int64_t p : pfc.priorities)
        set |= static_cast<priority_set>(1u << p);
    return set;
}

per_priority<ets_class> switch_parameters::ets() const {
    per_priority<ets_class> all{};
    for (const class_parameters& c : classes)
        all[static_cast<std::size_t>(c.priority)] = {c.strict, static_cast<std::uint8_t>(c.weight)};
    return all;
}

} // namespace vg810::fabric
