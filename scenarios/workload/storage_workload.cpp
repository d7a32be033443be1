// SPDX-License-Identifier: Apache-2.0
#include "scenarios/workload/storage_workload.h"

#include <fmt/format.h>

namespace vg810::scenarios {

storage_workload::storage_workload(scheduler& clock, traffic& messages, const workload_basis& basis,
                                   storage_plan plan)
    : workload(clock, messages, basis), plan_(std::move(plan)) {
    for (const host_index h : plan_.clients)
        clients_.push_back(
            {random_stream(basis.seed, fmt::format("{} at {}", basis.name, messages.host_name(h))), 0,
             std::vector<traffic::line>(plan_.outstanding)});
}

void storage_workload::begin() {
    schedule<&storage_workload::start>(now() + basis().start, this);
}

void storage_workload::start(std::uint64_t) {
    begun_ = true;
    end_ = now() + plan_.duration;
    for (std::size_t c = 0; c < clients_.size(); ++c)
        for (std::uint32_t place = 0; place < plan_.outstanding; ++place)
            request(c, place);
}

void storage_workload::request(std::uint64_t index, std::uint64_t place) {
    client& c = clients_[index];
    if (now() >= end_ || (plan_.requests > 0 && c.posted == plan_.requests))
        return;
    ++c.posted;
    ++active_;
    const bool read = c.random.uniform() < plan_.read_share;
    const host_index server = plan_.servers[c.random.below(plan_.servers.size())];
    const bytes length = plan_.sizes ? plan_.sizes->draw(c.random) : plan_.length;
    c.lines[place] = acquire(plan_.clients[index], server);
    post(c.lines[place], read ? message_kind::read : message_kind::write, length, index << 32 | place);
}

void storage_workload::message_over(std::uint64_t tag, const message_record& r) {
    const std::uint64_t index = tag >> 32, place = tag & 0xffffffff;
    --active_;
    if (r.ok)
        release(clients_[index].lines[place]);
    request(index, place);
}

} // namespace vg810::scenarios
