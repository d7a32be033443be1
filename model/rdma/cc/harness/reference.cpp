// SPDX-License-Identifier: Apache-2.0
#include "model/rdma/cc/harness/reference.h"

#include <fmt/format.h>

#include <string_view>

namespace vg810::cc {

namespace {

struct scale {
    double factor;
    const char* name;
};

std::string scaled(double value, std::initializer_list<scale> scales) {
    const scale* fit = scales.begin();
    for (const scale& s : scales)
        if (value >= s.factor)
            fit = &s;
    return fmt::format("{:g} {}", value / fit->factor, fit->name);
}

} // namespace

std::string with_unit(double value, const char* unit) {
    const std::string_view u = unit != nullptr ? unit : "";
    if (value == 0 || u.empty())
        return fmt::format("{:g}", value);
    if (u == "ps")
        return scaled(value, {{1, "ps"}, {1e3, "ns"}, {1e6, "us"}, {1e9, "ms"}, {1e12, "s"}});
    if (u == "bit/s")
        return scaled(value,
                      {{1, "bit/s"}, {1e3, "kbit/s"}, {1e6, "Mbit/s"}, {1e9, "Gbit/s"}, {1e12, "Tbit/s"}});
    if (u == "octets")
        return fmt::format("{:.10g} octets", value);
    return fmt::format("{:g} {}", value, u);
}

std::string parameter_table(const vg810_cc_algorithm& a) {
    if (a.parameter_count == 0)
        return "It has no parameters.\n";
    std::string text = "| parameter | meaning | preset | range |\n|---|---|---|---|\n";
    for (std::uint32_t i = 0; i < a.parameter_count; ++i) {
        const vg810_cc_parameter& p = a.parameters[i];
        text +=
            fmt::format("| `{}` | {} | {} | {} .. {} |\n", p.name, p.help != nullptr ? p.help : "",
                        with_unit(p.preset, p.unit), with_unit(p.least, p.unit), with_unit(p.most, p.unit));
    }
    return text;
}

} // namespace vg810::cc
