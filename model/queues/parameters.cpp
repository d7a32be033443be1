// SPDX-License-Identifier: Apache-2.0
#include "model/queues/parameters.h"

#include <stdexcept>
#include <string>

namespace vg810::queues {

void class_parameters::describe(parameter_visitor& v) {
    v.visit({"priority", "0 .. 7.", true}, priority, {0, 7});
    v.visit({"strict", "Before all that are not; the higher priority first."}, strict);
    v.visit({"weight", "Share among those that are not strict."}, weight, {1, 100});
}

void receive_parameters::describe(parameter_visitor& v) {
    v.visit_size({"buffer", "Receive buffer; 0B: the host takes everything at once."}, buffer, {0, 1U << 30});
    v.visit_optional({"drain", "Rate at which the host takes what is in it."}, drain, any_rate);
    v.visit({"stall_from", "The host takes nothing from then ..."}, stall_from, any_time);
    v.visit({"stall_until", "... until then."}, stall_until, any_time);
    v.visit_size({"xoff", "A lossless priority with more in the buffer is paused."}, xoff, {0, 1U << 30});
    v.visit_size({"xon", "It is let go at or below."}, xon, {0, 1U << 30});
}

void parameters::describe(parameter_visitor& v) {
    v.visit({"lossless", "Priorities under PFC; by default those of [switches.pfc]."}, lossless, {0, 7});
    v.visit_structs({"class", "Scheduling of the priorities that differ from weight 1."}, classes);
    v.visit({"dscp_map", "64 priorities, by DSCP; without: DSCP / 8."}, dscp_map, {0, 7});
    v.visit({"pause_quanta", "What XOFF asks for, in units of 512 bit times."}, pause_quanta, {1, 0xffff});
    v.visit({"refresh_quanta", "XOFF is repeated so long after the last one."}, refresh_quanta, {1, 0xffff});
    v.visit({"response_delay", "From a PFC frame's last bit to its effect."}, response_delay, any_time);
    v.visit_struct({"receive", "The receive buffer."}, receive);
}

void parameters::check() const {
    const auto text = [](auto n) { return std::to_string(n); };
    if (!dscp_map.empty() && dscp_map.size() != 64)
        throw std::invalid_argument("dscp_map has " + text(dscp_map.size()) + " entries; there are 64 DSCPs");
    if (refresh_quanta >= pause_quanta)
        throw std::invalid_argument("refresh_quanta (" + text(refresh_quanta) +
                                    ") must be below pause_quanta (" + text(pause_quanta) + ")");
    if (receive.xon > receive.xoff)
        throw std::invalid_argument("receive.xon (" + text(receive.xon) + " B) is above receive.xoff (" +
                                    text(receive.xoff) + " B)");
    if (receive.buffer != 0 && receive.xoff > receive.buffer)
        throw std::invalid_argument("receive.xoff (" + text(receive.xoff) +
                                    " B) is larger than receive.buffer (" + text(receive.buffer) + " B)");
    if (receive.buffer == 0 && (receive.drain || receive.stall_until > receive.stall_from))
        throw std::invalid_argument("receive.drain and receive.stall_* need a receive.buffer");
    if (receive.stall_until < receive.stall_from)
        throw std::invalid_argument("receive.stall_until lies before receive.stall_from");
}

priority_set parameters::lossless_set() const {
    priority_set set = 0;
    for (const std::int64_t p : lossless)
        set |= static_cast<priority_set>(1u << p);
    return set;
}

per_priority<ets_class> parameters::ets() const {
    per_priority<ets_class> all;
    for (const class_parameters& c : classes)
        all[static_cast<std::size_t>(c.priority)] = {c.strict, static_cast<std::uint8_t>(c.weight)};
    return all;
}

std::array<priority, 64> parameters::class_of_dscp() const {
    std::array<priority, 64> map;
    for (std::size_t d = 0; d < map.size(); ++d)
        map[d] = static_cast<priority>(dscp_map.empty() ? d / 8 : static_cast<std::size_t>(dscp_map[d]));
    return map;
}

} // namespace vg810::queues
