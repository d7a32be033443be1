// SPDX-License-Identifier: Apache-2.0
// The requests that the function itself answers, at a time its owner chooses, and the interrupts it raises.
#include "qemu-device/vfio_user_server.h"

#include <poll.h>

#include <algorithm>
#include <bit>
#include <cassert>
#include <cerrno>
#include <cstring>

namespace vg810::qemu {

using namespace vfio_user;

namespace {

set_irqs_payload set_irqs_of(const message& m) {
    set_irqs_payload p;
    std::memcpy(&p, m.payload.data(), sizeof p);
    return p;
}

// Anything but an eventfd could block its writer.
bool is_eventfd(const file_descriptor& fd) {
    char target[64];
    const std::string link = "/proc/self/fd/" + std::to_string(fd.get());
    const ssize_t n = readlink(link.c_str(), target, sizeof target);
    return n > 0 && std::string_view(target, static_cast<std::size_t>(n)) == "anon_inode:[eventfd]";
}

// 0 or the errno with which the message is refused.
int check_set_irqs(const message& m, std::size_t vectors) {
    if (m.payload.size() < sizeof(set_irqs_payload))
        return EINVAL;
    const set_irqs_payload p = set_irqs_of(m);
    const std::uint32_t data = p.flags & irq_data_mask;
    const std::uint32_t action = p.flags & irq_actions;
    if (p.argsz < sizeof p || p.index >= irq_type_count || !std::has_single_bit(data) ||
        !std::has_single_bit(action) || (p.flags & ~(irq_data_mask | irq_actions)) != 0)
        return EINVAL;
    if (m.payload.size() != sizeof p + (data == irq_data_bool ? p.count : 0))
        return EINVAL;
    if (m.fds.size() != p.count && !m.fds.empty())
        return EINVAL;
    if (!m.fds.empty() && (data != irq_data_eventfd || !std::ranges::all_of(m.fds, is_eventfd)))
        return EINVAL;
    const std::size_t available = p.index == msix_irq ? vectors : 0;
    if (p.start > available || p.count > available - p.start)
        return EINVAL;
    // MSI-X is masked in its table, which is QEMU's; this server reports no interrupt as maskable.
    if (action != irq_action_trigger && p.count > 0)
        return ENOTSUP;
    return 0;
}

} // namespace

void vfio_user_server::defer(message& m, const access_request& request) {
    access_ = request;
    pending_ = std::move(m);
    pending_reply_.clear();
    performed_ = false;
}

void vfio_user_server::defer_region_access(message& m, bool write) {
    region_access_payload p{};
    if (m.payload.size() < sizeof p)
        return refuse(m, EINVAL);
    std::memcpy(&p, m.payload.data(), sizeof p);
    const std::uint64_t size = p.region < region_count ? region_size(p.region) : 0;
    const std::size_t expected = sizeof p + (write ? p.count : 0);
    if (p.count == 0 || p.count > max_data_transfer || m.payload.size() != expected || p.offset >= size ||
        p.count > size - p.offset)
        return refuse(m, EINVAL);

    using kind = access_request::kind;
    const bool config = p.region == config_region;
    const kind what = config ? (write ? kind::write_config : kind::read_config)
                             : (write ? kind::write_bar : kind::read_bar);
    defer(m, {what, config ? 0 : p.region - first_bar_region, p.offset, p.count});
}

void vfio_user_server::defer_set_irqs(message& m) {
    if (const int error = check_set_irqs(m, vectors_.size()))
        return refuse(m, error);
    defer(m, {access_request::kind::set_interrupts, 0, 0, 0});
}

void vfio_user_server::perform_access() {
    assert(access_ && !performed_);
    performed_ = true;
    switch (access_->what) {
    case access_request::kind::read_config:
        return perform_config_access(false);
    case access_request::kind::write_config:
        return perform_config_access(true);
    case access_request::kind::read_bar:
        return perform_bar_access(false);
    case access_request::kind::write_bar:
        return perform_bar_access(true);
    case access_request::kind::reset:
        return function_->reset();
    case access_request::kind::set_interrupts:
        return perform_set_irqs();
    }
}

// Reads: the reply, its fixed part filled in. Writes: the request's data, and the reply is its fixed part.
std::span<std::byte> vfio_user_server::access_data() {
    constexpr std::size_t fixed = sizeof(region_access_payload);
    const bool write = access_->what == access_request::kind::write_config ||
                       access_->what == access_request::kind::write_bar;
    pending_reply_.resize(fixed + (write ? 0 : access_->length));
    std::memcpy(pending_reply_.data(), pending_.payload.data(), fixed);
    return std::span(write ? pending_.payload : pending_reply_).subspan(fixed);
}

void vfio_user_server::perform_config_access(bool write) {
    const std::span<std::byte> data = access_data();
    const auto offset = static_cast<std::uint32_t>(access_->offset);
    if (write)
        function_->write_config(offset, data);
    else
        function_->read_config(offset, data);
}

// A bus carries 1, 2, 4 or 8 bytes at a time; anything else is cut into such pieces, naturally aligned.
void vfio_user_server::perform_bar_access(bool write) {
    std::span<std::byte> data = access_data();
    std::uint64_t offset = access_->offset;
    const bool whole = std::has_single_bit(data.size()) && data.size() <= 8;
    while (!data.empty()) {
        const std::size_t aligned = offset == 0 ? 8 : std::size_t{1} << std::min(3, std::countr_zero(offset));
        const std::size_t step = whole ? data.size() : std::min(aligned, std::bit_floor(data.size()));
        if (write)
            function_->write_bar(access_->bar, offset, data.first(step));
        else
            function_->read_bar(access_->bar, offset, data.first(step));
        data = data.subspan(step);
        offset += step;
    }
}

void vfio_user_server::perform_set_irqs() {
    const set_irqs_payload p = set_irqs_of(pending_);
    if (p.index != msix_irq)
        return;
    const std::uint32_t data = p.flags & irq_data_mask;
    if (data == irq_data_none && p.count == 0) { // all vectors off
        for (vector_state& v : vectors_)
            v = {};
        return;
    }
    for (std::uint32_t i = 0; i < p.count; ++i) {
        vector_state& v = vectors_[p.start + i];
        if (data == irq_data_eventfd)
            v.eventfd = pending_.fds.empty() ? file_descriptor() : std::move(pending_.fds[i]);
        else if (data == irq_data_none || pending_.payload[sizeof p + i] != std::byte{0})
            raise(p.start + i);
    }
}

void vfio_user_server::send_reply() {
    assert(access_ && performed_);
    access_.reset();
    reply(pending_, pending_reply_);
    on_readable();
}

bool vfio_user_server::raise(unsigned vector) {
    vector_state& v = vectors_.at(vector);
    const std::uint64_t one = 1;
    if (!v.eventfd || ::write(v.eventfd.get(), &one, sizeof one) != sizeof one) {
        v.remembered = true;
        return false;
    }
    v.remembered = false;
    if (std::ranges::count(in_flight_, vector) == 0)
        in_flight_.push_back(vector);
    return true;
}

bool vfio_user_server::has_remembered() const {
    return std::ranges::any_of(vectors_, [](const vector_state& v) { return v.remembered && v.eventfd; });
}

unsigned vfio_user_server::raise_remembered() {
    unsigned raised = 0;
    for (unsigned i = 0; i < vectors_.size(); ++i)
        if (vectors_[i].remembered && vectors_[i].eventfd && raise(i))
            ++raised;
    return raised;
}

bool vfio_user_server::interrupts_in_flight() {
    std::erase_if(in_flight_, [this](unsigned vector) {
        pollfd p{vectors_[vector].eventfd.get(), POLLIN, 0};
        return p.fd < 0 || poll(&p, 1, 0) <= 0 || (p.revents & POLLIN) == 0;
    });
    return !in_flight_.empty();
}

} // namespace vg810::qemu
