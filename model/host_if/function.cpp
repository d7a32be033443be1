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
    if (c.faults.fatal_at != picoseconds{})
        schedule<&network_function::fail_as_asked>(c.faults.fatal_at, this, 0, c.minima.touch);
    if (c.faults.transmit_stuck_at != picoseconds{})
        schedule<&network_function::stick_as_asked>(c.faults.transmit_stuck_at, this, 0, c.minima.touch);
}

// ------------------------------------------------------------------------------ promises

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

// ------------------------------------------------------------------------------ registers

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
    case reg::IRQ_TEST_DELAY:
        start_irq_test(value);
        break;
    case reg::LOOPBACK:
        port_.set_loopback(regs::LOOPBACK::enable::get(static_cast<std::uint32_t>(value)));
        break;
    case reg::ASQ_TAIL:
    case reg::ACQ_HEAD:
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

// ------------------------------------------------------------------------------ interrupt test

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

} // namespace vg810
