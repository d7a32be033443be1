// SPDX-License-Identifier: Apache-2.0
#include "core/telemetry.h"
#include "model/rdma/engine.h"

#include <array>

namespace vg810::rdma {

namespace {

/// Where the UDP header is, given the BTH.
std::size_t udp_of(const frame& f, std::size_t bth) {
    const bool block =
        f.labels.telemetry_offset != 0 ||
        (bth >= telemetry_bytes + 2 * udp_header_bytes &&
         udp_view(f.stored().data() + bth - telemetry_bytes - udp_header_bytes).destination_port() ==
             telemetry_udp_port &&
         udp_view(f.stored().data() + bth - udp_header_bytes).destination_port() != roce_udp_port);
    return bth - udp_header_bytes - (block ? telemetry_bytes : 0);
}

bool marked(const frame& f) {
    const std::byte* const ip = f.stored().data() + f.labels.l3_offset;
    if (f.labels.l3_offset == 0)
        return false;
    return (f.labels.ipv6 ? ipv6_view(ip).traffic_class() & 3 : ipv4_view(ip).tos() & 3) == 3;
}

} // namespace

/// What the receiving functions need to know, read once; nothing when the lengths do not fit together.
std::optional<engine::arrival> engine::parse_arrival(const frame& f) {
    const auto bth = find_bth(f);
    if (!bth)
        return std::nullopt;
    const std::byte* const s = f.stored().data();
    const bth_view head(s + *bth);
    const std::size_t udp = udp_of(f, *bth), behind_udp = udp + udp_header_bytes;
    arrival a{f, s + *bth, head.op(), 0, 0, behind_udp == *bth ? nullptr : s + behind_udp};
    a.extended = *extended_header_bytes(a.op);
    // By UDP's length: a frame may be padded.
    const std::size_t headers = *bth - udp + bth_bytes + a.extended + head.pad() + icrc_bytes;
    const std::size_t length = udp_view(s + udp).length();
    if (length < headers || udp + length > f.length())
        return std::nullopt;
    a.payload = length - headers;
    return a;
}

void engine::receive(const frame& f, picoseconds now) {
    const auto a = parse_arrival(f);
    if (!a) {
        ++count_.rx_malformed;
        return;
    }
    const std::size_t index = bth_view(a->bth).destination() - first_qp;
    if (index >= pairs_.size()) {
        ++count_.rx_unknown_qp;
        return;
    }
    queue_pair& q = *pairs_[index];
    switch (a->op) {
    case opcode::acknowledge:
        return receive_answer(q, *a, now);
    case opcode::cnp:
        return receive_cnp(q, now);
    case opcode::read_response_first:
    case opcode::read_response_middle:
    case opcode::read_response_last:
    case opcode::read_response_only:
        return receive_response(q, *a, now);
    default:
        return receive_request(q, *a, now);
    }
}

void engine::receive_request(queue_pair& q, const arrival& a, picoseconds now) {
    notify_congestion(q, a.f, now);
    const bth_view head(a.bth);
    request_packet r{a.op, head.psn(), head.ack_request(), a.payload, 0};
    if (a.extended >= reth_bytes)
        r.dma_length = reth_view(a.bth + bth_bytes).length();
    if (const auto back = q.receives.receive(r, q))
        send_answer(q, *back, a.telemetry);
    if (q.receives.has_response())
        activate(q);
}

void engine::send_answer(queue_pair& q, const answer& a, const std::byte* telemetry) {
    control_[q.traffic_class].push(q.packets.answer_frame(frames_, a, telemetry));
    control_ready_ |= static_cast<priority_set>(1u << q.traffic_class);
    ++count_.acks_sent;
}

void engine::receive_response(queue_pair& q, const arrival& a, picoseconds now) {
    notify_congestion(q, a.f, now);
    ++count_.rx_data_packets;
    count_.rx_data_octets += a.payload;
    after(q, q.sends.response(bth_view(a.bth).psn(), q), now);
}

void engine::receive_answer(queue_pair& q, const arrival& a, picoseconds now) {
    const std::byte* const s = a.bth;
    const psn number = bth_view(s).psn();
    const aeth_view aeth(s + bth_bytes);
    const std::uint8_t syndrome = aeth.syndrome();
    const bool nak = kind_of(syndrome) == syndrome_kind::nak &&
                     static_cast<nak_code>(low_five_of(syndrome)) == nak_code::psn_sequence_error;
    const bool selective =
        nak && a.payload >= selective_bytes &&
        s + bth_bytes + aeth_bytes + selective_bytes <= a.f.stored().data() + a.f.stored().size();
    const requester::progress p =
        selective ? q.sends.negative_selective(number, load_be<std::uint32_t>(s + bth_bytes + aeth_bytes), q)
                  : q.sends.acknowledge(number, syndrome, q);
    if (q.flow->wants(VG810_CC_ACK) && (p.any || p.acknowledged != 0)) {
        vg810_cc_event e{};
        e.kind = VG810_CC_ACK;
        e.bytes = p.acknowledged;
        const psn newest = nak ? psn_add(number, psn_mask) : number;
        if (const auto left = q.departures->of(newest))
            e.rtt = static_cast<std::uint64_t>((now - *left).count());
        std::array<telemetry_hop, telemetry_hops> hops;
        std::array<vg810_cc_hop, VG810_CC_MAX_HOPS> told;
        if (const std::byte* block = q.telemetry_in ? a.telemetry : nullptr) {
            e.hop_count = q.telemetry_in->read(block, now, hops);
            for (unsigned i = 0; i < e.hop_count; ++i)
                told[i] = {hops[i].time, hops[i].tx_bytes, hops[i].queue_bytes, hops[i].rate};
            e.hop = told.data();
        }
        tell(q, e, now);
    }
    if (nak && q.flow->wants(VG810_CC_NAK)) {
        vg810_cc_event e{};
        e.kind = VG810_CC_NAK;
        tell(q, e, now);
    }
    after(q, p, now);
}

void engine::receive_cnp(queue_pair& q, picoseconds now) {
    ++count_.rp_cnp_handled;
    if (!q.flow->wants(VG810_CC_CNP))
        return;
    vg810_cc_event e{};
    e.kind = VG810_CC_CNP;
    tell(q, e, now);
    activate(q);
}

/// A17.9.3: a packet that met congestion is answered with a CNP, one in so much time for a queue pair, an
/// address or the port, as cards differ in.
void engine::notify_congestion(queue_pair& q, const frame& f, picoseconds now) {
    if (!marked(f))
        return;
    ++count_.np_ecn_marked_roce_packets;
    if (!c_.notification.on)
        return;
    const auto due = [&](picoseconds& last, bool& any) {
        if (any && now < last + c_.notification.min_time_between_cnps)
            return false;
        any = true;
        last = now;
        return true;
    };
    bool send = false;
    if (c_.notification.scope == cnp_scope::queue_pair) {
        send = due(q.last_cnp, q.cnp_sent);
    } else if (c_.notification.scope == cnp_scope::port) {
        send = due(last_cnp_, cnp_sent_);
    } else {
        const std::uint32_t peer = ipv4_view(f.stored().data() + f.labels.l3_offset).source().value();
        const auto [at, fresh] = cnp_by_destination_.try_emplace(peer, now);
        bool any = !fresh;
        send = due(at->second, any);
    }
    if (!send)
        return;
    const auto dscp = static_cast<std::uint8_t>(c_.notification.cnp_dscp);
    const priority p = c_.class_of_dscp[dscp & 63];
    control_[p].push(q.packets.cnp(frames_, dscp));
    control_ready_ |= static_cast<priority_set>(1u << p);
    ++count_.np_cnp_sent;
}

} // namespace vg810::rdma
