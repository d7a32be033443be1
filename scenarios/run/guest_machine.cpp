// SPDX-License-Identifier: Apache-2.0
#include "scenarios/run/guest_machine.h"

#include "scenarios/run/card_setup.h"
#include "scenarios/run/environment_error.h"
#include "scenarios/steps/latency.h"

#include <algorithm>
#include <fmt/format.h>
#include <fstream>
#include <poll.h>
#include <thread>

namespace vg810::scenarios {
namespace {

namespace fs = std::filesystem;

constexpr picoseconds background_grace = picoseconds::from_ns(4'000'000'000);

std::string background_file(command_id id) {
    return fmt::format("/tmp/.vg810-{}", id);
}

/// Starts `command` in a session of its own; its output and exit status are kept in files.
std::string start_script(command_id id, const std::string& command) {
    return fmt::format(
        "cat >{0}.sh <<'vg810-end-of-command'\n{1}\nvg810-end-of-command\n"
        "setsid sh -c 'sh {0}.sh; echo $? >{0}.status' </dev/null >{0}.out 2>&1 &\necho $! >{0}.pid\n",
        background_file(id), command);
}

/// Exit status: the command's own, or 255 when it still ran and was ended.
std::string stop_script(command_id id) {
    return fmt::format(
        "if [ -e {0}.status ]; then status=$(cat {0}.status); else status=255\n"
        "kill -TERM -- -$(cat {0}.pid); sleep 0.2; kill -KILL -- -$(cat {0}.pid) 2>/dev/null; fi\n"
        "cat {0}.out; exit $status\n",
        background_file(id));
}

std::chrono::milliseconds to_milliseconds(picoseconds t) {
    return std::chrono::milliseconds((t.count() + 999'999'999) / 1'000'000'000);
}

/// The last line of a console that says why a guest stopped.
std::string panic_line(const fs::path& console) {
    std::ifstream in(console);
    std::string line, found;
    while (std::getline(in, line))
        if (line.find("Kernel panic") != std::string::npos || line.find("Out of memory") != std::string::npos)
            found = line;
    return found;
}

} // namespace

/// The engine's end: turns its calls into events in the guest's domain, and the guest's reports into calls.
class guest_machine::command_link final : public component, public command_host {
  public:
    command_link(guest_machine& guest, step_engine& engine, const fs::path& agent_file)
        : component(engine.clock(), "commands to " + guest.name()), guest_(guest), engine_(engine),
          stream_(agent_file) {}

    const std::string& name() const override { return guest_.name(); }

    void start(command_id id, const std::string& command, picoseconds timeout) override {
        send({id, role::step, command, timeout});
    }
    void start_background(command_id id, const std::string& command) override {
        send({id, role::background_start, start_script(id, command), background_grace});
    }
    void stop_background(command_id id) override {
        send({id, role::background_stop, stop_script(id), background_grace});
    }

    /// The agent wrote the output before it reported the end, so it is in the file by now; a slow disk gets 5
    /// s.
    std::string output(command_id id) const override {
        const auto step = steps_.find(id);
        if (step == steps_.end())
            return {};
        const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(5);
        stream_.poll();
        while (!stream_.step(step->second).result && std::chrono::steady_clock::now() < deadline &&
               !guest_.gone()) {
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
            stream_.poll();
        }
        save_files(step->second);
        return stream_.step(step->second).text;
    }

    void ready(std::uint64_t) { engine_.host_ready(guest_.name()); }

    /// `argument`: the report's number.
    void done(std::uint64_t argument) {
        const report r = reports_.extract(argument).mapped();
        steps_[r.id] = r.step;
        if (r.what == role::background_start && r.result == 0)
            return; // it runs
        command_end end;
        end.timed_out = r.result == VG810_HARNESS_RESULT_TIMEOUT;
        if (r.result == VG810_HARNESS_RESULT_FAILED)
            end.problem = "the guest's agent could not run it: no memory or no process left";
        else if (r.what == role::background_start)
            end.problem = "it could not be started in the background";
        end.still_ran = r.what == role::background_stop && r.result == 255;
        end.exit_status = static_cast<int>(r.result & 0xff);
        engine_.command_ended(r.id, end);
    }

    void power_off() {
        schedule_in<&guest_machine::powered_off>(guest_.clock(), now() + command_latency, &guest_, 0, never);
    }

    struct report {
        command_id id;
        role what;
        std::uint32_t step;
        std::uint32_t result;
    };
    std::map<std::uint64_t, report> reports_; ///< on their way to the engine
    std::uint64_t next_report_ = 0;

  private:
    void send(harness_command command) {
        const std::uint64_t ticket = next_ticket_++;
        guest_.tickets_.emplace(ticket, std::move(command));
        schedule_in<&guest_machine::deliver>(guest_.clock(), now() + command_latency, &guest_, ticket, never);
    }

    void save_files(std::uint32_t step) const {
        for (const auto& file : stream_.step(step).files)
            if (file.error == 0)
                guest_.around_.directory->write(
                    fmt::format("files/{}/{}", guest_.name(), fs::path(file.path).filename().string()),
                    file.content);
    }

    guest_machine& guest_;
    step_engine& engine_;
    mutable qemu::agent_stream stream_;
    std::map<command_id, std::uint32_t> steps_;
    std::uint64_t next_ticket_ = 0;
};

guest_machine::guest_machine(scheduler& clock, const host_config& config, std::size_t card_index,
                             const guest_surroundings& around)
    : component(clock, "guest " + config.name), config_(config), around_(around), index_(card_index),
      ending_(around.interactive) {
    card_ = make_card(config, card_index, clock, *around.frames);
    card_->set_observer(&pings_);
    harness_ = std::make_unique<qemu::harness_device>(qemu::harness_device::events{
        [this] { agent_ready(); },
        [this](std::uint32_t step, std::uint32_t result) { step_done(step, result); }});
    harness_->set_time([this] { return static_cast<std::uint64_t>(now().floor_ns()); });
    if (around.mode == time_mode::lockstep)
        guest_clock_ = std::make_unique<qemu::guest_clock>();
    host_ = std::make_unique<qemu::guest_host>(
        config.name, guest_clock_.get(),
        qemu::guest_host::promises{[this] { return std::min(card_->access_lookahead(), report_delay); },
                                   [this] { return card_->rx_quiet(); }});
    try {
        build_functions();
    } catch (
        const std::exception& e) { // a socket that cannot be made: a TMPDIR with a long name, a full disk
        throw environment_error(fmt::format("guest {}: {}", config_.name, e.what()));
    }
}

guest_machine::~guest_machine() = default;

void guest_machine::build_functions() {
    slot_ = std::make_unique<qemu::card_slot>(fmt::format("slot_{}", config_.name).c_str(), shapes_of(*card_),
                                              [this](unsigned) { card_->endpoint().bus_reset(); });
    card_->endpoint().set_interrupt_sink(*host_);
    for (unsigned f = 0; f < ports_per_card; ++f) {
        slot_->downstream(f).bind(card_->endpoint().downstream(f));
        card_->endpoint().upstream(f).bind(slot_->upstream(f));
        sockets_.push_back((around_.scratch / fmt::format("{}.{}", config_.name, f)).string());
        auto& server = host_->add_function(slot_->function(f), sockets_.back());
        slot_->set_memory(f, &server.memory());
    }
    if (around_.interactive)
        return;
    sockets_.push_back((around_.scratch / (config_.name + ".h")).string());
    host_->add_function(*harness_, sockets_.back());
}

void guest_machine::report_to(step_engine& engine) {
    link_ = std::make_unique<command_link>(*this, engine, around_.scratch / (config_.name + ".agent"));
}

command_host* guest_machine::commands() {
    return link_.get();
}

void guest_machine::plug(fabric::network& network) {
    plug_card(network, config_.name, *card_);
}

void guest_machine::add_counters(counter_sampler& sampler) {
    add_card_counters(sampler, config_.name, *card_);
}

void guest_machine::start() {
    qemu::guest_spec spec;
    spec.name = config_.name;
    spec.mode = around_.mode == time_mode::lockstep ? qemu::time_mode::lockstep : qemu::time_mode::paced;
    spec.memory_mib = static_cast<unsigned>(config_.memory >> 20);
    if (config_.accelerator == accelerator_kind::kvm) {
        if (!qemu::kvm_usable())
            throw environment_error(
                fmt::format("host {}: /dev/kvm of this machine starts no virtual machine; leave "
                            "accelerator at \"tcg\"",
                            config_.name));
        spec.accelerator = "kvm";
    }
    spec.seed = static_cast<std::uint64_t>(around_.seed);
    spec.kernel_arguments =
        fmt::format("guest.agent={} guest.driver={} guest.hostname={} {}", around_.interactive ? 0 : 1,
                    config_.driver ? 1 : 0, config_.name, config_.kernel_arguments);
    spec.slots.push_back({{sockets_.begin(), sockets_.begin() + ports_per_card}});
    if (around_.interactive && index_ > 0)
        spec.console_socket = (around_.scratch / (config_.name + ".console")).string();
    if (!around_.interactive) {
        spec.slots.push_back({{sockets_.back()}});
        spec.console_file = around_.directory->file(fmt::format("console.{}.log", config_.name)).string();
        spec.agent_file = (around_.scratch / (config_.name + ".agent")).string();
    }
    spec.log_file = around_.directory->file(fmt::format("qemu.{}.log", config_.name)).string();
    try {
        process_ = std::make_unique<qemu::guest_process>(*around_.root, spec, guest_clock_.get());
    } catch (const std::exception& e) {
        throw environment_error(e.what());
    }
}

void guest_machine::watch(std::vector<pollfd>& set) {
    const std::size_t before = set.size();
    host_->watch(set);
    watched_ = set.size() - before;
    if (!gone())
        set.push_back({process_->exit_fd(), POLLIN, 0});
}

void guest_machine::service(std::span<const pollfd> ready, const present_time& present) {
    host_->service(ready.first(watched_), [&present] { present(); });
    if (ready.size() > watched_ && ready[watched_].revents != 0)
        note_end();
}

void guest_machine::check_ram() {
    if (ram_checked_ || gone() || !host_->has_memory())
        return;
    ram_checked_ = true;
    if (process_->ram_is_private())
        host_->set_gone(
            fmt::format("guest {}: QEMU keeps the guest's RAM to itself, so the card cannot reach it; "
                        "memory-backend-memfd needs share=on",
                        config_.name));
}

void guest_machine::note_end() {
    if (!gone())
        return;
    host_->set_gone(ending_ && process_->ended_well() ? "" : unexpected_end());
}

std::string guest_machine::unexpected_end() const {
    if (!process_->ended_well())
        return process_->failure();
    const fs::path console = around_.directory->file(fmt::format("console.{}.log", config_.name));
    const std::string panic = panic_line(console);
    return fmt::format("guest {} ended before its steps did: {}; see {}", config_.name,
                       panic.empty() ? "it powered off or rebooted" : panic, console.string());
}

bool guest_machine::ended_early() const {
    return guest_clock_ && guest_clock_->state() == qemu::guest_state::exited && !ending_;
}

/// Looks for itself: whoever asks wants the end of QEMU as the reason, not what followed from it.
std::string guest_machine::failure() {
    constexpr int moment_ms = 2000; // from the plugin's farewell to the end of the process
    if (guest_clock_ && guest_clock_->state() == qemu::guest_state::exited && !gone()) {
        pollfd end{process_->exit_fd(), POLLIN, 0};
        ::poll(&end, 1, moment_ms);
    }
    check_ram();
    note_end();
    return host_->failure();
}

bool guest_machine::gone() {
    return !process_ || !process_->running();
}

void guest_machine::power_off() {
    ending_ = true;
    link_->power_off();
}

void guest_machine::kill() {
    if (process_)
        process_->stop();
}

void guest_machine::deliver(std::uint64_t ticket) {
    waiting_.push_back(tickets_.extract(ticket).mapped());
    hand_over();
}

void guest_machine::hand_over() {
    if (waiting_.empty() || harness_->step_running() != 0)
        return;
    running_ = std::move(waiting_.front());
    waiting_.pop_front();
    harness_->start_step(++harness_step_, running_.text, to_milliseconds(running_.timeout));
}

void guest_machine::agent_ready() {
    schedule_in<&command_link::ready>(link_->clock(), now() + report_delay + command_latency, link_.get());
}

void guest_machine::step_done(std::uint32_t step, std::uint32_t result) {
    const std::uint64_t number = link_->next_report_++;
    link_->reports_.emplace(number, command_link::report{running_.id, running_.what, step, result});
    schedule_in<&command_link::done>(link_->clock(), now() + report_delay + command_latency, link_.get(),
                                     number);
    hand_over();
}

nlohmann::ordered_json guest_machine::wall_costs() {
    if (!guest_clock_)
        return nullptr;
    const auto& c = guest_clock_->counts();
    const auto seconds = [](std::chrono::nanoseconds t) { return std::chrono::duration<double>(t).count(); };
    nlohmann::ordered_json out;
    out["stops"] = c.stops;
    out["accesses"] = c.accesses;
    out["cuts"] = c.cuts;
    out["deliveries"] = c.deliveries;
    out["running_seconds"] = seconds(c.running_wall);
    out["access_seconds"] = seconds(c.access_wall);
    out["cut_seconds"] = seconds(c.cut_wall);
    out["delivery_seconds"] = seconds(c.delivery_wall);
    return out;
}

} // namespace vg810::scenarios
