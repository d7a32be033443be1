// SPDX-License-Identifier: Apache-2.0
#include "scenarios/steps/step_engine.h"

#include "scenarios/config/quantity.h"
#include "scenarios/steps/output_value.h"

#include <algorithm>
#include <fmt/format.h>

namespace vg810::scenarios {
namespace {

/// How long after its limit a command may take to report its end, in simulated time.
constexpr picoseconds patience = picoseconds::from_ns(5'000'000'000);

// Busybox shell. Devices are found by their address: names depend on the order of drivers.
constexpr std::string_view quiet_arp = R"sh(
# Both ports may hear the same broadcast: each answers for its own address only.
sysctl -q -w net.ipv4.conf.all.arp_ignore=1 net.ipv4.conf.all.arp_announce=2
devices=
)sh";
constexpr std::string_view configure_port = R"sh(
device=
for d in /sys/class/net/*; do
    if [ "$(cat "$d/address")" = "{mac}" ]; then device=${{d##*/}}; fi
done
if [ -z "$device" ]; then
    echo "no network device has the address {mac} of port {port}: is the driver loaded?"
    exit 1
fi
ip address add {address} dev "$device" && ip link set "$device" up || exit 1
devices="$devices $device"
)sh";
constexpr std::string_view wait_for_links = R"sh(
for device in $devices; do
    tries=0
    until [ "$(cat /sys/class/net/$device/carrier 2>/dev/null)" = 1 ]; do
        tries=$((tries + 1))
        if [ $tries -gt 200 ]; then echo "$device has no link after 2 s"; exit 1; fi
        sleep 0.01
    done
    echo "$device is up"
done
)sh";

std::string configure_script(const host_config& h) {
    std::string script(quiet_arp);
    for (std::size_t port = 0; port < h.addresses.size(); ++port)
        script += fmt::format(configure_port, fmt::arg("mac", h.macs[port]), fmt::arg("port", port),
                              fmt::arg("address", h.addresses[port]));
    return script + std::string(wait_for_links);
}

} // namespace

std::vector<step_config> step_engine::configuration_steps(const scenario& s) {
    std::vector<step_config> steps;
    for (const host_config& h : s.hosts) {
        if (h.kind != host_kind::guest || !h.configure || !h.driver)
            continue;
        step_config step;
        step.name = "configure-" + h.name;
        step.group = "configure";
        step.on = {h.name};
        step.run = configure_script(h);
        step.timeout = picoseconds::from_ns(30'000'000'000);
        steps.push_back(std::move(step));
    }
    return steps;
}

step_engine::step_engine(scheduler& clock, const scenario& s, step_ended ended,
                         std::function<void()> all_done)
    : component(clock, "steps"), steps_(configuration_steps(s)), boot_timeout_(s.boot_timeout),
      ended_(std::move(ended)), all_done_(std::move(all_done)) {
    steps_.insert(steps_.end(), s.steps.begin(), s.steps.end());
    for (const step_config& step : steps_)
        commands_in_all_ += step.on.size();
}

void step_engine::begin(const std::vector<std::string>& guests) {
    for (const std::string& guest : guests)
        ready_[guest] = false;
    if (guests.empty()) {
        phase_ = phase::running;
        start_batch();
        return;
    }
    schedule<&step_engine::boot_timed_out>(now() + boot_timeout_, this);
}

void step_engine::boot_timed_out(std::uint64_t) {
    if (phase_ != phase::booting)
        return;
    for (const auto& [host, ready] : ready_)
        if (!ready)
            return give_up(fmt::format(
                "guest {} did not start its agent within {} of its time; console.{}.log shows how "
                "far it came",
                host, to_text(boot_timeout_), host));
}

void step_engine::host_ready(const std::string& host) {
    ready_[host] = true;
    const bool all = std::all_of(ready_.begin(), ready_.end(), [](const auto& r) { return r.second; });
    if (phase_ != phase::booting || !all)
        return;
    phase_ = phase::running;
    start_batch();
}

void step_engine::start_batch() {
    if (next_step_ == steps_.size())
        return end_background();
    const std::string& group = steps_[next_step_].group;
    batch_failed_ = false;
    do {
        for (const std::string& host : steps_[next_step_].on)
            start_on(next_step_, host);
        ++next_step_;
    } while (next_step_ < steps_.size() && !group.empty() && steps_[next_step_].group == group);
    next();
}

void step_engine::start_on(std::size_t index, const std::string& host) {
    const step_config& step = steps_[index];
    const command_id id = next_id_++;
    running_[id] = {index, host, now(), std::chrono::steady_clock::now(), step.background};
    if (step.background)
        return hosts_.at(host)->start_background(id, step.run);
    hosts_.at(host)->start(id, step.run, step.timeout);
    schedule<&step_engine::command_unanswered>(now() + step.timeout + patience, this, id);
}

bool step_engine::batch_running() const {
    return std::any_of(running_.begin(), running_.end(), [](const auto& r) { return !r.second.background; });
}

/// Goes on when nothing of the present batch is left to wait for.
void step_engine::next() {
    if (phase_ == phase::running && !batch_running()) {
        if (batch_failed_)
            skip_rest();
        return start_batch();
    }
    if (phase_ == phase::ending && running_.empty())
        finish();
}

void step_engine::finish() {
    phase_ = phase::done;
    finished_at_ = now();
    if (all_done_ && !abandoned_)
        all_done_();
}

void step_engine::skip_rest() {
    for (; next_step_ < steps_.size(); ++next_step_)
        for (const std::string& host : steps_[next_step_].on) {
            step_result result;
            result.name = steps_[next_step_].name;
            result.host = host;
            result.started = result.ended = now();
            result.skipped = true;
            results_.push_back(std::move(result));
        }
}

void step_engine::command_ended(command_id id, const command_end& end) {
    if (phase_ == phase::done || !running_.contains(id))
        return; // given up on before
    record(id, end);
    next();
}

/// The host ends commands that take too long; one that does not even say so is stuck.
void step_engine::command_unanswered(std::uint64_t value) {
    const auto found = running_.find(static_cast<command_id>(value));
    if (found == running_.end() || phase_ == phase::done)
        return;
    const step_config& step = steps_[found->second.step];
    give_up(fmt::format("{} does not answer: step {} should have ended or been ended after {} of its time",
                        found->second.host, step.name, to_text(step.timeout)));
}

void step_engine::end_background() {
    phase_ = phase::ending;
    for (auto& [id, command] : running_) {
        command.stopped = true;
        hosts_.at(command.host)->stop_background(id);
        schedule<&step_engine::command_unanswered>(now() + patience, this, id);
    }
    next();
}

void step_engine::host_gone(const std::string& host, const std::string& why) {
    if (phase_ != phase::done)
        give_up(fmt::format("{}: {}", host, why));
}

void step_engine::abandon(const std::string& why) {
    if (phase_ == phase::done)
        return;
    abandoned_ = true;
    give_up(why);
}

void step_engine::give_up(std::string why) {
    failure_ = std::move(why);
    while (!running_.empty())
        record(running_.begin()->first, std::nullopt);
    skip_rest();
    finish();
}

void step_engine::record(command_id id, const std::optional<command_end>& end) {
    const running_command command = running_.at(id);
    running_.erase(id);
    const step_config& step = steps_[command.step];
    step_result result;
    result.name = step.name;
    result.host = command.host;
    result.started = command.started;
    result.ended = now();
    result.wall_seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - command.wall_started).count();
    if (!end)
        result.failures.push_back("the run was given up: " + failure_);
    else if (!end->problem.empty())
        result.failures.push_back(end->problem);
    else if (end->timed_out)
        result.failures.push_back(fmt::format("did not end within {}", to_text(step.timeout)));
    else if (!end->still_ran)
        result.exit_status = end->exit_status;
    const std::string output = hosts_.at(command.host)->output(id);
    judge(step, output, result);
    ended_(result, output);
    batch_failed_ = batch_failed_ || (!result.passed() && step.stop_on_failure);
    results_.push_back(std::move(result));
}

std::string step_engine::activity() const {
    if (phase_ == phase::booting)
        return "boot";
    if (phase_ != phase::running)
        return "end";
    for (const auto& [id, command] : running_)
        if (!command.background)
            return fmt::format("step {}/{} {}", results_.size() + 1, commands_in_all_,
                               steps_[command.step].name);
    return "steps";
}

} // namespace vg810::scenarios
