// SPDX-License-Identifier: Apache-2.0
// Starting, watching and ending a process in QEMU's place, and QEMU's command line.
#include "qemu-device/guest_clock.h"
#include "qemu-device/guest_process.h"

#include <catch2/catch_test_macros.hpp>

#include <poll.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>

using namespace vg810::qemu;

namespace {

class scratch {
  public:
    scratch() {
        char name[] = "/tmp/vg810-test-XXXXXX";
        REQUIRE(mkdtemp(name) != nullptr);
        path = name;
    }
    ~scratch() { std::filesystem::remove_all(path); }
    std::filesystem::path path;
};

// "QEMU" is a shell command; what follows it on the command line is its "$@".
guest_root shell(const std::string& command) {
    return {{"/bin/sh", "-c", command, "sh"}, "kernel", "initramfs", "plugin.so"};
}

guest_spec spec_in(const scratch& s) {
    guest_spec spec;
    spec.name = "a";
    spec.mode = time_mode::paced;
    spec.console_file = s.path / "console";
    spec.log_file = s.path / "log";
    return spec;
}

void wait_for_end(guest_process& p) {
    pollfd end{p.exit_fd(), POLLIN, 0};
    REQUIRE(poll(&end, 1, 10'000) == 1);
    REQUIRE_FALSE(p.running());
}

bool has(const std::vector<std::string>& arguments, const std::string& option, const std::string& value) {
    for (std::size_t i = 0; i + 1 < arguments.size(); ++i)
        if (arguments[i] == option && arguments[i + 1] == value)
            return true;
    return false;
}

} // namespace

TEST_CASE("the command line has what exact time and DMA need") {
    guest_root root{{"/q/ld.so", "/q/qemu"}, "/k", "/i", "/p,x.so"};
    guest_spec spec;
    spec.name = "left";
    spec.memory_mib = 300;
    spec.seed = 7;
    spec.kernel_arguments = "guest.agent=1";
    spec.slots = {{{"/s/0", "/s/1"}}, {{"/s/h"}}};
    spec.console_file = "/out/console,1";
    spec.agent_file = "/out/agent";
    const auto a = qemu_arguments(root, spec, "memory_fd=3");
    CHECK(a[0] == "/q/ld.so");
    CHECK(a[1] == "/q/qemu");
    CHECK(has(a, "-object", "memory-backend-memfd,id=ram,share=on,size=300M"));
    CHECK(has(a, "-icount", "shift=0,sleep=off"));
    CHECK(has(a, "-rtc", "base=2026-01-01T00:00:00,clock=vm"));
    CHECK(has(a, "-seed", "7"));
    CHECK(has(a, "-smp", "1"));
    CHECK(has(a, "-plugin", "/p,,x.so,memory_fd=3"));
    CHECK(has(a, "-chardev", "file,id=console,path=/out/console,,1"));
    CHECK(has(a, "-device",
              "pcie-root-port,id=slot1,bus=pcie.0,chassis=2,slot=2,addr=3.0,x-speed=16,x-width=8"));
    CHECK(has(
        a, "-device",
        R"({"addr":"0.1","bus":"slot0","driver":"vfio-user-pci","id":"slot0f1","socket":{"path":"/s/1","type":"unix"},)"
        R"("x-msg-timeout":600000,"x-no-posted-writes":true})"));
    CHECK(std::ranges::any_of(a, [](const std::string& x) {
        return x.find("nokaslr") != x.npos && x.ends_with(" guest.agent=1");
    }));

    spec.mode = time_mode::paced;
    spec.accelerator = "kvm";
    const auto paced = qemu_arguments(root, spec, "");
    CHECK(has(paced, "-accel", "kvm"));
    CHECK(std::ranges::count(paced, "-icount") + std::ranges::count(paced, "-plugin") == 0);

    spec.mode = time_mode::lockstep;
    CHECK_THROWS_AS(qemu_arguments(root, spec, ""), std::invalid_argument);
    spec.accelerator = "tcg";
    spec.slots[0].functions[0] = std::string(108, 'x');
    CHECK_THROWS_AS(qemu_arguments(root, spec, ""), std::invalid_argument);
}

TEST_CASE("the guest root's file is read with named errors") {
    scratch s;
    const auto file = s.path / "guest.json";
    const auto error = [&](const std::string& content) {
        std::ofstream(file) << content;
        try {
            guest_root::load(file);
        } catch (const std::runtime_error& e) {
            return std::string(e.what());
        }
        return std::string();
    };
    CHECK(error(R"({"qemu":["q"],"kernel":"k","initramfs":"i","plugin":"p","release":"6.12"})").empty());
    CHECK(error(R"({"qemu":"q","kernel":"k"})").find("'qemu' is missing or of the wrong type") !=
          std::string::npos);
    CHECK(error(R"({"qemu":["q"],"kernel":"k","plugin":"p"})").find("'initramfs'") != std::string::npos);
    CHECK(error("[").find("not a JSON object") != std::string::npos);
    CHECK_THROWS_AS(guest_root::load(s.path / "absent.json"), std::runtime_error);
}

TEST_CASE("a guest that ends by itself is reaped with its status") {
    scratch s;
    guest_process good(shell("exit 0"), spec_in(s), nullptr);
    wait_for_end(good);
    CHECK(good.ended_well());

    guest_process bad(shell("echo 'bad: No space left on device' >&2; exit 3"), spec_in(s), nullptr);
    wait_for_end(bad);
    CHECK(bad.exit_status() == 3);
    CHECK_FALSE(bad.ended_well());
    CHECK(bad.failure().find("ended with status 3: the disk is full") != std::string::npos);

    guest_process old(shell("echo \"-device: 'vfio-user-pci' is not a valid device model name\" >&2; exit 1"),
                      spec_in(s), nullptr);
    wait_for_end(old);
    CHECK(old.failure().find("version 10.1 or newer") != std::string::npos);

    guest_process killed(shell("kill -9 $$"), spec_in(s), nullptr);
    wait_for_end(killed);
    CHECK(killed.exit_status() == -SIGKILL);
    CHECK(killed.failure().find("killed by signal 9") != std::string::npos);
}

TEST_CASE("a guest that cannot start says why") {
    scratch s;
    guest_root absent{{"/nonexistent/qemu"}, "k", "i", "p"};
    CHECK_THROWS_AS(guest_process(absent, spec_in(s), nullptr), guest_error);
    guest_spec spec = spec_in(s);
    spec.log_file = "/nonexistent/log";
    CHECK_THROWS_AS(guest_process(shell("exit 0"), spec, nullptr), guest_error);
    spec = spec_in(s);
    spec.mode = time_mode::lockstep;
    CHECK_THROWS_AS(guest_process(shell("exit 0"), spec, nullptr), std::invalid_argument);
}

TEST_CASE("stop() ends a polite guest politely, a deaf one by force, both within bounds") {
    scratch s;
    guest_process polite(shell("exec sleep 100"), spec_in(s), nullptr);
    CHECK(polite.running());
    polite.stop();
    CHECK(polite.exit_status() == -SIGTERM);

    const auto ready = s.path / "ready";
    guest_process deaf(shell("trap '' TERM; touch " + ready.string() + "; while :; do sleep 0.05; done"),
                       spec_in(s), nullptr);
    for (int i = 0; i < 200 && !std::filesystem::exists(ready); ++i)
        usleep(10'000);
    deaf.stop(std::chrono::milliseconds(100));
    CHECK(deaf.exit_status() == -SIGKILL);

    pid_t orphan = 0;
    {
        guest_process dropped(shell("exec sleep 100"), spec_in(s), nullptr);
        orphan = dropped.pid();
    }
    CHECK(kill(orphan, 0) != 0);
}

TEST_CASE("the plugin's descriptors arrive in the child, and nothing else does") {
    scratch s;
    guest_clock clock;
    guest_spec spec = spec_in(s);
    spec.mode = time_mode::lockstep;
    guest_process p(shell("ls -l /proc/$$/fd >&2; for a; do echo \"$a\" >&2; done"), spec, &clock);
    wait_for_end(p);
    std::ifstream in(s.path / "log");
    const std::string log{std::istreambuf_iterator<char>(in), {}};
    INFO(log);
    CHECK(log.find("3 -> /memfd:vg810-sync") != std::string::npos);
    CHECK(log.find("4 -> anon_inode:[eventfd]") != std::string::npos);
    CHECK(log.find("5 -> pipe:") != std::string::npos);
    CHECK(log.find("6 -> ") == std::string::npos);
    CHECK(log.find("plugin.so,memory_fd=3,notify_fd=4,alive_fd=5,spin_ns=5000") != std::string::npos);
}
