// SPDX-License-Identifier: Apache-2.0
// Shortest paths and flood trees over the graph of a fabric's switches.
#pragma once

#include "fabric/forwarding.h"

#include <cstdint>
#include <limits>
#include <vector>

namespace vg810::fabric {

/// The switches and the links between them; parallel links are separate edges.
class switch_graph {
  public:
    struct edge {
        std::size_t to;
        port_index port;     ///< at this switch
        port_index far_port; ///< at the other
    };
    static constexpr unsigned unreachable = std::numeric_limits<unsigned>::max();

    void resize(std::size_t switches) { edges_.resize(switches); }
    void add_link(std::size_t a, port_index a_port, std::size_t b, port_index b_port);
    std::size_t size() const { return edges_.size(); }
    const std::vector<edge>& edges(std::size_t s) const { return edges_.at(s); }

    /// Links to cross from each switch to `to`, or `unreachable`.
    std::vector<unsigned> distances(std::size_t to) const;
    /// The edges of `from` that lie on a shortest path, given distances(to); empty when there or unreachable.
    std::vector<edge> next_hops(std::size_t from, const std::vector<unsigned>& distance) const;

    /// Ports between switches that flooding uses, one list a switch: in each connected part one tree that
    /// reaches every switch with hosts and has no other leaves. A frame sent along it to all but where it
    /// came from reaches each switch once.
    std::vector<std::vector<port_index>> flood_tree(const std::vector<bool>& has_hosts) const;

  private:
    std::vector<std::vector<edge>> edges_;
};

} // namespace vg810::fabric
