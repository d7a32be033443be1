// SPDX-License-Identifier: Apache-2.0
#include "scenarios/workload/make_workload.h"

#include "scenarios/workload/csv.h"
#include "scenarios/workload/flow_workload.h"
#include "scenarios/workload/group_workload.h"
#include "scenarios/workload/storage_workload.h"

#include <algorithm>
#include <fmt/format.h>

namespace vg810::scenarios {
namespace {

/// Every step of such programs is a send.
bool is_group(workload_kind k) {
    return k != workload_kind::poisson && k != workload_kind::trace && k != workload_kind::storage;
}

bool is_ring(workload_kind k) {
    return k == workload_kind::ring_all_reduce || k == workload_kind::all_gather;
}

std::vector<host_index> without(std::vector<host_index> all, const std::vector<host_index>& some) {
    std::erase_if(all, [&](host_index h) { return std::find(some.begin(), some.end(), h) != some.end(); });
    return all;
}

/// An incast's receiver first, then the senders.
std::vector<host_index> incast_members(const workload_hosts& who) {
    const host_index sink = who.to.empty() ? who.members.front() : who.to.front();
    std::vector<host_index> members{sink};
    for (const host_index h : without(who.members, {sink}))
        members.push_back(h);
    return members;
}

std::vector<host_index> servers_of(const workload_hosts& who) {
    return who.to.empty() ? std::vector{who.members.front()} : who.to;
}

/// Nobody on a place of its own: a random permutation, drawn again until that is so.
std::vector<std::uint32_t> derangement(std::size_t n, random_stream random) {
    std::vector<std::uint32_t> target(n);
    bool fixed = true;
    while (fixed) {
        for (std::uint32_t i = 0; i < n; ++i)
            target[i] = i;
        for (std::size_t i = n - 1; i > 0; --i)
            std::swap(target[i], target[random.below(i + 1)]);
        fixed = false;
        for (std::uint32_t i = 0; i < n; ++i)
            fixed |= target[i] == i;
    }
    return target;
}

std::vector<std::uint32_t> targets(const workload_config& w, std::size_t n, std::uint64_t seed) {
    if (w.random)
        return derangement(n, random_stream(seed, "permutation of " + w.name));
    std::vector<std::uint32_t> target(n);
    const std::size_t shift = w.shift ? static_cast<std::size_t>(*w.shift) : n / 2;
    for (std::size_t i = 0; i < n; ++i)
        target[i] = static_cast<std::uint32_t>((i + shift) % n);
    return target;
}

programs programs_of(const workload_config& w, std::size_t n, std::uint64_t seed) {
    switch (w.kind) {
    case workload_kind::incast:
        return incast(n, w.size, w.request);
    case workload_kind::permutation:
        return permutation(targets(w, n, seed), w.size);
    case workload_kind::all_to_all:
        return all_to_all(n, w.size);
    case workload_kind::ring_all_reduce:
        return ring_all_reduce(n, w.size);
    case workload_kind::tree_all_reduce:
        return tree_all_reduce(n, w.size);
    case workload_kind::halving_doubling_all_reduce:
        return halving_doubling_all_reduce(n, w.size);
    case workload_kind::all_gather:
        return ring_all_gather(n, w.size);
    case workload_kind::poisson:
    case workload_kind::trace:
    case workload_kind::storage:
        break;
    }
    return {};
}

std::int32_t profile_of(const std::string& cc, const workload_surroundings& around) {
    if (cc.empty())
        return -1;
    const auto found = std::find(around.profiles.begin(), around.profiles.end(), cc);
    return found == around.profiles.end() ? -1 : static_cast<std::int32_t>(found - around.profiles.begin());
}

class finder {
  public:
    finder(const workload_config& w, const workload_hosts& who) : w_(w), who_(who) {}

    std::vector<workload_problem> find() {
        members();
        if (is_group(w_.kind))
            group();
        else if (w_.kind == workload_kind::poisson)
            poisson();
        else if (w_.kind == workload_kind::storage)
            storage();
        else if (w_.file.empty())
            complain("", "a trace needs a file");
        return std::move(problems_);
    }

  private:
    void complain(std::string key, std::string why) { problems_.push_back({std::move(key), std::move(why)}); }

    void members() {
        const bool to_others = w_.kind == workload_kind::incast || w_.kind == workload_kind::storage;
        if (!to_others && !who_.to.empty())
            complain("to", "only incast and storage have a 'to'");
        if (w_.kind == workload_kind::incast && who_.to.size() > 1)
            complain("to", fmt::format("an incast has one receiver, not {}", who_.to.size()));
        auto all = who_.members;
        const auto others = without(who_.to, all);
        all.insert(all.end(), others.begin(), others.end());
        if (all.size() < 2)
            complain("hosts", "it takes at least two hosts");
    }

    void group() {
        const std::size_t n = who_.members.size();
        if (w_.operation == message_kind::read)
            complain("operation", "its hosts send; read is for poisson, storage and flows");
        if (n < 2)
            return;
        std::optional<std::string> why;
        const auto slices = static_cast<std::uint32_t>(w_.slices);
        if (is_ring(w_.kind))
            why = refuse_ring(n, w_.size, slices);
        else if (w_.kind == workload_kind::halving_doubling_all_reduce)
            why = refuse_halving_doubling(n, w_.size, slices);
        else if (w_.size < slices)
            why = fmt::format("{} octets cannot be cut in {} slices", w_.size, slices);
        if (why)
            complain("size", *why);
        if (w_.shift && static_cast<std::size_t>(*w_.shift) % n == 0)
            complain("shift", fmt::format("with {} hosts, a shift of {} sends to oneself", n, *w_.shift));
        if (w_.shift && w_.random)
            complain("shift", "a random permutation has no shift");
    }

    void poisson() {
        if (w_.sizes.empty())
            complain("", "poisson needs sizes = \"web-search\" or another distribution");
        ends();
    }

    void storage() {
        ends();
        if (without(who_.members, servers_of(who_)).empty())
            complain("hosts", "every client is a server");
    }

    void ends() {
        if (w_.messages == 0 && !w_.duration)
            complain("", "it would never end: messages or duration is needed");
    }

    const workload_config& w_;
    const workload_hosts& who_;
    std::vector<workload_problem> problems_;
};

workload_basis basis_of(const std::string& name, std::uint16_t index, message_kind operation,
                        std::int64_t dscp, const std::string& cc, bool background, picoseconds start,
                        const workload_surroundings& around) {
    workload_basis b;
    b.name = name;
    b.index = index;
    b.seed = around.seed;
    b.start = start;
    b.background = background;
    b.kind = operation;
    b.options.dscp = static_cast<std::uint8_t>(dscp);
    b.options.cc = profile_of(cc, around);
    return b;
}

std::unique_ptr<workload> make_group(const workload_config& w, const workload_hosts& who,
                                     const workload_basis& basis, const workload_surroundings& around) {
    group_plan p;
    p.members = w.kind == workload_kind::incast ? incast_members(who) : who.members;
    p.steps = programs_of(w, p.members.size(), around.seed);
    p.slices = static_cast<std::uint32_t>(w.slices);
    p.repetitions = static_cast<std::uint32_t>(w.repeat);
    p.compute = w.compute;
    return std::make_unique<group_workload>(*around.clock, *around.messages, basis, std::move(p));
}

std::unique_ptr<workload> make_poisson(const workload_config& w, const workload_hosts& who,
                                       const workload_basis& basis, const workload_surroundings& around) {
    poisson_plan p;
    p.members = who.members;
    p.sizes = flow_sizes::load(w.sizes, flow_sizes::shipped_folder());
    for (const host_index h : who.members)
        p.mean_gaps.push_back(poisson_workload::gap_for(w.load, around.rates[h], p.sizes.mean()));
    p.messages = static_cast<std::uint64_t>(w.messages);
    p.duration = w.duration.value_or(never);
    return std::make_unique<poisson_workload>(*around.clock, *around.messages, basis, std::move(p));
}

std::unique_ptr<workload> make_storage(const workload_config& w, const workload_hosts& who,
                                       const workload_basis& basis, const workload_surroundings& around) {
    storage_plan p;
    p.servers = servers_of(who);
    p.clients = without(who.members, p.servers);
    p.read_share = w.read_share;
    p.length = w.size;
    if (!w.sizes.empty())
        p.sizes = flow_sizes::load(w.sizes, flow_sizes::shipped_folder());
    p.outstanding = static_cast<std::uint32_t>(w.outstanding);
    p.requests = static_cast<std::uint64_t>(w.messages);
    p.duration = w.duration.value_or(never);
    return std::make_unique<storage_workload>(*around.clock, *around.messages, basis, std::move(p));
}

} // namespace

std::vector<workload_problem> problems_of(const workload_config& w, const workload_hosts& who) {
    return finder(w, who).find();
}

std::vector<trace_entry> load_trace(const std::string& file, const std::vector<std::string>& hosts) {
    const std::string text = read_text_file(file);
    return parse_trace(text, file, hosts);
}

std::unique_ptr<workload> make_workload(const workload_config& w, const workload_hosts& who,
                                        std::uint16_t index, const workload_surroundings& around) {
    const workload_basis basis =
        basis_of(w.name, index, w.operation, w.dscp, w.cc, w.background, w.start, around);
    switch (w.kind) {
    case workload_kind::poisson:
        return make_poisson(w, who, basis, around);
    case workload_kind::storage:
        return make_storage(w, who, basis, around);
    case workload_kind::trace:
        return std::make_unique<trace_workload>(*around.clock, *around.messages, basis,
                                                load_trace(w.file, around.names));
    default:
        return make_group(w, who, basis, around);
    }
}

std::unique_ptr<workload> make_flow(const flow_config& f, host_index from, host_index to, std::uint16_t index,
                                    const workload_surroundings& around) {
    const workload_basis basis =
        basis_of(f.name, index, f.operation, f.dscp, f.cc, f.background, f.start, around);
    flow_plan p{from,   to,   f.size, static_cast<std::uint64_t>(f.count), f.start, f.stop.value_or(never),
                f.rate, f.gap};
    return std::make_unique<flow_workload>(*around.clock, *around.messages, basis, p);
}

} // namespace vg810::scenarios
