// SPDX-License-Identifier: Apache-2.0
#include "fabric/deadlock.h"

#include <algorithm>

namespace vg810::fabric {

namespace {

struct node {
    queue_place place;
    std::vector<blocked_queue::share> from;
    std::vector<std::size_t> waits_for;
    enum class colour : std::uint8_t { white, grey, black } seen = colour::white;
};

// Depth first; returns the position in `path` where a circle starts, or its size.
std::size_t find_circle(std::vector<node>& nodes, std::size_t at, std::vector<std::size_t>& path) {
    nodes[at].seen = node::colour::grey;
    path.push_back(at);
    for (const std::size_t next : nodes[at].waits_for) {
        if (nodes[next].seen == node::colour::grey)
            return static_cast<std::size_t>(std::ranges::find(path, next) - path.begin());
        if (nodes[next].seen == node::colour::black)
            continue;
        const std::size_t start = find_circle(nodes, next, path);
        if (start < path.size())
            return start;
    }
    nodes[at].seen = node::colour::black;
    path.pop_back();
    return path.size();
}

std::uint64_t frames_sent(const std::vector<queue_place>& queues) {
    std::uint64_t sum = 0;
    for (const queue_place& q : queues)
        sum += q.at->count(q.port).priority[q.priority].tx_frames;
    return sum;
}

} // namespace

std::string queue_place::name() const {
    return at->name() + ".port" + std::to_string(port) + ".prio" + std::to_string(priority);
}

std::string cycle_name(const std::vector<queue_place>& cycle) {
    std::string out;
    for (const queue_place& q : cycle)
        out += q.name() + " -> ";
    return cycle.empty() ? out : out + cycle.front().name();
}

deadlock_detector::deadlock_detector(const std::vector<std::unique_ptr<ethernet_switch>>& switches,
                                     const switch_graph& links) {
    for (std::size_t i = 0; i < switches.size(); ++i)
        for (const switch_graph::edge& e : links.edges(i))
            links_.push_back({switches[i].get(), e.port, switches[e.to].get(), e.far_port});
}

void deadlock_detector::add_link(const ethernet_switch& a, port_index a_port, const ethernet_switch& b,
                                 port_index b_port) {
    links_.push_back({&a, a_port, &b, b_port});
    links_.push_back({&b, b_port, &a, a_port});
}

std::vector<queue_place> deadlock_detector::find() const {
    std::vector<const ethernet_switch*> switches;
    for (const switch_link& l : links_)
        if (std::ranges::find(switches, l.from) == switches.end())
            switches.push_back(l.from);
    std::vector<node> nodes;
    for (const ethernet_switch* s : switches)
        for (blocked_queue& b : s->blocked())
            nodes.push_back({{s, b.port, b.priority}, std::move(b.from), {}});
    for (node& n : nodes) {
        const auto over = std::ranges::find_if(
            links_, [&](const switch_link& l) { return l.from == n.place.at && l.port == n.place.port; });
        if (over == links_.end())
            continue; // a host's port: whatever it waits for is no queue of ours
        for (std::size_t i = 0; i < nodes.size(); ++i)
            if (nodes[i].place.at == over->to && nodes[i].place.priority == n.place.priority &&
                std::ranges::count(nodes[i].from, over->far_port, &blocked_queue::share::ingress) != 0)
                n.waits_for.push_back(i);
    }
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        std::vector<std::size_t> path;
        if (nodes[i].seen != node::colour::white)
            continue;
        const std::size_t start = find_circle(nodes, i, path);
        std::vector<queue_place> cycle;
        for (std::size_t k = start; k < path.size(); ++k)
            cycle.push_back(nodes[path[k]].place);
        if (!cycle.empty())
            return cycle;
    }
    return {};
}

std::vector<queue_place> deadlock_detector::confirm() {
    const std::vector<queue_place> found = find();
    const std::uint64_t sent = frames_sent(found);
    const bool same = !found.empty() && found == suspected_ && sent == sent_;
    suspected_ = found;
    sent_ = sent;
    return same ? found : std::vector<queue_place>{};
}

} // namespace vg810::fabric
