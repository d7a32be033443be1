// SPDX-License-Identifier: Apache-2.0
#include "scenarios/workload/traffic.h"

#include <stdexcept>

namespace vg810::scenarios {

/// Listens to one host's port.
struct traffic::host final : message_listener {
    host(traffic& t, std::string n, message_port& p) : all(&t), name(std::move(n)), port(&p) {}
    void message_ended(connection, const message_end& e) override { all->end(e); }
    void message_arrived(connection, std::uint64_t cookie, bytes) override { all->arrival(cookie); }

    traffic* all;
    std::string name;
    message_port* port;
};

traffic::traffic(scheduler& clock) : clock_(&clock) {}
traffic::~traffic() = default;

const std::string& traffic::host_name(host_index h) const {
    return hosts_[h]->name;
}

host_index traffic::add_host(std::string name, message_port& port) {
    hosts_.push_back(std::make_unique<host>(*this, std::move(name), port));
    port.listen(*hosts_.back());
    return static_cast<host_index>(hosts_.size() - 1);
}

traffic::line traffic::connect(host_index from, host_index to, const connection_options& o) {
    if (from == to)
        throw std::invalid_argument("host " + hosts_[from]->name + " cannot be connected with itself");
    return {from, to, hosts_[from]->port->connect(*hosts_[to]->port, o).here, o.dscp};
}

void traffic::post(message_handler& owner, std::uint16_t workload, const line& l, message_kind kind,
                   bytes length, std::uint64_t tag) {
    if (free_ == nothing) {
        messages_.emplace_back().next_free = nothing;
        free_ = static_cast<std::uint32_t>(messages_.size() - 1);
    }
    const std::uint32_t slot = free_;
    message& m = messages_[slot];
    free_ = m.next_free;
    m.owner = &owner;
    m.tag = tag;
    m.record = {};
    m.record.posted = now();
    m.record.length = length;
    m.record.from = kind == message_kind::read ? l.to : l.from;
    m.record.to = kind == message_kind::read ? l.from : l.to;
    m.record.workload = workload;
    m.record.kind = kind;
    ++outstanding_;
    const std::uint64_t cookie = std::uint64_t{m.generation} << 32 | slot;
    hosts_[l.from]->port->post(l.number, kind, length, cookie); // may grow messages_
}

/// Null for a message that was given up before.
traffic::message* traffic::find(std::uint64_t cookie) {
    const auto slot = static_cast<std::uint32_t>(cookie);
    if (slot >= messages_.size() || !messages_[slot].owner || messages_[slot].generation != cookie >> 32)
        return nullptr;
    return &messages_[slot];
}

void traffic::arrive(message& m) {
    m.record.arrived = now();
    ++arrived_;
    arrived_bytes_ += m.record.length;
    const message_record r = m.record; // the owner may post, which moves slots
    m.owner->message_arrived(m.tag, r);
}

void traffic::arrival(std::uint64_t cookie) {
    message* m = find(cookie);
    if (m && m->record.kind != message_kind::read && m->record.arrived == never)
        arrive(*m);
}

void traffic::end(const message_end& e) {
    message* m = find(e.cookie);
    if (!m)
        throw std::logic_error("a host reports the end of a message that is none of ours");
    if (e.ok && m->record.arrived == never)
        arrive(*m);
    m = find(e.cookie);
    m->record.ended = now();
    m->record.ok = e.ok;
    m->record.retransmitted = e.retransmitted;
    const message_record r = m->record;
    message_handler* const owner = m->owner;
    const std::uint64_t tag = m->tag;
    m->owner = nullptr;
    ++m->generation;
    m->next_free = free_;
    free_ = static_cast<std::uint32_t>(e.cookie);
    --outstanding_;
    failed_ += !e.ok;
    log_.push_back(r);
    owner->message_over(tag, r);
}

std::vector<message_record> traffic::unfinished() const {
    std::vector<message_record> out;
    for (const message& m : messages_)
        if (m.owner)
            out.push_back(m.record);
    return out;
}

} // namespace vg810::scenarios
