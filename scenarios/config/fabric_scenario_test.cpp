// SPDX-License-Identifier: Apache-2.0
#include "scenarios/config/host_pattern.h"
#include "scenarios/config/scenario_file.h"
#include "scenarios/run/fabric_plan.h"

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
spines = 2
[[host_group]]
count = 8
[[workload]]
name = "in"
kind = "incast"
hosts = "host[1-7]"
to = "host0"
)";

std::string problem(const std::string& text) {
    try {
        parse_scenario(text, "f.toml", {});
    } catch (const bad_input& e) {
        return e.what();
    }
    return "accepted";
}

bool complains(const std::string& added, const std::string& expected) {
    const std::string said = problem(good + added);
    INFO(said);
    CHECK(said.find(expected) != std::string::npos);
    return said.find(expected) != std::string::npos;
}

} // namespace

TEST_CASE("groups become wire hosts that fill the switches in turn") {
    const scenario s = parse_scenario(good, "f.toml", {});
    REQUIRE(s.hosts.size() == 8);
    CHECK(s.hosts[7].name == "host7");
    CHECK(s.hosts[7].ports() == 1);
    CHECK(s.hosts[7].macs == std::vector<std::string>{"02:c8:10:00:07:00"});
    CHECK(s.is_fabric_run());
    const fabric::topology t = plan_fabric(s);
    REQUIRE(t.links.size() == 8 + 4);
    CHECK(t.links[3].b.node == "leaf0");
    CHECK(t.links[4].b.node == "leaf1");
}

TEST_CASE("a thousand hosts have addresses of their own") {
    const scenario s = parse_scenario(good, "f.toml", {"host_group.0.count=1024"});
    CHECK(s.hosts[1023].macs[0] == "02:c8:10:03:ff:00");
    CHECK(s.hosts[1023].addresses[0] == "10.0.4.0/16");
}

TEST_CASE("a printed fabric scenario reads back to itself, in a few lines") {
    const scenario s =
        parse_scenario(good + "[[cc]]\nname = \"slow\"\nalgorithm = \"dcqcn\"\n[[flow]]\nfrom = \"host1\"\n"
                              "to = \"host2\"\nrate = \"2G\"\ncc = \"slow\"\n",
                       "f.toml", {});
    const std::string text = print_scenario(s);
    CHECK(print_scenario(parse_scenario(text, "again", {})) == text);
    CHECK(text.find("[[host]]") == std::string::npos);
    CHECK(s.flows[0].name == "flow0");
}

TEST_CASE("every shape can be asked for") {
    for (const std::string kind : {"leaf-spine", "switch", "fat-tree", "dumbbell", "parking-lot", "ring"}) {
        INFO(kind);
        const scenario s = parse_scenario(good, "f.toml", {"topology.kind=" + kind});
        CHECK_NOTHROW(plan_fabric(s));
    }
    const std::string graph = R"(name = "g"
topology.kind = "graph"
[[switch]]
name = "s"
[[host_group]]
count = 2
[[link]]
a = "host0"
b = "s"
[[link]]
a = "host1"
b = "s"
rate = "10G"
[[flow]]
from = "host0"
to = "host1"
)";
    CHECK(problem(graph) == "accepted");
    CHECK(problem(graph + "[[link]]\na = \"s\"\nb = \"t\"\n").find("there is no host or switch t") !=
          std::string::npos);
}

TEST_CASE("impossible fabrics and traffic are refused with their place") {
    complains("[[flow]]\nfrom = \"host1\"\nto = \"host99\"\n", "f.toml:15:6: there is no host 'host99'");
    complains("[[flow]]\nfrom = \"host1\"\nto = \"host1\"\n",
              "f.toml:15:6: host 'host1' sends nothing to itself");
    complains("[[flow]]\nfrom = \"host1\"\nto = \"host2\"\nsize = \"3GiB\"\n",
              "'size' is 3GiB, out of range 1B to 2GiB");
    complains("[[flow]]\nfrom = \"host1\"\nto = \"host2\"\ncc = \"dcqnc\"\n", "f.toml:16:6: ");
    complains("[[host]]\nname = \"g\"\n", "wire hosts cannot share a scenario with hosts of another kind");
    complains("[[host_group]]\ncount = 3\n", "there are two hosts 'host0'");
    complains("[[host_group]]\nname = \"x\"\nleaf = 2\n", "leaf 2 does not exist");
    complains("[[workload]]\nname = \"in\"\nkind = \"all-to-all\"\n",
              "there is a workload or flow 'in' already");
    complains("[[workload]]\nname = \"p\"\nkind = \"poisson\"\nmessages = 5\n", "poisson needs sizes");
    complains("[[workload]]\nname = \"p\"\nkind = \"poisson\"\nsizes = \"web-serch\"\nmessages = 5\n",
              "f.toml:16:9: there is no distribution and no file 'web-serch', did you mean 'web-search'?");
    complains("[[workload]]\nname = \"p\"\nkind = \"poisson\"\nsizes = \"hadoop\"\n", "it would never end");
    complains("[[workload]]\nname = \"h\"\nkind = \"halving-doubling-all-reduce\"\nhosts = \"host[0-5]\"\n",
              "a power of two of hosts, not 6");
    complains("[[workload]]\nname = \"h\"\nkind = \"ring-all-reduce\"\nsize = \"7B\"\n",
              "7 octets cannot be cut");
    complains("[[workload]]\nname = \"h\"\nkind = \"permutation\"\nshift = 8\n",
              "a shift of 8 sends to oneself");
    complains("[[workload]]\nname = \"t\"\nkind = \"trace\"\nfile = \"/nowhere.csv\"\n",
              "/nowhere.csv: cannot be read");
    complains("[switches]\n[[switches.marking]]\npriorities = [3]\nkmin = \"200KB\"\nkmax = \"100KB\"\n",
              "kmax");
    complains("[switches.buffer]\ntotal = \"1MB\"\nheadroom = \"2MB\"\n[switches.pfc]\npriorities = [3]\n",
              "headroom");
    complains("[[switch]]\nname = \"leaf7\"\n", "there is no switch 'leaf7'");
    complains("[[capture]]\nlink = \"host9.0\"\nfile = \"a.pcapng\"\n", "there is no link 'host9.0'");
    complains("[[fault]]\nlink = \"leaf0-spine9\"\nkind = \"down\"\n", "there is no link 'leaf0-spine9'");
    complains("[[cc]]\nname = \"x\"\nalgorithm = \"cubic\"\n", "cubic");
    complains("[[check]]\nname = \"v\"\nkind = \"verdict\"\nexpect = \"deadlok\"\n",
              "did you mean 'deadlock'?");
    complains("[[check]]\nname = \"v\"\nkind = \"figure\"\nof = \"fct.p99\"\n", "cannot fail");
}

TEST_CASE("a scenario in which nothing would happen is refused") {
    CHECK(problem("name = \"x\"\n[[host_group]]\ncount = 2\n").find("nothing would happen") !=
          std::string::npos);
}

TEST_CASE("hosts are named by ranges and stars, each once, in the order they are named") {
    const std::vector<std::string> names{"host0", "host1", "host2", "disk0"};
    std::vector<pattern_problem> problems;
    CHECK(find_hosts({"host[1-2]", "*"}, names, problems) == std::vector<std::uint32_t>{1, 2, 0, 3});
    CHECK(problems.empty());
    find_hosts({"host[2-1]", "hots0", "x*"}, names, problems);
    REQUIRE(problems.size() == 3);
    CHECK(problems[1].why == "there is no host 'hots0', did you mean 'host0'?");
}
