// SPDX-License-Identifier: Apache-2.0
#include "scenarios/report/run_report.h"
#include "scenarios/report/status_line.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace vg810;
using namespace vg810::scenarios;
namespace fs = std::filesystem;

namespace {

class scratch {
  public:
    scratch() {
        char name[] = "/tmp/vg810-report-XXXXXX";
        path_ = ::mkdtemp(name);
    }
    ~scratch() { fs::remove_all(path_); }
    const fs::path& path() const { return path_; }

  private:
    fs::path path_;
};

run_report sample() {
    run_report r;
    r.scenario = "demo";
    r.mode = "lockstep";
    r.simulated = picoseconds(2'000'000'000'000);
    step_result ping;
    ping.name = "ping";
    ping.host = "left";
    ping.started = picoseconds(1'000'000'000'000);
    ping.ended = picoseconds(1'500'000'000'000);
    ping.exit_status = 0;
    ping.values["rtt"] = 0.025;
    r.steps = {ping};
    check_result c;
    c.name = "clean";
    c.failures = {"frame 3 has a bad <checksum> & \"more\" \x01\xff\xc3\xa9"};
    r.checks = {c};
    r.metrics = {{picoseconds(7), "end", "left.port0.tx_packets", 42}};
    r.wall["total_seconds"] = 12.5;
    return r;
}

std::string slurp(const fs::path& file) {
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
}

} // namespace

TEST_CASE("a failed check makes the run fail; an aborted run stays aborted") {
    run_report r = sample();
    r.decide();
    CHECK(r.outcome == run_outcome::failed);
    r.checks.clear();
    r.outcome = run_outcome::passed;
    r.decide();
    CHECK(r.outcome == run_outcome::passed);
    r.outcome = run_outcome::aborted;
    r.decide();
    CHECK(r.outcome == run_outcome::aborted);
}

TEST_CASE("JUnit output is escaped, counted, and keeps only what XML allows") {
    const std::string xml = junit_xml(sample());
    CHECK(xml.find("<testsuite name=\"demo\" tests=\"2\" failures=\"1\" errors=\"0\" skipped=\"0\" "
                   "time=\"2.000000000\">") != std::string::npos);
    CHECK(xml.find("classname=\"demo.step\" name=\"ping on left\" time=\"0.500000000\"/>") !=
          std::string::npos);
    CHECK(xml.find("bad &lt;checksum&gt; &amp; &quot;more&quot; ??\xc3\xa9\"/>") != std::string::npos);
    run_report r = sample();
    r.outcome = run_outcome::aborted;
    r.reason = "QEMU died";
    r.steps[0].skipped = true;
    const std::string broken = junit_xml(r);
    CHECK(broken.find("tests=\"3\" failures=\"1\" errors=\"1\" skipped=\"1\"") != std::string::npos);
    CHECK(broken.find("<error message=\"aborted: QEMU died\"/>") != std::string::npos);
    CHECK(broken.find("<skipped/>") != std::string::npos);
}

TEST_CASE("the files hold what was found") {
    const scratch s;
    const run_directory d(s.path() / "run", "unused", "demo");
    sample().write(d);
    CHECK(slurp(d.file("metrics.csv")) == "time_ps,moment,metric,value\n7,end,left.port0.tx_packets,42\n");
    const auto summary = nlohmann::json::parse(slurp(d.file("summary.json")));
    CHECK(summary["steps"][0]["values"]["rtt"] == 0.025);
    CHECK(summary["simulated_ps"] == 2'000'000'000'000);
    CHECK(slurp(d.file("summary.json")).find("wall") == std::string::npos);
    CHECK(nlohmann::json::parse(slurp(d.file("wall.json")))["total_seconds"] == 12.5);
}

TEST_CASE("a run's directory is new, named after the scenario") {
    const scratch s;
    const run_directory a(std::nullopt, s.path(), "demo");
    const run_directory b(std::nullopt, s.path(), "demo");
    CHECK(a.path() != b.path());
    CHECK(a.path().filename().string().starts_with("demo-20"));
}

TEST_CASE("a place that cannot be written is named with the cure") {
    const scratch s;
    std::ofstream(s.path() / "file") << "x";
    const auto problem = [](auto&& make) {
        try {
            make();
        } catch (const output_error& e) {
            return std::string(e.what());
        }
        return std::string("accepted");
    };
    CHECK(problem([&] { run_directory(s.path() / "file" / "run", "unused", "x"); }).find("cannot write ") ==
          0);
    fs::create_directory(s.path() / "foreign");
    std::ofstream(s.path() / "foreign" / "thesis.tex") << "x";
    CHECK(problem([&] {
              run_directory(s.path() / "foreign", "unused", "x");
          }).find("foreign: Directory not empty") != std::string::npos);
    CHECK(output_error("/x/y", ENOSPC).what() ==
          std::string("cannot write /x/y: No space left on device; free some space, or choose another place "
                      "with --out DIR"));
    const run_directory d(s.path() / "run", "unused", "x");
    fs::create_directory(d.file("summary.json"));
    CHECK(problem([&] { d.write("summary.json", "x"); }).find("summary.json: ") != std::string::npos);
    CHECK_FALSE(fs::exists(d.file("summary.json.new")));
    CHECK(problem([&] { d.check_space(std::uintmax_t{1} << 62); }).find("No space left") !=
          std::string::npos);
}

TEST_CASE("an earlier run foretells how long this one takes") {
    const scratch s;
    for (const char* name : {"demo-20260101-000000", "demo-20260102-000000", "demo-20260103-000000"})
        fs::create_directory(s.path() / name);
    std::ofstream(s.path() / "demo-20260101-000000/wall.json")
        << R"({"outcome":"passed","step_ends":[1,2],"total_seconds":3})";
    std::ofstream(s.path() / "demo-20260102-000000/wall.json")
        << R"({"outcome":"passed","step_ends":[10,20],"total_seconds":30})";
    std::ofstream(s.path() / "demo-20260103-000000/wall.json") << R"({"outcome":"failed","step_ends":[1,1]})";
    const auto found = earlier_run::find(s.path(), "demo", 2);
    REQUIRE(found);
    CHECK(found->total == 30);
    CHECK(found->remaining(4, 0) == 26);
    CHECK(found->remaining(15, 0) == 20); // slower than then: the step is about to end
    CHECK(found->remaining(15, 1) == 15);
    CHECK(found->remaining(5, 1) == 20); // faster
    CHECK(found->remaining(99, 2) == 0);
    CHECK_FALSE(earlier_run::find(s.path(), "demo", 3));
    CHECK_FALSE(earlier_run::find(s.path() / "absent", "demo", 2));
}

TEST_CASE("the status line says what matters") {
    CHECK(status_text({picoseconds(1'500'000'000'000), 0, "step 2/3 ping", 1, {}}, 2e6, 0.25, 65.0) ==
          "1.500000s  x0.25  2e+06 ev/s  step 2/3 ping  ETA 1m05s");
    CHECK(status_text({picoseconds(0), 0, "boot", 0, picoseconds::from_ns(1'250'000'000)}, 0, 1, {}) ==
          "0.000000s  x1  0 ev/s  boot  1.25s behind wall time");
}
