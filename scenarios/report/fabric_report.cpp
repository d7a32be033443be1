// SPDX-License-Identifier: Apache-2.0
#include "scenarios/report/fabric_report.h"

#include "scenarios/report/report_html.h"
#include "scenarios/report/traffic_report.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace vg810::scenarios {
namespace {

using json = nlohmann::ordered_json;

/// Counters that are summed up over all nodes: by the end of their names, as a figure.
struct summed {
    std::string_view ending;
    std::string_view figure;
    double scale;
};
constexpr summed sums[] = {
    {".ecn_marked", "ecn.marked", 1},
    {".tx_pause", "pause.frames", 1},
    {".paused_ns", "pause.paused_us", 1e-3},
    {".storms", "watchdog.storms", 1},
    {".restored", "watchdog.restored", 1},
    {".np_cnp_sent", "cnp.sent", 1},
    {".rp_cnp_handled", "cnp.handled", 1},
    {".np_ecn_marked_roce_packets", "ecn.received", 1},
    {".out_of_sequence", "transport.out_of_sequence", 1},
    {".packet_seq_err", "transport.packet_seq_err", 1},
    {".local_ack_timeout_err", "transport.local_ack_timeout_err", 1},
    {".retransmitted_packets", "transport.retransmitted_packets", 1},
};

class writer {
  public:
    writer(const fabric_world& w, const scenario& s, const run_directory& d, run_report& r)
        : world_(w), scenario_(s), directory_(d), report_(r), facts_(w.facts()) {}

    std::string write() {
        traffic_ = report_traffic(facts_);
        report_.figures = traffic_.figures;
        counters();
        pauses();
        algorithm_time();
        sections();
        if (scenario_.output.flows)
            directory_.write("flows.csv", flows_csv(facts_));
        if (scenario_.output.pauses)
            directory_.write("pauses.csv", world_.pauses().csv());
        report_.series_rows = world_.series().rows();
        if (scenario_.output.report)
            directory_.write("report.html", report_html(page()));
        return text();
    }

  private:
    void figure(const std::string& name, double value) { report_.figures.emplace_back(name, value); }

    double value_of(std::string_view name) const {
        for (const auto& [key, value] : report_.figures)
            if (key == name)
                return value;
        return 0;
    }

    void counters() {
        std::map<std::string, double> sum;
        std::map<std::string, double> drops;
        double deepest = 0, dropped = 0;
        for (const summed& s : sums)
            sum[std::string(s.figure)] = 0;
        for (const auto& [name, value] : world_.counters()) {
            report_.metrics.push_back({report_.simulated, "end", name, value});
            if (const auto at = name.find(".drop."); at != std::string::npos) {
                drops["drops." + name.substr(at + 6)] += static_cast<double>(value);
                dropped += static_cast<double>(value);
            }
            if (name.ends_with(".deepest_queue"))
                deepest = std::max(deepest, static_cast<double>(value));
            for (const summed& s : sums)
                if (name.ends_with(s.ending))
                    sum[std::string(s.figure)] += static_cast<double>(value) * s.scale;
        }
        for (const auto& [name, value] : sum)
            figure(name, value);
        const double seconds = report_.simulated.as_seconds();
        figure("cnp.per_second", seconds > 0 ? sum["cnp.sent"] / seconds : 0);
        figure("queue.deepest", deepest);
        figure("drops.total", dropped);
        for (const auto& [name, value] : drops)
            figure(name, value);
    }

    void pauses() {
        const pause_log& log = world_.pauses();
        figure("pause.asked_us", log.total().as_seconds() * 1e6);
        figure("pause.intervals", static_cast<double>(log.intervals().size()));
        std::map<std::pair<std::uint32_t, std::uint32_t>, picoseconds> edges;
        std::map<std::pair<std::uint32_t, std::uint32_t>, picoseconds> first;
        for (const pause_interval& i : log.intervals()) {
            edges[{i.by, i.whom}] += i.end - i.start;
            first.emplace(std::pair(i.by, i.whom), i.start);
        }
        json graph = json::array();
        for (const auto& [edge, time] : edges)
            graph.push_back({{"by", log.nodes()[edge.first]},
                             {"paused", log.nodes()[edge.second]},
                             {"us", time.as_seconds() * 1e6},
                             {"first_ps", first.at(edge).count()}});
        report_.details["pauses"] = std::move(graph);
    }

    /// Time in collective operations and rounds: the last host's end less the first one's start, summed up.
    void algorithm_time() {
        double sum = 0;
        for (const auto& workload : facts_.iterations)
            for (const iteration& it : workload)
                sum += (it.ended - it.started).as_seconds() * 1e6;
        figure("iteration.total_us", sum);
        figure("time.us", report_.simulated.as_seconds() * 1e6);
        picoseconds last;
        for (const message_record& r : facts_.messages)
            if (r.ok)
                last = std::max(last, r.arrived);
        figure("time.last_arrival_us", last.as_seconds() * 1e6);
    }

    void sections() {
        json figures = json::object();
        for (const auto& [name, value] : report_.figures)
            figures[name] = value;
        report_.details["figures"] = std::move(figures);
        for (const auto& [key, value] : traffic_.summary.items())
            report_.details[key] = value;
    }

    html_page page() {
        html_page p;
        p.title = scenario_.name;
        p.description = scenario_.description;
        p.verdict = report_.verdict;
        p.figures = report_.figures;
        p.fct_us = traffic_.fct_us.sorted();
        p.pauses = &world_.pauses();
        p.series = &world_.series();
        p.end = report_.simulated;
        return p;
    }

    std::string text() const {
        std::string out = fmt::format("{:.0f} messages", value_of("messages.completed"));
        if (value_of("messages.failed") > 0 || value_of("messages.unfinished") > 0)
            out += fmt::format(" ({:.0f} lost, {:.0f} unfinished)", value_of("messages.failed"),
                               value_of("messages.unfinished"));
        out += fmt::format("  FCT p50 {:.1f} us, p99 {:.1f} us, slowdown p50 {:.2f}, p99 {:.2f}\n",
                           value_of("fct.p50"), value_of("fct.p99"), value_of("slowdown.p50"),
                           value_of("slowdown.p99"));
        out += fmt::format("goodput {:.2f} Gb/s in all, fairness {:.3f}  deepest queue {:.1f} KB\n",
                           value_of("goodput.total"), value_of("fairness"), value_of("queue.deepest") / 1000);
        out += fmt::format("marked {:.0f}  CNPs {:.0f}  pause frames {:.0f} ({:.1f} us)  drops {:.0f}\n",
                           value_of("ecn.marked"), value_of("cnp.sent"), value_of("pause.frames"),
                           value_of("pause.asked_us"), value_of("drops.total"));
        for (std::size_t i = 0; i < facts_.workloads.size(); ++i)
            if (!facts_.iterations[i].empty())
                out += fmt::format("{}: {} iterations, mean {:.1f} us, max {:.1f} us\n", facts_.workloads[i],
                                   facts_.iterations[i].size(),
                                   value_of("iteration." + facts_.workloads[i] + ".mean"),
                                   value_of("iteration." + facts_.workloads[i] + ".max"));
        return out;
    }

    const fabric_world& world_;
    const scenario& scenario_;
    const run_directory& directory_;
    run_report& report_;
    traffic_facts facts_;
    traffic_report traffic_;
};

} // namespace

std::string write_fabric_report(const fabric_world& w, const scenario& s, const run_directory& directory,
                                run_report& report) {
    return writer(w, s, directory, report).write();
}

} // namespace vg810::scenarios
