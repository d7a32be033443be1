// SPDX-License-Identifier: Apache-2.0
#include "fabric/path_choice.h"

namespace vg810::fabric {

path_choice::path_choice(const balancing_parameters& p, std::uint64_t hash_seed, std::uint64_t seed,
                         std::string_view name)
    : p_(p), hash_seed_(hash_seed), random_(seed, name),
      flowlets_(p.mode == balancing::flowlet ? flowlets : 0) {}

std::size_t path_choice::index(forwarding_table::route r, std::size_t n, std::uint64_t flow_hash,
                               picoseconds now) {
    switch (p_.mode) {
    case balancing::flow:
        break;
    case balancing::flowlet: {
        flowlet& f = flowlets_[seeded(flow_hash, hash_seed_) % flowlets];
        if (!f.seen || now - f.last > p_.flowlet_gap)
            f.path = static_cast<std::uint32_t>(random_.below(n));
        f.seen = true;
        f.last = now;
        return f.path % n; // a port may have gone down meanwhile
    }
    case balancing::spray:
        return (*r.turn)++ % n;
    case balancing::spray_random:
        return static_cast<std::size_t>(random_.below(n));
    }
    // Multiply-shift keeps the choice even for any group size and uses the hash's high bits.
    return static_cast<std::size_t>(static_cast<unsigned __int128>(seeded(flow_hash, hash_seed_)) * n >> 64);
}

} // namespace vg810::fabric
