// SPDX-License-Identifier: Apache-2.0
#include "scenarios/workload/program.h"

#include <catch2/catch_test_macros.hpp>
#include <deque>
#include <map>
#include <set>

using namespace vg810;
using namespace vg810::scenarios;

namespace {

bytes sent_by(const program& p) {
    bytes sum = 0;
    for (const program_step& s : p)
        if (s.what == program_step::action::send)
            sum += s.length;
    return sum;
}

/// Runs the programs on sets of contributions. What a message carries is what its sender knows when it sends;
/// a message that is part of a reduction or a gathering adds to what the receiver knows. False: they block.
bool all_know_all(const programs& all) {
    std::vector<std::set<std::uint32_t>> known(all.size());
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::deque<std::set<std::uint32_t>>> wires;
    std::vector<std::size_t> position(all.size());
    for (std::uint32_t i = 0; i < all.size(); ++i)
        known[i] = {i};
    for (bool moved = true; moved;) {
        moved = false;
        for (std::uint32_t i = 0; i < all.size(); ++i)
            while (position[i] < all[i].size()) {
                const program_step& s = all[i][position[i]];
                auto& wire = s.what == program_step::action::send ? wires[{i, s.peer}] : wires[{s.peer, i}];
                if (s.what == program_step::action::send) {
                    wire.push_back(known[i]);
                } else {
                    if (wire.empty())
                        break;
                    known[i].merge(wire.front());
                    wire.pop_front();
                }
                ++position[i];
                moved = true;
            }
    }
    for (std::uint32_t i = 0; i < all.size(); ++i)
        if (position[i] != all[i].size() || known[i].size() != all.size())
            return false;
    return true;
}

} // namespace

TEST_CASE("after a collective every host has heard of every other, and nobody is stuck") {
    for (const std::size_t n : {2u, 3u, 5u, 8u, 16u}) {
        CHECK(all_know_all(ring_all_reduce(n, 1000)));
        CHECK(all_know_all(ring_all_gather(n, 1000)));
        CHECK(all_know_all(tree_all_reduce(n, 1000)));
        CHECK(all_know_all(all_to_all(n, 1000)));
    }
    for (const std::size_t n : {2u, 4u, 16u, 64u})
        CHECK(all_know_all(halving_doubling_all_reduce(n, 6400)));
}

TEST_CASE("collectives move as many octets as their authors say") {
    for (const program& p : ring_all_reduce(8, 8000))
        CHECK(sent_by(p) == 2 * 7 * 1000);
    for (const program& p : ring_all_gather(8, 8000))
        CHECK(sent_by(p) == 7 * 1000);
    for (const program& p : halving_doubling_all_reduce(8, 8000))
        CHECK(sent_by(p) == 2 * 7 * 1000);
    CHECK(sent_by(tree_all_reduce(7, 100)[0]) == 2 * 100); // the root: down to two children
    CHECK(sent_by(tree_all_reduce(7, 100)[1]) == 3 * 100); // up to one, down to two
    CHECK(sent_by(tree_all_reduce(7, 100)[6]) == 100);
    CHECK(sent_by(all_to_all(5, 10)[3]) == 4 * 10);
}

TEST_CASE("a ring's parts are whole when the size is no multiple of the hosts") {
    for (const program& p : ring_all_gather(3, 10)) {
        const bytes sent = sent_by(p);
        CHECK((sent == 6 || sent == 7)); // 4 + 3 + 3 without one of them
    }
}

TEST_CASE("what cannot be cut is refused with the reason") {
    CHECK_FALSE(refuse_ring(8, 8000, 4));
    CHECK(refuse_ring(8, 31, 4) == "31 octets cannot be cut in 32 parts for 8 hosts");
    CHECK_FALSE(refuse_halving_doubling(8, 8000, 1));
    CHECK(refuse_halving_doubling(6, 8000, 1) == "halving and doubling wants a power of two of hosts, not 6");
}

TEST_CASE("incast meets at member 0 alone") {
    const programs plain = incast(4, 100, 0), asked = incast(4, 100, 10);
    CHECK(sent_by(plain[0]) == 0);
    CHECK(plain[0].size() == 3);
    CHECK(plain[1].size() == 1);
    CHECK(sent_by(asked[0]) == 30);
    CHECK(asked[3].front().what == program_step::action::receive);
}
