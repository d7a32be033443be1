// SPDX-License-Identifier: Apache-2.0
#include "qemu-device/guest_clock.h"

#include <fcntl.h>
#include <sys/eventfd.h>

#include <cassert>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <thread>

namespace vg810::qemu {

namespace {

// QEMU's main thread may have to run before a freshly registered eventfd is seen (its io_uring completes in
// the thread that submitted): after this many polls give it the processor.
constexpr int patient_after_polls = 4;
constexpr std::chrono::microseconds patience{100};

} // namespace

guest_clock::guest_clock(const options& o)
    : notify_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)), plugin_spin_(o.plugin_spin) {
    int ends[2];
    if (!notify_ || pipe2(ends, O_CLOEXEC) != 0)
        throw std::system_error(errno, std::generic_category(), "creating the descriptors shared with QEMU");
    alive_read_ = file_descriptor(ends[0]);
    alive_write_ = file_descriptor(ends[1]);
    policy_.spin = o.spin;
    policy_.limit = o.answer_limit;
}

std::string guest_clock::plugin_arguments(int memory_fd, int notify_fd, int alive_fd) const {
    return "memory_fd=" + std::to_string(memory_fd) + ",notify_fd=" + std::to_string(notify_fd) +
           ",alive_fd=" + std::to_string(alive_fd) + ",spin_ns=" + std::to_string(plugin_spin_.count());
}

void guest_clock::take_report() {
    seen_stop_ = shared_page::load(page_->stop.sequence);
    now_ns_ = page_->stop.now_ns;
    next_timer_ns_ = page_->stop.next_timer_ns;
    halted_ = page_->stop.halted != 0;
}

void guest_clock::end_run() {
    counts_.running_wall += wall_clock::now() - let_go_at_;
}

bool guest_clock::refresh() {
    const bool may_stop = state_ == guest_state::running || state_ == guest_state::starting;
    if (!may_stop || shared_page::load(page_->stop.sequence) == seen_stop_)
        return false;
    switch (shared_page::load(page_->stop.phase)) {
    case VG810_SYNC_STOPPED:
        if (state_ == guest_state::running)
            end_run();
        take_report();
        ++counts_.stops;
        state_ = guest_state::stopped;
        return true;
    case VG810_SYNC_EXITED:
    case VG810_SYNC_FAILED:
        state_ = guest_state::exited;
        return true;
    default:
        return false;
    }
}

void guest_clock::on_notify() {
    std::uint64_t count = 0;
    if (read(notify_.get(), &count, sizeof count) < 0 && errno != EAGAIN && errno != EINTR)
        throw std::system_error(errno, std::generic_category(), "reading QEMU's notification");
    refresh();
}

void guest_clock::set_exited() {
    state_ = guest_state::exited;
}

std::string guest_clock::plugin_error() const {
    if (shared_page::load(page_->stop.phase) != VG810_SYNC_FAILED)
        return {};
    return std::string(page_->error, strnlen(page_->error, sizeof page_->error));
}

void guest_clock::grant(std::int64_t until_ns) {
    assert(state_ == guest_state::stopped && until_ns > now_ns_);
    granted_ns_ = until_ns;
    page_->order.command = VG810_SYNC_GRANT;
    page_->order.until_ns = until_ns;
    state_ = guest_state::running;
    let_go_at_ = wall_clock::now();
    shared_page::post(page_->order.sequence);
}

std::int64_t guest_clock::ask(std::int64_t cut_ns) {
    page_->question.cut_ns = cut_ns;
    shared_page::post(page_->question.sequence);
    const std::uint32_t asked = page_->question.sequence;
    shared_page::wait(
        page_->answer.sequence, [&] { return shared_page::load(page_->answer.sequence) == asked; }, policy_);
    return page_->answer.now_ns;
}

std::int64_t guest_clock::enter_access() {
    assert(state_ != guest_state::in_access);
    before_access_ = state_;
    if (state_ == guest_state::running) {
        end_run();
        const wall_clock::time_point start = wall_clock::now();
        now_ns_ = page_->inline_time != 0 ? page_->answer.now_ns : ask(VG810_SYNC_NO_CUT);
        counts_.access_wall += wall_clock::now() - start;
    }
    ++counts_.accesses;
    state_ = guest_state::in_access;
    return now_ns_;
}

void guest_clock::leave_access(std::int64_t until_ns) {
    assert(state_ == guest_state::in_access && until_ns >= now_ns_);
    state_ = before_access_;
    if (state_ != guest_state::running)
        return;
    if (until_ns < granted_ns_)
        cut(until_ns);
    let_go_at_ = wall_clock::now();
}

void guest_clock::cut(std::int64_t until_ns) {
    const wall_clock::time_point start = wall_clock::now();
    if (page_->inline_time != 0) {
        page_->question.cut_ns = until_ns;
        __atomic_add_fetch(&page_->question.sequence, 1, __ATOMIC_RELEASE);
    } else {
        ask(until_ns);
    }
    granted_ns_ = until_ns;
    ++counts_.cuts;
    counts_.cut_wall += wall_clock::now() - start;
}

void guest_clock::deliver_interrupts(const std::function<bool()>& in_flight) {
    assert(state_ == guest_state::stopped);
    const wall_clock::time_point start = wall_clock::now();
    for (int polls = 0; in_flight() && state_ == guest_state::stopped; ++polls) {
        if (wall_clock::now() - start > policy_.limit)
            throw sync_error("QEMU does not take an interrupt that was raised");
        if (polls >= patient_after_polls)
            std::this_thread::sleep_for(patience);
        poll_interrupts();
    }
    ++counts_.deliveries;
    counts_.delivery_wall += wall_clock::now() - start;
}

void guest_clock::poll_interrupts() {
    page_->order.command = VG810_SYNC_DELIVER;
    shared_page::post(page_->order.sequence);
    shared_page::wait(
        page_->stop.sequence, [&] { return shared_page::load(page_->stop.sequence) != seen_stop_; }, policy_);
    if (shared_page::load(page_->stop.phase) == VG810_SYNC_STOPPED)
        take_report();
    else
        state_ = guest_state::exited;
    ++counts_.polls;
}

} // namespace vg810::qemu
