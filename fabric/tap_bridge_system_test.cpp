// SPDX-License-Identifier: Apache-2.0
// Two kernels' worth of namespaces on one switch in wall time. Skipped where namespaces or TAP are not
// allowed.
#include "fabric/tap_bridge.h"

#include "fabric/capture.h"
#include "fabric/network.h"
#include "fabric/testing/scratch.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sys/wait.h>
#include <thread>

using namespace vg810;
using namespace vg810::fabric;
using namespace vg810::fabric::testing;
using namespace std::chrono_literals;

namespace {

const mac_address left_mac = mac_address::from_u64(0x02c8'1000'0000),
                  right_mac = mac_address::from_u64(0x02c8'1000'0100);

tap_parameters tap_named(const char* name, mac_address mac, const char* ip) {
    return {name, mac, *ipv4_address::parse(ip), 24, 1500};
}

/// Says why not when this machine does not allow it.
std::optional<std::string> obstacle() {
    try {
        net_namespace probe({tap_named("probe", left_mac, "10.0.0.1")});
        return std::nullopt;
    } catch (const namespace_error& e) {
        return e.what();
    }
}

#define NEEDS_NAMESPACES()                                                                                   \
    if (const auto why = obstacle())                                                                         \
    SKIP(*why)

/// left and right on one switch, model time following wall time.
struct paced_pair {
    paced_pair()
        : net(single_switch({{"left", {{left_mac, {}}}}, {"right", {{right_mac, {}}}}}, fabric_options{}),
              pool, domain_split::shared, {}),
          left(net.host_clock("left"), "left", pool, {tap_named("port0", left_mac, "10.9.0.1")}, {25_gbps}),
          right(net.host_clock("right"), "right", pool, {tap_named("port0", right_mac, "10.9.0.2")},
                {25_gbps}) {
        left.port(0).plug(net.plug("left", 0, left.port(0)));
        right.port(0).plug(net.plug("right", 0, right.port(0)));
        net.power_on();
        left.power_on();
        right.power_on();
        pump_for(20ms);
    }

    void pump() {
        const auto wall = std::chrono::steady_clock::now() - start;
        const picoseconds now =
            picoseconds::from_ns(std::chrono::duration_cast<std::chrono::nanoseconds>(wall).count());
        scheduler& clock = net.host_clock("left");
        clock.run_before(now);
        left.service(now);
        right.service(now);
        std::this_thread::sleep_for(50us);
    }
    void pump_for(std::chrono::milliseconds t) {
        for (const auto end = std::chrono::steady_clock::now() + t; std::chrono::steady_clock::now() < end;)
            pump();
    }
    /// Runs a command to its end, or its limit, with the fabric alive.
    std::shared_ptr<namespace_command> run(tap_bridge& on, const std::string& text,
                                           std::chrono::milliseconds limit) {
        auto c = on.kernel().start(text, limit);
        while (c->running())
            pump();
        INFO(c->output() << c->errors());
        CHECK_FALSE(c->timed_out());
        return c;
    }

    frame_pool pool;
    network net;
    tap_bridge left, right;
    std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
};

bool alive(int pid) {
    return std::filesystem::exists("/proc/" + std::to_string(pid) + "/stat");
}

} // namespace

TEST_CASE("A namespace has its interfaces, configured, without IPv6 noise, and nothing of the machine's") {
    NEEDS_NAMESPACES();
    net_namespace n({tap_named("port0", left_mac, "10.9.0.1"), {"port1", right_mac, {}, 24, 9000}});
    auto c = n.run("cat /sys/class/net/port0/address; ls /proc/self/net/../net/dev_snmp6; cat /proc/net/dev "
                   "/proc/net/if_inet6; echo; echo problem >&2; exit 3",
                   5s);
    INFO(c->output() << c->errors());
    CHECK(c->exit_code() == 3);
    CHECK(c->errors().find("problem") != std::string::npos);
    CHECK(c->output().find("port0") != std::string::npos);
    CHECK(c->output().find("port1") != std::string::npos);
    CHECK(c->output().find("eth0") == std::string::npos);
    CHECK(c->output().find("fe80") == std::string::npos);
    char octets[2000];
    CHECK(::read(n.tap(0), octets, sizeof octets) == -1); // it says nothing unasked
    CHECK(errno == EAGAIN);
}

TEST_CASE("Traffic between two namespaces crosses the switch: connection, checksum, capture") {
    NEEDS_NAMESPACES();
    scratch_directory dir;
    std::vector<std::byte> sent;
    {
        std::ofstream payload(dir.path("payload"), std::ios::binary);
        std::uint32_t x = 1;
        for (int i = 0; i < 500'000; ++i) {
            x = x * 1664525 + 1013904223;
            payload.write(reinterpret_cast<const char*>(&x), sizeof x);
        }
    }
    paced_pair t;
    capture tap(t.net.find_link("left.0"), dir.path("left.pcapng"), {});
    CHECK(t.left.port(0).link_up());
    auto server = t.left.kernel().start("cd '" + dir.path("") + "' && exec python3 -m http.server 8000", 60s);
    auto client = t.run(t.right,
                        "for i in 1 2 3 4 5 6 7 8 9 10; do curl -s --max-time 20 -o '" + dir.path("copy") +
                            "' http://10.9.0.1:8000/payload && exit 0; sleep 0.3; done; exit 1",
                        50s);
    CHECK(client->exit_code() == 0);
    CHECK(server->running());
    CHECK(read_file(dir.path("copy")) == read_file(dir.path("payload")));
    tap.finish();
    CHECK(tap.file().packets() > 1000);
    CHECK(t.left.port(0).count().to_fabric > 1000);
    CHECK(t.right.port(0).count().to_kernel > 1000);
    CHECK(t.net.find_switch("switch0").dropped(drop_reason::bad_fcs) == 0);
    if (std::system("command -v tshark >/dev/null") != 0)
        SKIP("no tshark to read the capture back with");
    const auto lines = [&](const std::string& filter) {
        const std::string command = "HOME='" + dir.path("") +
                                    "' tshark -o ip.check_checksum:TRUE -o tcp.check_checksum:TRUE -r '" +
                                    dir.path("left.pcapng") + "' -Y '" + filter + "' > '" +
                                    dir.path("lines") + "' 2>'" + dir.path("said") + "'";
        REQUIRE(std::system(command.c_str()) == 0);
        const auto text = read_file(dir.path("lines"));
        return std::ranges::count(text, std::byte{'\n'});
    };
    CHECK(lines("tcp.checksum.status == 1 && ip.checksum.status == 1") > 1000);
    CHECK(lines("_ws.malformed || ip.checksum.status == 0 || tcp.checksum.status == 0") == 0);
}

TEST_CASE("A command over its time is killed, with what it started") {
    NEEDS_NAMESPACES();
    net_namespace n({tap_named("port0", left_mac, "10.9.0.1")});
    auto c = n.run("echo before; sleep 600 & sleep 600", 200ms);
    CHECK(c->timed_out());
    CHECK(c->exit_code() == 128 + SIGKILL);
    CHECK(c->output() == "before\n");
    CHECK(n.run("exit 0", 5s)->exit_code() == 0); // the namespace lives on
}

TEST_CASE("Endless output is cut, not collected") {
    NEEDS_NAMESPACES();
    net_namespace n({tap_named("port0", left_mac, "10.9.0.1")});
    auto c = n.run("head -c 20000000 /dev/zero", 20s);
    CHECK(c->output_cut());
    CHECK(c->output().size() == 16u << 20);
    CHECK(c->exit_code() == 0);
}

TEST_CASE("Whatever ends the simulator, namespace and processes end with it") {
    NEEDS_NAMESPACES();
    scratch_directory dir;
    for (const bool killed : {false, true}) {
        const std::string mark = dir.path(killed ? "killed" : "deleted");
        const pid_t child = fork();
        REQUIRE(child >= 0);
        if (child == 0) {
            auto* n = new net_namespace({tap_named("port0", left_mac, "10.9.0.1")});
            // The pid as this machine sees it.
            auto c = n->run("readlink /proc/self/ns/net > '" + mark + ".ns'; setsid sleep 500 & exec 3>'" +
                                mark + "'; echo ready >&3",
                            5s);
            if (!killed)
                delete n;
            ::kill(getpid(), SIGKILL); // as an out-of-memory killer would
        }
        int status = 0;
        REQUIRE(waitpid(child, &status, 0) == child);
        REQUIRE(std::filesystem::exists(mark));
        std::string ns;
        std::getline(std::ifstream(mark + ".ns"), ns);
        REQUIRE(ns.find("net:[") == 0);
        // Nobody is in that namespace any more.
        bool someone = true;
        for (int i = 0; i < 300 && someone; ++i) {
            someone = false;
            for (const auto& p : std::filesystem::directory_iterator("/proc")) {
                std::error_code gone;
                const auto link = std::filesystem::read_symlink(p.path() / "ns/net", gone);
                someone = someone || (!gone && link.string() == ns);
            }
            std::this_thread::sleep_for(10ms);
        }
        CHECK_FALSE(someone);
        CHECK_FALSE(alive(child));
    }
}

TEST_CASE("TAP parameters out of range are refused before anything is made") {
    CHECK_THROWS_AS(net_namespace({}), std::invalid_argument);
    CHECK_THROWS_AS(net_namespace({{"a-name-of-16-byte", left_mac, {}, 24, 1500}}), std::invalid_argument);
    CHECK_THROWS_AS(net_namespace({{"port0", left_mac, {}, 33, 1500}}), std::invalid_argument);
    CHECK_THROWS_AS(net_namespace({{"port0", left_mac, {}, 24, 9601}}), std::invalid_argument);
    CHECK_THROWS_AS(net_namespace({{"port0", mac_address::broadcast(), {}, 24, 1500}}),
                    std::invalid_argument);
}
