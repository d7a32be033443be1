// SPDX-License-Identifier: Apache-2.0
#include "scenarios/run/stop_signal.h"

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <sys/eventfd.h>
#include <system_error>
#include <unistd.h>

namespace vg810::scenarios {
namespace {

constexpr int signals[2] = {SIGINT, SIGTERM};

// All that a signal handler can reach. Set while a stop_signal lives.
std::atomic<int> event_fd{-1};
std::atomic<int> caught_signal{0};

void on_signal(int number) {
    const int saved = errno;
    int none = 0;
    if (!caught_signal.compare_exchange_strong(none, number)) {
        std::signal(number, SIG_DFL);
        std::raise(number); // again: the user insists
    }
    const std::uint64_t one = 1;
    (void)!::write(event_fd, &one, sizeof one);
    errno = saved;
}

} // namespace

stop_signal::stop_signal() : event_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    if (!event_)
        throw std::system_error(errno, std::generic_category(), "eventfd");
    caught_signal = 0;
    event_fd = event_.get();
    struct sigaction action {};
    action.sa_handler = on_signal;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    for (int i = 0; i < 2; ++i)
        ::sigaction(signals[i], &action, &before_[i]);
}

stop_signal::~stop_signal() {
    for (int i = 0; i < 2; ++i)
        ::sigaction(signals[i], &before_[i], nullptr);
    event_fd = -1;
}

int stop_signal::caught() const {
    return caught_signal;
}

} // namespace vg810::scenarios
