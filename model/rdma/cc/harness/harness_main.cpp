// SPDX-License-Identifier: Apache-2.0
// vg810-cc-harness: a congestion-control algorithm, built-in or one's own, without a network.
#include "model/rdma/cc/built_in.h"
#include "model/rdma/cc/harness/bottleneck.h"
#include "model/rdma/cc/harness/event_script.h"
#include "model/rdma/cc/harness/reference.h"
#include "model/rdma/cc/plugin.h"

#include <fmt/format.h>

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <list>
#include <sstream>
#include <stdexcept>

using namespace vg810;
using namespace vg810::cc;

namespace {

constexpr const char* usage = R"(usage: vg810-cc-harness CC [PARAMETER=VALUE ...] [OPTION VALUE ...]
       vg810-cc-harness --describe [CC]

CC is a built-in algorithm or a shared object of your own (./my_cc.so). Prints rates and windows as CSV.

  --events FILE    play the events of FILE to one flow (model/rdma/cc/example/my_cc.events shows the form)
  --check          run twice and print no CSV; status 1 if the runs differ or a decision had to be clamped
  --describe       print the parameters of CC, or of all built-in ones, as Markdown

Without --events, flows share one link:
)";

struct option {
    const char* name;
    double bottleneck_settings::*value;
    double least, most;
    const char* help;
};

constexpr option options[] = {
    {"--flows", &bottleneck_settings::flows, 1, 1000, "how many"},
    {"--line", &bottleneck_settings::line_rate, 1e6, 1e12, "each sender's line rate, bit/s"},
    {"--link", &bottleneck_settings::link_rate, 1e6, 1e12, "rate of the shared link, bit/s"},
    {"--rtt", &bottleneck_settings::rtt, 0.01, 1e6, "of the idle path, us"},
    {"--mtu", &bottleneck_settings::mtu, 64, 65536, "payload of a packet, octets"},
    {"--time", &bottleneck_settings::time, 1, 1e8, "to simulate, us"},
    {"--sample", &bottleneck_settings::sample, 0.1, 1e8, "from one row to the next, us"},
    {"--stagger", &bottleneck_settings::stagger, 0, 1e8, "from one flow's start to the next's, us"},
    {"--kmin", &bottleneck_settings::kmin, 0, 1e12, "queue at which marking begins, octets"},
    {"--kmax", &bottleneck_settings::kmax, 0, 1e12, "queue above which every packet is marked, octets"},
    {"--pmax", &bottleneck_settings::pmax, 0, 1, "marking probability at kmax"},
    {"--cnp-interval", &bottleneck_settings::cnp_interval, 0, 1e8, "least time between a flow's CNPs, us"},
    {"--seed", &bottleneck_settings::seed, 0, 1e15, "of the marking"},
};

struct request {
    std::string cc, events;
    std::list<std::string> keys; ///< what `values` refers to
    std::vector<parameter_value> values;
    bottleneck_settings settings;
    bool check = false, describe = false, help = false;
};

double number(const std::string& name, const std::string& text, double least, double most) {
    char* rest = nullptr;
    const double value = std::strtod(text.c_str(), &rest);
    if (text.empty() || *rest != '\0' || !(value >= least && value <= most))
        throw std::runtime_error(
            fmt::format("{} wants a number from {:g} to {:g}, not '{}'", name, least, most, text));
    return value;
}

void take_option(request& r, const std::string& name, const std::string& value) {
    if (name == "--events") {
        r.events = value;
        return;
    }
    for (const option& o : options)
        if (name == o.name) {
            r.settings.*o.value = number(name, value, o.least, o.most);
            return;
        }
    throw std::runtime_error(fmt::format("no option {}; --help lists them", name));
}

request parse(const std::vector<std::string>& words) {
    request r;
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::string& word = words[i];
        const std::size_t equals = word.find('=');
        if (word == "--help" || word == "-h") {
            r.help = true;
        } else if (word == "--check") {
            r.check = true;
        } else if (word == "--describe") {
            r.describe = true;
        } else if (word.starts_with("--")) {
            if (i + 1 == words.size())
                throw std::runtime_error(word + " wants a value");
            take_option(r, word, words[++i]);
        } else if (r.cc.empty()) {
            r.cc = word;
        } else if (equals != std::string::npos) {
            r.keys.push_back(word.substr(0, equals));
            r.values.push_back(
                {r.keys.back(), number(r.keys.back(), word.substr(equals + 1), -1e300, 1e300)});
        } else {
            throw std::runtime_error(fmt::format("'{}' is neither an option nor PARAMETER=VALUE", word));
        }
    }
    if (r.settings.kmax < r.settings.kmin)
        throw std::runtime_error("--kmax is below --kmin");
    if (r.cc.empty() && !r.describe && !r.help)
        throw std::runtime_error("which algorithm? --help tells more");
    return r;
}

void describe(const request& r) {
    if (!r.cc.empty()) {
        const algorithm a(find_algorithm(r.cc), {}, r.cc);
        std::cout << parameter_table(a.table());
        return;
    }
    for (const vg810_cc_algorithm* a : built_ins())
        std::cout << fmt::format("\n### `{}`\n\n{}", a->name, parameter_table(*a));
}

struct outcome {
    std::string decisions; ///< or their hash
    std::uint64_t misdeeds;
};

/// One run with an algorithm loaded for it. `csv` null: only the outcome is wanted.
outcome run(const request& r, std::ostream* csv, bool report) {
    algorithm a(find_algorithm(r.cc), r.values, r.cc);
    if (report)
        a.report_to([](const std::string& text) { std::cerr << "vg810-cc-harness: " << text << '\n'; });
    if (!r.events.empty()) {
        std::ifstream file(r.events);
        if (!file)
            throw std::runtime_error(r.events + ": cannot be read");
        std::ostringstream rows;
        const flow_facts facts{bits_per_second(static_cast<std::int64_t>(r.settings.line_rate)),
                               picoseconds(static_cast<std::int64_t>(r.settings.rtt * 1e6)),
                               static_cast<std::uint32_t>(r.settings.mtu), 1};
        play(a, facts, read_events(file, r.events), rows);
        if (csv != nullptr)
            *csv << rows.str();
        return {rows.str(), a.misdeeds()};
    }
    bottleneck network(a, r.settings);
    network.run(csv);
    return {fmt::format("{:016x}", network.digest()), a.misdeeds()};
}

int check(const request& r) {
    const outcome first = run(r, nullptr, true);
    const outcome second = run(r, nullptr, false);
    const bool same = first.decisions == second.decisions;
    std::cout
        << (same ? "the same decisions in both runs\n"
                 : "the two runs differ: the algorithm depends on more than its flows' states and events\n");
    std::cout << first.misdeeds << " decisions clamped\n";
    return same && first.misdeeds == 0 ? 0 : 1;
}

int start(const request& r) {
    if (r.help) {
        std::cout << usage;
        const bottleneck_settings presets;
        for (const option& o : options)
            std::cout << fmt::format("  {:<16} {} (preset {:g})\n", o.name, o.help, presets.*o.value);
        return 0;
    }
    if (r.describe) {
        describe(r);
        return 0;
    }
    if (r.check)
        return check(r);
    run(r, &std::cout, true);
    return 0;
}

} // namespace

int main(int count, char** words) {
    try {
        return start(parse({words + 1, words + count}));
    } catch (const std::exception& problem) {
        std::cerr << "vg810-cc-harness: " << problem.what() << '\n';
        return 2;
    }
}
