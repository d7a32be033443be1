// SPDX-License-Identifier: Apache-2.0
#include "scenarios/run/boot.h"

#include "scenarios/config/diagnostics.h"
#include "scenarios/config/scenario_file.h"
#include "scenarios/run/environment_error.h"
#include "scenarios/run/pacing.h"
#include "scenarios/run/world.h"

#include <cstdio>
#include <fmt/format.h>
#include <termios.h>
#include <unistd.h>

namespace vg810::scenarios {
namespace {

/// Gives the terminal back as it was, however QEMU left it.
class terminal_guard {
  public:
    terminal_guard() : known_(::tcgetattr(STDIN_FILENO, &before_) == 0) {}
    terminal_guard(const terminal_guard&) = delete;
    terminal_guard& operator=(const terminal_guard&) = delete;
    ~terminal_guard() {
        if (known_)
            ::tcsetattr(STDIN_FILENO, TCSANOW, &before_);
    }

  private:
    termios before_{};
    bool known_;
};

scenario boot_scenario(const command_line& line) {
    scenario s;
    s.name = "boot";
    s.mode = line.mode == "lockstep" ? time_mode::lockstep : time_mode::paced;
    s.time_limit = s.wall_limit = any_time.most;
    for (std::int64_t i = 0; i < line.guests; ++i) {
        host_config h;
        h.name = fmt::format("guest{}", i);
        if (line.kvm)
            h.accelerator = accelerator_kind::kvm;
        s.hosts.push_back(h);
    }
    if (line.kvm && s.mode == time_mode::lockstep)
        throw bad_input("--kvm and --mode lockstep exclude each other: KVM's time cannot be held");
    fill_in(s);
    return s;
}

} // namespace

exit_code boot(const command_line& line) {
    const scenario s = boot_scenario(line);
    qemu::guest_root root;
    try {
        root = qemu::guest_root::load(line.guest);
    } catch (const std::exception& e) {
        throw environment_error(
            fmt::format("QEMU and the guest root are not set up: {}\nstart it with ./vg810 boot, "
                        "which prepares them",
                        e.what()));
    }
    const run_directory directory(line.out, "out", s.name);
    directory.write("scenario.toml", print_scenario(s));
    const terminal_guard guard;
    const stop_signal stop;
    world w(s, &root, directory, true, [](step_result&, const std::string&) {});
    for (const auto& m : w.machines())
        for (std::size_t port = 0; port < ports_per_card; ++port)
            std::fprintf(stderr,
                         "%s: port %zu has %s; try: ip addr add %s dev eth%zu; ip link set eth%zu up\n",
                         m->name().c_str(), port, s.find_host(m->name())->macs[port].c_str(),
                         s.find_host(m->name())->addresses[port].c_str(), port, port);
    w.start();
    if (line.guests > 1)
        std::fprintf(stderr, "guest1's console: socat -,raw,echo=0 UNIX-CONNECT:%s\n",
                     w.console_socket("guest1").c_str());
    pacing pace(w, s, directory, stop, nullptr);
    const ending end = pace.run();
    for (const auto& m : w.machines())
        m->kill();
    if (end.what == ending::kind::interrupted)
        return exit_code::interrupted;
    if (end.what == ending::kind::done)
        return exit_code::passed;
    throw environment_error(end.reason);
}

} // namespace vg810::scenarios
