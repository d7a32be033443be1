// SPDX-License-Identifier: Apache-2.0
#include "scenarios/run/counter_sampler.h"

namespace vg810::scenarios {

void counter_sampler::sample(std::uint64_t moment) {
    reading r{moment, now(), {}};
    for (const source& s : sources_)
        s(r.counters);
    readings_.push_back(std::move(r));
}

std::vector<metric> collect(const std::vector<const counter_sampler*>& samplers,
                            const std::vector<std::string>& names) {
    std::vector<metric> all;
    for (std::size_t moment = 0; moment < names.size(); ++moment)
        for (const counter_sampler* sampler : samplers)
            for (const auto& r : sampler->readings()) {
                if (r.moment != moment)
                    continue;
                for (const auto& [name, value] : r.counters)
                    all.push_back({r.at, names[moment], name, value});
            }
    return all;
}

} // namespace vg810::scenarios
