// SPDX-License-Identifier: Apache-2.0
#include "scenarios/run/tap_machine.h"

#include "scenarios/run/environment_error.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <fmt/format.h>

namespace vg810::scenarios {
namespace {

using std::chrono::milliseconds;

/// A background command of this machine may run as long as a run may.
constexpr milliseconds background_limit = std::chrono::hours(24);

fabric::tap_parameters tap_of(const host_config& h) {
    fabric::tap_parameters p;
    p.name = "eth0";
    p.mac = *mac_address::parse(h.macs.at(0));
    const std::string& address = h.addresses.at(0);
    const std::size_t slash = address.find('/');
    p.ip = *ipv4_address::parse(std::string_view(address).substr(0, slash));
    std::from_chars(address.data() + slash + 1, address.data() + address.size(), p.prefix_length);
    p.mtu = 9000;
    return p;
}

} // namespace

/// Runs steps in the namespace; their ends become events of the steps' domain.
class tap_machine::shell final : public component, public command_host {
  public:
    shell(tap_machine& tap, step_engine& engine)
        : component(engine.clock(), "commands to " + tap.name()), tap_(tap), engine_(engine) {}

    const std::string& name() const override { return tap_.name(); }

    void start(command_id id, const std::string& command, picoseconds timeout) override {
        begin(id, command, milliseconds(timeout.count() / 1'000'000'000 + 1), false);
    }
    void start_background(command_id id, const std::string& command) override {
        begin(id, command, background_limit, true);
    }
    /// Commands end with their process group when the namespace's holder is asked; here: by a signal from
    /// inside.
    void stop_background(command_id id) override {
        running& r = commands_.at(id);
        if (!r.process || !r.process->running())
            return;
        r.stopped = true;
        tap_.bridge_->kernel().start(
            fmt::format("kill -TERM -- -$(cat {0}); sleep 0.2; kill -KILL -- -$(cat {0}); rm {0}",
                        pid_file(id)),
            milliseconds(2'000));
    }
    std::string output(command_id id) const override {
        const auto found = commands_.find(id);
        if (found == commands_.end() || !found->second.process)
            return {};
        return found->second.process->output() + found->second.process->errors();
    }

    /// Reports what has ended, at the model's time `now`.
    void collect(picoseconds now) {
        for (auto& [id, r] : commands_) {
            if (r.reported || (r.process && r.process->running()))
                continue;
            r.reported = true;
            schedule<&shell::report>(std::max(now, clock().now()), this, id);
        }
    }

  private:
    struct running {
        std::shared_ptr<fabric::namespace_command> process;
        std::string problem;
        bool stopped = false;
        bool reported = false;
    };

    std::string pid_file(command_id id) const { return fmt::format("/tmp/.vg810-{}-{}", ::getpid(), id); }

    void begin(command_id id, const std::string& command, milliseconds limit, bool background) {
        running& r = commands_[id];
        try {
            r.process = tap_.bridge_->kernel().start(
                background ? fmt::format("echo $$ >{}\n{}", pid_file(id), command) : command, limit);
        } catch (const std::exception& e) {
            r.problem = e.what();
        }
    }

    void report(std::uint64_t id) {
        const running& r = commands_.at(static_cast<command_id>(id));
        command_end end;
        end.problem = r.problem;
        if (r.process) {
            end.exit_status = r.process->exit_code();
            end.timed_out = r.process->timed_out();
            end.still_ran = r.stopped;
        }
        engine_.command_ended(static_cast<command_id>(id), end);
    }

    tap_machine& tap_;
    step_engine& engine_;
    std::map<command_id, running> commands_;
};

tap_machine::tap_machine(scheduler& clock, const host_config& config, frame_pool& frames,
                         const fabric::network& network)
    : config_(config) {
    try {
        bridge_ = std::make_unique<fabric::tap_bridge>(
            clock, config.name, frames, std::vector<fabric::tap_parameters>{tap_of(config)},
            std::vector<bits_per_second>{network.host_rate(config.name, 0)});
    } catch (const fabric::namespace_error& e) {
        throw environment_error(fmt::format("host {}: {}", config.name, e.what()));
    }
}

tap_machine::~tap_machine() = default;

void tap_machine::plug(fabric::network& network) {
    bridge_->port(0).plug(network.plug(config_.name, 0, bridge_->port(0)));
}

void tap_machine::add_counters(counter_sampler& sampler) {
    sampler.add([this](counter_sampler::counter_list& list) {
        const auto& c = bridge_->port(0).count();
        const std::string name = config_.name + ".tap0.";
        list.emplace_back(name + "to_fabric", c.to_fabric);
        list.emplace_back(name + "to_kernel", c.to_kernel);
        list.emplace_back(name + "bad_fcs", c.bad_fcs);
        list.emplace_back(name + "no_payload", c.no_payload);
        list.emplace_back(name + "refused", c.refused);
        list.emplace_back(name + "oversize", c.oversize);
    });
}

void tap_machine::report_to(step_engine& engine) {
    shell_ = std::make_unique<shell>(*this, engine);
}
command_host* tap_machine::commands() {
    return shell_.get();
}

void tap_machine::watch(std::vector<pollfd>& set) {
    for (const int fd : bridge_->descriptors())
        set.push_back({fd, POLLIN, 0});
}

void tap_machine::service(std::span<const pollfd>, const present_time& present) {
    try {
        const picoseconds now = present();
        bridge_->service(now);
        shell_->collect(now);
    } catch (const fabric::namespace_error& e) {
        throw environment_error(fmt::format("host {}: {}", config_.name, e.what()));
    }
}

} // namespace vg810::scenarios
