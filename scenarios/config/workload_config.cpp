// SPDX-License-Identifier: Apache-2.0
#include "scenarios/config/workload_config.h"

#include "scenarios/config/workload_names.h"

#include <array>

namespace vg810::scenarios {
namespace {

constexpr std::array<std::string_view, 10> kind_names{"incast",          "permutation",
                                                      "all-to-all",      "ring-all-reduce",
                                                      "tree-all-reduce", "halving-doubling-all-reduce",
                                                      "all-gather",      "poisson",
                                                      "trace",           "storage"};
constexpr std::array<std::string_view, 3> operation_names{"write", "send", "read"};

constexpr range<bytes> any_message{1, longest_message};
constexpr range<std::int64_t> any_count{1, 1'000'000'000'000};

} // namespace

std::string name_of(workload_kind k) {
    return std::string(kind_names[static_cast<std::size_t>(k)]);
}

void workload_config::describe(parameter_visitor& v) {
    v.visit({"name", "Unique; names its figures.", true}, name);
    v.visit_enum({"kind", "What the hosts do together.", true}, kind, kind_names);
    v.visit({"hosts", "Who takes part, in this order: names, \"host[0-15]\", or with * for anything; "
                      "storage: the clients."},
            hosts);
    v.visit(
        {"to", "incast: the host that receives; storage: the servers. By default the first of the hosts."},
        to);
    v.visit_enum({"operation", "RDMA operation of the messages; read: not for collectives and incast."},
                 operation, operation_names);
    v.visit_size(
        {"size", "incast, permutation, all-to-all, storage: of one message; collectives: of the buffer."},
        size, any_message);
    v.visit({"repeat", "Repetitions; a host begins the next one when its own part of this one is done."},
            repeat, {1, 1'000'000});
    v.visit({"start", "When it begins."}, start, any_time);
    v.visit({"compute", "Collectives and rounds: time that a host computes between its repetitions."},
            compute, any_time);
    v.visit({"slices", "Collectives: parts of every message that go through the steps independently."},
            slices, {1, 65'535});
    v.visit_size({"request",
                  "incast: what the receiver asks each sender with, in every round; 0B: nobody asks, each "
                  "sender repeats when its last message is acknowledged."},
                 request, {0, longest_message});
    v.visit_optional({"shift", "permutation: host i sends to host i + shift; by default half of the hosts."},
                     shift, range<std::int64_t>{1, 1'000'000});
    v.visit({"random", "permutation: a random one, by the seed, in which nobody sends to itself."}, random);
    v.visit({"load", "poisson: payload offered by each host, as a share of its line rate."}, load, {1e-6, 2});
    v.visit({"sizes", "poisson, storage: distribution of sizes: web-search, hadoop, storage, or a CSV file."},
            sizes);
    v.visit({"messages", "poisson: messages in all; storage: requests of each client; 0: until duration."},
            messages, {0, any_count.most});
    v.visit_optional({"duration", "poisson, storage: nothing new after it, counted from the start."},
                     duration, any_time);
    v.visit({"file", "trace: CSV with time,src,dst,bytes and, if wanted, priority."}, file);
    v.visit({"outstanding", "storage: requests that each client keeps under way."}, outstanding, {1, 65'535});
    v.visit({"read_share", "storage: READs among the requests."}, read_share, {0, 1});
    v.visit({"dscp", "Of its data packets; a trace's priority p is DSCP 8 p."}, dscp, {0, 63});
    v.visit({"cc", "Congestion control: the name of a [[cc]] profile; by default the host's."}, cc);
    v.visit({"background", "The run ends without waiting for it."}, background);
}

void flow_config::describe(parameter_visitor& v) {
    v.visit({"name", "Unique; by default flow<index>."}, name);
    v.visit({"from", "Host that posts.", true}, from);
    v.visit({"to", "The other host.", true}, to);
    v.visit_enum({"operation", "RDMA operation; of a read the data flow back to the host that posts."},
                 operation, operation_names);
    v.visit_size({"size", "Of each message."}, size, any_message);
    v.visit({"count", "Messages."}, count, any_count);
    v.visit({"start", "When it begins."}, start, any_time);
    v.visit_optional({"stop", "Nothing is posted from then on."}, stop, any_time);
    v.visit_optional({"rate",
                      "Payload; the messages are posted at this rate. By default each follows the end of the "
                      "one before."},
                     rate, any_rate);
    v.visit({"gap", "Without a rate: from a message's end to the next."}, gap, any_time);
    v.visit({"dscp", "Of its data packets."}, dscp, {0, 63});
    v.visit({"cc", "Congestion control: the name of a [[cc]] profile; by default the host's."}, cc);
    v.visit({"background", "The run ends without waiting for it."}, background);
}

} // namespace vg810::scenarios
