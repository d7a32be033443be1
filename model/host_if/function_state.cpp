// SPDX-License-Identifier: Apache-2.0
// A function's resets and failures, and what its blocks report to it.
#include "model/host_if/function.h"

#include <algorithm>

namespace vg810 {

using regs::reg;

// ------------------------------------------------------------------------------ reset

void network_function::reset(pcie::reset_kind) {
    begin_reset();
}

void network_function::command_changed(bool, bool) {
    // Requests made while bus mastering is off fail at PCIe; nothing here depends on it.
}

void network_function::begin_reset() {
    resetting_ = true;
    firmware_up_ = false;
    ++generation_;
    ++irq_test_attempt_;
    quiesce();
    counted_before_ = dma_port_.counters();
    registers_.reset();
    registers_.set<regs::STATUS, regs::STATUS::reset_active>(true);
    frame_out_ = {};
    port_.reset();
    show_port_status();
    schedule<&network_function::firmware_started>(now() + picoseconds::from_ns(regs::fw_ready_us * 1000),
                                                  this, generation_, config_.minima.touch);
}

/// Every object gone; what is under way to the host ends without a trace in the card.
void network_function::quiesce() {
    dma_.orphan_all();
    admin_.stop();
    commands_.reset();
    tx_.reset();
    rx_.reset(config_.identity.address);
    for (auto& cq : blocks_.cqs)
        if (cq->exists())
            cq->destroy();
    for (auto& eq : blocks_.eqs)
        if (eq->exists())
            eq->destroy();
}

void network_function::firmware_started(std::uint64_t generation) {
    if (generation != generation_)
        return;
    firmware_up_ = true;
    finish_reset();
}

/// Ready means also that nothing of the life before still writes to host memory.
void network_function::finish_reset() {
    if (!resetting_ || !firmware_up_ || dma_.outstanding() != 0)
        return;
    resetting_ = false;
    registers_.set<regs::STATUS, regs::STATUS::reset_active>(false);
    registers_.set<regs::STATUS, regs::STATUS::ready>(true);
}

bool network_function::operational() const {
    return registers_.get<regs::STATUS, regs::STATUS::ready>() &&
           !registers_.get<regs::STATUS, regs::STATUS::failed>();
}

void network_function::fatal(regs::fatal_error error) {
    if (!operational())
        return;
    registers_.set(reg::ERROR_CODE, static_cast<std::uint64_t>(error));
    registers_.set<regs::STATUS, regs::STATUS::failed>(true);
    schedule<&network_function::halt>(now(), this, generation_,
                                      never); // not from within a block that it tears down
}

void network_function::halt(std::uint64_t generation) {
    if (generation == generation_)
        quiesce();
}

// ------------------------------------------------------------------------------ reports

void network_function::announce(const event& e) {
    if (event_queue* eq = operational() ? commands_.admin_events() : nullptr; eq != nullptr)
        eq->post(e);
}

void network_function::queue_stopped(regs::queue_kind kind, std::uint32_t id, regs::queue_error error) {
    announce({regs::event_type::queue_error, kind, id, static_cast<std::uint64_t>(error)});
}

void network_function::bad_doorbell() {
    registers_.set<regs::ERROR_STATUS, regs::ERROR_STATUS::bad_doorbell>(true);
}

void network_function::dma_failed() {
    registers_.set<regs::ERROR_STATUS, regs::ERROR_STATUS::dma_error>(true);
}

void network_function::dma_progressed() {
    finish_reset();
    commands_.poll();
}

void network_function::interrupt_sent(std::uint16_t vector) {
    registers_.set(reg::STAMP_INTERRUPT, clock_ns());
    if (observer_ != nullptr)
        observer_->interrupt_sent(config_.identity.port, vector, now());
}

// ------------------------------------------------------------------------------ port

void network_function::frame_started(const frame& f, picoseconds first_bit) {
    frame_out_.set(first_bit);
    if (observer_ != nullptr)
        observer_->frame_out(config_.identity.port, f, first_bit);
}

void network_function::frame_received(frame_ptr f) {
    registers_.set(reg::STAMP_FRAME_IN, clock_ns());
    if (observer_ != nullptr)
        observer_->frame_in(config_.identity.port, *f, now());
    if (operational())
        rx_.frame_received(std::move(f));
}

void network_function::show_port_status() {
    using status = regs::PORT_STATUS;
    const std::uint32_t v = status::reason::set(status::link_up::set(0, port_.link_up()),
                                                static_cast<regs::link_reason>(port_.reason()));
    registers_.set(reg::PORT_STATUS, v);
}

void network_function::link_changed() {
    show_port_status();
    tx_.link_changed();
    announce({regs::event_type::port, {}, config_.identity.port, registers_.get(reg::PORT_STATUS)});
}

} // namespace vg810
