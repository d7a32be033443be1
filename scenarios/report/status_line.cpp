// SPDX-License-Identifier: Apache-2.0
#include "scenarios/report/status_line.h"

#include <algorithm>
#include <fmt/format.h>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string_view>
#include <sys/ioctl.h>
#include <unistd.h>

namespace vg810::scenarios {
namespace {

namespace fs = std::filesystem;

/// The status is a courtesy: a terminal that went away must not end the run.
void put(int fd, std::string_view text) {
    while (!text.empty()) {
        const ssize_t n = ::write(fd, text.data(), text.size());
        if (n <= 0)
            return;
        text.remove_prefix(static_cast<std::size_t>(n));
    }
}

std::size_t terminal_width(int fd) {
    winsize size{};
    return ::ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

std::string seconds_text(double seconds) {
    const auto s = static_cast<long>(std::max(0.0, seconds) + 0.5);
    return s < 60 ? fmt::format("{}s", s) : fmt::format("{}m{:02}s", s / 60, s % 60);
}

std::optional<earlier_run> read_run(const fs::path& directory, std::size_t steps) {
    std::ifstream in(directory / "wall.json");
    const auto wall = nlohmann::json::parse(in, nullptr, false);
    if (!wall.is_object() || wall.value("outcome", "") != "passed" || !wall.contains("step_ends"))
        return std::nullopt;
    earlier_run run;
    for (const auto& end : wall["step_ends"])
        if (end.is_number())
            run.step_ends.push_back(end.get<double>());
    run.total = wall.value("total_seconds", 0.0);
    return run.step_ends.size() == steps ? std::optional(run) : std::nullopt;
}

} // namespace

std::optional<earlier_run> earlier_run::find(const fs::path& base, const std::string& name,
                                             std::size_t steps) {
    std::vector<fs::path> runs;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(base, error))
        if (entry.path().filename().string().starts_with(name + "-"))
            runs.push_back(entry.path());
    std::sort(runs.rbegin(), runs.rend()); // names end with the time
    for (const fs::path& run : runs)
        if (auto found = read_run(run, steps))
            return found;
    return std::nullopt;
}

double earlier_run::remaining(double elapsed, std::size_t done) const {
    const double at_done = done == 0 ? 0 : step_ends[std::min(done, step_ends.size()) - 1];
    const double next = done < step_ends.size() ? step_ends[done] : total;
    // Where in the earlier run this one is: between the ends of two steps, no further than the later of them.
    const double now = std::clamp(elapsed, at_done, next);
    return total - now;
}

std::string status_text(const run_progress& p, double rate, double ratio, std::optional<double> eta) {
    std::string text =
        fmt::format("{:.6f}s  x{:.3g}  {:.3g} ev/s  {}", p.simulated.as_seconds(), ratio, rate, p.activity);
    if (p.behind > picoseconds::from_ns(10'000'000))
        text += fmt::format("  {:.2f}s behind wall time", p.behind.as_seconds());
    if (eta)
        text += fmt::format("  ETA {}", seconds_text(*eta));
    return text;
}

status_line::status_line(int fd, std::optional<earlier_run> earlier)
    : fd_(fd), terminal_(::isatty(fd) == 1), earlier_(std::move(earlier)) {
    if (!terminal_)
        next_ += std::chrono::seconds(10);
}

void status_line::update(const run_progress& p) {
    if (!due())
        return;
    next_ = clock::now() + (terminal_ ? std::chrono::milliseconds(100) : std::chrono::milliseconds(10'000));
    const double now = elapsed();
    const double wall = std::max(now - last_elapsed_, 1e-3);
    const double rate = static_cast<double>(p.events - last_events_) / wall;
    const double ratio = (p.simulated - last_simulated_).as_seconds() / wall;
    if (now - last_elapsed_ >= 1 || !terminal_) {
        last_elapsed_ = now;
        last_events_ = p.events;
        last_simulated_ = p.simulated;
    }
    std::optional<double> eta;
    if (earlier_)
        eta = earlier_->remaining(now, p.steps_done);
    std::string text = status_text(p, rate, ratio, eta);
    if (!terminal_) {
        put(fd_, text + "\n");
        return;
    }
    text.resize(std::min(text.size(), terminal_width(fd_) - 1));
    put(fd_, "\r\033[K" + text);
    shown_ = true;
}

void status_line::say(const std::string& message) {
    clear();
    put(fd_, message + "\n");
}

void status_line::clear() {
    if (shown_)
        put(fd_, "\r\033[K");
    shown_ = false;
}

} // namespace vg810::scenarios
