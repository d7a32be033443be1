// SPDX-License-Identifier: Apache-2.0
#include "scenarios/run/pause_log.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <tuple>

namespace vg810::scenarios {
namespace {

bool is_pause(const frame& f) {
    return f.stored().size() >= 6 && mac_address::load(f.stored().data()) == mac_control_address;
}

} // namespace

class pause_log::tap final : public fabric::wire_tap {
  public:
    tap(pause_log& log, bits_per_second rate, std::uint32_t a, std::uint32_t b)
        : log_(&log), quantum_(rate.time_for(pause_quantum_bytes)), ends_{a, b} {}

    void frame_sent(fabric::cable_side from, const frame& f, picoseconds first_bit) override {
        if (!is_pause(f))
            return;
        if (const auto request = read_pause_frame(f))
            take(static_cast<std::size_t>(from), *request, first_bit);
    }

    void finish(picoseconds end) {
        for (auto& side : open_)
            for (state& s : side)
                if (s.on)
                    log_->intervals_.push_back(closed(s, std::min(s.until, end), s.until > end));
    }

  private:
    struct state {
        bool on = false;
        picoseconds until;
        pause_interval interval;
    };

    static pause_interval closed(const state& s, picoseconds at, bool open) {
        pause_interval i = s.interval;
        i.end = at;
        i.open = open;
        return i;
    }

    void take(std::size_t side, const pfc_request& r, picoseconds at) {
        ++log_->frames_;
        for (priority p = 0; p < priorities; ++p)
            if (r.enabled >> p & 1)
                change(open_[side][p], side, p, r.time[p], at);
    }

    void change(state& s, std::size_t side, priority p, std::uint16_t quanta, picoseconds at) {
        if (s.on && s.until <= at) { // it had run out
            log_->intervals_.push_back(closed(s, s.until, false));
            s.on = false;
        }
        if (quanta == 0) {
            if (s.on)
                log_->intervals_.push_back(closed(s, at, false));
            s.on = false;
            return;
        }
        if (!s.on)
            s.interval = {at, at, ends_[side], ends_[1 - side], p, 0, false};
        s.on = true;
        s.until = at + quantum_ * quanta;
        ++s.interval.frames;
    }

    pause_log* log_;
    picoseconds quantum_;
    std::array<std::uint32_t, 2> ends_;
    std::array<per_priority<state>, 2> open_;
};

pause_log::pause_log() = default;
pause_log::~pause_log() = default;

std::uint32_t pause_log::node(const std::string& name) {
    const auto found = std::find(nodes_.begin(), nodes_.end(), name);
    if (found != nodes_.end())
        return static_cast<std::uint32_t>(found - nodes_.begin());
    nodes_.push_back(name);
    return static_cast<std::uint32_t>(nodes_.size() - 1);
}

void pause_log::watch(fabric::cable& c, std::uint32_t a, std::uint32_t b) {
    taps_.push_back(std::make_unique<tap>(*this, c.parameters().rate, a, b));
    c.add_tap(*taps_.back());
}

void pause_log::finish(picoseconds end) {
    for (const auto& t : taps_)
        t->finish(end);
    std::sort(intervals_.begin(), intervals_.end(), [](const auto& x, const auto& y) {
        return std::tie(x.start, x.by, x.whom, x.priority) < std::tie(y.start, y.by, y.whom, y.priority);
    });
}

picoseconds pause_log::total() const {
    picoseconds sum;
    for (const pause_interval& i : intervals_)
        sum += i.end - i.start;
    return sum;
}

std::string pause_log::csv() const {
    std::string out = "start_ps,end_ps,by,paused,priority,frames,state\n";
    for (const pause_interval& i : intervals_)
        fmt::format_to(std::back_inserter(out), "{},{},{},{},{},{},{}\n", i.start.count(), i.end.count(),
                       nodes_[i.by], nodes_[i.whom], i.priority, i.frames, i.open ? "open" : "over");
    return out;
}

} // namespace vg810::scenarios
