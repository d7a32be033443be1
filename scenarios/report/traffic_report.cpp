// SPDX-License-Identifier: Apache-2.0
#include "scenarios/report/traffic_report.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <iterator>
#include <map>

namespace vg810::scenarios {
namespace {

using json = nlohmann::ordered_json;

struct size_bucket {
    std::string_view name;
    bytes most;
};
constexpr std::array<size_bucket, 6> size_buckets{{{"to_1KB", 1'000},
                                                   {"to_10KB", 10'000},
                                                   {"to_100KB", 100'000},
                                                   {"to_1MB", 1'000'000},
                                                   {"to_10MB", 10'000'000},
                                                   {"above_10MB", ~bytes{0}}}};
constexpr std::array<std::string_view, 3> kind_names{"write", "send", "read"};

double us(picoseconds t) {
    return static_cast<double>(t.count()) * 1e-6;
}

double gbps(bytes n, picoseconds t) {
    return t.count() > 0 ? static_cast<double>(n) * 8e3 / static_cast<double>(t.count()) : 0;
}

/// From the first post to the last arrival, with what arrived between.
struct span {
    picoseconds first = never;
    picoseconds last;
    bytes octets = 0;

    void add(const message_record& r) {
        first = std::min(first, r.posted);
        last = std::max(last, r.arrived);
        octets += r.length;
    }
    double rate() const { return gbps(octets, last - first); }
};

/// Sets of one quantity: all, by size, by workload.
struct breakdown {
    explicit breakdown(std::size_t workloads) : by_workload(workloads) {}
    sample_set all;
    std::array<sample_set, size_buckets.size()> by_size;
    std::vector<sample_set> by_workload;

    void add(const message_record& r, double value) {
        all.add(value);
        const auto bucket = std::find_if(size_buckets.begin(), size_buckets.end(),
                                         [&](const size_bucket& b) { return r.length <= b.most; });
        by_size[static_cast<std::size_t>(bucket - size_buckets.begin())].add(value);
        by_workload[r.workload].add(value);
    }

    void report(const std::string& name, const std::vector<std::string>& workloads, figure_list& out) {
        all.add_figures(name, out);
        for (std::size_t i = 0; i < by_size.size(); ++i)
            by_size[i].add_figures(fmt::format("{}.{}", name, size_buckets[i].name), out);
        if (workloads.size() > 1)
            for (std::size_t i = 0; i < by_workload.size(); ++i)
                by_workload[i].add_figures(fmt::format("{}.{}", name, workloads[i]), out);
    }
};

class reporter {
  public:
    explicit reporter(const traffic_facts& f)
        : facts_(f), fct_(f.workloads.size()), slowdown_(f.workloads.size()), received_(f.hosts.size()) {}

    traffic_report run() {
        for (const message_record& r : facts_.messages)
            if (r.ok)
                take(r);
        counts();
        fct_.report("fct", facts_.workloads, out_.figures);
        slowdown_.report("slowdown", facts_.workloads, out_.figures);
        goodput();
        fairness();
        iterations();
        out_.fct_us = std::move(fct_.all);
        return std::move(out_);
    }

  private:
    void take(const message_record& r) {
        const picoseconds fct = r.arrived - r.posted;
        fct_.add(r, us(fct));
        const picoseconds ideal = facts_.ideal(r);
        if (ideal.count() > 0)
            slowdown_.add(r, static_cast<double>(fct.count()) / static_cast<double>(ideal.count()));
        all_.add(r);
        received_[r.to].add(r);
        pairs_[{r.workload, r.from, r.to}].add(r);
        retransmitted_ += r.retransmitted;
    }

    void figure(const std::string& name, double value) { out_.figures.emplace_back(name, value); }

    void counts() {
        const auto failed = std::count_if(facts_.messages.begin(), facts_.messages.end(),
                                          [](const auto& r) { return !r.ok; });
        figure("messages.completed",
               static_cast<double>(facts_.messages.size()) - static_cast<double>(failed));
        figure("messages.failed", static_cast<double>(failed));
        figure("messages.unfinished", static_cast<double>(facts_.unfinished.size()));
        figure("messages.retransmitted_frames", static_cast<double>(retransmitted_));
    }

    void goodput() {
        figure("goodput.total", all_.rate());
        sample_set hosts;
        json by_host = json::object();
        for (std::size_t h = 0; h < received_.size(); ++h)
            if (received_[h].octets > 0) {
                hosts.add(received_[h].rate());
                by_host[facts_.hosts[h]] = received_[h].rate();
                figure("goodput." + facts_.hosts[h], received_[h].rate());
            }
        figure("goodput.min", hosts.min());
        figure("goodput.mean", hosts.mean());
        figure("goodput.max", hosts.count() ? hosts.max() : 0);
        out_.summary["goodput_gbps"] = std::move(by_host);
    }

    /// Jain's index over the goodput of each pair of hosts, of a workload and of all.
    void fairness() {
        std::vector<double> all;
        std::vector<std::vector<double>> each(facts_.workloads.size());
        for (const auto& [key, s] : pairs_) {
            all.push_back(s.rate());
            each[std::get<0>(key)].push_back(s.rate());
            if (pairs_.size() <= 256)
                figure(fmt::format("rate.{}.{}-{}", facts_.workloads[std::get<0>(key)],
                                   facts_.hosts[std::get<1>(key)], facts_.hosts[std::get<2>(key)]),
                       s.rate());
        }
        figure("fairness", jain_index(all));
        for (std::size_t i = 0; i < each.size() && each.size() > 1; ++i)
            if (each[i].size() > 1)
                figure("fairness." + facts_.workloads[i], jain_index(each[i]));
    }

    void iterations() {
        json all = json::object();
        for (std::size_t w = 0; w < facts_.iterations.size(); ++w) {
            sample_set times;
            for (const iteration& it : facts_.iterations[w]) {
                times.add(us(it.ended - it.started));
                all[facts_.workloads[w]].push_back(us(it.ended - it.started));
            }
            times.add_figures("iteration." + facts_.workloads[w], out_.figures);
        }
        if (!all.empty())
            out_.summary["iterations_us"] = std::move(all);
    }

    const traffic_facts& facts_;
    breakdown fct_, slowdown_;
    span all_;
    std::vector<span> received_;
    std::map<std::tuple<std::uint16_t, host_index, host_index>, span> pairs_;
    std::uint64_t retransmitted_ = 0;
    traffic_report out_;
};

void row(const traffic_facts& facts, const message_record& r, std::string& out) {
    auto at = std::back_inserter(out);
    fmt::format_to(at, "{},{},{},{},{},{},", facts.workloads[r.workload], facts.hosts[r.from],
                   facts.hosts[r.to], kind_names[static_cast<std::size_t>(r.kind)], r.length,
                   r.posted.count());
    if (r.arrived == never) {
        fmt::format_to(at, ",,,,{},{}\n", r.retransmitted, r.ended == never ? "unfinished" : "failed");
        return;
    }
    const picoseconds fct = r.arrived - r.posted, ideal = facts.ideal(r);
    fmt::format_to(at, "{},{},{:.4f},", r.arrived.count(), fct.count(),
                   ideal.count() > 0 ? static_cast<double>(fct.count()) / static_cast<double>(ideal.count())
                                     : 0.0);
    if (r.ended != never)
        fmt::format_to(at, "{}", r.ended.count());
    fmt::format_to(at, ",{},{}\n", r.retransmitted,
                   r.ended == never ? "unacknowledged"
                   : r.ok           ? "ok"
                                    : "failed");
}

} // namespace

traffic_report report_traffic(const traffic_facts& facts) {
    return reporter(facts).run();
}

std::string flows_csv(const traffic_facts& facts) {
    std::string out = "workload,from,to,operation,bytes,start_ps,end_ps,fct_ps,slowdown,acknowledged_ps,"
                      "retransmitted_frames,state\n";
    for (const message_record& r : facts.messages)
        row(facts, r, out);
    for (const message_record& r : facts.unfinished)
        row(facts, r, out);
    return out;
}

} // namespace vg810::scenarios
