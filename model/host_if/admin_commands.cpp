// SPDX-License-Identifier: Apache-2.0
#include "model/host_if/admin_commands.h"

#include "model/host_if/admin_answers.h"
#include "model/host_if/diagnostics.h"

namespace vg810 {

using namespace admin;
using regs::admin_opcode;
using regs::admin_status;
using features = regs::DEVICE_FEATURES;

namespace {

/// 64 bits with the first octet in bits 7:0.
mac_address mac_from_register(std::uint64_t v) {
    std::array<std::byte, 8> octets;
    regs::store_little_endian(octets.data(), v);
    return mac_address::load(octets.data());
}

} // namespace

// ------------------------------------------------------------------------------ flow

void admin_commands::execute(command c) {
    opcode_ = c.opcode();
    queue_id_ = c.queue_id();
    param_ = c.param();
    count_ = c.count();
    if (const answer a = c.flags() != 0 ? bad_param(at::flags) : dispatch(c))
        queue_->finish(*a);
}

admin_commands::answer admin_commands::dispatch(const command& c) {
    switch (c.opcode()) {
    case admin_opcode::nop:
        return ok;
    case admin_opcode::identify:
        return identify(c);
    case admin_opcode::create_eq:
        return create_eq(c);
    case admin_opcode::create_cq:
        return create_cq(c);
    case admin_opcode::create_txq:
        return create_txq(c);
    case admin_opcode::create_rxq:
        return create_rxq(c);
    case admin_opcode::destroy_eq:
    case admin_opcode::destroy_cq:
    case admin_opcode::destroy_txq:
    case admin_opcode::destroy_rxq:
        return destroy(c);
    case admin_opcode::modify_eq:
        return modify_eq(c);
    case admin_opcode::set_rss:
        return start_rss(c);
    case admin_opcode::set_rx_mode:
        return start_rx_mode(c);
    case admin_opcode::set_mac:
        return set_mac(c);
    case admin_opcode::set_mtu:
        return set_mtu(c);
    case admin_opcode::set_offloads:
        return set_offloads(c);
    case admin_opcode::set_port:
        return set_port(c);
    case admin_opcode::set_vlan_filter:
        return start_vlan_filter(c);
    case admin_opcode::self_test:
        return start_self_test();
    }
    return admin_result{admin_status::bad_opcode, 0};
}

event_queue* admin_commands::admin_events() {
    const std::uint64_t id = s_.registers.get(regs::reg::ADMIN_EQ);
    if (id >= blocks_.eqs.size() || !blocks_.eqs[id]->exists())
        return nullptr;
    return blocks_.eqs[id].get();
}

void admin_commands::reset() {
    draining_ = false;
    ++generation_;
}

void admin_commands::dma_ended(std::uint64_t, bool dma_ok) {
    queue_->finish(dma_ok ? apply_data() : admin_result{admin_status::dma_error, at::buffer});
}

// ------------------------------------------------------------------------------ settings

admin_commands::answer admin_commands::modify_eq(const command& c) {
    if (c.queue_id() >= blocks_.eqs.size() || !blocks_.eqs[c.queue_id()]->exists())
        return no_such_queue(at::queue_id);
    if (const admin_result r = check_moderation(c); failed(r))
        return r;
    blocks_.eqs[c.queue_id()]->set_moderation(picoseconds::from_ns(c.moderation_ns()), c.moderation_events());
    return ok;
}

admin_commands::answer admin_commands::set_mac(const command& c) {
    const mac_address m = mac_from_register(c.mac());
    if (c.mac() >> 48 != 0 || m.is_group() || m.is_zero())
        return bad_param(at::mac);
    blocks_.rx.filter().set_own(m);
    s_.registers.set(regs::reg::CURRENT_MAC, c.mac());
    return ok;
}

admin_commands::answer admin_commands::set_mtu(const command& c) {
    if (c.param() < regs::min_mtu || c.param() > regs::max_mtu)
        return bad_param(at::param);
    const bytes longest = c.param() + ethernet_header_bytes + 2 * vlan_tag_bytes;
    blocks_.tx.set_max_frame(longest);
    blocks_.port.set_max_frame(longest);
    s_.registers.set(regs::reg::PORT_MTU, c.param());
    return ok;
}

admin_commands::answer admin_commands::set_offloads(const command& c) {
    const std::uint64_t possible = (features::rx_checksum::mask | features::vlan_strip::mask) & s_.features();
    if (c.param() & ~possible)
        return bad_param(at::param);
    blocks_.rx.set_offloads(features::rx_checksum::get(c.param()), features::vlan_strip::get(c.param()));
    return ok;
}

admin_commands::answer admin_commands::set_port(const command& c) {
    if (c.param() > 1)
        return bad_param(at::param);
    blocks_.port.set_enabled(c.param() == 1);
    return ok;
}

// ------------------------------------------------------------------------------ with data

admin_commands::answer admin_commands::identify(const command& c) {
    if (c.buffer_bytes() < regs::identify_data_view::bytes)
        return bad_param(at::buffer_bytes);
    const std::span<std::byte, regs::identify_data_view::bytes> room(data_.data(),
                                                                     regs::identify_data_view::bytes);
    std::memset(room.data(), 0, room.size());
    const regs::identify_data_view d(room);
    d.set_max_tx_queues(regs::max_queues);
    d.set_max_rx_queues(regs::max_queues);
    d.set_max_cqs(regs::max_cqs);
    d.set_max_eqs(regs::max_eqs);
    d.set_max_ring_log2(regs::max_ring_log2);
    d.set_max_mtu(regs::max_mtu);
    d.set_max_filters(regs::max_filters);
    d.set_max_tx_segments(regs::max_tx_segments);
    d.set_doorbell_pages(regs::doorbell_pages);
    d.set_msix_vectors(regs::msix_vectors);
    d.set_rss_table_entries(regs::rss_table_entries);
    d.set_rss_key_bytes(regs::rss_key_bytes);
    d.set_port_speed_mbps(static_cast<std::uint32_t>(s_.registers.get(regs::reg::PORT_SPEED)));
    d.set_firmware_version(static_cast<std::uint32_t>(s_.registers.get(regs::reg::FIRMWARE_VERSION)));
    d.set_serial_number(identity_.serial_number);
    d.set_permanent_mac(s_.registers.get(regs::reg::MAC_ADDRESS));
    write_batch batch;
    batch.add(c.buffer(), room);
    s_.dma.write(batch, this, 0);
    return std::nullopt;
}

/// Reads the first `octets` of the command's data structure; dma_ended() goes on.
admin_commands::answer admin_commands::read_then(const command& c, std::size_t least, std::size_t octets) {
    if (c.buffer_bytes() < least)
        return bad_param(at::buffer_bytes);
    s_.dma.read(c.buffer(), std::span(data_).first(octets), *this, 0);
    return std::nullopt;
}

admin_commands::answer admin_commands::start_rss(const command& c) {
    if (!s_.has<features::rss>())
        return admin_result{admin_status::bad_state, 0};
    return read_then(c, regs::rss_config_view::bytes, regs::rss_config_view::bytes);
}

admin_commands::answer admin_commands::start_rx_mode(const command& c) {
    if (c.param() > 3)
        return bad_param(at::param);
    if (c.count() > regs::max_filters)
        return bad_param(at::count);
    if (c.count() == 0)
        return apply_rx_mode();
    return read_then(c, std::size_t{c.count()} * 8, std::size_t{c.count()} * 8);
}

admin_commands::answer admin_commands::start_vlan_filter(const command& c) {
    if (!s_.has<features::vlan_filter>())
        return admin_result{admin_status::bad_state, 0};
    if (c.param() > 1)
        return bad_param(at::param);
    if (c.param() == 0) {
        blocks_.rx.filter().clear_vlans();
        return ok;
    }
    return read_then(c, max_data, max_data);
}

admin_result admin_commands::apply_data() {
    switch (opcode_) {
    case admin_opcode::set_rss:
        return apply_rss();
    case admin_opcode::set_rx_mode:
        return apply_rx_mode();
    case admin_opcode::set_vlan_filter:
        blocks_.rx.filter().set_vlans(data_);
        return ok;
    default:
        return ok; // identify: the data are in host memory
    }
}

admin_result admin_commands::apply_rss() {
    const regs::rss_config_const_view config(
        std::span<const std::byte, regs::rss_config_view::bytes>(data_.data(), regs::rss_config_view::bytes));
    if (config.enable() > 1)
        return bad_param(at::data);
    if (config.hash_types() > 0xf)
        return bad_param(at::data + 4);
    toeplitz::key_type key;
    for (std::size_t i = 0; i < key.size(); ++i)
        key[i] = std::byte{config.key(i)};
    rss::table_type table;
    for (std::size_t i = 0; i < table.size(); ++i) {
        table[i] = config.table(i);
        if (table[i] >= regs::max_queues)
            return bad_param(at::data + 48 + 2 * i);
    }
    blocks_.rx.rss().configure(config.enable() == 1, config.hash_types(), key, table);
    return ok;
}

admin_result admin_commands::apply_rx_mode() {
    std::array<mac_address, regs::max_filters> addresses;
    for (std::size_t i = 0; i < count_; ++i)
        addresses[i] = mac_address::load(data_.data() + 8 * i);
    blocks_.rx.filter().set_mode((param_ & 1) != 0, (param_ & 2) != 0, std::span(addresses).first(count_));
    return ok;
}

// ------------------------------------------------------------------------------ self test

admin_commands::answer admin_commands::start_self_test() {
    s_.events.schedule<&admin_commands::self_test_over>(s_.now() + s_.parameters.self_test_time, this,
                                                        generation_, s_.minima.touch);
    return std::nullopt;
}

void admin_commands::self_test_over(std::uint64_t generation) {
    if (generation != generation_)
        return;
    const std::uint32_t failures = run_self_test(faults_);
    queue_->finish({failures == 0 ? admin_status::ok : admin_status::self_test_failed, failures});
}

} // namespace vg810
