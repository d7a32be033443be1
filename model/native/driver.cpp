// SPDX-License-Identifier: Apache-2.0
#include "model/native/driver.h"

#include "model/native/driver_layout.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace vg810 {

using namespace native;
using regs::admin_opcode;
using regs::reg;

namespace {

constexpr picoseconds poll_interval = 10_us;
constexpr picoseconds patience = 100_ms;

constexpr std::uint64_t wanted_features =
    regs::DEVICE_FEATURES::tx_checksum::mask | regs::DEVICE_FEATURES::rx_checksum::mask |
    regs::DEVICE_FEATURES::tso::mask | regs::DEVICE_FEATURES::rss::mask |
    regs::DEVICE_FEATURES::vlan_insert::mask | regs::DEVICE_FEATURES::vlan_strip::mask |
    regs::DEVICE_FEATURES::vlan_filter::mask | regs::DEVICE_FEATURES::moderation::mask;

} // namespace

native_driver::native_driver(scheduler& clock, const std::string& name, const native_driver_config& config,
                             native_platform& platform, std::uint64_t base)
    : component(clock, name), config_(config), platform_(platform), base_(base), layout_(plan(config)),
      packet_bytes_(buffer_bytes(config)), receive_bytes_(buffer_bytes(config)), received_(receive_bytes_) {}

std::size_t native_driver::buffer_bytes(const native_driver_config& config) {
    return (static_cast<std::size_t>(config.mtu) + 22 + 2047) / 2048 * 2048;
}

native_driver::layout native_driver::plan(const native_driver_config& config) {
    layout l;
    const auto entries = std::size_t{1} << config.ring_log2;
    const auto place = [&l](area& a, std::size_t n) {
        a = {l.total, n};
        l.total += (n + 4095) / 4096 * 4096;
    };
    place(l.asq, regs::admin_command_view::bytes << admin_log2);
    place(l.acq, regs::admin_completion_view::bytes << admin_log2);
    place(l.eq, regs::event_view::bytes << eq_log2);
    place(l.tx_cq, regs::completion_view::bytes * entries * 2);
    place(l.rx_cq, regs::completion_view::bytes * entries * 2);
    place(l.tx_ring, regs::tx_descriptor_view::bytes * entries);
    place(l.rx_ring, regs::rx_descriptor_view::bytes * entries);
    place(l.tx_buffers, buffer_bytes(config) * entries);
    place(l.rx_buffers, buffer_bytes(config) * entries);
    place(l.data, 4096);
    return l;
}

std::size_t native_driver::memory_needed(const native_driver_config& config) {
    return plan(config).total;
}

std::uint32_t native_driver::read32(reg r) {
    const regs::register_info& i = regs::info(r);
    return static_cast<std::uint32_t>(platform_.read_register(i.bar, i.offset, 4));
}

void native_driver::write32(reg r, std::uint32_t value) {
    const regs::register_info& i = regs::info(r);
    platform_.write_register(i.bar, i.offset, 4, value);
}

void native_driver::write64(reg r, std::uint64_t value) {
    const regs::register_info& i = regs::info(r);
    platform_.write_register(i.bar, i.offset, 8, value);
}

// ------------------------------------------------------------------------------ bring-up

void native_driver::bring_up() {
    ++attempt_;
    state_ = state::resetting;
    failure_.clear();
    link_up_ = false;
    handling_ = false;
    commands_.clear();
    command_running_ = false;
    asq_tail_ = acq_head_ = eq_head_ = tx_cq_head_ = rx_cq_head_ = 0;
    tx_head_ = tx_tail_ = rx_posted_ = 0;
    if (read32(reg::MAGIC) != regs::magic_value) {
        fail("no card answers");
        return;
    }
    write32(reg::RESET, regs::reset_key);
    give_up_at_ = now() + patience;
    schedule<&native_driver::poll_ready>(now() + poll_interval, this, attempt_);
}

void native_driver::fail(const std::string& why) {
    state_ = state::failed;
    failure_ = why;
    if (on_failure)
        on_failure(failure_);
}

void native_driver::poll_ready(std::uint64_t attempt) {
    if (attempt != attempt_ || state_ != state::resetting)
        return;
    const std::uint32_t status = read32(reg::STATUS);
    if (regs::STATUS::ready::get(status) && !regs::STATUS::reset_active::get(status))
        negotiate();
    else if (now() >= give_up_at_)
        fail("the card is not ready after a reset");
    else
        schedule<&native_driver::poll_ready>(now() + poll_interval, this, attempt_);
}

void native_driver::negotiate() {
    const regs::register_info& offered = regs::info(reg::DEVICE_FEATURES);
    features_ = platform_.read_register(offered.bar, offered.offset, 8) & wanted_features;
    write64(reg::DRIVER_FEATURES, features_);
    platform_.write_memory(base_, std::vector<std::byte>(layout_.tx_ring.offset)); // no phase bit is set
    write64(reg::ASQ_BASE, bus(layout_.asq));
    write64(reg::ACQ_BASE, bus(layout_.acq));
    write32(reg::ADMIN_SIZE, admin_log2 | admin_log2 << 8);
    const std::uint32_t both = regs::CONTROL::features_ok::mask | regs::CONTROL::enable::mask;
    write32(reg::CONTROL, regs::CONTROL::features_ok::mask);
    write32(reg::CONTROL, both);
    if (read32(reg::CONTROL) != both) {
        fail("the card refuses features or admin queue");
        return;
    }
    state_ = state::starting;
    create_queues();
}

/// One of the driver's own commands: any failure ends the bring-up.
void native_driver::simple(admin_opcode opcode, command_fill fill, std::vector<std::byte> data) {
    command(
        [opcode, fill = std::move(fill)](regs::admin_command_view c) {
            c.set_opcode(opcode);
            fill(c);
        },
        std::move(data),
        [this, opcode](regs::admin_status status, std::uint64_t param) {
            if (status != regs::admin_status::ok)
                fail("admin command " + std::to_string(static_cast<unsigned>(opcode)) +
                     " ended with status " + std::to_string(static_cast<unsigned>(status)) + ", param " +
                     std::to_string(param));
        });
}

void native_driver::create_queues() {
    const auto log2 = static_cast<std::uint8_t>(config_.ring_log2);
    using view = regs::admin_command_view;
    simple(admin_opcode::create_eq, [this](view c) {
        c.set_queue_id(eq_id);
        c.set_buffer(bus(layout_.eq));
        c.set_ring_log2(eq_log2);
        c.set_moderation_ns(static_cast<std::uint32_t>(config_.moderation.floor_ns()));
    });
    for (const auto& [id, ring] : {std::pair{tx_cq, layout_.tx_cq}, std::pair{rx_cq, layout_.rx_cq}})
        simple(admin_opcode::create_cq, [this, id, ring, log2](view c) {
            c.set_queue_id(id);
            c.set_buffer(bus(ring));
            c.set_ring_log2(static_cast<std::uint8_t>(log2 + 1));
            c.set_eq_id(eq_id);
        });
    simple(admin_opcode::create_txq, [this, log2](view c) {
        c.set_queue_id(queue_id);
        c.set_buffer(bus(layout_.tx_ring));
        c.set_ring_log2(log2);
        c.set_cq_id(tx_cq);
    });
    simple(admin_opcode::create_rxq, [this, log2](view c) {
        c.set_queue_id(queue_id);
        c.set_buffer(bus(layout_.rx_ring));
        c.set_ring_log2(log2);
        c.set_cq_id(rx_cq);
    });
    simple(admin_opcode::set_mtu, [this](view c) { c.set_param(static_cast<std::uint32_t>(config_.mtu)); });
    simple(admin_opcode::set_rx_mode, [this](view c) { c.set_param(config_.promiscuous ? 1 : 0); });
    simple(admin_opcode::set_offloads, [this](view c) {
        c.set_param(config_.checksum_offload
                        ? static_cast<std::uint32_t>(regs::DEVICE_FEATURES::rx_checksum::mask)
                        : 0);
    });
    command(
        [](view c) {
            c.set_opcode(admin_opcode::set_port);
            c.set_param(1);
        },
        {},
        [this](regs::admin_status status, std::uint64_t) {
            if (status == regs::admin_status::ok)
                finish_bring_up();
            else
                fail("the port cannot be enabled");
        });
}

void native_driver::finish_bring_up() {
    if (state_ != state::starting)
        return;
    write32(reg::ADMIN_EQ, eq_id);
    post_receive_buffers();
    state_ = state::up;
    using bell = regs::DB_CQ;
    for (std::uint64_t cq : {tx_cq, rx_cq})
        write64(reg::DB_CQ, bell::arm::set(bell::queue::set(0, cq), true));
    arm_eq();
    if (on_up)
        on_up();
    show_link(read32(reg::PORT_STATUS));
}

void native_driver::post_receive_buffers() {
    const std::uint32_t entries = 1u << config_.ring_log2;
    for (; rx_posted_ < entries; ++rx_posted_) {
        entry<regs::rx_descriptor_view::bytes> raw{};
        const regs::rx_descriptor_view d(raw);
        d.set_address(bus(layout_.rx_buffers) + rx_posted_ * receive_bytes_);
        d.set_length(static_cast<std::uint32_t>(receive_bytes_));
        store(layout_.rx_ring, rx_posted_, raw);
    }
    write32(reg::DB_RX, regs::DB_RX::queue::set(rx_posted_ & 0xffff, queue_id));
}

// ------------------------------------------------------------------------------ commands

void native_driver::command(command_fill fill, std::vector<std::byte> data, command_done done) {
    commands_.push_back({std::move(fill), std::move(data), std::move(done)});
    if (!command_running_)
        start_next_command();
}

void native_driver::start_next_command() {
    if (commands_.empty())
        return;
    command_running_ = true;
    const pending_command& next = commands_.front();
    entry<regs::admin_command_view::bytes> raw{};
    const regs::admin_command_view c(raw);
    if (!next.data.empty()) {
        if (next.data.size() > layout_.data.bytes)
            throw std::length_error(name() + ": command data");
        platform_.write_memory(bus(layout_.data), next.data);
        c.set_buffer(bus(layout_.data));
        c.set_buffer_bytes(static_cast<std::uint32_t>(next.data.size()));
    }
    next.fill(c);
    c.set_command_id(static_cast<std::uint16_t>(asq_tail_));
    store(layout_.asq, asq_tail_ % (1u << admin_log2), raw);
    ++asq_tail_;
    write32(reg::ASQ_TAIL, asq_tail_ % (1u << admin_log2));
    give_up_at_ = now() + picoseconds::from_ns(std::int64_t{regs::admin_timeout_ms} * 1'000'000);
    schedule<&native_driver::poll_admin>(now() + poll_interval, this, attempt_);
}

void native_driver::poll_admin(std::uint64_t attempt) {
    if (attempt != attempt_ || !command_running_)
        return;
    reap_admin();
    if (!command_running_)
        return;
    if (now() >= give_up_at_)
        fail("an admin command got no answer");
    else
        schedule<&native_driver::poll_admin>(now() + poll_interval, this, attempt_);
}

void native_driver::reap_admin() {
    const auto raw = load<regs::admin_completion_view::bytes>(layout_.acq, acq_head_ % (1u << admin_log2));
    const regs::admin_completion_const_view done(raw);
    if (!command_running_ || done.phase() != phase_of(acq_head_, admin_log2))
        return;
    ++acq_head_;
    const regs::admin_status status = done.status();
    const std::uint64_t param = done.param();
    write32(reg::ACQ_HEAD, acq_head_ % (1u << admin_log2));
    const pending_command ended = std::move(commands_.front());
    commands_.pop_front();
    command_running_ = false;
    if (ended.done)
        ended.done(status, param);
    if (!command_running_ && state_ != state::failed)
        start_next_command();
}

} // namespace vg810
