// SPDX-License-Identifier: Apache-2.0
// What each host of a group does in one repetition: sends and waits for data, in order. Sends do not block;
// a wait ends when that many messages of the peer have arrived. So the steps of an operation are held
// together by their data alone, as in a message-passing library, and by no clock.
#pragma once

#include "core/units.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace vg810::scenarios {

struct program_step {
    enum class action : std::uint8_t { send, receive };
    action what;
    std::uint32_t peer; ///< position in the group
    bytes length = 0;   ///< of a send, octets
};

using program = std::vector<program_step>;
/// One program a member of the group.
using programs = std::vector<program>;

/// Why the operation cannot be done by `members` hosts on `size` octets in `slices`; nothing when it can.
std::optional<std::string> refuse_ring(std::size_t members, bytes size, std::uint32_t slices);
std::optional<std::string> refuse_halving_doubling(std::size_t members, bytes size, std::uint32_t slices);

/// Ring all-reduce of `size` octets (Patarasuk and Yuan, "Bandwidth optimal all-reduce algorithms for
/// clusters of workstations", 2009): reduce-scatter, then all-gather, 2 (N - 1) steps of size / N.
programs ring_all_reduce(std::size_t members, bytes size);
/// The second half of it alone: every member ends with `size` octets, of which it had size / N.
programs ring_all_gather(std::size_t members, bytes size);
/// Up a binary tree and down again, `size` octets a link; member 0 is the root.
programs tree_all_reduce(std::size_t members, bytes size);
/// Recursive halving, then recursive doubling (Rabenseifner, 2004). Members: a power of two.
programs halving_doubling_all_reduce(std::size_t members, bytes size);
/// Each sends `size` octets to each other, its next neighbour first.
programs all_to_all(std::size_t members, bytes size);
/// Member 0 gets `size` octets of each other at the same time; with `request` > 0 it asks for them first.
programs incast(std::size_t members, bytes size, bytes request);
/// Member i sends `size` octets to target[i].
programs permutation(const std::vector<std::uint32_t>& target, bytes size);

} // namespace vg810::scenarios
