// SPDX-License-Identifier: Apache-2.0
#include "fuzz/subject.h"

namespace vg810::fuzz {

using regs::admin_opcode;
using regs::reg;

// ----------------------------------------------------------------------------------------------------
// twisting

bool subject::twisted() {
    const bool yes = d.percent(twist_percent_);
    t.twisted += yes;
    return yes;
}

void subject::twist(std::span<std::byte> structure, std::span<const field> fields) {
    const field& f = d.pick(fields);
    std::uint64_t value = 0;
    for (unsigned i = 0; i < f.bits / 8; ++i)
        value |= std::to_integer<std::uint64_t>(structure[f.offset + i]) << 8 * i;
    value = f.address ? bad_address(value) : d.twist(value, f.bits);
    for (unsigned i = 0; i < f.bits / 8; ++i)
        structure[f.offset + i] = static_cast<std::byte>(value >> 8 * i);
}

std::uint64_t subject::bad_address(std::uint64_t valid) {
    constexpr std::uint64_t end = memory::buffers + memory::buffers_bytes;
    switch (d.below(8)) {
    case 0:
        return 0;
    case 1:
        return end - d.below(256); // the transfer runs out of memory
    case 2:
        return end + d.below(1 << 20);
    case 3:
        return ~std::uint64_t{0} - d.below(8192); // and this one around the top
    case 4:
        return d.bits() & 0x7fff'ffff'f000u;
    case 5:
        return memory::buffers - d.below(64); // from one range into the next
    case 6:
        return (valid | 4095) - d.below(64);
    default:
        return valid + d.between(1, 63);
    }
}

// ---------------------------------------------------------------------------------------------------- memory

std::uint64_t subject::ring_memory(std::uint64_t octets) {
    const std::uint64_t whole = (octets + 4095) & ~std::uint64_t{4095};
    if (ring_next_ + whole > memory::rings + memory::rings_bytes)
        ring_next_ = memory::rings; // a long life: the oldest rings' memory is used again
    const std::uint64_t at = ring_next_;
    ring_next_ += whole;
    store(at, std::vector<std::byte>(whole));
    return at;
}

std::uint64_t subject::buffer(std::uint64_t octets) {
    const std::uint64_t at = memory::buffers + d.below(memory::buffers_bytes - octets);
    return d.one_in(2) ? at & ~std::uint64_t{63} : at;
}

// ---------------------------------------------------------------------------------------------------- admin
// queue

bool subject::enable() {
    using control = regs::CONTROL;
    features_ = w.read(reg::DEVICE_FEATURES);
    if (d.one_in(8))
        features_ &= d.bits();
    features_ = maybe(features_, 64);
    w.write(reg::DRIVER_FEATURES, features_);
    asq_log2_ = static_cast<unsigned>(d.between(1, regs::max_admin_log2));
    acq_log2_ = static_cast<unsigned>(d.between(1, regs::max_admin_log2));
    asq_ = ring_memory(regs::admin_command_view::bytes << asq_log2_);
    acq_ = ring_memory(regs::admin_completion_view::bytes << acq_log2_);
    w.write(reg::ASQ_BASE, twisted() ? bad_address(asq_) : asq_);
    w.write(reg::ACQ_BASE, twisted() ? bad_address(acq_) : acq_);
    w.write(reg::ADMIN_SIZE, maybe(asq_log2_ | acq_log2_ << 8, 32));
    w.write(reg::CONTROL, maybe(control::features_ok::mask, 32));
    w.write(reg::CONTROL, control::features_ok::mask | control::enable::mask);
    enabled_ = control::enable::get(static_cast<std::uint32_t>(w.read(reg::CONTROL)));
    return enabled_;
}

void subject::submit(const command& given) {
    command c = given;
    const regs::admin_command_view view(c);
    view.set_command_id(++next_id_);
    pending_[next_id_] = c;
    store(submission_slot(asq_tail_), c);
    ++asq_tail_;
    t.count(operation::admin_command);
    // A wrong index ends the function's life, so it is rarer than other mistakes.
    w.write(reg::ASQ_TAIL, d.one_in(5) ? maybe(submission_index(), 16) : submission_index());
}

/// A ring entry that the card has written: its phase is that of our pass over the ring.
template <class View>
bool subject::fetch(std::uint64_t address, std::array<std::byte, View::bytes>& raw, std::uint32_t index,
                    unsigned log2) {
    return w.root.memory().read(address, raw) && View(raw).phase() == (~(index >> log2) & 1);
}

void subject::reap_admin() {
    using view = regs::admin_completion_const_view;
    const std::uint32_t before = acq_head_;
    std::array<std::byte, view::bytes> raw;
    while (acq_head_ - before < (1u << acq_log2_) &&
           fetch<view>(acq_ + completion_index() * view::bytes, raw, acq_head_, acq_log2_)) {
        const view c(raw);
        ++t.admin_statuses[static_cast<unsigned>(c.status())];
        if (const auto known = pending_.find(c.command_id()); known != pending_.end()) {
            if (c.status() == regs::admin_status::ok)
                executed(known->second, c.param());
            pending_.erase(known);
        }
        ++acq_head_;
    }
    if (acq_head_ != before)
        w.write(reg::ACQ_HEAD, d.one_in(5) ? maybe(completion_index(), 16) : completion_index());
}

void subject::executed(const command& raw, std::uint64_t) {
    const regs::admin_command_const_view c(raw);
    const queue made{c.buffer(), c.ring_log2(), c.doorbell_page()};
    switch (c.opcode()) {
    case admin_opcode::create_eq:
        eqs[c.queue_id()] = made;
        break;
    case admin_opcode::create_cq:
        cqs[c.queue_id()] = made;
        break;
    case admin_opcode::create_txq:
        txqs[c.queue_id()] = made;
        break;
    case admin_opcode::create_rxq:
        rxqs[c.queue_id()] = made;
        break;
    case admin_opcode::destroy_eq:
        eqs.erase(c.queue_id());
        break;
    case admin_opcode::destroy_cq:
        cqs.erase(c.queue_id());
        break;
    case admin_opcode::destroy_txq:
        txqs.erase(c.queue_id());
        break;
    case admin_opcode::destroy_rxq:
        rxqs.erase(c.queue_id());
        break;
    default:
        break;
    }
}

// ---------------------------------------------------------------------------------------------------- queues

subject::queues::value_type* subject::any(queues& q) {
    return q.empty() ? nullptr : &*std::next(q.begin(), static_cast<std::ptrdiff_t>(d.below(q.size())));
}

void subject::reap_events(std::uint32_t id) {
    using view = regs::event_const_view;
    using bell = regs::DB_EQ;
    queue& q = eqs.at(id);
    std::array<std::byte, view::bytes> raw;
    for (std::uint32_t n = 0;
         n < q.entries() && fetch<view>(q.base + q.slot(q.index) * view::bytes, raw, q.index, q.log2);
         ++n, ++q.index) {
        const view e(raw);
        ++t.event_types[static_cast<unsigned>(e.type())];
        if (e.type() == regs::event_type::queue_error)
            stopped(e);
    }
    const std::uint64_t index = maybe(q.index & 0xffffff, 24);
    w.write(reg::DB_EQ, bell::arm::set(bell::queue::set(index, maybe(id, 32)), !d.one_in(8)),
            static_cast<std::uint32_t>(maybe(q.page, 8)));
}

void subject::stopped(regs::event_const_view e) {
    ++t.queue_errors[static_cast<unsigned>(e.data())];
    queues& all = e.kind() == regs::queue_kind::tx ? txqs : e.kind() == regs::queue_kind::rx ? rxqs : cqs;
    if (const auto q = all.find(e.id()); q != all.end())
        q->second.stopped = true;
}

void subject::freed(regs::completion_const_view c) {
    const bool rx = regs::completion_flags::rx::get(c.flags());
    queues& all = rx ? rxqs : txqs;
    const auto found = all.find(c.queue_id());
    if (found == all.end())
        return;
    std::uint32_t& freed = found->second.freed; // TX: packets that asked for no completion are done, too
    freed += rx ? c.descriptors() : static_cast<std::uint16_t>(c.index() - freed + 1);
}

void subject::reap_completions(std::uint32_t id) {
    using view = regs::completion_const_view;
    using bell = regs::DB_CQ;
    queue& q = cqs.at(id);
    std::array<std::byte, view::bytes> raw;
    for (std::uint32_t n = 0;
         n < q.entries() && fetch<view>(q.base + q.slot(q.index) * view::bytes, raw, q.index, q.log2);
         ++n, ++q.index) {
        const view c(raw);
        ++(regs::completion_flags::rx::get(c.flags()) ? t.rx_statuses
                                                      : t.tx_statuses)[static_cast<unsigned>(c.status())];
        freed(c);
    }
    const std::uint64_t index = maybe(q.index & 0xffffff, 24);
    w.write(reg::DB_CQ, bell::arm::set(bell::queue::set(index, maybe(id, 32)), !d.one_in(8)),
            static_cast<std::uint32_t>(maybe(q.page, 8)));
}

} // namespace vg810::fuzz
