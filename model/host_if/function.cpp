// SPDX-License-Identifier: Apache-2.0
#include "model/host_if/function.h"

#include <algorithm>

namespace vg810 {

using regs::reg;

namespace {

/// First octet in bits 7:0.
std::uint64_t to_register(mac_address m) {
    std::array<std::byte, 8> octets{};
    m.store(octets.data());
    return regs::load_little_endian<std::uint64_t>(octets.data());
}

} // namespace

network_function::network_function(scheduler& clock, const std::string& name, const configuration& c,
                                   pcie::dma_port& dma, frame_pool& frames)
    : component(clock, name), config_(c), dma_port_(dma), registers_(*this),
      dma_(dma, *this), services_{*this, dma_, registers_, *this, config_.host_if, config_.minima},
      port_(clock, name + ".mac", c.port, registers_, *this, c.minima.touch, rx_quiet()),
      tx_(services_, frames),
      rx_(services_, c.port.receive_pipeline + c.host_if.receive_pipeline), blocks_{{}, {}, tx_, rx_, port_},
      commands_(services_, blocks_, config_.identity, config_.faults), admin_(services_, commands_) {
    for (unsigned i = 0; i < regs::max_eqs; ++i)
        blocks_.eqs.push_back(std::make_unique<event_queue>(services_));
    for (unsigned i = 0; i < regs::max_cqs; ++i)
        blocks_.cqs.push_back(std::make_unique<completion_queue>(services_));
    tx_.attach(port_);
    commands_.attach(admin_);
    registers_.strap(reg::MAC_ADDRESS, to_register(c.identity.address));
    registers_.strap(reg::CURRENT_MAC, to_register(c.identity.address));
    registers_.strap(reg::PORT_SPEED, static_cast<std::uint64_t>(c.port.rate.count() / 1'000'000));
    registers_.strap(reg::FUNCTION_INFO,
                     regs::FUNCTION_INFO::ports::set(regs::FUNCTION_INFO::port::set(0, c.identity.port),
                                                     c.identity.ports));
    port_.set_fault(c.faults.link_fault);
    port_.set_loopback_corruption(c.faults.loopback_corrupts);
    begin_reset();
}

// ----------------------------------------------------------------------------------------------------
// promises

picoseconds network_function::rx_quiet() const {
    return config_.port.receive_pipeline + config_.host_if.receive_pipeline + config_.minima.touch;
}

namespace {

/// From a doorbell's arrival: one command fetched and executed.
picoseconds admin_path(const network_function::configuration& c) {
    return c.host_if.doorbell_latency + c.minima.read_back + c.host_if.admin_latency;
}

/// From a doorbell's effect: descriptor, payload, pipelines, first bit.
picoseconds transmit_path(const network_function::configuration& c) {
    return c.minima.read_back * 2 + c.host_if.transmit_pipeline + c.port.transmit_pipeline;
}

} // namespace

picoseconds network_function::access_lookahead() const {
    const mac_parameters& port = config_.port;
    // Any access may reset the function, and that turns the light off.
    const picoseconds light = port_.transmitter_on() ? port.transmitter_off : never;
    if (!port_.line_up()) // a command must enable the port, or an event or input that is counted elsewhere
        return std::min(light, admin_path(config_) + std::min(port.transmitter_on, port.training_time));
    if (!tx_.any_queue())
        return std::min(light, admin_path(config_) + transmit_path(config_));
    return std::min(light, config_.host_if.doorbell_latency + transmit_path(config_));
}

picoseconds network_function::pass_through() const {
    return std::min(config_.port.training_time,
                    rx_quiet() + config_.host_if.doorbell_latency + transmit_path(config_));
}

// ----------------------------------------------------------------------------------------------------
// registers

std::uint64_t network_function::bar_read(int bar, std::uint64_t offset, unsigned size) {
    const regs::read_result r = registers_.read(static_cast<unsigned>(bar), offset, size);
    if (r.result == regs::access_result::bad)
        registers_.set<regs::ERROR_STATUS, regs::ERROR_STATUS::bad_access>(true);
    return r.value;
}

void network_function::bar_write(int bar, std::uint64_t offset, unsigned size, std::uint64_t value) {
    if (registers_.write(static_cast<unsigned>(bar), offset, size, value) == regs::access_result::bad)
        registers_.set<regs::ERROR_STATUS, regs::ERROR_STATUS::bad_access>(true);
}

void network_function::on_read(reg which, std::uint32_t) {
    switch (which) {
    case reg::CLOCK:
        registers_.set(reg::CLOCK, clock_ns());
        break;
    case reg::ASQ_HEAD:
        registers_.set(reg::ASQ_HEAD, admin_.head());
        break;
    case reg::SCRATCH:
        registers_.set(reg::SCRATCH, registers_.get(reg::SCRATCH) |
                                         static_cast<std::uint64_t>(config_.faults.scratch_stuck_at_one));
        break;
    case reg::LINK_DOWN_COUNT:
        registers_.set(reg::LINK_DOWN_COUNT, port_.down_count());
        break;
    case reg::STAMP_FRAME_OUT:
        registers_.set(reg::STAMP_FRAME_OUT, static_cast<std::uint64_t>(frame_out_.at(now()).floor_ns()));
        break;
    case reg::interrupts:
    case reg::dma_reads:
    case reg::dma_writes:
        refresh_dma_counters();
        break;
    default:
        break;
    }
}

void network_function::refresh_dma_counters() {
    const pcie::dma_counters c = dma_port_.counters();
    // PCIe's own resets start its counts anew.
    const auto since = [](std::uint64_t count, std::uint64_t before) {
        return count >= before ? count - before : count;
    };
    registers_.count(regs::counter::interrupts) = since(c.interrupts, counted_before_.interrupts);
    registers_.count(regs::counter::dma_reads) = since(c.read_requests, counted_before_.read_requests);
    registers_.count(regs::counter::dma_writes) = since(c.write_requests, counted_before_.write_requests);
}

void network_function::on_write(reg which, std::uint32_t copy, std::uint64_t old, std::uint64_t value) {
    switch (which) {
    case reg::DRIVER_FEATURES: // chosen once
        if (registers_.get<regs::CONTROL, regs::CONTROL::features_ok>())
            registers_.set(which, old);
        break;
    case reg::ASQ_BASE:
    case reg::ACQ_BASE:
    case reg::ADMIN_SIZE: // in use
        if (admin_.running())
            registers_.set(which, old);
        break;
    case reg::CONTROL:
        write_control(old, value);
        break;
    case reg::RESET:
        if (value == regs::reset_key)
            begin_reset();
        else
            registers_.set<regs::ERROR_STATUS, regs::ERROR_STATUS::bad_access>(true);
        break;
    case reg::ASQ_TAIL:
        ring_later<&network_function::admin_tail>(value);
        break;
    case reg::ACQ_HEAD:
        ring_later<&network_function::admin_head>(value);
        break;
    case reg::IRQ_TEST_DELAY:
        start_irq_test(value);
        break;
    case reg::LOOPBACK:
        port_.set_loopback(regs::LOOPBACK::enable::get(static_cast<std::uint32_t>(value)));
        break;
    case reg::DB_TX:
    case reg::DB_RX:
    case reg::DB_CQ:
    case reg::DB_EQ:
        ring_bell(which, copy, value);
        break;
    default:
        break; // takes its value, nothing else
    }
}

/// Both bits, once accepted, stay until the next reset.
void network_function::write_control(std::uint64_t old, std::uint64_t value) {
    using control = regs::CONTROL;
    auto accepted = static_cast<std::uint32_t>(old);
    const auto wanted = static_cast<std::uint32_t>(value);
    if (control::features_ok::get(wanted) &&
        (registers_.get(reg::DRIVER_FEATURES) & ~registers_.get(reg::DEVICE_FEATURES)) == 0)
        accepted = control::features_ok::set(accepted, true);
    const bool start = control::enable::get(wanted) && !control::enable::get(accepted) &&
                       control::features_ok::get(accepted) && operational() && rings_valid();
    if (start)
        accepted = control::enable::set(accepted, true);
    registers_.set(reg::CONTROL, accepted);
    if (!start)
        return;
    using size = regs::ADMIN_SIZE;
    registers_.set(reg::ASQ_TAIL, 0);
    registers_.set(reg::ACQ_HEAD, 0);
    admin_.start({registers_.get(reg::ASQ_BASE), registers_.get(reg::ACQ_BASE),
                  registers_.get<size, size::asq_log2>(), registers_.get<size, size::acq_log2>()});
}

bool network_function::rings_valid() const {
    using size = regs::ADMIN_SIZE;
    const auto good_size = [](unsigned log2) { return log2 >= 1 && log2 <= regs::max_admin_log2; };
    const auto good_base = [](std::uint64_t base) { return base != 0 && base % 4096 == 0; };
    return good_base(registers_.get(reg::ASQ_BASE)) && good_base(registers_.get(reg::ACQ_BASE)) &&
           good_size(registers_.get<size, size::asq_log2>()) &&
           good_size(registers_.get<size, size::acq_log2>());
}

// ----------------------------------------------------------------------------------------------------
// doorbells

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

// ----------------------------------------------------------------------------------------------------
// interrupt test

void network_function::start_irq_test(std::uint64_t delay_ns) {
    registers_.set(reg::IRQ_TEST_WRITTEN, clock_ns());
    schedule<&network_function::irq_test_due>(now() +
                                                  picoseconds::from_ns(static_cast<std::int64_t>(delay_ns)),
                                              this, ++irq_test_attempt_, config_.minima.touch);
}

/// A vector that does not exist asks for an event instead.
void network_function::irq_test_due(std::uint64_t attempt) {
    if (attempt != irq_test_attempt_ || !operational())
        return;
    registers_.set(reg::IRQ_TEST_RAISED, clock_ns());
    const std::uint64_t vector = registers_.get(reg::IRQ_TEST_VECTOR);
    if (vector < regs::msix_vectors)
        dma_.interrupt(static_cast<std::uint16_t>(vector));
    else
        announce({regs::event_type::self_test, {}, 0, clock_ns()});
}

// ---------------------------------------------------------------------------------------------------- reset

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

// ----------------------------------------------------------------------------------------------------
// reports

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

// ---------------------------------------------------------------------------------------------------- port

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
