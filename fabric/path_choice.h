// SPDX-License-Identifier: Apache-2.0
// Which of several equal paths a frame takes: by its flow's hash (RFC 2992), by flowlet (Kandula et al.,
// "Dynamic Load Balancing Without Packet Reordering", 2007), or frame by frame.
#pragma once

#include "core/random.h"
#include "fabric/forwarding.h"
#include "fabric/switch_parameters.h"

#include <cstdint>
#include <vector>

namespace vg810::fabric {

class path_choice {
  public:
    /// `hash_seed` tells the switches of a fabric apart; `seed` and `name` start the random choices.
    path_choice(const balancing_parameters& p, std::uint64_t hash_seed, std::uint64_t seed,
                std::string_view name);

    /// Precondition: `r.live` is not empty.
    port_index choose(forwarding_table::route r, std::uint64_t flow_hash, picoseconds now) {
        const std::size_t n = r.live->size();
        return n == 1 ? r.live->front() : (*r.live)[index(r, n, flow_hash, now)];
    }

  private:
    struct flowlet {
        picoseconds last;
        std::uint32_t path = 0;
        bool seen = false;
    };
    /// Flows that share an entry share their flowlets, as in hardware.
    static constexpr std::size_t flowlets = 4096;

    std::size_t index(forwarding_table::route r, std::size_t n, std::uint64_t flow_hash, picoseconds now);

    balancing_parameters p_;
    std::uint64_t hash_seed_;
    random_stream random_;
    std::vector<flowlet> flowlets_;
};

} // namespace vg810::fabric
