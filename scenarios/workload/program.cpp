// SPDX-License-Identifier: Apache-2.0
#include "scenarios/workload/program.h"

#include <bit>
#include <fmt/format.h>

namespace vg810::scenarios {
namespace {

program_step send(std::size_t peer, bytes length) {
    return {program_step::action::send, static_cast<std::uint32_t>(peer), length};
}

program_step receive(std::size_t peer) {
    return {program_step::action::receive, static_cast<std::uint32_t>(peer)};
}

/// Part `i` of `n` parts that differ by one octet at most.
bytes part(bytes size, std::size_t n, std::size_t i) {
    return size / n + (i < size % n);
}

/// Octets of the parts [first, last) of n.
bytes parts(bytes size, std::size_t n, std::size_t first, std::size_t last) {
    bytes sum = 0;
    for (std::size_t i = first; i < last; ++i)
        sum += part(size, n, i);
    return sum;
}

/// `steps` steps round a ring; in step k member i passes on part i - k.
programs ring(std::size_t n, bytes size, std::size_t steps) {
    programs all(n);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t k = 0; k < steps; ++k) {
            all[i].push_back(send((i + 1) % n, part(size, n, (i + 2 * n - k % n) % n)));
            all[i].push_back(receive((i + n - 1) % n));
        }
    return all;
}

std::optional<std::string> refuse_small(std::size_t members, bytes size, std::uint32_t slices) {
    if (size / members < slices)
        return fmt::format("{} octets cannot be cut in {} parts for {} hosts", size,
                           members * std::size_t{slices}, members);
    return std::nullopt;
}

} // namespace

std::optional<std::string> refuse_ring(std::size_t members, bytes size, std::uint32_t slices) {
    return refuse_small(members, size, slices);
}

std::optional<std::string> refuse_halving_doubling(std::size_t members, bytes size, std::uint32_t slices) {
    if (!std::has_single_bit(members))
        return fmt::format("halving and doubling wants a power of two of hosts, not {}", members);
    return refuse_small(members, size, slices);
}

programs ring_all_reduce(std::size_t members, bytes size) {
    return ring(members, size, 2 * (members - 1));
}

programs ring_all_gather(std::size_t members, bytes size) {
    return ring(members, size, members - 1);
}

programs tree_all_reduce(std::size_t members, bytes size) {
    programs all(members);
    for (std::size_t i = 0; i < members; ++i) {
        std::vector<std::size_t> children;
        for (const std::size_t child : {2 * i + 1, 2 * i + 2})
            if (child < members)
                children.push_back(child);
        for (const std::size_t child : children)
            all[i].push_back(receive(child));
        if (i > 0) {
            all[i].push_back(send((i - 1) / 2, size));
            all[i].push_back(receive((i - 1) / 2));
        }
        for (const std::size_t child : children)
            all[i].push_back(send(child, size));
    }
    return all;
}

programs halving_doubling_all_reduce(std::size_t members, bytes size) {
    programs all(members);
    for (std::size_t i = 0; i < members; ++i) {
        // Member i ends the first half with part i: each exchange keeps the half that i lies in.
        for (std::size_t half = members / 2; half > 0; half /= 2) {
            const std::size_t peer = i ^ half, first = peer & ~(half - 1);
            all[i].push_back(send(peer, parts(size, members, first, first + half)));
            all[i].push_back(receive(peer));
        }
        for (std::size_t half = 1; half < members; half *= 2) {
            const std::size_t first = i & ~(half - 1);
            all[i].push_back(send(i ^ half, parts(size, members, first, first + half)));
            all[i].push_back(receive(i ^ half));
        }
    }
    return all;
}

programs all_to_all(std::size_t members, bytes size) {
    programs all(members);
    for (std::size_t i = 0; i < members; ++i) {
        for (std::size_t k = 1; k < members; ++k)
            all[i].push_back(send((i + k) % members, size));
        for (std::size_t k = 1; k < members; ++k)
            all[i].push_back(receive((i + members - k) % members));
    }
    return all;
}

programs incast(std::size_t members, bytes size, bytes request) {
    programs all(members);
    for (std::size_t i = 1; i < members; ++i) {
        if (request > 0) {
            all[0].push_back(send(i, request));
            all[i].push_back(receive(0));
        }
        all[i].push_back(send(0, size));
    }
    for (std::size_t i = 1; i < members; ++i)
        all[0].push_back(receive(i));
    return all;
}

programs permutation(const std::vector<std::uint32_t>& target, bytes size) {
    programs all(target.size());
    for (std::uint32_t i = 0; i < target.size(); ++i)
        all[i].push_back(send(target[i], size));
    for (std::uint32_t i = 0; i < target.size(); ++i)
        all[target[i]].push_back(receive(i));
    return all;
}

} // namespace vg810::scenarios
