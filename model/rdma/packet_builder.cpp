// SPDX-License-Identifier: Apache-2.0
#include "model/rdma/packet_builder.h"

#include "core/telemetry.h"

#include <algorithm>
#include <cstring>

namespace vg810::rdma {

namespace {
constexpr std::size_t ip_at = ethernet_header_bytes;
constexpr std::size_t udp_at = ip_at + ipv4_header_bytes;
constexpr std::size_t behind_udp = udp_at + udp_header_bytes;
constexpr std::uint8_t ect0 = 2; // RFC 3168 5
constexpr std::uint8_t ttl = 64;
constexpr unsigned pad_of(bytes payload) {
    return static_cast<unsigned>(-payload & 3u); // IBTA 9.2.4
}
} // namespace

packet_builder::packet_builder(const path_address& a)
    : labels_(a.labels), peer_qp_(a.peer_qp), dscp_(a.dscp) {
    const ethernet_view<std::byte> eth(header_.data());
    eth.set_destination(a.peer_mac);
    eth.set_source(a.own_mac);
    eth.set_type(ethertype::ipv4);
    const ipv4_view<std::byte> ip(header_.data() + ip_at);
    ip.set_version_and_header_bytes(ipv4_header_bytes);
    ip.set_flags_and_offset(0x4000); // A17.3.1: not fragmented
    ip.set_ttl(ttl);
    ip.set_protocol(ip_protocol::udp);
    ip.set_source(a.own_ip);
    ip.set_destination(a.peer_ip);
    for (std::size_t i = 0; i < ipv4_header_bytes; i += 2)
        ip_sum_ += load_be<std::uint16_t>(header_.data() + ip_at + i);
    udp_view<std::byte>(header_.data() + udp_at).set_source_port(a.udp_source);
    labels_.classified = true;
    labels_.l3_offset = ip_at;
    labels_.ipv6 = false;
}

packet_builder::layout packet_builder::lay_out(std::size_t extended, bytes payload, bool telemetry) {
    layout l;
    l.bth = behind_udp + (telemetry ? telemetry_bytes : 0);
    l.stored = l.bth + bth_bytes + extended;
    l.packet = l.stored - ip_at + payload + pad_of(payload) + icrc_bytes;
    l.length = std::max(ip_at + l.packet, min_frame_bytes);
    return l;
}

bytes packet_builder::frame_bytes(opcode op, bytes payload, bool telemetry) {
    return lay_out(*extended_header_bytes(op), payload, telemetry).length;
}

frame_ptr packet_builder::start(frame_pool& pool, const layout& l, std::uint8_t tos) const {
    frame_ptr f = pool.make(l.length, l.stored);
    std::byte* const p = f->stored().data();
    std::memcpy(p, header_.data(), template_bytes);
    const ipv4_view<std::byte> ip(p + ip_at);
    const auto total = static_cast<std::uint16_t>(l.packet);
    ip.set_tos(tos);
    ip.set_total_length(total);
    std::uint32_t sum = ip_sum_ + tos + total;
    sum = (sum & 0xffff) + (sum >> 16);
    sum = (sum & 0xffff) + (sum >> 16);
    ip.set_checksum(static_cast<std::uint16_t>(~sum));
    const udp_view<std::byte> udp(p + udp_at);
    udp.set_destination_port(l.bth == behind_udp ? roce_udp_port : telemetry_udp_port);
    udp.set_length(static_cast<std::uint16_t>(total - ipv4_header_bytes));
    f->labels = labels_;
    f->labels.ecn_capable = (tos & 3) != 0;
    return f;
}

frame_ptr packet_builder::data(frame_pool& pool, const packet_plan& plan, std::uint32_t msn,
                               bool telemetry) const {
    const std::size_t extended = *extended_header_bytes(plan.op);
    const layout l = lay_out(extended, plan.payload, telemetry);
    frame_ptr f = start(pool, l, static_cast<std::uint8_t>(dscp_ << 2 | ect0));
    std::byte* const p = f->stored().data();
    if (telemetry) {
        telemetry_view<std::byte>(p + behind_udp).clear();
        f->labels.telemetry_offset = behind_udp;
    }
    bth_view<std::byte>(p + l.bth).fill(plan.op, pad_of(plan.payload), peer_qp_, plan.ack_request,
                                        plan.number);
    std::byte* const behind = p + l.bth + bth_bytes;
    std::memset(behind, 0, extended);
    if (extended >= reth_bytes)
        reth_view<std::byte>(behind).fill(plan.dma_offset, 0, static_cast<std::uint32_t>(plan.dma_length));
    else if (plan.op >= opcode::read_response_first && plan.op <= opcode::read_response_only &&
             extended == aeth_bytes)
        aeth_view<std::byte>(behind).fill(make_syndrome(syndrome_kind::ack, credits_invalid), msn);
    return f;
}

frame_ptr packet_builder::answer_frame(frame_pool& pool, const answer& a, const std::byte* telemetry) const {
    const std::size_t extended = aeth_bytes + (a.held ? selective_bytes : 0);
    const layout l = lay_out(extended, 0, telemetry != nullptr);
    frame_ptr f = start(pool, l, static_cast<std::uint8_t>(dscp_ << 2));
    std::byte* const p = f->stored().data();
    if (telemetry)
        std::memcpy(p + behind_udp, telemetry, telemetry_bytes);
    bth_view<std::byte>(p + l.bth).fill(opcode::acknowledge, 0, peer_qp_, false, a.number);
    std::byte* const behind = p + l.bth + bth_bytes;
    aeth_view<std::byte>(behind).fill(a.syndrome, a.msn);
    if (a.held)
        store_be<std::uint32_t>(behind + aeth_bytes, *a.held);
    return f;
}

frame_ptr packet_builder::cnp(frame_pool& pool, std::uint8_t dscp) const {
    const layout l = lay_out(cnp_payload_bytes, 0, false);
    frame_ptr f = start(pool, l, static_cast<std::uint8_t>(dscp << 2));
    std::byte* const p = f->stored().data();
    bth_view<std::byte>(p + l.bth).fill(opcode::cnp, 0, peer_qp_, false, 0, default_pkey, true);
    std::memset(p + l.bth + bth_bytes, 0, cnp_payload_bytes);
    return f;
}

} // namespace vg810::rdma
