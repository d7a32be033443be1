// SPDX-License-Identifier: Apache-2.0
#include "scenarios/report/report_html.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <map>

namespace vg810::scenarios {
namespace {

constexpr double width = 860, height = 240, left = 70, bottom = 30, top = 10, right = 10;
constexpr std::size_t most_lines = 8;     // in one plot
constexpr std::size_t most_points = 2000; // of one line
constexpr std::size_t most_edges = 400;   // of the pause graph
constexpr std::array<std::string_view, most_lines> colours{"#1b6ca8", "#c0392b", "#27864a", "#8e44ad",
                                                           "#d68910", "#117a8b", "#7f4f24", "#555555"};

std::string escaped(std::string_view text) {
    std::string out;
    for (const char c : text)
        switch (c) {
        case '&':
            out += "&amp;";
            break;
        case '<':
            out += "&lt;";
            break;
        case '>':
            out += "&gt;";
            break;
        case '"':
            out += "&quot;";
            break;
        default:
            out += c;
        }
    return out;
}

struct line_data {
    std::string name;
    std::vector<std::pair<double, double>> points;
};

/// Axes with their ends' values, and lines.
class plot {
  public:
    plot(std::string x_unit, std::string y_unit, double x_most, double y_most, bool log_x = false)
        : x_unit_(std::move(x_unit)), y_unit_(std::move(y_unit)), x_most_(std::max(x_most, 1e-9)),
          y_most_(std::max(y_most, 1e-9)), log_x_(log_x) {}

    void start_at(double x_least) { x_least_ = x_least; }

    std::string draw(const std::vector<line_data>& lines) const {
        std::string out = fmt::format("<svg viewBox=\"0 0 {} {}\" role=\"img\">", width, height);
        axes(out);
        for (std::size_t i = 0; i < lines.size(); ++i)
            draw(lines[i], colours[i % colours.size()], out);
        out += "</svg>\n<p class=\"legend\">";
        for (std::size_t i = 0; i < lines.size() && lines.size() > 1; ++i)
            out += fmt::format("<span style=\"color:{}\">{}</span> ", colours[i % colours.size()],
                               escaped(lines[i].name));
        return out + "</p>\n";
    }

  private:
    double x(double v) const {
        const double share = log_x_
                                 ? std::log(std::max(v, x_least_) / x_least_) / std::log(x_most_ / x_least_)
                                 : (v - x_least_) / (x_most_ - x_least_);
        return left + share * (width - left - right);
    }
    double y(double v) const { return height - bottom - v / y_most_ * (height - bottom - top); }

    void axes(std::string& out) const {
        auto at = std::back_inserter(out);
        fmt::format_to(at, "<path d=\"M{0} {1}V{2}H{3}\" class=\"axis\"/>", left, top, height - bottom,
                       width - right);
        fmt::format_to(at, "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{:.4g}</text>", left - 4, top + 10,
                       y_most_);
        fmt::format_to(at, "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>", left - 4, height / 2,
                       escaped(y_unit_));
        fmt::format_to(at, "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">0</text>", left - 4, height - bottom);
        fmt::format_to(at, "<text x=\"{}\" y=\"{}\">{:.4g}</text>", left, height - 10, x_least_);
        fmt::format_to(at, "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>", width / 2, height - 10,
                       escaped(x_unit_));
        fmt::format_to(at, "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{:.4g}</text>", width - right,
                       height - 10, x_most_);
    }

    void draw(const line_data& l, std::string_view colour, std::string& out) const {
        out += fmt::format("<polyline stroke=\"{}\" points=\"", colour);
        for (const auto& [px, py] : l.points)
            fmt::format_to(std::back_inserter(out), "{:.1f},{:.1f} ", x(px), y(py));
        out += "\"/>";
    }

    std::string x_unit_, y_unit_;
    double x_least_ = 0, x_most_, y_most_;
    bool log_x_;
};

double us(picoseconds t) {
    return static_cast<double>(t.count()) * 1e-6;
}

/// A staircase of at most some points: the largest value of each stretch is kept.
line_data staircase(const series_sampler::series& s, picoseconds end) {
    line_data out{s.name, {{0, 0}}};
    const std::size_t stride = s.points.size() / most_points + 1;
    double before = 0;
    for (std::size_t i = 0; i < s.points.size(); i += stride) {
        const auto last = std::min(i + stride, s.points.size());
        double most = 0;
        for (std::size_t k = i; k < last; ++k)
            most = std::max(most, static_cast<double>(s.points[k].value));
        out.points.emplace_back(us(s.points[i].at), before);
        out.points.emplace_back(us(s.points[i].at), most);
        before = most;
    }
    if (!s.points.empty())
        out.points.emplace_back(us(end), static_cast<double>(s.points.back().value));
    return out;
}

/// The series of one kind with the largest values, in one plot.
std::string series_plot(const html_page& page, std::string_view part, std::string_view heading,
                        const std::string& unit) {
    std::vector<std::pair<std::int64_t, const series_sampler::series*>> found;
    for (const auto& s : page.series->all()) {
        if (s.name.find(part) == std::string::npos || s.name.find(".prio") != std::string::npos)
            continue;
        std::int64_t most = 0;
        for (const auto& p : s.points)
            most = std::max(most, p.value);
        if (most > 0)
            found.emplace_back(most, &s);
    }
    if (found.empty())
        return {};
    std::stable_sort(found.begin(), found.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    const std::size_t all = found.size();
    found.resize(std::min(found.size(), most_lines));
    std::vector<line_data> lines;
    for (const auto& [most, s] : found)
        lines.push_back(staircase(*s, page.end));
    return fmt::format("<h2>{}</h2>\n<p>The {} largest of {}.</p>\n", heading, lines.size(), all) +
           plot("us", unit, us(page.end), static_cast<double>(found.front().first)).draw(lines);
}

std::string fct_plot(const html_page& page) {
    if (page.fct_us.empty())
        return {};
    line_data line{"all messages", {}};
    const std::size_t n = page.fct_us.size(), stride = n / most_points + 1;
    for (std::size_t i = 0; i < n; i += stride)
        line.points.emplace_back(page.fct_us[i], static_cast<double>(i + 1) / static_cast<double>(n));
    line.points.emplace_back(page.fct_us.back(), 1);
    const double least = std::max(page.fct_us.front(), 1e-3);
    plot p("completion time, us, logarithmic", "share", std::max(page.fct_us.back(), least * 1.001), 1, true);
    p.start_at(least);
    return "<h2>Completion times</h2>\n" + p.draw({line});
}

/// Who paused whom: nodes on a circle, an arrow from the asking node to the paused one, thicker for longer.
std::string pause_plot(const html_page& page) {
    std::map<std::pair<std::uint32_t, std::uint32_t>, double> edges;
    for (const pause_interval& i : page.pauses->intervals())
        edges[{i.by, i.whom}] += us(i.end - i.start);
    if (edges.empty())
        return {};
    std::vector<std::pair<double, std::pair<std::uint32_t, std::uint32_t>>> order;
    double most = 0;
    for (const auto& [edge, time] : edges) {
        order.emplace_back(time, edge);
        most = std::max(most, time);
    }
    std::stable_sort(order.begin(), order.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    const std::size_t all = order.size();
    order.resize(std::min(order.size(), most_edges));
    std::map<std::uint32_t, std::size_t> place;
    for (const auto& [time, edge] : order) {
        place.emplace(edge.first, 0);
        place.emplace(edge.second, 0);
    }
    std::size_t next = 0;
    for (auto& [node, where] : place)
        where = next++;
    const double radius = 240, centre = 300;
    const auto at = [&](std::uint32_t node) {
        const double angle =
            2 * 3.14159265358979 * static_cast<double>(place.at(node)) / static_cast<double>(next);
        return std::pair(centre + radius * std::cos(angle), centre + radius * std::sin(angle));
    };
    std::string out =
        fmt::format("<h2>Who paused whom</h2>\n<p>The {} longest of {} pairs; a line's thick end is "
                    "at the paused node.</p>\n<svg viewBox=\"0 0 600 600\" class=\"graph\">",
                    order.size(), all);
    for (const auto& [time, edge] : order) {
        const auto [x1, y1] = at(edge.first);
        const auto [x2, y2] = at(edge.second);
        fmt::format_to(
            std::back_inserter(out),
            "<g><path d=\"M{0:.1f} {1:.1f}L{2:.1f} {3:.1f}\" class=\"axis\" stroke-width=\"{4:.1f}\"/>"
            "<circle cx=\"{2:.1f}\" cy=\"{3:.1f}\" r=\"5\"/><title>{5:.1f} us</title></g>",
            x1, y1, x2, y2, 0.5 + 3 * time / most, time);
    }
    for (const auto& [node, where] : place) {
        const auto [x1, y1] = at(node);
        fmt::format_to(std::back_inserter(out), "<text x=\"{:.1f}\" y=\"{:.1f}\">{}</text>", x1 + 6, y1 - 6,
                       escaped(page.pauses->nodes()[node]));
    }
    return out + "</svg>\n";
}

std::string figure_table(const html_page& page) {
    std::string out = "<h2>Figures</h2>\n<table>\n";
    for (const auto& [name, value] : page.figures)
        fmt::format_to(std::back_inserter(out), "<tr><td>{}</td><td>{:.6g}</td></tr>\n", escaped(name),
                       value);
    return out + "</table>\n";
}

constexpr std::string_view style =
    "<style>body{font:15px sans-serif;max-width:900px;margin:2em auto;padding:0 1em}svg{width:100%}"
    "svg text{font-size:11px}polyline{fill:none;stroke-width:1.2}.axis{fill:none;stroke:#888}"
    ".graph{max-width:600px}.legend{font-size:13px}table{border-collapse:collapse}"
    "td{border-bottom:1px solid #ddd;padding:2px 12px}td+td{text-align:right;font-family:monospace}"
    "pre{white-space:pre-wrap}</style>\n";

} // namespace

std::string report_html(const html_page& page) {
    std::string out = fmt::format(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{0}</title>\n"
        "{1}</head><body>\n<h1>{0}</h1>\n<pre>{2}</pre>\n<p>Ended as: <b>{3}</b>, after "
        "{4:.3f} us.</p>\n",
        escaped(page.title), style, escaped(page.description), escaped(page.verdict), us(page.end));
    out += fct_plot(page);
    out += series_plot(page, ".queue", "Queues", "octets");
    out += series_plot(page, ".rate", "Rates", "bit/s");
    out += pause_plot(page);
    out += figure_table(page);
    return out + "</body></html>\n";
}

} // namespace vg810::scenarios
