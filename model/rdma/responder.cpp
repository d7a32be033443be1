// SPDX-License-Identifier: Apache-2.0
#include "model/rdma/responder.h"

#include <utility>

namespace vg810::rdma {

namespace {

bool is_send(opcode op) {
    return op <= opcode::send_only_immediate;
}
bool is_last(opcode op) {
    switch (op) {
    case opcode::send_last:
    case opcode::send_last_immediate:
    case opcode::send_only:
    case opcode::send_only_immediate:
    case opcode::write_last:
    case opcode::write_last_immediate:
    case opcode::write_only:
    case opcode::write_only_immediate:
        return true;
    default:
        return false;
    }
}
bool is_first(opcode op) {
    switch (op) {
    case opcode::send_first:
    case opcode::send_only:
    case opcode::send_only_immediate:
    case opcode::write_first:
    case opcode::write_only:
    case opcode::write_only_immediate:
        return true;
    default:
        return false;
    }
}
/// 9.7.4.1.2: SEND takes its receive request with the first packet, WRITE with immediate with the last.
bool takes_receive(opcode op) {
    return op == opcode::send_first || op == opcode::send_only || op == opcode::send_only_immediate ||
           op == opcode::write_last_immediate || op == opcode::write_only_immediate;
}

} // namespace

std::optional<answer> responder::receive(const request_packet& r, responder_client& client) {
    if (refused_)
        return std::nullopt;
    const std::int32_t ahead = psn_ahead(r.number, expected_);
    if (ahead > 0)
        return early(r);
    return ahead == 0 ? accept(r, client) : late(r);
}

std::optional<answer> responder::accept(const request_packet& r, responder_client& client) {
    if (r.op == opcode::read_request) {
        if (within_ != message::none || r.dma_length > (bytes{1} << 31)) {
            refused_ = true;
            return respond(nak(nak_code::invalid_request));
        }
        if (!start_read(r.number, r.dma_length))
            return std::nullopt; // more READs than agreed: dropped, the requester will ask again
        complained_ = false;
        expected_ = psn_add(expected_, packets_for(r.dma_length, p_.path_mtu));
        message_start_ = expected_;
        msn_ = (msn_ + 1) & psn_mask;
        return std::nullopt;
    }
    if (!fits_message(r.op) || r.payload > p_.path_mtu || (!is_last(r.op) && r.payload != p_.path_mtu)) {
        refused_ = true;
        return respond(nak(nak_code::invalid_request));
    }
    if (takes_receive(r.op) && receives_ != unlimited) {
        if (receives_ == 0) {
            ++count_.out_of_buffer;
            return respond({make_syndrome(syndrome_kind::rnr_nak, static_cast<std::uint8_t>(p_.rnr_timer)),
                            expected_, msn_});
        }
        --receives_;
    }
    complained_ = false;
    ++count_.rx_data_packets;
    count_.rx_data_octets += r.payload;
    expected_ = psn_add(expected_, 1);
    octets_ += r.payload;
    within_ = is_last(r.op) ? message::none : is_send(r.op) ? message::send : message::write;
    if (is_last(r.op)) {
        msn_ = (msn_ + 1) & psn_mask;
        message_start_ = expected_;
        const bytes length = std::exchange(octets_, 0);
        client.message_complete(r.op, length);
    }
    const psn newest = r.number;
    if (kept_)
        run_held(client);
    // Go-back-0 has nothing to show for part of a message.
    const bool asked = r.ack_request && !(p_.loss_recovery == recovery::go_back_0 && !is_last(r.op));
    if (!asked && expected_ == psn_add(newest, 1))
        return std::nullopt;
    return respond({make_syndrome(syndrome_kind::ack, credits_invalid), psn_add(expected_, psn_mask), msn_});
}

/// Whether the packet may come where the message stands (9.7.4.1.1).
bool responder::fits_message(opcode op) const {
    if (op > opcode::write_only_immediate)
        return false;
    if (is_first(op))
        return within_ == message::none;
    return within_ == (is_send(op) ? message::send : message::write);
}

/// 9.7.5.1: a gap. Complains once until what is missing has come.
std::optional<answer> responder::early(const request_packet& r) {
    ++count_.out_of_sequence;
    answer a = nak(nak_code::psn_sequence_error);
    if (p_.loss_recovery == recovery::selective && r.op != opcode::read_request) {
        if (psn_ahead(r.number, expected_) >= static_cast<std::int32_t>(selective_window))
            return std::nullopt;
        if (!kept_)
            kept_ = std::make_unique<std::array<kept, selective_window>>();
        (*kept_)[r.number % selective_window] = {static_cast<std::uint16_t>(r.payload), r.op, true};
        a.held = r.number;
        return respond(a);
    }
    if (complained_)
        return std::nullopt;
    if (p_.loss_recovery == recovery::go_back_0 && within_ != message::none) {
        expected_ = message_start_;
        octets_ = 0;
        within_ = message::none;
        a.number = expected_;
    }
    complained_ = true;
    return respond(a);
}

/// 9.7.4.2: a duplicate. What was asked for is done again for a READ, acknowledged again for the rest.
std::optional<answer> responder::late(const request_packet& r) {
    ++count_.duplicate_request;
    if (r.op == opcode::read_request) {
        if (r.dma_length <= (bytes{1} << 31))
            start_read(r.number, r.dma_length);
        return std::nullopt;
    }
    if (!r.ack_request)
        return std::nullopt;
    return respond({make_syndrome(syndrome_kind::ack, credits_invalid), psn_add(expected_, psn_mask), msn_});
}

/// Packets that came early and now follow without a gap.
void responder::run_held(responder_client& client) {
    for (;;) {
        kept& k = (*kept_)[expected_ % selective_window];
        if (!k.there)
            return;
        k.there = false;
        accept({k.op, expected_, false, k.payload, 0}, client);
    }
}

answer responder::nak(nak_code c) const {
    return {make_syndrome(syndrome_kind::nak, static_cast<std::uint8_t>(c)), expected_, msn_};
}

/// Answers keep the order of their requests: behind READ responses still to be sent (9.7.3).
std::optional<answer> responder::respond(answer a) {
    if (reads_ == 0)
        return a;
    held_back_ = a;
    return std::nullopt;
}

std::optional<answer> responder::take_held_back() {
    if (reads_ != 0)
        return std::nullopt;
    return std::exchange(held_back_, std::nullopt);
}

bool responder::start_read(psn first, bytes octets) {
    if (reads_ == read_jobs)
        return false;
    jobs_[(first_job_ + reads_) % read_jobs] = {first, packets_for(octets, p_.path_mtu),
                                                static_cast<std::uint32_t>(octets), true};
    ++reads_;
    return true;
}

bytes responder::response_payload() const {
    const read_job& j = jobs_[first_job_];
    return j.left == 1 ? j.octets : p_.path_mtu;
}

packet_plan responder::send_response() {
    read_job& j = jobs_[first_job_];
    packet_plan p;
    p.payload = response_payload();
    p.op = j.first ? (j.left == 1 ? opcode::read_response_only : opcode::read_response_first)
                   : (j.left == 1 ? opcode::read_response_last : opcode::read_response_middle);
    p.number = j.next;
    j.next = psn_add(j.next, 1);
    j.octets -= static_cast<std::uint32_t>(p.payload);
    j.first = false;
    ++count_.tx_data_packets;
    if (--j.left == 0) {
        first_job_ = static_cast<std::uint8_t>((first_job_ + 1) % read_jobs);
        --reads_;
    }
    return p;
}

} // namespace vg810::rdma
