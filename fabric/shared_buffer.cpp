// SPDX-License-Identifier: Apache-2.0
#include "fabric/shared_buffer.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>
#include <string>

namespace vg810::fabric {

void shared_buffer::set_ports(std::size_t ports) {
    all_.assign(ports * priorities, {});
    const auto queues = static_cast<bytes>(std::popcount(lossless_)) * ports;
    const bytes pool = p_.headroom_pool ? p_.headroom_pool : p_.headroom * queues;
    const bytes reserved = p_.reserved * ports * priorities;
    if (enabled() && pool + reserved >= p_.total)
        throw std::invalid_argument("buffer.total = " + std::to_string(p_.total) + " is too small: " +
                                    std::to_string(ports) + " ports take " + std::to_string(pool) +
                                    " octets of headroom and " + std::to_string(reserved) + " reserved");
    const auto sized = [](bytes n) { return static_cast<std::int64_t>(n); };
    reserved_ = sized(p_.reserved);
    xoff_ = sized(p_.xoff);
    alpha_ = std::llround(p_.alpha * 65536);
    lossy_alpha_ = std::llround(p_.lossy_alpha * 65536);
    xon_offset_ = sized(p_.xon_offset);
    headroom_ = sized(p_.headroom);
    pool_size_ = sized(pool);
    shared_size_ = enabled() ? sized(p_.total - pool - reserved) : 0;
}

admission shared_buffer::admit(port_index in, priority p, bytes n, bytes depth) {
    ingress& q = all_[in * priorities + p];
    const auto size = static_cast<std::int64_t>(n);
    if (lossless_ >> p & 1)
        return admit_lossless(q, size);
    const bool own = q.used + size <= reserved_;
    if (!own && shared_used_ + size > shared_size_)
        return admission::shared_full;
    if (!own && static_cast<std::int64_t>(depth) + size > lossy_alpha_ * free() >> 16)
        return admission::egress_full;
    count(q, size);
    return admission::admitted;
}

admission shared_buffer::admit_lossless(ingress& q, std::int64_t n) {
    const auto limit = static_cast<std::int64_t>(threshold());
    const bool fits =
        q.used + n <= reserved_ || (shared_part(q.used) <= limit && shared_used_ + n <= shared_size_);
    if (fits) {
        count(q, n);
    } else {
        if (q.headroom + n > headroom_ || pool_used_ + n > pool_size_)
            return admission::headroom_full;
        q.headroom += n;
        q.deepest_headroom = std::max(q.deepest_headroom, q.headroom);
        pool_used_ += n;
    }
    if (q.xoff || (fits && shared_part(q.used) <= static_cast<std::int64_t>(threshold())))
        return admission::admitted;
    q.xoff = true;
    return admission::admitted_xoff;
}

void shared_buffer::count(ingress& q, std::int64_t n) {
    const std::int64_t before = shared_part(q.used);
    q.used += n;
    shared_used_ += shared_part(q.used) - before;
}

bool shared_buffer::release(port_index in, priority p, bytes n) {
    ingress& q = all_[in * priorities + p];
    const auto size = static_cast<std::int64_t>(n);
    const std::int64_t first = std::min(q.headroom, size); // headroom empties first
    if (q.used + q.headroom < size)
        throw std::logic_error("a shared buffer is told to release more than it holds");
    q.headroom -= first;
    pool_used_ -= first;
    count(q, first - size);
    if (!q.xoff || q.headroom > 0)
        return false;
    const std::int64_t shared = shared_part(q.used);
    if (shared > 0 && shared + xon_offset_ > static_cast<std::int64_t>(threshold()))
        return false;
    q.xoff = false;
    return true;
}

} // namespace vg810::fabric
