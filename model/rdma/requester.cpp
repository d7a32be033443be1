// SPDX-License-Identifier: Apache-2.0
#include "model/rdma/requester.h"

#include <algorithm>
#include <utility>

namespace vg810::rdma {

// ------------------------------------------------------------------------------ post

void requester::post(const work_request& r, picoseconds now, requester_client& client) {
    work_entry* const e = pool_.take();
    e->request = r;
    e->posted = now;
    e->first = post_psn_;
    e->message = messages_++ & psn_mask;
    e->packets = packets_for(r.length, p_.path_mtu);
    if (failed_) {
        client.request_ended(*e, work_status::flushed);
        pool_.give_back(e);
        return;
    }
    post_psn_ = psn_add(post_psn_, e->packets);
    (head_ ? tail_->next : head_) = e;
    tail_ = e;
    if (!cursor_)
        cursor_ = e;
}

// ------------------------------------------------------------------------------ send

bool requester::held(psn p) const {
    return held_[p % selective_window / 64] >> p % 64 & 1;
}

void requester::skip_held() {
    while (resends() && held(resend_next_))
        resend_next_ = psn_add(resend_next_, 1);
}

bool requester::can_send(std::uint64_t window) const {
    if (resends())
        return true;
    if (!cursor_)
        return false;
    const std::uint32_t flying = in_flight();
    if (flying >= static_cast<std::uint64_t>(p_.max_outstanding) ||
        (p_.loss_recovery == recovery::selective && flying >= selective_window))
        return false;
    if (cursor_->request.kind == work_kind::read)
        return reads_outstanding_ < p_.max_reads;
    return flying == 0 || (std::uint64_t{flying} + 1) * p_.path_mtu <= window;
}

requester::place requester::find(psn p) const {
    work_entry* e = head_;
    while (psn_ahead(p, e->first) >= static_cast<std::int32_t>(e->packets))
        e = e->next;
    return {e, static_cast<std::uint32_t>(psn_ahead(p, e->first))};
}

requester::place requester::next_place() const {
    return resends() ? find(resend_next_)
                     : place{cursor_, static_cast<std::uint32_t>(psn_ahead(next_, cursor_->first))};
}

bytes requester::next_payload() const {
    const place at = next_place();
    return at.entry->request.kind == work_kind::read ? 0 : at.entry->packet_payload(at.index, p_.path_mtu);
}

packet_plan requester::send(std::uint64_t window) {
    const place at = next_place();
    if (resends()) {
        packet_plan p = plan(at, true);
        p.ack_request = true;
        resend_next_ = psn_add(resend_next_, 1);
        skip_held();
        return p;
    }
    const bool again = psn_ahead(next_, ahead_) < 0;
    const bool read = at.entry->request.kind == work_kind::read;
    packet_plan p = read ? plan_read(at, again) : plan(at, again);
    next_ = psn_add(next_, read ? at.entry->packets - at.index : 1);
    if (read)
        ++reads_outstanding_;
    if (psn_ahead(next_, ahead_) > 0)
        ahead_ = next_;
    if (read || at.index + 1 == at.entry->packets)
        cursor_ = at.entry->next;
    // Whoever has to stop here must hear of it, or would wait for the timer.
    p.ack_request = !read && (at.index + 1 == at.entry->packets || ++since_ack_request_ >= p_.ack_every ||
                              (cursor_ && !can_send(window)));
    if (p.ack_request)
        since_ack_request_ = 0;
    return p;
}

namespace {
// By work_kind: write, write_immediate, send.
constexpr opcode firsts[] = {opcode::write_first, opcode::write_first, opcode::send_first};
constexpr opcode middles[] = {opcode::write_middle, opcode::write_middle, opcode::send_middle};
constexpr opcode lasts[] = {opcode::write_last, opcode::write_last_immediate, opcode::send_last};
constexpr opcode onlies[] = {opcode::write_only, opcode::write_only_immediate, opcode::send_only};
} // namespace

packet_plan requester::plan(place at, bool again) {
    const work_entry& e = *at.entry;
    const auto kind = static_cast<std::size_t>(e.request.kind);
    const bool first = at.index == 0, last = at.index + 1 == e.packets;
    packet_plan p;
    p.op = first ? (last ? onlies : firsts)[kind] : (last ? lasts : middles)[kind];
    p.number = psn_add(e.first, at.index);
    p.payload = e.packet_payload(at.index, p_.path_mtu);
    p.dma_length = e.request.length;
    p.again = again;
    ++count_.tx_data_packets;
    if (again) {
        ++at.entry->retransmitted;
        ++count_.retransmitted_packets;
    } else {
        sent_total_ += p.payload;
    }
    return p;
}

/// 9.7.5.1: a READ that is asked for again starts at the first response that is missing.
packet_plan requester::plan_read(place at, bool again) {
    const work_entry& e = *at.entry;
    packet_plan p;
    p.op = opcode::read_request;
    p.number = psn_add(e.first, at.index);
    p.dma_offset = bytes{at.index} * p_.path_mtu;
    p.dma_length = e.request.length - p.dma_offset;
    p.again = again;
    if (again) {
        ++at.entry->retransmitted;
        ++count_.retransmitted_packets;
    }
    return p;
}

// ------------------------------------------------------------------------------ acknowledgements

/// Everything before `end` has arrived; what a READ waits for comes as its responses and by no other way.
void requester::acknowledge_before(psn end, progress& done, requester_client& client) {
    while (head_ && psn_ahead(end, unacknowledged_) > 0) {
        work_entry& e = *head_;
        if (e.request.kind == work_kind::read) {
            ++count_.implied_nak_seq_err; // 9.7.5.1.3: acknowledged beyond a READ whose data are missing
            rewind(unacknowledged_, done);
            return;
        }
        const std::uint32_t upto = std::min(static_cast<std::uint32_t>(psn_ahead(end, e.first)), e.packets);
        const bytes octets = e.payload_of(upto, p_.path_mtu) - e.payload_of(e.done, p_.path_mtu);
        done.acknowledged += octets;
        acknowledged_total_ += octets;
        e.done = upto;
        const psn now_at = psn_add(e.first, upto);
        for (psn p = unacknowledged_; p != now_at && p_.loss_recovery == recovery::selective;
             p = psn_add(p, 1))
            held_[p % selective_window / 64] &= ~(std::uint64_t{1} << p % 64);
        unacknowledged_ = now_at;
        done.any = true;
        if (e.done == e.packets)
            end_head(work_status::success, client);
    }
    if (!done.any)
        return;
    retries_ = rnr_retries_ = 0;
    // Acknowledged while waiting to be sent again: go on behind it.
    if (psn_ahead(unacknowledged_, next_) > 0) {
        next_ = unacknowledged_;
        cursor_ = head_ && next_ != post_psn_ ? find(next_).entry : nullptr;
    }
    if (psn_ahead(unacknowledged_, resend_next_) > 0)
        resend_next_ = unacknowledged_;
    if (psn_ahead(resend_next_, resend_end_) > 0)
        resend_end_ = resend_next_;
    skip_held();
}

requester::progress requester::acknowledge(psn number, std::uint8_t syndrome, requester_client& client) {
    progress done;
    const syndrome_kind kind = kind_of(syndrome);
    const bool positive = kind == syndrome_kind::ack;
    // 9.7.5.1.1: neither old ones nor those for packets never sent count ("ghosts").
    if (failed_ || psn_ahead(number, unacknowledged_) < 0 || psn_ahead(number, ahead_) >= 0)
        return done;
    acknowledge_before(positive ? psn_add(number, 1) : number, done, client);
    if (positive || failed_)
        return done;
    if (kind == syndrome_kind::rnr_nak) {
        ++count_.rnr_nak_retry_err;
        if (p_.rnr_retry != 7 && ++rnr_retries_ > p_.rnr_retry) {
            fail(work_status::rnr_retry_exceeded, client);
            return done;
        }
        done.wait = rnr_delay(low_five_of(syndrome));
        rewind(number, done);
        return done;
    }
    switch (static_cast<nak_code>(low_five_of(syndrome))) {
    case nak_code::psn_sequence_error:
        ++count_.packet_seq_err;
        // A complaint that comes with progress is the network's ordinary loss, not a retry in vain.
        if (!done.any && p_.loss_recovery == recovery::go_back_n &&
            !count_retry(work_status::retry_exceeded, client))
            return done;
        rewind(number, done);
        return done;
    case nak_code::remote_access_error:
        fail(work_status::remote_access, client);
        return done;
    case nak_code::remote_operational_error:
        fail(work_status::remote_operation, client);
        return done;
    case nak_code::invalid_request:
    case nak_code::invalid_rd_request:
        break;
    }
    fail(work_status::remote_invalid, client);
    return done;
}

requester::progress requester::negative_selective(psn missing, psn held_one, requester_client& client) {
    progress done;
    if (failed_ || psn_ahead(missing, unacknowledged_) < 0 || psn_ahead(held_one, ahead_) >= 0 ||
        psn_ahead(held_one, missing) >= static_cast<std::int32_t>(selective_window))
        return done;
    ++count_.packet_seq_err;
    acknowledge_before(missing, done, client);
    if (psn_ahead(held_one, unacknowledged_) <= 0)
        return done;
    held_[held_one % selective_window / 64] |= std::uint64_t{1} << held_one % 64;
    if (psn_ahead(held_one, resend_end_) > 0)
        resend_end_ = held_one; // what lies before it and is not held is lost
    done.rewound = resends();
    skip_held();
    return done;
}

requester::progress requester::response(psn number, requester_client& client) {
    progress done;
    if (failed_ || psn_ahead(number, unacknowledged_) < 0 || psn_ahead(number, ahead_) >= 0)
        return done;
    const place at = find(number);
    if (at.entry->request.kind != work_kind::read)
        return done;
    acknowledge_before(at.entry->first, done, client); // 9.7.5.1.2: a response acknowledges what came before
    if (head_ != at.entry || at.index != at.entry->done) {
        if (head_ == at.entry && at.index > at.entry->done) {
            ++count_.implied_nak_seq_err;
            rewind(unacknowledged_, done);
        }
        return done;
    }
    const bytes octets = at.entry->packet_payload(at.index, p_.path_mtu);
    ++at.entry->done;
    unacknowledged_ = psn_add(number, 1);
    done.any = true;
    done.acknowledged += octets;
    acknowledged_total_ += octets;
    retries_ = rnr_retries_ = 0;
    if (at.entry->done == at.entry->packets)
        end_head(work_status::success, client);
    if (psn_ahead(unacknowledged_, next_) > 0) {
        next_ = unacknowledged_;
        cursor_ = head_ && next_ != post_psn_ ? find(next_).entry : nullptr;
    }
    return done;
}

requester::progress requester::timed_out(requester_client& client) {
    progress done;
    ++count_.local_ack_timeout_err;
    if (!count_retry(work_status::retry_exceeded, client))
        return done;
    if (p_.loss_recovery == recovery::selective &&
        find(unacknowledged_).entry->request.kind != work_kind::read) {
        // The oldest one alone: its acknowledgement says what else is missing.
        resend_next_ = unacknowledged_;
        if (psn_ahead(resend_end_, resend_next_) <= 0)
            resend_end_ = psn_add(resend_next_, 1);
        done.rewound = true;
        return done;
    }
    rewind(unacknowledged_, done);
    return done;
}

// ------------------------------------------------------------------------------ again, and the end

void requester::rewind(psn to, progress& done) {
    if (psn_ahead(to, next_) > 0)
        return;
    next_ = to;
    since_ack_request_ = 0;
    done.rewound = true;
    cursor_ = nullptr;
    reads_outstanding_ = 0;
    if (to == post_psn_)
        return;
    cursor_ = find(to).entry;
    for (const work_entry* e = head_; e != cursor_; e = e->next)
        reads_outstanding_ += e->request.kind == work_kind::read;
}

bool requester::count_retry(work_status s, requester_client& client) {
    if (retries_ < p_.retry_count) {
        ++retries_;
        return true;
    }
    fail(s, client);
    return false;
}

void requester::end_head(work_status s, requester_client& client) {
    work_entry* const e = head_;
    head_ = e->next;
    if (cursor_ == e)
        cursor_ = head_;
    if (e->request.kind == work_kind::read && reads_outstanding_ > 0)
        --reads_outstanding_;
    client.request_ended(*e, s);
    pool_.give_back(e);
}

/// 10.3.1, 9.9.2.1: the request that broke the connection says why, the others are flushed.
void requester::fail(work_status s, requester_client& client) {
    failed_ = true;
    next_ = unacknowledged_ = ahead_ = resend_next_ = resend_end_ = post_psn_;
    cursor_ = nullptr;
    while (head_)
        end_head(std::exchange(s, work_status::flushed), client);
}

void requester::drop_all() {
    while (head_) {
        work_entry* const e = std::exchange(head_, head_->next);
        pool_.give_back(e);
    }
}

} // namespace vg810::rdma
