// SPDX-License-Identifier: Apache-2.0
#include "model/host_if/tx_engine.h"

#include <bit>
#include <utility>

namespace vg810 {

using regs::counter;
using status = regs::completion_status;

tx_engine::tx_engine(const services& s, frame_pool& frames) : s_(s), frames_(frames) {
    for (auto& q : queues_)
        q = std::make_unique<tx_queue>(s_, *this);
}

void tx_engine::create(const tx_queue_config& config) {
    queue(config.id).create(config);
    queues_in_use_ |= 1u << config.id;
}

void tx_engine::destroy(tx_queue& q) {
    q.destroy();
    queues_in_use_ &= ~(1u << q.config().id);
}

void tx_engine::stop(tx_queue& q, regs::queue_error error) {
    q.stop(error);
    settle(q);
}

void tx_engine::abandon(tx_queue& q) {
    q.stop(regs::queue_error::none);
    q.take_error();
    flush(q);
    settle(q);
}

/// What has not left will not leave.
void tx_engine::flush(tx_queue& q) {
    for (tx_packet* p = q.first(); p != nullptr; p = p->next)
        if (p->ok() && p->frames_out < p->frames)
            p->status = status::flushed;
    skip_hopeless(q);
}

bool tx_engine::doorbell(std::uint32_t page, std::uint32_t id, std::uint16_t index) {
    if (id >= queues_.size() || !queue(id).running() || queue(id).config().page != page)
        return false;
    tx_queue& q = queue(id);
    if (!q.post(index)) {
        stop(q, regs::queue_error::bad_doorbell);
        return false;
    }
    q.fetch();
    return true;
}

void tx_engine::reset() {
    ++epoch_;
    for (auto& q : queues_) {
        while (tx_packet* p = q->exists() ? q->first() : nullptr) {
            q->retire();
            release(*p);
        }
        if (q->exists())
            q->destroy();
    }
    queues_in_use_ = 0;
    can_start_ = 0;
    can_emit_ = 0;
    stuck_ = false;
    buffer_used_ = 0;
    max_frame_ = 1500 + 14 + 8;
}

// ------------------------------------------------------------------------------ start packets

void tx_engine::descriptors_arrived(tx_queue& q) {
    can_start_ |= 1u << q.config().id;
    pump();
}

/// Every queue in turn, until nobody has a packet or the buffer is full: the queue whose turn it is then
/// keeps it.
void tx_engine::pump() {
    if (pumping_)
        return;
    pumping_ = true;
    while (can_start_ != 0) {
        const std::uint32_t id = turn_of(can_start_, next_start_);
        const start_result result = start_from(queue(id));
        if (result == start_result::no_room) {
            next_start_ = id;
            break;
        }
        if (result == start_result::nothing_there)
            can_start_ &= ~(1u << id);
        next_start_ = (id + 1) % regs::max_queues;
    }
    pumping_ = false;
}

/// The first queue of a non-empty set, counted from the one whose turn it is.
std::uint32_t tx_engine::turn_of(std::uint32_t set, std::uint32_t first) {
    return (first + static_cast<std::uint32_t>(std::countr_zero(std::rotr(set, static_cast<int>(first))))) %
           regs::max_queues;
}

tx_engine::start_result tx_engine::start_from(tx_queue& q) {
    const tx_queue::look seen = q.next_packet();
    if (seen == tx_queue::look::broken)
        stop(q, regs::queue_error::bad_descriptor);
    if (seen != tx_queue::look::packet)
        return start_result::nothing_there;
    const std::uint16_t n = q.next_descriptor(0).segments();
    bytes length = 0;
    for (std::uint16_t i = 0; i < n; ++i)
        length += q.next_descriptor(i).length();
    const bool too_big = length > regs::max_tso_bytes + 255; // will be refused, not stored
    const bool full =
        packets_in_use_ == max_packets || (!too_big && buffer_used_ + length > s_.parameters.transmit_buffer);
    if (full)
        return start_result::no_room;
    start(q, *take_slot());
    q.fetch();
    return start_result::started;
}

tx_packet* tx_engine::take_slot() {
    ++packets_in_use_;
    if (free_ == nullptr) {
        packets_.push_back(std::make_unique<tx_packet>());
        packets_.back()->slot = static_cast<std::uint16_t>(packets_.size() - 1);
        return packets_.back().get();
    }
    return std::exchange(free_, free_->next);
}

void tx_engine::start(tx_queue& q, tx_packet& p) {
    const std::uint16_t n = q.next_descriptor(0).segments();
    std::array<std::uint64_t, regs::max_tx_segments> addresses;
    std::array<std::uint32_t, regs::max_tx_segments> lengths;
    for (std::uint16_t i = 0; i < n; ++i) {
        addresses[i] = q.next_descriptor(i).address();
        lengths[i] = q.next_descriptor(i).length();
    }
    p.chunk_count = p.arrived_chunks = p.pending = 0;
    p.frames = p.frames_out = 0;
    p.usable = 0;
    p.sent = false;
    const bytes length = inspect(q, p, n);
    q.take(p, n);
    if (!p.ok()) {
        p.length = 0;
        settle(q);
        return;
    }
    p.make_room(length);
    p.frames = frame_count(p.offload, length);
    buffer_used_ += length;
    if (p.offload.tso)
        ++s_.count(counter::tx_tso_packets);
    read_payload(p, {addresses.data(), n}, {lengths.data(), n});
}

/// Fills in what the descriptors say; the packet's length, and its status if it cannot be sent.
bytes tx_engine::inspect(const tx_queue& q, tx_packet& p, std::uint16_t descriptors) const {
    p.status = status::ok;
    bytes length = 0;
    for (std::uint16_t i = 0; i < descriptors; ++i) {
        const tx_queue::descriptor d = q.next_descriptor(i);
        if (d.length() == 0 || d.length() > 65535 || d.reserved() != 0)
            p.status = status::bad_descriptor;
        length += d.length();
    }
    p.wants_completion = regs::tx_descriptor_flags::completion::get(
        q.next_descriptor(static_cast<std::uint16_t>(descriptors - 1)).flags());
    p.offload = read_offload(q.next_descriptor(0));
    if (p.ok())
        p.status = check_request(p.offload, length, {s_.features(), max_frame_});
    return length;
}

void tx_engine::read_payload(tx_packet& p, std::span<const std::uint64_t> addresses,
                             std::span<const std::uint32_t> lengths) {
    const auto chunk = static_cast<std::uint32_t>(s_.parameters.read_chunk);
    std::uint32_t at = 0;
    for (std::size_t i = 0; i < addresses.size(); ++i)
        for (std::uint32_t done = 0; done < lengths[i]; done += chunk) {
            const std::uint32_t n = std::min(chunk, lengths[i] - done);
            const std::uint32_t index = p.chunk_count++;
            p.chunks[index] = {at + n, false};
            ++p.pending;
            s_.dma.read(addresses[i] + done, p.octets().subspan(at, n), *this,
                        std::uint64_t{p.slot} << 16 | index);
            at += n;
        }
}

void tx_engine::dma_ended(std::uint64_t cookie, bool ok) {
    tx_packet& p = *packets_[cookie >> 16];
    --p.pending;
    if (!ok && p.ok())
        p.status = status::dma_error;
    p.chunks[cookie & 0xffff].arrived = true;
    const std::uint32_t before = p.arrived_chunks;
    while (p.arrived_chunks < p.chunk_count && p.chunks[p.arrived_chunks].arrived)
        ++p.arrived_chunks;
    // One pipeline event for a whole packet, or for each stretch of a TSO packet.
    if (p.ok() && p.arrived_chunks != before && (p.offload.tso || p.arrived_chunks == p.chunk_count)) {
        ++p.pending;
        s_.events.schedule<&tx_engine::usable_grew>(s_.now() + s_.parameters.transmit_pipeline, this,
                                                    token_for(p) << 16 | (p.arrived_chunks - 1),
                                                    s_.minima.touch);
    }
    settle(*p.queue);
}

void tx_engine::usable_grew(std::uint64_t argument) {
    const std::uint64_t token = argument >> 16;
    if (token >> 16 != epoch_)
        return;
    tx_packet& p = *packets_[token & 0xffff];
    --p.pending;
    p.usable = p.chunks[argument & 0xffff].end;
    settle(*p.queue);
    mac_->kick();
}

// ------------------------------------------------------------------------------ send frames

outgoing_frame tx_engine::next_frame() {
    while (can_emit_ != 0 && !stuck_) {
        const std::uint32_t id = turn_of(can_emit_, next_emit_);
        next_emit_ = (id + 1) % regs::max_queues;
        if (outgoing_frame out = emit(queue(id)); out.data)
            return out;
    }
    return {};
}

/// The queue's next frame, or nothing if its packet turns out to be garbage.
outgoing_frame tx_engine::emit(tx_queue& q) {
    tx_packet& p = *q.emitting();
    outgoing_frame out;
    out.data = build_frame(frames_, p.offload, p.octets(), p.length, p.frames_out);
    if (!out.data) {
        p.status = status::bad_descriptor;
        settle(q);
        return out;
    }
    if (++p.frames_out == p.frames) {
        out.token = token_for(p);
        q.pass();
    }
    mark_emission(q);
    return out;
}

void tx_engine::frame_sent(std::uint64_t token) {
    if (token >> 16 != epoch_)
        return;
    tx_packet& p = *packets_[token & 0xffff];
    p.sent = true;
    settle(*p.queue);
}

void tx_engine::link_changed() {
    for (std::uint32_t left = queues_in_use_; left != 0; left &= left - 1)
        settle(queue(static_cast<std::uint32_t>(std::countr_zero(left))));
}

// ------------------------------------------------------------------------------ finish

/// Brings a queue up to date after anything happened to one of its packets: completes what is finished, in
/// order, passes over what will not be sent, reports an error once everything before it is done, and lets
/// others have the room that became free.
void tx_engine::settle(tx_queue& q) {
    const bool freed = retire_finished(q);
    mark_emission(q);
    if (q.first() == nullptr && !q.running()) {
        if (const regs::queue_error error = q.take_error(); error != regs::queue_error::none)
            s_.errors.queue_stopped(regs::queue_kind::tx, q.config().id, error);
        s_.errors.queue_drained();
    }
    if (freed)
        pump();
}

/// Whether there was any.
bool tx_engine::retire_finished(tx_queue& q) {
    bool any = false;
    skip_hopeless(q);
    while (tx_packet* p = q.first()) {
        if (!p->finished())
            break;
        if (!complete(q, *p)) { // the CQ has failed: nothing more can be told
            q.stop(q.config().cq->error());
            flush(q);
        }
        q.retire();
        release(*p);
        any = true;
    }
    return any;
}

void tx_engine::skip_hopeless(tx_queue& q) {
    while (tx_packet* p = q.emitting()) {
        if (p->ok() && !mac_->link_up() && p->usable == p->length) {
            p->status = status::flushed;
            ++s_.count(counter::tx_dropped_link_down);
        }
        if (p->ok())
            return;
        q.pass();
    }
}

/// Tells the driver if it asked or something is wrong; false if the completion queue cannot take it.
bool tx_engine::complete(tx_queue& q, const tx_packet& p) {
    if (!p.ok() && p.status != status::flushed)
        ++s_.count(counter::tx_errors);
    if (p.ok() && !p.wants_completion)
        return true;
    write_batch batch;
    completion c;
    c.queue_id = q.config().id;
    c.index = p.last_index;
    c.status = p.status;
    c.descriptors = p.descriptors;
    c.timestamp = s_.now();
    if (!q.config().cq->add(batch, c))
        return false;
    s_.dma.write(batch, q.config().cq, 0);
    return true;
}

void tx_engine::release(tx_packet& p) {
    buffer_used_ -= p.length;
    --packets_in_use_;
    p.queue = nullptr;
    p.next = std::exchange(free_, &p);
}

void tx_engine::mark_emission(tx_queue& q) {
    const std::uint32_t bit = 1u << q.config().id;
    if (q.emitting() != nullptr && q.emitting()->next_frame_usable())
        can_emit_ |= bit;
    else
        can_emit_ &= ~bit;
}

} // namespace vg810
