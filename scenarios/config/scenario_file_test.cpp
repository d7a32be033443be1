// SPDX-License-Identifier: Apache-2.0
#include "scenarios/config/scenario_file.h"

#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

using namespace vg810;
using namespace vg810::scenarios;

namespace {

const std::string good = R"(name = "demo"
[topology]
kind = "leaf-spine"
leaves = 2
spines = 1
[[host]]
name = "left"
[[host]]
name = "right"
leaf = 1
[[step]]
name = "ping"
on = "left"
run = "ping -c 1 10.0.0.2"
)";

std::string problem(const std::string& text, const std::vector<std::string>& settings = {}) {
    try {
        parse_scenario(text, "f.toml", settings);
    } catch (const bad_input& e) {
        return e.what();
    }
    return "accepted";
}

struct bad_case {
    std::string added; // to `good`, at line 15
    std::string expected;
};

} // namespace

TEST_CASE("a good scenario is read with its defaults filled in") {
    const scenario s = parse_scenario(good, "f.toml", {});
    REQUIRE(s.hosts.size() == 2);
    CHECK(s.mode == time_mode::lockstep);
    CHECK(s.topology.kind == topology_kind::leaf_spine);
    CHECK(s.hosts[1].leaf == 1);
    CHECK(s.hosts[1].addresses == std::vector<std::string>{"10.0.0.2/24", "10.1.0.2/24"});
    CHECK(s.hosts[1].macs == std::vector<std::string>{"02:c8:10:00:01:00", "02:c8:10:00:01:01"});
    CHECK(s.steps[0].on == std::vector<std::string>{"left"});
    CHECK(s.steps[0].timeout == picoseconds::from_ns(60'000'000'000));
}

TEST_CASE("a printed scenario reads back to itself") {
    scenario s = parse_scenario(
        good + "expect_match = [\"a\\\\d\", \"q\\\"\"]\n[[step.value]]\nname = \"x\"\n"
               "regex = \"(\\\\d+)\"\nmin = 2.5\n[[capture]]\nlink = \"left.0\"\nfile = \"a.pcapng\"\n",
        "f.toml", {});
    const std::string text = print_scenario(s);
    CHECK(print_scenario(parse_scenario(text, "again", {})) == text);
    CHECK(text.find("host_rate = \"25G\"") != std::string::npos);
}

TEST_CASE("an unknown key is placed and the nearest one named") {
    CHECK(problem("name = \"x\"\n[[hsots]]\nname = \"a\"\n[[host]]\nname = \"b\"\n") ==
          "f.toml:2:3: unknown key 'hsots', did you mean 'host'?");
    CHECK(problem(good + "tiemout = \"5s\"\n") ==
          "f.toml:15:1: unknown key 'tiemout' in step[0], did you mean 'timeout'?");
    CHECK(problem("  modde = 1\nname = \"x\"\n[[host]]\nname = \"b\"\n") ==
          "f.toml:1:3: unknown key 'modde', did you mean 'mode'?");
}

TEST_CASE("every kind of bad input names its place") {
    const std::vector<bad_case> cases{
        {"timeout = 5\n", "f.toml:15:11: 'timeout' must be a time such as \"10us\" (ps, ns, us, ms, s, min, "
                          "h), not an integer"},
        {"timeout = \"5 s\"\n",
         "f.toml:15:11: 'timeout' must be a time such as \"10us\" (ps, ns, us, ms, s, min, h), not \"5 s\""},
        {"timeout = \"0s\"\n", "f.toml:15:11: 'timeout' is 0s, out of range 1ps to 1000000s"},
        {"expect_exit = 256\n", "f.toml:15:15: 'expect_exit' is 256, out of range 0 to 255"},
        {"expect_exit = 1.0\n", "f.toml:15:15: 'expect_exit' must be an integer, not a number"},
        {"background = \"yes\"\n", "f.toml:15:14: 'background' must be true or false, not a string"},
        {"expect_match = [\"ok\", 7]\n", "f.toml:15:23: 'expect_match' must hold strings, not an integer"},
        {"expect_match = [\"ok\", \"(\"]\n", "f.toml:15:23: '(' is no regular expression: "},
        {"[[step]]\nname = \"x\"\non = \"rihgt\"\nrun = \"true\"\n",
         "f.toml:17:6: there is no host 'rihgt', did you mean 'right'?"},
        {"[[step]]\nname = \"x\"\non = [\"left\", \"left\"]\nrun = \"true\"\n",
         "f.toml:17:15: host 'left' is named twice"},
        {"[[step]]\nname = \"ping\"\non = \"left\"\nrun = \"true\"\n",
         "f.toml:16:8: there is a step 'ping' already, at f.toml:12:8"},
        {"[[step]]\nname = \"x\"\non = \"left\"\n",
         "f.toml:15:1: 'run' is missing in step[1]: Shell command."},
        {"[[host]]\nname = \"t\"\nkind = \"tap\"\n",
         "f.toml:17:8: a tap host is this machine's own kernel, whose time "
         "cannot be held: it needs mode = \"paced\""},
        {"[[host]]\nname = \"t\"\nkind = \"gest\"\n",
         "f.toml:17:8: 'kind' cannot be \"gest\", did you mean 'guest'?"},
        {"[[host]]\nname = \"t\"\nleaf = 2\n",
         "f.toml:17:8: leaf 2 does not exist: the topology has 2 (from 0)"},
        {"[[host]]\nname = \"t\"\naccelerator = \"kvm\"\n",
         "f.toml:17:15: KVM's time cannot be held: it needs mode = \"paced\""},
        {"[[host]]\nname = \"t\"\naddresses = [\"10.0.0.300/24\"]\n",
         "f.toml:17:14: '10.0.0.300/24' is no IPv4 address with prefix length, such as 10.0.0.1/24"},
        {"[[host]]\nname = \"t\"\nmacs = [\"03:00:00:00:00:01\"]\n",
         "f.toml:17:9: '03:00:00:00:00:01' is no unicast Ethernet address, such as 02:00:00:00:00:01"},
        {"[[host]]\nname = \"t\"\nmemory = 512\n",
         "f.toml:17:10: 'memory' must be a size such as \"256MiB\" (B, KB, MB, "
         "GB, KiB, MiB, GiB), not an integer"},
        {"[[host]]\nname = \"t\"\nmemory = \"1MiB\"\n",
         "f.toml:17:10: 'memory' is 1MiB, out of range 128MiB to 64GiB"},
        {"[[host]]\nname = \"t t\"\n", "f.toml:16:8: 't t' is no name: letters, digits, '-' and '_'"},
        {"[[capture]]\nlink = \"left.2\"\nfile = \"a\"\n",
         "f.toml:16:8: there is no link 'left.2', did you mean 'left.0'?"},
        {"[[capture]]\nlink = \"left.0\"\nfile = \"../a\"\n", "f.toml:17:8: '../a' is no plain file name"},
        {"[[check]]\nname = \"c\"\nof = \"ping.rtt\"\nmax = 1\n",
         "f.toml:17:6: there is no value 'ping.rtt'"},
        {"[[check]]\nname = \"c\"\nkind = \"counter\"\nof = \"left.*\"\n",
         "f.toml:15:1: without min, max or equals this check cannot fail"},
        {"group = \"g\"\n[[step]]\nname = \"x\"\non = \"left\"\nrun = \"true\"\ngroup = \"g\"\n",
         "f.toml:20:9: group 'g' has another step on 'left' already"},
        {"[card.mac]\nrate = 25\n", "f.toml:16:8: 'rate' must be a rate such as "},
        {"[[step.value]]\nname = \"v\"\n", "f.toml:15:1: a value needs either json or regex"},
        {"[[step.value]]\nname = \"v\"\nregex = \"\\\\d+\"\n",
         "f.toml:17:9: '\\d+' has no group (...) that would be the figure"},
        {"[[step.value]]\nname = \"v\"\njson = \"a\"\nmin = 2\nmax = 1\n",
         "f.toml:18:7: min 2 is above max 1"},
    };
    for (const bad_case& c : cases) {
        INFO(c.added);
        CHECK(problem(good + c.added).substr(0, c.expected.size()) == c.expected);
    }
}

TEST_CASE("malformed TOML is placed") {
    CHECK(problem("name = \"x\"\nmode = \n").substr(0, 9) == "f.toml:2:");
    CHECK(problem("name = \"x\"\nname = \"y\"\n").substr(0, 9) == "f.toml:2:");
    CHECK(problem("[host\n").substr(0, 9) == "f.toml:1:");
    CHECK(problem("a = \"\xff\"").substr(0, 9) == "f.toml:1:");
}

TEST_CASE("all problems are reported together, in the order of their places") {
    CHECK(problem("[[host]]\nnmae = \"a\"\nleaf = \"x\"\n") ==
          "f.toml:1:1: 'name' is missing: Names the run's directory.\n"
          "f.toml:1:1: 'name' is missing in host[0]: Unique; letters, digits and dashes.\n"
          "f.toml:2:1: unknown key 'nmae' in host[0], did you mean 'name'?\n"
          "f.toml:3:8: 'leaf' must be an integer, not a string");
}

TEST_CASE("settings change values, by name, by number and for all") {
    const scenario s =
        parse_scenario(good, "f.toml",
                       {"host.right.memory=1GiB", "host.0.leaf=1", "topology.host_length=300m", "seed=7",
                        "step.*.timeout=\"2s\"", "host.left.card.fault.self_test_failures=2"});
    CHECK(s.hosts[1].memory == 1U << 30);
    CHECK(s.hosts[0].leaf == 1);
    CHECK(s.topology.host_length.count == 300'000);
    CHECK(s.seed == 7);
    CHECK(s.steps[0].timeout == picoseconds::from_ns(2'000'000'000));
    CHECK(s.hosts[0].card.fault.self_test_failures == 2);
    CHECK(s.hosts[1].card.fault.self_test_failures == 0);
}

TEST_CASE("ports run at the rate of their cables unless told otherwise") {
    const scenario follows = parse_scenario(good, "f.toml", {"topology.host_rate=10G"});
    CHECK(follows.hosts[0].card.mac.rate == 10_gbps);
    const scenario differs =
        parse_scenario(good, "f.toml", {"topology.host_rate=10G", "host.left.card.mac.rate=25G"});
    CHECK(differs.hosts[0].card.mac.rate == 25_gbps);
    CHECK(parse_scenario(print_scenario(differs), "again", {}).hosts[0].card.mac.rate == 25_gbps);
}

TEST_CASE("settings are checked like the file, and named as their own place") {
    CHECK(problem(good, {"topologie.leaves=3"}) ==
          "--set topologie.leaves=3: unknown key 'topologie', did you mean 'topology'?");
    CHECK(problem(good, {"topology.leafs=3"}) ==
          "--set topology.leafs=3: unknown key 'leafs' in topology, did you mean 'leaves'?");
    CHECK(problem(good, {"host.lfet.memory=1GiB"}) ==
          "--set host.lfet.memory=1GiB: no host is called 'lfet', did you mean 'left'?");
    CHECK(problem(good, {"seed=-1"}) == "--set seed=-1: 'seed' is -1, out of range 0 to 4294967295");
    CHECK(problem(good, {"mode=locksetp"}) ==
          "--set mode=locksetp: 'mode' cannot be \"locksetp\", did you mean 'lockstep'?");
    CHECK(problem(good, {"host.left.addresses=[1]"}) ==
          "--set host.left.addresses=[1]: 'addresses' must hold strings, not an integer");
    CHECK(problem(good, {"seed"}) == "--set seed: expected path.to.key=value");
    CHECK(problem(good, {"a..b=1"}) == "--set a..b=1: the path has an empty part");
    CHECK(problem(good, {"name.x=1"}) == "--set name.x=1: 'name' is a value, not a table");
    CHECK(problem(good, {"host.left=1"}).substr(0, 21) == "--set host.left=1: 'l");
}

TEST_CASE("a card's settings start from the common card") {
    const scenario s =
        parse_scenario("[card.fault]\nself_test_failures = 2\n"
                       "[topology]\nkind = \"switch\"\n[[host]]\nname = \"a\"\n[[host]]\nname = \"b\"\n"
                       "[host.card.fault]\nself_test_failures = 0\n",
                       "f.toml", {"name=x"});
    CHECK(s.hosts[0].card.fault.self_test_failures == 2);
    CHECK(s.hosts[1].card.fault.self_test_failures == 0);
}
