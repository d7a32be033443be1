// SPDX-License-Identifier: Apache-2.0
#include "scenarios/run/fabric_run.h"

#include "scenarios/config/scenario_file.h"
#include "scenarios/run/scratch_directory.h"
#include "scenarios/run/testing/fake_hosts.h"
#include "scenarios/workload/csv.h"

#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

using namespace vg810;
using namespace vg810::scenarios;
using vg810::scenarios::testing::fake_hosts;

namespace {

const std::string text = R"(name = "demo"
[topology]
kind = "leaf-spine"
leaves = 2
spines = 1
[output]
sample = "10us"
[[host_group]]
count = 4
[[workload]]
name = "web"
kind = "poisson"
sizes = "hadoop"
messages = 200
[[workload]]
name = "ring"
kind = "ring-all-reduce"
size = "1MB"
repeat = 2
[[check]]
name = "all"
kind = "figure"
of = "messages.completed"
equals = 248
)";

exit_code run(const std::string& scenario_text, const std::filesystem::path& out,
              const std::vector<std::string>& settings = {}, bool broken = false) {
    const scenario s = parse_scenario(scenario_text, "f.toml", settings);
    return run_fabric(s, {{}, out, "unused"}, [&](const scenario& all, fabric::network& n, frame_pool&) {
        auto hosts = std::make_unique<fake_hosts>(all, n);
        hosts->fake(1).broken = broken;
        return hosts;
    });
}

const std::vector<std::string> outputs{"summary.json", "metrics.csv",   "flows.csv",       "pauses.csv",
                                       "report.html",  "scenario.toml", "checks.junit.xml"};

} // namespace

TEST_CASE("a fabric run passes, and leaves the same files for the same seed") {
    const scratch_directory a, b, c;
    CHECK(run(text, a.path() / "run") == exit_code::passed);
    CHECK(run(text, b.path() / "run") == exit_code::passed);
    CHECK(run(text, c.path() / "run", {"seed=2"}) == exit_code::passed);
    for (const std::string& name : outputs)
        CHECK(read_text_file(a.path() / "run" / name) == read_text_file(b.path() / "run" / name));
    CHECK(read_text_file(a.path() / "run" / "flows.csv") != read_text_file(c.path() / "run" / "flows.csv"));
    const std::string summary = read_text_file(a.path() / "run" / "summary.json");
    CHECK(summary.find("\"verdict\": {\n    \"name\": \"completed\"") != std::string::npos);
    CHECK(summary.find("\"iteration.ring.count\": 2.0") != std::string::npos);
    CHECK(summary.find("\"cnp.sent\": 7.0") != std::string::npos);
    CHECK(read_text_file(a.path() / "run" / "metrics.csv").find("0,sample,host0.rate,25000000000") !=
          std::string::npos);
    CHECK(read_text_file(a.path() / "run" / "report.html").find("http") == std::string::npos);
}

TEST_CASE("a check on a figure can fail") {
    const scratch_directory a;
    CHECK(run(text, a.path() / "run", {"check.all.equals=249"}) == exit_code::checks_failed);
    CHECK(run(text, a.path() / "run", {"check.all.of=no.such"}) == exit_code::checks_failed);
}

TEST_CASE("a run that gets nowhere ends with a verdict, which fails it unless a check expects it") {
    const scratch_directory a;
    const std::string stuck = text.substr(0, text.find("[[check]]"));
    CHECK(run(stuck, a.path() / "run", {}, true) == exit_code::checks_failed);
    const std::string summary = read_text_file(a.path() / "run" / "summary.json");
    CHECK(summary.find("\"name\": \"broken\"") != std::string::npos);
    const std::string expected = "[[check]]\nname = \"v\"\nkind = \"verdict\"\nexpect = \"broken\"\n";
    CHECK(run(stuck + expected, a.path() / "run", {}, true) == exit_code::passed);
    CHECK(run(stuck + expected, a.path() / "run", {}, false) == exit_code::checks_failed);
}

TEST_CASE("time_limit ends a run that would go on") {
    const scratch_directory a;
    CHECK(run(text, a.path() / "run", {"time_limit=50us"}) == exit_code::checks_failed);
    CHECK(read_text_file(a.path() / "run" / "summary.json").find("time-limit") != std::string::npos);
}

TEST_CASE("a run into an earlier one's folder leaves nothing of that") {
    const scratch_directory a;
    CHECK(run(text, a.path() / "run") == exit_code::passed);
    CHECK(run(text, a.path() / "run", {"output.flows=false", "output.report=false"}) == exit_code::passed);
    CHECK_FALSE(std::filesystem::exists(a.path() / "run" / "flows.csv"));
    CHECK_FALSE(std::filesystem::exists(a.path() / "run" / "report.html"));
    CHECK(std::filesystem::exists(a.path() / "run" / "summary.json"));
}
