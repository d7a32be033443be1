// SPDX-License-Identifier: Apache-2.0
// What doorbells do, after the time they need to get to their queue.
#include "model/host_if/function.h"

#include <algorithm>

namespace vg810 {

using regs::reg;

// ------------------------------------------------------------------------------ doorbells

std::uint64_t network_function::doorbell::pack() const {
    return std::uint64_t{page} << 56 | std::uint64_t{queue & 0x7fffffff} << 25 | std::uint64_t{arm} << 24 |
           (index & 0xffffff);
}

network_function::doorbell network_function::doorbell::unpack(std::uint64_t v) {
    return {static_cast<std::uint32_t>(v >> 56), static_cast<std::uint32_t>(v >> 25 & 0x7fffffff),
            static_cast<std::uint32_t>(v & 0xffffff), (v >> 24 & 1) != 0};
}

template <auto Method> void network_function::ring_later(std::uint64_t argument) {
    schedule<Method>(now() + config_.host_if.doorbell_latency, this, argument, config_.minima.touch);
}

void network_function::ring_bell(reg which, std::uint32_t page, std::uint64_t value) {
    const auto word = static_cast<std::uint32_t>(value);
    const auto queue = static_cast<std::uint32_t>(std::min<std::uint64_t>(value >> 32, 0x7fffffff));
    switch (which) {
    case reg::ASQ_TAIL:
        ring_later<&network_function::admin_tail>(value);
        break;
    case reg::ACQ_HEAD:
        ring_later<&network_function::admin_head>(value);
        break;
    case reg::DB_TX:
        ring_later<&network_function::tx_bell>(
            doorbell{page, regs::DB_TX::queue::get(word), regs::DB_TX::index::get(word), false}.pack());
        break;
    case reg::DB_RX:
        ring_later<&network_function::rx_bell>(
            doorbell{page, regs::DB_RX::queue::get(word), regs::DB_RX::index::get(word), false}.pack());
        break;
    case reg::DB_CQ:
        ring_later<&network_function::cq_bell>(
            doorbell{page, queue, static_cast<std::uint32_t>(regs::DB_CQ::index::get(value)),
                     regs::DB_CQ::arm::get(value)}
                .pack());
        break;
    default:
        ring_later<&network_function::eq_bell>(
            doorbell{page, queue, static_cast<std::uint32_t>(regs::DB_EQ::index::get(value)),
                     regs::DB_EQ::arm::get(value)}
                .pack());
    }
}

void network_function::admin_tail(std::uint64_t index) {
    if (!admin_.running())
        bad_doorbell();
    else if (!admin_.submit(static_cast<std::uint32_t>(index)))
        fatal(regs::fatal_error::admin_doorbell);
}

void network_function::admin_head(std::uint64_t index) {
    if (!admin_.running())
        bad_doorbell();
    else if (!admin_.free_completions(static_cast<std::uint32_t>(index)))
        fatal(regs::fatal_error::admin_doorbell);
}

void network_function::tx_bell(std::uint64_t packed) {
    const doorbell d = doorbell::unpack(packed);
    registers_.set(reg::STAMP_DOORBELL, clock_ns());
    if (!tx_.doorbell(d.page, d.queue, static_cast<std::uint16_t>(d.index)))
        bad_doorbell();
    else if (observer_ != nullptr)
        observer_->doorbell_seen(config_.identity.port, static_cast<std::uint16_t>(d.queue), now());
}

void network_function::rx_bell(std::uint64_t packed) {
    const doorbell d = doorbell::unpack(packed);
    if (!rx_.doorbell(d.page, d.queue, static_cast<std::uint16_t>(d.index)))
        bad_doorbell();
}

void network_function::cq_bell(std::uint64_t packed) {
    const doorbell d = doorbell::unpack(packed);
    if (d.queue >= blocks_.cqs.size() || !blocks_.cqs[d.queue]->exists() ||
        blocks_.cqs[d.queue]->page() != d.page) {
        bad_doorbell();
        return;
    }
    if (!blocks_.cqs[d.queue]->doorbell(d.index, d.arm)) {
        bad_doorbell();
        blocks_.cqs[d.queue]->fail(regs::queue_error::bad_doorbell);
    }
}

void network_function::eq_bell(std::uint64_t packed) {
    const doorbell d = doorbell::unpack(packed);
    if (d.queue >= blocks_.eqs.size() || !blocks_.eqs[d.queue]->exists() ||
        blocks_.eqs[d.queue]->page() != d.page || !blocks_.eqs[d.queue]->doorbell(d.index, d.arm))
        bad_doorbell();
}

} // namespace vg810
