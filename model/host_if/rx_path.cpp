// SPDX-License-Identifier: Apache-2.0
#include "model/host_if/rx_path.h"

#include "core/checksum.h"

#include <bit>
#include <utility>

namespace vg810 {

using regs::counter;
using flags = regs::completion_flags;

namespace {
/// Octets of a frame that nobody stored (synthetic traffic) read as zeros.
constexpr std::array<std::byte, max_frame_bytes> zeros{};

template <typename Flag> void set_flag(std::uint8_t& whole) {
    whole = Flag::set(whole, true);
}
} // namespace

rx_path::rx_path(const services& s, picoseconds latency) : s_(s), latency_(latency) {
    for (auto& q : queues_)
        q = std::make_unique<rx_queue>(s_, *this);
}

void rx_path::set_offloads(bool checksum, bool strip_vlan) {
    check_checksums_ = checksum;
    strip_vlan_ = strip_vlan;
}

void rx_path::create(const rx_queue_config& config) {
    queue(config.id).create(config);
}

void rx_path::stop(rx_queue& q) {
    q.stop();
    drop_waiting(q);
}

bool rx_path::doorbell(std::uint32_t page, std::uint32_t id, std::uint16_t index) {
    if (id >= queues_.size() || !queue(id).running() || queue(id).config().page != page)
        return false;
    rx_queue& q = queue(id);
    if (!q.post(index)) {
        fail(q, regs::queue_error::bad_doorbell);
        return false;
    }
    q.read_ahead();
    serve(q);
    return true;
}

void rx_path::reset(mac_address own) {
    filter_.reset(own);
    rss_.reset();
    set_offloads(false, false);
    for (auto& q : queues_)
        if (q->exists()) {
            drop_waiting(*q);
            q->destroy();
        }
    buffer_used_ = window_used_ = 0;
    blocked_ = 0;
}

// ------------------------------------------------------------------------------ classify

void rx_path::frame_received(frame_ptr f) {
    s_.events.schedule<&rx_path::classify>(s_.now() + latency_, this, f.release(), s_.minima.touch);
}

void rx_path::classify(std::uint64_t released) {
    received_frame f;
    f.data = frame_ptr::adopt(released);
    const auto octets = std::as_const(*f.data).stored();
    if (octets.size() < ethernet_header_bytes) {
        ++s_.count(counter::rx_filtered);
        return;
    }
    const parse_result headers = parse(octets, f.data->length());
    const mac_address destination = mac_address::load(octets.data());
    if (!filter_.accepts(destination, headers)) {
        ++s_.count(counter::rx_filtered);
        return;
    }
    f.complete = s_.now() - latency_;
    f.rss = rss_.select(octets, headers);
    if (!queue(f.rss.queue).running()) {
        ++s_.count(counter::rx_no_queue);
        return;
    }
    set_flag<flags::rx>(f.flags);
    if (destination.is_group())
        set_flag<flags::multicast>(f.flags);
    if (strip_vlan_ && headers.vlan_tags != 0 &&
        load_be<std::uint16_t>(octets.data() + 12) == ethertype::vlan) {
        f.strip_vlan = true;
        f.vlan_tci = headers.vlan_tci;
        set_flag<flags::vlan_stripped>(f.flags);
    }
    if (check_checksums_)
        mark_checksums(f, headers);
    enqueue(queue(f.rss.queue), std::move(f));
}

void rx_path::mark_checksums(received_frame& f, const parse_result& headers) {
    const auto octets = std::as_const(*f.data).stored();
    const checksum_verdict l3 = check_ipv4_header(octets, headers);
    const checksum_verdict l4 = check_l4(octets, headers);
    if (l3 == checksum_verdict::good)
        set_flag<flags::l3_ok>(f.flags);
    if (l4 == checksum_verdict::good)
        set_flag<flags::l4_ok>(f.flags);
    const bool bad = l3 == checksum_verdict::bad || l4 == checksum_verdict::bad;
    if (bad) {
        set_flag<flags::csum_bad>(f.flags);
        ++s_.count(counter::rx_csum_bad);
    } else if (l4 == checksum_verdict::good) {
        ++s_.count(counter::rx_csum_good);
    }
}

// ------------------------------------------------------------------------------ wait

void rx_path::enqueue(rx_queue& q, received_frame f) {
    const bytes room = f.length();
    if (buffer_used_ + room > s_.parameters.receive_buffer) {
        ++s_.count(counter::rx_fifo_dropped);
        return;
    }
    buffer_used_ += room;
    std::uint32_t slot = free_;
    if (slot == rx_queue::none) {
        slot = static_cast<std::uint32_t>(store_.size());
        store_.emplace_back();
    } else {
        free_ = store_[slot].next;
    }
    store_[slot] = std::move(f);
    store_[slot].next = rx_queue::none;
    if (q.first_waiting == rx_queue::none)
        q.first_waiting = slot;
    else
        store_[q.last_waiting].next = slot;
    q.last_waiting = slot;
    serve(q);
}

/// Takes the first frame off the list; its room in the buffer is the caller's business.
void rx_path::drop_first(rx_queue& q) {
    const std::uint32_t slot = q.first_waiting;
    q.first_waiting = store_[slot].next;
    store_[slot].data = {};
    store_[slot].next = free_;
    free_ = slot;
}

void rx_path::drop_waiting(rx_queue& q) {
    while (q.first_waiting != rx_queue::none) {
        buffer_used_ -= store_[q.first_waiting].length();
        drop_first(q);
    }
}

void rx_path::fail(rx_queue& q, regs::queue_error error) {
    if (!q.running())
        return;
    stop(q);
    s_.errors.queue_stopped(regs::queue_kind::rx, q.config().id, error);
}

// ------------------------------------------------------------------------------ write

void rx_path::serve(rx_queue& q) {
    while (q.running() && q.first_waiting != rx_queue::none && serve_first(q)) {
    }
    q.read_ahead();
}

/// Whether the next frame may be tried.
bool rx_path::serve_first(rx_queue& q) {
    const bytes length = store_[q.first_waiting].length();
    if (window_used_ != 0 && window_used_ + length > s_.parameters.receive_window) {
        blocked_ |= 1u << q.config().id;
        return false;
    }
    const rx_queue::claim c = q.offer(length);
    switch (c.verdict) {
    case rx_claim::fits:
        write_frame(q, c);
        return true;
    case rx_claim::wait:
        q.read_ahead();
        return false;
    case rx_claim::out_of_buffer:
        ++s_.count(counter::rx_out_of_buffer);
        buffer_used_ -= length;
        drop_first(q);
        return true;
    case rx_claim::too_long:
        write_error(q, c.count, regs::completion_status::too_long);
        if (q.running()) {
            buffer_used_ -= length;
            drop_first(q);
        }
        return true;
    case rx_claim::bad_descriptor:
        write_error(q, c.count, regs::completion_status::bad_descriptor);
        return true;
    }
    return false;
}

namespace {

/// Spreads a frame, as a run of octets, over buffers.
class scatter {
  public:
    scatter(write_batch& batch, const rx_queue::claim& buffers) : batch_(batch), buffers_(buffers) {}
    void add(std::span<const std::byte> data) {
        while (!data.empty()) {
            const rx_queue::buffer& b = buffers_.buffers[current_];
            const std::size_t n = std::min<std::size_t>(data.size(), b.bytes - used_);
            batch_.add(b.address + used_, data.first(n));
            data = data.subspan(n);
            used_ += static_cast<std::uint32_t>(n);
            if (used_ == b.bytes) {
                ++current_;
                used_ = 0;
            }
        }
    }

  private:
    write_batch& batch_;
    const rx_queue::claim& buffers_;
    std::size_t current_ = 0;
    std::uint32_t used_ = 0;
};

} // namespace

void rx_path::write_frame(rx_queue& q, const rx_queue::claim& buffers) {
    const received_frame& f = store_[q.first_waiting];
    write_batch batch;
    scatter into(batch, buffers);
    auto octets = std::as_const(*f.data).stored();
    const std::size_t missing = f.data->length() - octets.size();
    if (f.strip_vlan) {
        into.add(octets.first(12));
        octets = octets.subspan(12 + vlan_tag_bytes);
    }
    into.add(octets);
    into.add(std::span(zeros).first(missing));

    completion c;
    c.queue_id = q.config().id;
    c.index = q.use(buffers.count);
    c.flags = f.flags;
    c.hash_type = f.rss.type;
    c.rss_hash = f.rss.hash;
    c.descriptors = static_cast<std::uint8_t>(buffers.count);
    c.length = static_cast<std::uint32_t>(f.length());
    c.vlan_tci = f.vlan_tci;
    c.timestamp = f.complete;
    if (!q.config().cq->add(batch, c)) {
        fail(q, q.config().cq->error());
        return;
    }
    submit(q, batch, f.length()); // the octets are copied by the PCIe side
    drop_first(q);
}

void rx_path::write_error(rx_queue& q, std::uint16_t descriptors, regs::completion_status status) {
    write_batch batch;
    completion c;
    c.queue_id = q.config().id;
    c.index = q.use(descriptors);
    c.status = status;
    set_flag<flags::rx>(c.flags);
    c.descriptors = static_cast<std::uint8_t>(descriptors);
    c.timestamp = s_.now();
    if (q.config().cq->add(batch, c))
        submit(q, batch, 0);
    else
        fail(q, q.config().cq->error());
}

void rx_path::submit(rx_queue& q, write_batch& batch, bytes room) {
    window_used_ += room;
    q.write_started();
    s_.dma.write(batch, this, std::uint64_t{q.config().id} << 32 | room);
}

void rx_path::dma_ended(std::uint64_t cookie, bool ok) {
    const bytes room = cookie & 0xffffffff;
    rx_queue& q = queue(static_cast<std::uint32_t>(cookie >> 32));
    window_used_ -= room;
    buffer_used_ -= room;
    q.write_ended();
    q.config().cq->landed(ok);
    if (!ok) {
        ++s_.count(counter::rx_dma_errors);
        fail(q, regs::queue_error::dma);
    }
    serve_blocked();
}

/// Round-robin: the queue behind the one served last comes first.
void rx_path::serve_blocked() {
    std::uint32_t waiting = std::rotr(std::exchange(blocked_, 0), static_cast<int>(next_blocked_));
    const std::uint32_t start = next_blocked_;
    for (; waiting != 0; waiting &= waiting - 1) {
        const auto id = (start + static_cast<std::uint32_t>(std::countr_zero(waiting))) % regs::max_queues;
        next_blocked_ = (id + 1) % regs::max_queues;
        serve(queue(id));
        if (blocked_ >> id & 1)
            next_blocked_ = id; // it still has the first claim
    }
}

} // namespace vg810
