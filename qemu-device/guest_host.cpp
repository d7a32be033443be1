// SPDX-License-Identifier: Apache-2.0
#include "qemu-device/guest_host.h"

#include <algorithm>
#include <utility>

namespace vg810::qemu {

guest_host::guest_host(std::string name, guest_clock* clock, promises card)
    : name_(std::move(name)), clock_(clock), card_(std::move(card)) {}

vfio_user_server& guest_host::add_function(pci_function_backend& function, const std::string& socket_path) {
    servers_.push_back(std::make_unique<vfio_user_server>(function, socket_path));
    return *servers_.back();
}

void guest_host::watch(std::vector<pollfd>& set) {
    if (gone_)
        return;
    for (const auto& server : servers_) {
        const short write = server->wants_write() ? POLLOUT : 0;
        set.push_back({server->poll_fd(), static_cast<short>(POLLIN | write), 0});
    }
    if (clock_)
        set.push_back({clock_->notify_fd(), POLLIN, 0});
}

bool guest_host::service(std::span<const pollfd> ready, const std::function<void()>& present) {
    if (gone_)
        return false;
    bool changed = false;
    // The stop first: a message that QEMU sends while it stops was sent before the report.
    if (clock_ && ready[servers_.size()].revents != 0) {
        clock_->on_notify();
        changed = true;
    }
    for (std::size_t i = 0; i < servers_.size(); ++i) {
        vfio_user_server& server = *servers_[i];
        if (ready[i].revents & POLLOUT)
            server.on_writable();
        if (ready[i].revents & (POLLIN | POLLHUP | POLLERR))
            server.on_readable();
        check(server);
        if (server.access() && std::ranges::count(waiting_, &server) == 0) {
            take_access(server, present);
            changed = true;
        }
    }
    return changed;
}

void guest_host::take_access(vfio_user_server& server, const std::function<void()>& present) {
    if (!clock_ || clock_->state() == guest_state::starting || clock_->state() == guest_state::stopped)
        return serve_at_once(server, present);
    if (clock_->state() == guest_state::running)
        clock_->enter_access();
    waiting_.push_back(&server);
}

// Paced mode; or the machine is being built, or is stopped at a known time: nothing to ask.
void guest_host::serve_at_once(vfio_user_server& server, const std::function<void()>& present) {
    while (server.access()) {
        present();
        server.perform_access();
        server.send_reply();
        if (!clock_)
            server.raise_remembered();
        check(server);
    }
}

void guest_host::check(vfio_user_server& server) {
    if (server.status() == vfio_user_server::state::failed && failure_.empty())
        set_gone("guest " + name_ + ": " + server.error());
    else if (!server.memory().sharing_error().empty() && failure_.empty())
        set_gone("guest " + name_ + ": " + server.memory().sharing_error());
}

void guest_host::set_gone(std::string why) {
    gone_ = true;
    if (failure_.empty())
        failure_ = std::move(why);
    waiting_.clear();
    if (clock_)
        clock_->set_exited();
}

paced_guest::phase guest_host::state() const {
    if (gone_)
        return phase::gone;
    switch (clock_->state()) {
    case guest_state::starting:
    case guest_state::running:
        return phase::running;
    case guest_state::stopped:
        return phase::stopped;
    case guest_state::in_access:
        return phase::access;
    case guest_state::exited:
        break;
    }
    return phase::gone;
}

picoseconds guest_host::time() const {
    return picoseconds::from_ns(clock_->now_ns());
}

picoseconds guest_host::next_action() const {
    const bool sleeps = clock_->state() == guest_state::stopped
                            ? clock_->halted() && !interrupted_
                            : clock_->state() == guest_state::running && asleep_;
    if (!sleeps)
        return time();
    return std::max(time(), picoseconds::from_ns(clock_->next_timer_ns()));
}

void guest_host::raise(unsigned function, std::uint16_t vector) {
    if (gone_)
        return;
    // A read that pushed it out of the card is still being served: QEMU must not see it before the guest
    // stops.
    if (clock_ && clock_->state() == guest_state::in_access) {
        raised_in_access_.emplace_back(function, vector);
        return;
    }
    servers_.at(function)->raise(vector);
    interrupted_ = true;
}

bool guest_host::interrupts_in_flight() {
    bool any = false;
    for (const auto& server : servers_)
        any = server->interrupts_in_flight() || any;
    return any;
}

void guest_host::grant(picoseconds until) {
    for (const auto& server : servers_)
        interrupted_ = server->raise_remembered() > 0 || interrupted_;
    for (const auto& [function, vector] : std::exchange(raised_in_access_, {}))
        raise(function, vector);
    if (interrupts_in_flight())
        clock_->deliver_interrupts([this] { return interrupts_in_flight(); });
    asleep_ = clock_->halted() && !interrupted_;
    interrupted_ = false;
    clock_->grant(until.floor_ns());
}

void guest_host::serve_access() {
    for (vfio_user_server* server : waiting_)
        server->perform_access();
}

void guest_host::finish_access(picoseconds until) {
    asleep_ = false;
    // A vector set up just now may have been raised before: it fires as soon as the guest stops, which is
    // now.
    const bool due = std::ranges::any_of(servers_, [](const auto& s) { return s->has_remembered(); });
    clock_->leave_access(due ? clock_->now_ns() : until.floor_ns());
    const std::vector<vfio_user_server*> served = std::exchange(waiting_, {});
    for (vfio_user_server* server : served) {
        server->send_reply();
        check(*server);
        if (server->access())
            take_access(*server, [] {});
    }
}

} // namespace vg810::qemu
