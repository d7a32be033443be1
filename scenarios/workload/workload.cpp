// SPDX-License-Identifier: Apache-2.0
#include "scenarios/workload/workload.h"

namespace vg810::scenarios {

workload::workload(scheduler& clock, traffic& messages, workload_basis basis)
    : component(clock, "workload " + basis.name), messages_(&messages), basis_(std::move(basis)),
      paths_(basis_.seed, "paths of " + basis_.name) {}

const std::vector<iteration>& workload::iterations() const {
    static const std::vector<iteration> none;
    return none;
}

traffic::line workload::connect(host_index from, host_index to, std::uint8_t dscp) {
    connection_options o = basis_.options;
    o.dscp = dscp;
    o.flow_label_hash = static_cast<std::uint16_t>(paths_.next());
    return messages_->connect(from, to, o);
}

traffic::line workload::acquire(host_index from, host_index to, std::uint8_t dscp) {
    auto& idle = idle_[key(from, to, dscp)];
    if (idle.empty())
        return connect(from, to, dscp);
    const traffic::line l = idle.back();
    idle.pop_back();
    return l;
}

void workload::release(const traffic::line& l) {
    idle_[key(l.from, l.to, l.dscp)].push_back(l);
}

} // namespace vg810::scenarios
