// SPDX-License-Identifier: Apache-2.0
#include "model/host_if/rx_queue.h"

#include "model/host_if/rx_path.h"

namespace vg810 {

void rx_queue::create(const rx_queue_config& config) {
    config_ = config;
    ring_.create(config.base, config.log2);
    exists_ = true;
    stopped_ = false;
    writes_ = 0;
    first_waiting = last_waiting = none;
    ++config_.cq->references;
}

void rx_queue::destroy() {
    --config_.cq->references;
    exists_ = false;
}

void rx_queue::read_ahead() {
    if (ring_.available() < batch && running())
        ring_.fetch();
}

rx_queue::claim rx_queue::offer(bytes length) const {
    claim c{rx_claim::wait, 0, {}};
    bytes room = 0;
    while (room < length) {
        if (c.count == max_chain) {
            c.verdict = rx_claim::too_long;
            return c;
        }
        if (c.count == ring_.available()) {
            c.verdict = ring_.posted() == ring_.available() ? rx_claim::out_of_buffer : rx_claim::wait;
            return c;
        }
        const regs::rx_descriptor_const_view d(ring_.at(c.count));
        if (d.length() == 0 || d.length() > 65535 || d.reserved() != 0) {
            ++c.count;
            c.verdict = rx_claim::bad_descriptor;
            return c;
        }
        c.buffers[c.count++] = {d.address(), d.length()};
        room += d.length();
    }
    c.verdict = rx_claim::fits;
    return c;
}

std::uint16_t rx_queue::use(std::uint16_t count) {
    const std::uint16_t first = ring_.next();
    ring_.use(count);
    ring_.give_back(ring_.next());
    return first;
}

void rx_queue::descriptors_arrived() {
    path_.serve(*this);
}

void rx_queue::fetch_failed() {
    path_.fail(*this, regs::queue_error::dma);
}

} // namespace vg810
