// SPDX-License-Identifier: Apache-2.0
#include "scenarios/workload/group_workload.h"

#include <algorithm>
#include <map>
#include <stdexcept>

namespace vg810::scenarios {
namespace {

using action = program_step::action;

// A tag says where a message goes: member 24 bits, the sender's slot there 24, slice 16.
std::uint64_t make_tag(std::uint64_t member, std::uint64_t slot, std::uint64_t slice) {
    return member << 40 | slot << 16 | slice;
}

/// Who sends to each member: position of the sender in the group -> slot.
using sender_slots = std::vector<std::map<std::uint32_t, std::uint32_t>>;

sender_slots number_senders(const programs& all) {
    sender_slots slots(all.size());
    for (std::uint32_t i = 0; i < all.size(); ++i)
        for (const program_step& s : all[i])
            if (s.what == action::receive)
                slots[i].emplace(s.peer, static_cast<std::uint32_t>(slots[i].size()));
    return slots;
}

} // namespace

group_workload::group_workload(scheduler& clock, traffic& messages, const workload_basis& basis,
                               group_plan plan)
    : workload(clock, messages, basis), plan_(std::move(plan)), iterations_(plan_.repetitions) {
    if (basis.kind == message_kind::read)
        throw std::logic_error(title() + ": a program's steps send, they do not read");
    check_matching();
    resolve_peers();
}

void group_workload::check_matching() const {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::int64_t> balance;
    for (std::uint32_t i = 0; i < plan_.steps.size(); ++i)
        for (const program_step& s : plan_.steps[i])
            s.what == action::send ? ++balance[{i, s.peer}] : --balance[{s.peer, i}];
    for (const auto& [pair, sum] : balance)
        if (sum != 0)
            throw std::logic_error(title() + ": sends and receives of a program do not match");
}

/// Connections are made in the order of the programs; a step's peer becomes a position in the member's lists.
void group_workload::resolve_peers() {
    const sender_slots slots = number_senders(plan_.steps);
    members_.resize(plan_.members.size());
    member_of_.resize(messages().hosts());
    for (std::uint32_t i = 0; i < members_.size(); ++i) {
        member& m = members_[i];
        m.position.assign(plan_.slices, static_cast<std::uint32_t>(plan_.steps[i].size()));
        member_of_[plan_.members[i]] = i;
        m.waiting.assign(plan_.slices, std::vector<std::uint32_t>(slots[i].size(), 0));
        std::map<std::uint32_t, std::uint32_t> out;
        for (program_step& s : plan_.steps[i]) {
            if (s.what == action::receive) {
                s.peer = slots[i].at(s.peer);
                continue;
            }
            const auto [at, fresh] = out.emplace(s.peer, static_cast<std::uint32_t>(m.out.size()));
            if (fresh)
                m.out.push_back(
                    {connect(plan_.members[i], plan_.members[s.peer]), s.peer, slots[s.peer].at(i)});
            s.peer = at->second;
        }
    }
}

void group_workload::begin() {
    for (std::uint32_t i = 0; i < members_.size(); ++i)
        schedule<&group_workload::start_repetition>(now() + basis().start, this, i);
}

void group_workload::start_repetition(std::uint64_t index) {
    const auto i = static_cast<std::uint32_t>(index);
    member& m = members_[i];
    iteration& it = iterations_[m.repetition];
    it.started = std::min(it.started, now());
    m.slices_done = 0;
    std::fill(m.position.begin(), m.position.end(), 0);
    for (std::uint32_t slice = 0; slice < plan_.slices; ++slice)
        advance(i, slice);
}

bytes group_workload::slice_length(bytes length, std::uint32_t slice) const {
    return std::max<bytes>(length / plan_.slices + (slice < length % plan_.slices), 1);
}

/// As far as the data that are there allow.
void group_workload::advance(std::uint32_t i, std::uint32_t slice) {
    member& m = members_[i];
    const program& steps = plan_.steps[i];
    std::uint32_t& position = m.position[slice];
    while (position < steps.size()) {
        const program_step& s = steps[position];
        if (s.what == action::receive) {
            if (m.waiting[slice][s.peer] == 0)
                return;
            --m.waiting[slice][s.peer];
            ++position;
            continue;
        }
        const out_peer& to = m.out[s.peer];
        ++position;
        ++m.unacknowledged;
        post(to.line, basis().kind, slice_length(s.length, slice), make_tag(to.member, to.slot, slice));
    }
    slice_done(i);
}

void group_workload::slice_done(std::uint32_t i) {
    member& m = members_[i];
    if (++m.slices_done < plan_.slices)
        return;
    iteration& it = iterations_[m.repetition];
    it.ended = std::max(it.ended, now());
    it.complete = ++it.hosts == members_.size();
    repetition_done(i);
}

/// Its programs are at their end and its own messages acknowledged: the buffers may be used again.
void group_workload::repetition_done(std::uint32_t i) {
    member& m = members_[i];
    if (m.slices_done < plan_.slices || m.unacknowledged > 0 || m.broken)
        return;
    m.slices_done = 0;
    if (++m.repetition < plan_.repetitions)
        schedule<&group_workload::start_repetition>(now() + plan_.compute, this, i);
    else
        ++members_over_;
}

void group_workload::message_arrived(std::uint64_t tag, const message_record&) {
    const auto i = static_cast<std::uint32_t>(tag >> 40);
    const auto slot = static_cast<std::uint32_t>(tag >> 16 & 0xffffff);
    const auto slice = static_cast<std::uint32_t>(tag & 0xffff);
    member& m = members_[i];
    ++m.waiting[slice][slot];
    if (m.position[slice] < plan_.steps[i].size()) // else between repetitions: it waits for the next one
        advance(i, slice);
}

void group_workload::message_over(std::uint64_t, const message_record& r) {
    const std::uint32_t i = member_of_[r.from];
    member& m = members_[i];
    --m.unacknowledged;
    m.broken |= !r.ok;
    repetition_done(i);
}

} // namespace vg810::scenarios
