// SPDX-License-Identifier: Apache-2.0
#include "fabric/tap_bridge.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <linux/if_tun.h>
#include <stdexcept>
#include <sys/ioctl.h>
#include <unistd.h>

namespace vg810::fabric {

namespace {
constexpr picoseconds booked_ahead = 1_ms;
} // namespace

tap_port::tap_port(scheduler& clock, std::string name, frame_pool& pool, int tap, bits_per_second rate)
    : component(clock, std::move(name)), pool_(pool), tap_(tap), rate_(rate) {}

void tap_port::service(picoseconds time) {
    const picoseconds now = std::max(time, clock().now());
    while (free_at_ < now + booked_ahead) {
        const ssize_t n = read(tap_, buffer_.data(), buffer_.size());
        if (n > 0) {
            transmit(static_cast<std::size_t>(n), now);
            continue;
        }
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno != EAGAIN)
            throw namespace_error(name() + ": reading from the TAP interface: " + std::strerror(errno));
        return;
    }
}

void tap_port::transmit(std::size_t length, picoseconds now) {
    if (length > max_frame_bytes) {
        ++count_.oversize;
        return;
    }
    // 802.3 4.2.3.3: a MAC pads what is too short.
    frame_ptr f = pool_.make(std::max<bytes>(length, min_frame_bytes));
    const auto s = f->stored();
    std::copy_n(buffer_.begin(), length, s.begin());
    std::ranges::fill(s.subspan(length), std::byte{});
    const picoseconds first = std::max(now, free_at_), last = first + rate_.time_for(f->wire_bytes());
    free_at_ = first + rate_.time_for(f->slot_bytes());
    ++count_.to_fabric;
    end_->send(std::move(f), first, last);
}

void tap_port::frame_arrived(frame_ptr f) {
    const auto s = f->stored();
    if (f->fcs_bad)
        ++count_.bad_fcs;
    else if (s.size() != f->length())
        ++count_.no_payload;
    else if (write(tap_, s.data(), s.size()) == static_cast<ssize_t>(s.size()))
        ++count_.to_kernel;
    else
        ++count_.refused;
}

void tap_port::signal_changed(bool present, bits_per_second rate) {
    up_ = present && rate == rate_;
    int carrier = up_;
    if (ioctl(tap_, TUNSETCARRIER, &carrier) != 0)
        throw namespace_error(name() + ": setting the TAP interface's carrier: " + std::strerror(errno));
}

tap_bridge::tap_bridge(scheduler& clock, const std::string& name, frame_pool& pool,
                       const std::vector<tap_parameters>& taps, const std::vector<bits_per_second>& rates)
    : namespace_(taps) {
    if (rates.size() != taps.size())
        throw std::invalid_argument("host " + name + ": every TAP interface needs a rate");
    for (std::size_t i = 0; i < taps.size(); ++i)
        ports_.push_back(std::make_unique<tap_port>(clock, name + ".tap" + std::to_string(i), pool,
                                                    namespace_.tap(i), rates[i]));
}

void tap_bridge::power_on() {
    for (const auto& p : ports_)
        p->power_on();
}

void tap_bridge::service(picoseconds now) {
    for (const auto& p : ports_)
        p->service(now);
    namespace_.poll();
}

std::vector<int> tap_bridge::descriptors() const {
    std::vector<int> fds{namespace_.descriptor()};
    for (const auto& p : ports_)
        fds.push_back(p->descriptor());
    return fds;
}

} // namespace vg810::fabric
