// SPDX-License-Identifier: Apache-2.0
#include "model/pcie/dma_engine.h"

#include "core/endian.h"
#include "model/pcie/tlp_split.h"

#include <algorithm>
#include <stdexcept>

namespace vg810::pcie {

namespace {
constexpr std::size_t longest_transfer = 65536;
constexpr std::uint32_t message_bytes = 4;

void check_length(std::size_t length) {
    if (length == 0 || length > longest_transfer)
        throw std::length_error("DMA of " + std::to_string(length) + " octets: must be 1 .. 65536");
}
} // namespace

dma_engine::dma_engine(scheduler& clock, std::string name, unsigned function, const surroundings& s)
    : component(clock, std::move(name)), around_(s), function_(function),
      requester_(static_cast<std::uint16_t>(0x0100 | function)) {}

// ----------------------------------------------------------------------------------------------------
// requests

void dma_engine::read(std::uint64_t address, std::span<std::byte> target, dma_client& client,
                      std::uint64_t cookie) {
    check_length(target.size());
    const handle h = new_request(kind::read, &client, cookie);
    request& r = *requests_.find(h);
    r.address = address;
    r.target = target;
    r.issued = r.delivered = 0;
    if (!may_request())
        return refuse(h, dma_status::bus_master_disabled);
    waiting_.push(h);
    issue_reads();
}

void dma_engine::write(std::span<const dma_piece> pieces, dma_client* client, std::uint64_t cookie) {
    std::size_t total = 0;
    for (const dma_piece& p : pieces)
        total += p.data.size();
    check_length(total);
    const handle h = new_request(kind::write, client, cookie);
    if (!may_request())
        return refuse(h, dma_status::bus_master_disabled);

    request& r = *requests_.find(h);
    for (const dma_piece& p : pieces) {
        r.parts.push_back({p.address, static_cast<std::uint32_t>(p.data.size())});
        r.data.insert(r.data.end(), p.data.begin(), p.data.end());
    }
    post(h, r);
}

void dma_engine::interrupt(std::uint16_t vector) {
    if (vector >= around_.vectors.vectors())
        return around_.errors.report(aer_error::internal_error, nullptr, false);
    if (around_.vectors.trigger(vector))
        send_message(vector);
}

void dma_engine::release_interrupts() {
    while (const auto vector = around_.vectors.take_ready())
        send_message(*vector);
}

void dma_engine::send_message(std::uint16_t vector) {
    const handle h = new_request(kind::interrupt, nullptr, 0);
    request& r = *requests_.find(h);
    const msix_message m = around_.vectors.message(vector);
    r.vector = vector;
    r.parts.push_back({m.address, message_bytes});
    r.data.resize(message_bytes);
    store_le(r.data.data(), m.data);
    post(h, r);
}

dma_engine::handle dma_engine::new_request(kind what, dma_client* client, std::uint64_t cookie) {
    const handle h = requests_.take();
    request& r = *requests_.find(h);
    r.what = what;
    r.number = next_number_++;
    r.client = client;
    r.cookie = cookie;
    r.status = dma_status::ok;
    r.landing = false;
    r.data.clear();
    r.parts.clear();
    return h;
}

void dma_engine::refuse(handle h, dma_status status) {
    requests_.find(h)->status = status;
    schedule<&dma_engine::refused>(now(), this, h, touch_latency());
}

void dma_engine::refused(std::uint64_t h) {
    if (const request* r = requests_.find(h))
        finish(h, r->status);
}

// ---------------------------------------------------------------------------------------------------- onto
// the link

/// A write or message: all its packets, one behind the other.
void dma_engine::post(handle h, request& r) {
    r.packet_limit = around_.config.max_payload();
    bytes octets = 0;
    for (const write_part& p : r.parts)
        split_request(p.address, p.length, r.packet_limit, [&](std::uint64_t address, std::uint32_t length) {
            octets += padded(address, length) + static_cast<bytes>(around_.wire.parameters().write_overhead);
            counters_.write_requests += r.what == kind::write;
        });
    (r.what == kind::write ? counters_.write_bytes : counters_.interrupts) +=
        r.what == kind::write ? r.data.size() : 1;
    depart({r.what, h, 0}, around_.wire.send_upstream(now(), octets));
}

unsigned dma_engine::tag_limit() const {
    const auto own = static_cast<unsigned>(around_.wire.parameters().tags);
    return around_.config.extended_tags() ? own : std::min(own, 32U); // 2.2.6.2: 5-bit tags
}

void dma_engine::issue_reads() {
    while (!waiting_.empty()) {
        const handle owner = waiting_.front();
        request& r = *requests_.find(owner);
        issue_burst(owner, r);
        if (r.issued < r.target.size())
            return; // out of tags: deliver() comes back here
        waiting_.pop();
    }
}

/// Sends as many of the read's requests as there are tags for.
void dma_engine::issue_burst(handle owner, request& r) {
    const std::uint32_t limit = around_.config.max_read_request();
    const unsigned tags = tag_limit();
    const auto overhead = static_cast<bytes>(around_.wire.parameters().read_overhead);
    handle id = 0;
    burst* b = nullptr;
    picoseconds leaves = now();
    while (r.issued < r.target.size()) {
        const auto tag = tags_.take(tags);
        if (!tag)
            break;
        if (b == nullptr) {
            id = bursts_.take();
            b = bursts_.find(id);
            b->owner = owner;
            b->begin = r.issued;
            b->length = 0;
            b->packet_limit = limit;
            b->status = dma_status::ok;
            b->tags.clear();
        }
        b->tags.push_back(*tag);
        const std::uint32_t n = first_request(r.address + r.issued, r.target.size() - r.issued, limit);
        r.issued += n;
        b->length += n;
        leaves = around_.wire.send_upstream(now(), overhead);
        ++counters_.read_requests;
    }
    if (b != nullptr)
        depart({kind::read, id, 0}, leaves);
}

void dma_engine::depart(traveller t, picoseconds leaves) {
    const picoseconds span = around_.wire.parameters().touch_grouping;
    if (group_open_ && (group_began_ != now() || leaves - group_first_leaves_ > span))
        close_group();
    if (!group_open_) {
        ++group_;
        group_open_ = true;
        group_began_ = now();
        group_first_leaves_ = leaves;
        if (span > picoseconds{})
            schedule<&dma_engine::launch>(now(), this, group_, touch_latency());
    }
    group_arrives_ = leaves + around_.wire.to_memory();
    t.group = group_;
    travelling_.push(t);
    if (span == picoseconds{})
        close_group();
}

void dma_engine::close_group() {
    group_open_ = false;
    schedule<&dma_engine::arrive>(group_arrives_, this, group_);
}

/// The instant of a group's requests is over.
void dma_engine::launch(std::uint64_t group) {
    if (group_open_ && group == group_)
        close_group();
}

// ---------------------------------------------------------------------------------------------------- at the
// host

void dma_engine::arrive(std::uint64_t group) {
    while (!travelling_.empty() && travelling_.front().group <= group) {
        const traveller t = travelling_.pop();
        if (t.what == kind::read)
            sample(t.id);
        else
            land(t.id);
    }
}

void dma_engine::land_posted() {
    const std::size_t requested = travelling_.size(); // what a client adds meanwhile is later than the read
    for (std::size_t i = 0; i < requested && i < travelling_.size(); ++i)
        if (travelling_[i].what != kind::read)
            land(travelling_[i].id); // its place in the ring stays, and will be found to have landed
}

/// A write or message takes effect. The host may act on it at once, and even reset the function.
void dma_engine::land(handle h) {
    request* r = requests_.find(h);
    if (r == nullptr || r->landing)
        return; // a read has pushed it already, perhaps from within
    r->landing = true;
    if (r->what == kind::interrupt && around_.vectors.mode() == msix_mode::external) {
        const std::uint16_t vector = r->vector;
        requests_.release(h);
        sink_->raise(function_, vector);
        return;
    }
    std::size_t done = 0;
    dma_status status = dma_status::ok;
    for (std::size_t i = 0; i < r->parts.size(); ++i) {
        std::uint64_t address = r->parts[i].address;
        for (std::uint32_t left = r->parts[i].length; left > 0;) {
            const std::uint32_t n = first_request(address, left, r->packet_limit);
            const dma_status s = transfer(tlm::TLM_WRITE_COMMAND, address, r->data.data() + done, n, 0);
            if (requests_.find(h) == nullptr)
                return; // reset from within
            status = status == dma_status::ok ? s : status;
            address += n;
            left -= n;
            done += n;
        }
    }
    finish(h, status);
}

/// A read's requests take the data from memory; the completions follow each other down the link.
void dma_engine::sample(handle h) {
    burst* b = bursts_.find(h);
    if (b == nullptr)
        return;
    const request& r = *requests_.find(b->owner);
    const auto overhead = static_cast<bytes>(around_.wire.parameters().completion_overhead);
    const std::uint32_t mps = around_.config.max_payload(), rcb = around_.config.read_completion_boundary();
    bytes octets = 0;
    std::size_t done = b->begin;
    for (std::size_t i = 0; done < b->begin + b->length; ++i) {
        const std::uint64_t address = r.address + done;
        const std::uint32_t n = first_request(address, b->begin + b->length - done, b->packet_limit);
        const dma_status s = transfer(tlm::TLM_READ_COMMAND, address, r.target.data() + done, n, b->tags[i]);
        if (bursts_.find(h) == nullptr)
            return; // reset from within
        if (s == dma_status::ok || s == dma_status::poisoned)
            split_completion(address, n, mps, rcb, [&](std::uint64_t at, std::uint32_t length) {
                octets += padded(at, length) + overhead;
            });
        else
            octets += overhead;
        b->status = b->status == dma_status::ok ? s : b->status;
        done += n;
    }
    counters_.read_bytes += b->length;
    picoseconds at = around_.wire.send_downstream(now(), octets) + around_.wire.from_memory();
    if (b->status == dma_status::timeout)
        at = now() + around_.config.completion_timeout();
    if (at != never)
        schedule<&dma_engine::deliver>(at, this, h, touch_latency());
}

dma_status dma_engine::transfer(tlm::tlm_command command, std::uint64_t address, std::byte* data,
                                std::uint32_t length, std::uint8_t tag) {
    if (depth_ == payloads_.size()) {
        payloads_.push_back(std::make_unique<tlm::tlm_generic_payload>());
        payloads_.back()->set_extension(new tlp_extension); // the payload owns it
    }
    tlm::tlm_generic_payload& tlp = *payloads_[depth_];
    tlp.set_command(command);
    tlp.set_address(address);
    tlp.set_data_ptr(reinterpret_cast<unsigned char*>(data));
    tlp.set_data_length(length);
    tlp.set_streaming_width(length);
    tlp.set_byte_enable_ptr(nullptr);
    tlp.set_dmi_allowed(false);
    tlp.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    auto& extension = *tlp.get_extension<tlp_extension>();
    extension.space = address_space::memory;
    extension.requester = requester_;
    extension.tag = tag;
    extension.poisoned = false;
    extension.status = completion_status::success;

    ++depth_;
    around_.memory.transport(tlp);
    --depth_;

    dma_status status = dma_status::ok;
    if (tlp.get_response_status() == tlm::TLM_INCOMPLETE_RESPONSE)
        status = command == tlm::TLM_READ_COMMAND ? dma_status::timeout : dma_status::ok;
    else if (tlp.is_response_error() || extension.status != completion_status::success)
        status = dma_status::unsupported_request;
    else if (extension.poisoned)
        status = dma_status::poisoned;
    if (status != dma_status::ok && status != dma_status::timeout)
        log_error(tlp, status);
    return status;
}

/// The root complex would log these and send them to its own software (6.2.3.2); a virtual machine has none
/// that does, so the card keeps the record as well.
void dma_engine::log_error(const tlm::tlm_generic_payload& tlp, dma_status status) {
    const auto& extension = *tlp.get_extension<tlp_extension>();
    const bool writes = tlp.is_write(), aborted = extension.status == completion_status::completer_abort;
    const tlp_header header =
        memory_request_header(writes, tlp.get_address(), tlp.get_data_length(), requester_, extension.tag);
    if (status == dma_status::poisoned) {
        around_.config.set_poisoned_received();
        return around_.errors.report(aer_error::poisoned_tlp, &header, false);
    }
    if (!writes && aborted)
        around_.config.set_received_target_abort(); // 7.5.1.1.4: a completion with Completer Abort status
    else if (!writes)
        around_.config.set_received_master_abort(); // ... with Unsupported Request status
    around_.errors.report(aer_error::unsupported_request, &header, false);
}

// ---------------------------------------------------------------------------------------------------- back
// at the card

void dma_engine::deliver(std::uint64_t h) {
    burst* b = bursts_.find(h);
    if (b == nullptr)
        return;
    const handle owner = b->owner;
    request& r = *requests_.find(owner);
    for (const std::uint8_t tag : b->tags)
        tags_.give_back(tag);
    r.delivered += b->length;
    if (b->status == dma_status::timeout)
        around_.errors.report(aer_error::completion_timeout, nullptr, false);
    if (r.status == dma_status::ok)
        r.status = b->status;
    bursts_.release(h);

    const bool abandoned = r.status != dma_status::ok && r.issued < r.target.size();
    if (abandoned && !waiting_.empty() && waiting_.front() == owner)
        waiting_.pop(); // the rest is not worth asking for
    const bool finished = r.delivered == r.issued && (abandoned || r.issued == r.target.size());
    const dma_status status = r.status;
    issue_reads();
    if (finished)
        finish(owner, status);
}

void dma_engine::finish(handle h, dma_status status) {
    const request& r = *requests_.find(h);
    dma_client* const client = r.client;
    const std::uint64_t cookie = r.cookie;
    requests_.release(h);
    if (client != nullptr)
        client->dma_done(cookie, status);
}

// ---------------------------------------------------------------------------------------------------- stops

void dma_engine::forget() {
    travelling_.clear();
    waiting_.clear();
    group_open_ = false;
    bursts_.for_each([this](handle h, burst& b) {
        for (const std::uint8_t tag : b.tags)
            tags_.give_back(tag);
        bursts_.release(h);
    });
}

void dma_engine::stop() {
    forget();
    requests_.for_each([this](handle h, const request&) { refuse(h, dma_status::bus_master_disabled); });
}

void dma_engine::reset() {
    forget();
    std::vector<std::pair<std::uint64_t, handle>> order;
    requests_.for_each([&order](handle h, const request& r) { order.emplace_back(r.number, h); });
    std::ranges::sort(order);
    for (const auto& [number, h] : order)
        if (requests_.find(h) != nullptr)
            finish(h, dma_status::aborted);
    counters_ = {};
}

} // namespace vg810::pcie
