// SPDX-License-Identifier: Apache-2.0
#include "scenarios/run/pacing.h"

#include "core/systemc_bridge.h"
#include "qemu-device/shared_page.h"
#include "scenarios/config/quantity.h"
#include "scenarios/run/environment_error.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>

namespace vg810::scenarios {
namespace {

using std::chrono::milliseconds;

constexpr unsigned steps_between_looks = 1000;   // of the conductor: some milliseconds of wall time
constexpr auto look_interval = milliseconds(50); // for what costs system calls
constexpr auto slice = milliseconds(50);         // between two returns to the SystemC kernel
constexpr auto present_budget =
    milliseconds(20); // paced: the model's share before a waiting access is served
constexpr auto power_off_limit = std::chrono::seconds(60);
constexpr auto settle_time = picoseconds::from_ns(10'000'000'000);

} // namespace

pacing::pacing(world& w, const scenario& s, const run_directory& directory, const stop_signal& stop,
               status_line* status)
    : world_(w), scenario_(s), directory_(directory), stop_(stop), status_(status) {}

ending pacing::run() {
    try {
        ending_ = scenario_.mode == time_mode::lockstep ? run_lockstep() : run_paced();
    } catch (const qemu::sync_error& e) {
        // The reason is rather in QEMU's end than in the silence that followed it.
        poll_machines(200, [this] { return reached_; });
        look_around();
        if (!ended_)
            end(ending::kind::aborted, e.what());
    } catch (const output_error& e) {
        end(ending::kind::aborted, e.what());
    } catch (const environment_error& e) {
        end(ending::kind::aborted, e.what());
    }
    return ending_;
}

void pacing::end(ending::kind what, std::string reason) {
    if (ended_)
        return;
    ended_ = true;
    ending_ = {what, std::move(reason)};
}

picoseconds pacing::wall_time() const {
    return picoseconds::from_ns(
        std::chrono::duration_cast<std::chrono::nanoseconds>(wall_clock::now() - start_).count());
}

run_progress pacing::progress() const {
    run_progress p;
    p.simulated = reached_;
    p.events = world_.events();
    p.activity = world_.steps().activity();
    p.steps_done = world_.steps().steps_done();
    p.behind = behind_;
    return p;
}

bool pacing::machines_gone() const {
    return std::all_of(world_.machines().begin(), world_.machines().end(),
                       [](const auto& m) { return m->gone(); });
}

/// Everything that may end a run, and the status. False when it has ended.
bool pacing::look_around() {
    if (scenario_.mode == time_mode::lockstep) // paced: wall time says, not the next event
        reached_ = std::max(reached_, std::min(world_.schedule().time(), picoseconds::max()));
    if (status_ && status_->due())
        status_->update(progress());
    if (stop_.caught() != 0)
        end(ending::kind::interrupted, strsignal(stop_.caught()));
    if (!world_.output_failure().empty())
        end(ending::kind::aborted, world_.output_failure());
    directory_.check_space();
    for (const auto& m : world_.machines())
        if (const std::string why = m->failure(); !why.empty())
            end(m->failed_outside() ? ending::kind::aborted : ending::kind::failed, why);
    if (wall_time() > scenario_.wall_limit)
        end(ending::kind::failed, fmt::format("wall_limit is over: {}", to_text(scenario_.wall_limit)));
    const bool steps_done = world_.steps().finished() || world_.interactive();
    if (steps_done && !world_.steps().failure().empty())
        end(ending::kind::failed, world_.steps().failure());
    if (steps_done && !powering_off_) {
        powering_off_ = true;
        powering_off_since_ = wall_clock::now();
    }
    if (powering_off_ && machines_gone())
        end(ending::kind::done, "");
    else if (powering_off_ && !world_.interactive() &&
             wall_clock::now() - powering_off_since_ > power_off_limit)
        end(ending::kind::failed, "a guest did not power off within 60 s");
    return !ended_;
}

void pacing::poll_machines(int timeout_ms, const machine::present_time& present) {
    polled_.clear();
    polled_.push_back({stop_.descriptor(), POLLIN, 0});
    std::vector<std::size_t> firsts;
    for (const auto& m : world_.machines()) {
        firsts.push_back(polled_.size());
        m->watch(polled_);
    }
    if (::poll(polled_.data(), polled_.size(), timeout_ms) < 0 && errno != EINTR)
        throw environment_error(fmt::format("poll: {}", std::strerror(errno)));
    firsts.push_back(polled_.size());
    for (std::size_t i = 0; i < world_.machines().size(); ++i)
        world_.machines()[i]->service(std::span(polled_).subspan(firsts[i], firsts[i + 1] - firsts[i]),
                                      present);
}

// Lockstep.

/// A guest that ends early is looked at at once: time would run freely without it, up to the limits of
/// others' patience.
bool pacing::wait_for_guests() {
    for (const auto& m : world_.machines())
        if (m->refresh())
            return !m->ended_early() || look_around();
    poll_machines(100, [this] { return reached_; }); // an access before the first grant is at time 0
    const bool early = std::any_of(world_.machines().begin(), world_.machines().end(),
                                   [](const auto& m) { return m->ended_early(); });
    if (!early && wall_clock::now() < next_look_)
        return true;
    next_look_ = wall_clock::now() + look_interval;
    return look_around();
}

bool pacing::go_on() {
    if (ended_)
        return false;
    if (until_look_-- > 0)
        return true;
    until_look_ = steps_between_looks;
    const auto now = wall_clock::now();
    if (now < next_look_)
        return now < slice_end_;
    next_look_ = now + look_interval;
    return look_around() && now < slice_end_;
}

ending pacing::run_lockstep() {
    run_under_systemc([this] {
        slice_end_ = wall_clock::now() + slice;
        const auto outcome = world_.schedule().run(
            scenario_.time_limit, [this] { return wait_for_guests(); }, [this] { return go_on(); });
        if (outcome == conductor::outcome::time_reached)
            end(ending::kind::failed,
                fmt::format("time_limit is over: {} simulated", to_text(scenario_.time_limit)));
        if (outcome == conductor::outcome::quiet && look_around() && machines_gone())
            end(world_.steps().finished() ? ending::kind::done : ending::kind::failed,
                world_.steps().finished() ? "" : "nothing is left to happen, but the steps are not done");
        if (!ended_)
            return reached_;
        if (ending_.what == ending::kind::done)
            settle();
        return never;
    });
    return ending_;
}

/// Lets frames arrive that are still under way, so that what a run leaves does not depend on when it was
/// noticed that the last guest had ended.
void pacing::settle() {
    const auto limit = wall_clock::now() + std::chrono::seconds(20);
    const picoseconds end = world_.schedule().time() + settle_time;
    world_.schedule().run(
        end, [] { return false; }, [&] { return wall_clock::now() < limit; });
}

// Paced.

/// Moves the model to wall time, or as far as its budget goes: simulated time then falls behind for good.
picoseconds pacing::bring_to_present() {
    const picoseconds target = std::max(reached_, wall_time() - behind_);
    const auto limit = wall_clock::now() + present_budget;
    unsigned steps = 0;
    const auto outcome = world_.schedule().run(
        target, [] { return false; }, [&] { return ++steps % 64 != 0 || wall_clock::now() < limit; });
    reached_ = outcome == conductor::outcome::ended
                   ? std::max(reached_, std::min(world_.schedule().time(), target))
                   : target;
    behind_ += target - reached_;
    for (scheduler* clock : world_.clocks())
        if (clock->now() < reached_ && clock->next_time() >= reached_)
            clock->advance_to(reached_);
    return reached_;
}

ending pacing::run_paced() {
    run_under_systemc([this] {
        const machine::present_time present = [this] { return bring_to_present(); };
        present();
        picoseconds next = never;
        for (const scheduler* clock : world_.clocks())
            next = std::min(next, clock->next_time());
        const std::int64_t wait_ns = next == never ? 5'000'000 : (next - reached_).floor_ns();
        poll_machines(static_cast<int>(std::clamp<std::int64_t>(wait_ns / 1'000'000, 0, 5)), present);
        if (wall_clock::now() >= next_look_) {
            next_look_ = wall_clock::now() + look_interval;
            look_around();
        }
        if (reached_ >= scenario_.time_limit)
            end(ending::kind::failed,
                fmt::format("time_limit is over: {} simulated", to_text(scenario_.time_limit)));
        return ended_ ? never : reached_;
    });
    return ending_;
}

} // namespace vg810::scenarios
