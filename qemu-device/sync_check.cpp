// SPDX-License-Identifier: Apache-2.0
// Exact time with a stock QEMU, shown on a real guest: interrupts at the nanosecond, the same in every run
// and on a loaded machine; steps through the harness; and what happens when either side dies.
#include "qemu-device/sync_check_guest.h"

#include <catch2/catch_test_macros.hpp>

#include <poll.h>
#include <sys/wait.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <thread>

using namespace vg810::qemu;
using namespace vg810::qemu::sync_check;

namespace {

using std::chrono::seconds;

// A run takes some 15 s on a free processor.
constexpr seconds run_limit{600};

class scratch {
  public:
    scratch() {
        char name[] = "/tmp/vg810-sync-XXXXXX";
        REQUIRE(mkdtemp(name) != nullptr);
        path = name;
    }
    ~scratch() { std::filesystem::remove_all(path); }
    std::filesystem::path path;
};

const guest_root& root() {
    static const guest_root loaded = [] {
        const std::string command =
            VG810_GUEST_FILES " --plugin " VG810_SYNC_PLUGIN " --driver " VG810_SYNC_PROBE;
        FILE* made = popen(command.c_str(), "r");
        REQUIRE(made != nullptr);
        char line[4096] = "";
        const bool read = std::fgets(line, sizeof line, made) != nullptr;
        REQUIRE(pclose(made) == 0);
        REQUIRE(read);
        return guest_root::load(std::string(line, std::strcspn(line, "\n")));
    }();
    return loaded;
}

std::string content(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

struct measured {
    std::string console, agent;
    std::map<std::int64_t, std::set<std::int64_t>> latencies; // by delay, ns
    std::int64_t end_ns;
};

measured measure(std::int64_t longest_grant_ns) {
    scratch s;
    guest g(root(), s.path, {{"modprobe vg810_sync_probe && dmesg | grep 'sync_probe:'"}}, longest_grant_ns);
    REQUIRE(g.run(run_limit));
    INFO(g.process().failure());
    REQUIRE(g.process().ended_well());
    REQUIRE(g.results().at(1) == 0);
    measured m{content(s.path / "console"), content(s.path / "agent"), {}, g.ends_ns().at(1)};
    const std::string text = g.output(1).text;
    static const std::regex line("sync_probe: (\\d+) ns took (\\d+) ns");
    for (std::sregex_iterator i(text.begin(), text.end(), line), end; i != end; ++i)
        m.latencies[std::stoll((*i)[1])].insert(std::stoll((*i)[2]));
    const auto& c = g.clock().counts();
    const auto each = [](std::chrono::nanoseconds wall, std::uint64_t n) {
        return n == 0 ? 0.0 : static_cast<double>(wall.count()) / 1000 / static_cast<double>(n);
    };
    std::printf("grants of %lld ns: %llu stops, %llu accesses (%.1f us each), %llu cuts (%.1f us), %llu "
                "deliveries (%.1f us)\n",
                static_cast<long long>(longest_grant_ns), static_cast<unsigned long long>(c.stops),
                static_cast<unsigned long long>(c.accesses), each(c.access_wall, c.accesses),
                static_cast<unsigned long long>(c.cuts), each(c.cut_wall, c.cuts),
                static_cast<unsigned long long>(c.deliveries), each(c.delivery_wall, c.deliveries));
    return m;
}

bool gone(pid_t pid) {
    return kill(pid, 0) != 0;
}

bool wait_until_gone(pid_t pid, std::chrono::milliseconds limit) {
    for (const auto end = std::chrono::steady_clock::now() + limit; std::chrono::steady_clock::now() < end;) {
        if (gone(pid))
            return true;
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return gone(pid);
}

} // namespace

TEST_CASE("an interrupt comes at its nanosecond, in every run, whatever the load and the grants") {
    const measured calm = measure(10'000'000);
    REQUIRE(calm.latencies.size() == 7);
    std::set<std::int64_t> constants;
    for (const auto& [delay, took] : calm.latencies) {
        CHECK(took.size() == 1);
        for (const std::int64_t t : took)
            constants.insert(t - delay);
    }
    REQUIRE_FALSE(constants.empty());
    CHECK(*constants.begin() > 0);
    CHECK(*constants.rbegin() - *constants.begin() <= 10);
    CHECK(*constants.rbegin() < 1000);

    std::atomic<bool> done = false;
    std::vector<std::jthread> load;
    for (int i = 0; i < 2; ++i)
        load.emplace_back([&done] {
            while (!done)
                ;
        });
    const measured loaded = measure(1'000'000);
    done = true;
    CHECK(loaded.latencies == calm.latencies);
    CHECK(loaded.console == calm.console);
    CHECK(loaded.agent == calm.agent);
    CHECK(loaded.end_ns == calm.end_ns);
}

TEST_CASE("steps bring back exit codes, output and files, and end at their time limit") {
    scratch s;
    guest g(root(), s.path,
            {{"echo out; echo err >&2; exit 7"},
             {"(sleep 1000; echo late) & echo started", std::chrono::milliseconds(5000)},
             {"sleep 1000", std::chrono::milliseconds(300)},
             {"head -c 100000 /dev/zero | tr '\\0' x > /tmp/f; kill -9 $$"},
             {"fetch-file /tmp/f"},
             {"fetch-file /nonexistent"},
             {"pidof sleep | wc -w"}});
    REQUIRE(g.run(run_limit));
    INFO(g.process().failure());
    REQUIRE(g.process().ended_well());
    CHECK(g.output(1).text == "out\nerr\n");
    CHECK(g.output(1).result == 7u);
    CHECK(g.output(2).text == "started\n");
    CHECK(g.output(2).result == 0u);
    CHECK(g.results().at(3) == VG810_HARNESS_RESULT_TIMEOUT);
    const std::int64_t waited = g.ends_ns().at(3) - g.ends_ns().at(2);
    CHECK(waited >= 300'000'000);
    CHECK(waited < 350'000'000);
    CHECK(g.results().at(4) == 128 + SIGKILL);
    REQUIRE(g.output(5).files.size() == 1);
    CHECK(g.output(5).files[0].content == std::string(100000, 'x'));
    CHECK(g.output(5).files[0].error == 0);
    REQUIRE(g.output(6).files.size() == 1);
    CHECK(g.output(6).files[0].error == ENOENT);
    CHECK(g.results().at(6) == 1);
    CHECK(g.output(7).text == "1\n"); // the one in the background lives, the one over its limit does not
}

TEST_CASE("QEMU killed in the middle is noticed and named") {
    scratch s;
    guest g(root(), s.path, {});
    REQUIRE(g.run_until_ready(run_limit));
    kill(g.process().pid(), SIGKILL);
    REQUIRE(g.run(seconds(10)));
    CHECK_FALSE(g.process().ended_well());
    CHECK(g.process().failure().find("killed by signal 9") != std::string::npos);
}

TEST_CASE("QEMU does not outlive the simulator") {
    scratch s;
    (void)root();
    int report[2];
    REQUIRE(pipe(report) == 0);
    const pid_t simulator = fork();
    REQUIRE(simulator >= 0);
    if (simulator == 0) {
        guest g(root(), s.path, {{"sleep 1000"}});
        const pid_t qemu = g.process().pid();
        (void)!write(report[1], &qemu, sizeof qemu);
        g.run(run_limit);
        _exit(0);
    }
    pid_t qemu = 0;
    REQUIRE(read(report[0], &qemu, sizeof qemu) == sizeof qemu);
    std::this_thread::sleep_for(seconds(2));
    CHECK_FALSE(gone(qemu));
    kill(simulator, SIGKILL);
    waitpid(simulator, nullptr, 0);
    CHECK(wait_until_gone(qemu, std::chrono::milliseconds(5000)));
}

TEST_CASE("a plugin that QEMU cannot use, and a QEMU that is none, are named") {
    scratch s;
    guest_root broken = root();
    broken.plugin = "/nonexistent/vg810-sync.so";
    guest g(broken, s.path, {});
    REQUIRE(g.run(seconds(30)));
    CHECK(g.process().failure().find("the time-sync plugin was refused") != std::string::npos);
    broken.qemu = {"/nonexistent/qemu"};
    CHECK_THROWS_AS(guest(broken, s.path, {}), guest_error);
}
