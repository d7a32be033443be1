// SPDX-License-Identifier: Apache-2.0
#include "fabric/routing.h"

#include <deque>

namespace vg810::fabric {

void switch_graph::add_link(std::size_t a, port_index a_port, std::size_t b, port_index b_port) {
    edges_.at(a).push_back({b, a_port, b_port});
    edges_.at(b).push_back({a, b_port, a_port});
}

std::vector<unsigned> switch_graph::distances(std::size_t to) const {
    std::vector<unsigned> distance(size(), unreachable);
    std::deque<std::size_t> next{to};
    distance.at(to) = 0;
    for (; !next.empty(); next.pop_front())
        for (const edge& e : edges_[next.front()])
            if (distance[e.to] == unreachable) {
                distance[e.to] = distance[next.front()] + 1;
                next.push_back(e.to);
            }
    return distance;
}

std::vector<switch_graph::edge> switch_graph::next_hops(std::size_t from,
                                                        const std::vector<unsigned>& distance) const {
    std::vector<edge> hops;
    if (distance.at(from) == unreachable)
        return hops;
    for (const edge& e : edges_.at(from))
        if (distance[e.to] + 1 == distance[from])
            hops.push_back(e);
    return hops;
}

std::vector<std::vector<port_index>> switch_graph::flood_tree(const std::vector<bool>& has_hosts) const {
    std::vector<std::vector<port_index>> tree(size());
    std::vector<bool> seen(size(), false);
    for (std::size_t root = 0; root < size(); ++root) {
        if (seen[root])
            continue;
        std::vector<std::pair<std::size_t, edge>> order; // parent and the edge to the child, breadth first
        std::deque<std::size_t> next{root};
        seen[root] = true;
        for (; !next.empty(); next.pop_front())
            for (const edge& e : edges_[next.front()])
                if (!seen[e.to]) {
                    seen[e.to] = true;
                    order.emplace_back(next.front(), e);
                    next.push_back(e.to);
                }
        // Children come behind their parents: backwards, a switch knows by its turn whether anything hangs
        // below it.
        for (auto i = order.rbegin(); i != order.rend(); ++i) {
            const auto& [parent, e] = *i;
            if (!has_hosts[e.to] && tree[e.to].empty())
                continue;
            tree[parent].push_back(e.port);
            tree[e.to].push_back(e.far_port);
        }
    }
    return tree;
}

} // namespace vg810::fabric
