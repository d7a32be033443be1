// SPDX-License-Identifier: Apache-2.0
#include "scenarios/config/cc_config.h"

#include "model/rdma/cc/plugin.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace vg810::scenarios {
namespace {

std::int64_t whole(double v) {
    return static_cast<std::int64_t>(std::llround(std::min(v, 9e18)));
}

/// A parameter in the notation of its unit.
void visit_value(parameter_visitor& v, const vg810_cc_parameter& p, double& value) {
    const parameter key{p.name, p.help};
    const std::string_view unit = p.unit;
    if (unit == "ps") {
        picoseconds t(whole(value));
        v.visit(key, t, {picoseconds(whole(p.least)), picoseconds(whole(p.most))});
        value = static_cast<double>(t.count());
    } else if (unit == "bit/s" && p.least >= 1) {
        bits_per_second r(whole(value));
        v.visit(key, r, {bits_per_second(whole(p.least)), bits_per_second(whole(p.most))});
        value = static_cast<double>(r.count());
    } else if (unit == "octets") {
        auto n = static_cast<bytes>(whole(value));
        v.visit_size(key, n, {static_cast<bytes>(whole(p.least)), static_cast<bytes>(whole(p.most))});
        value = static_cast<double>(n);
    } else {
        v.visit(key, value, {p.least, p.most});
    }
}

} // namespace

void cc_config::describe(parameter_visitor& v) {
    v.visit({"name", "What hosts, workloads and flows call it.", true}, name);
    v.visit({"algorithm",
             "none, dcqcn, dcqcn-paper, timely, swift, hpcc, or a shared object \"./my_cc.so\"; its "
             "parameters follow as keys."},
            algorithm);
    try {
        table = cc::find_algorithm(algorithm);
    } catch (const std::runtime_error&) {
        return; // the rules say so, at its place
    }
    for (std::size_t i = values.size(); i < table->parameter_count; ++i)
        values.push_back(table->parameters[i].preset);
    for (std::size_t i = 0; i < table->parameter_count; ++i)
        visit_value(v, table->parameters[i], values[i]);
}

} // namespace vg810::scenarios
