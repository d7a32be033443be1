// SPDX-License-Identifier: Apache-2.0
#include "scenarios/command/command_line.h"

#include "scenarios/config/diagnostics.h"

#include <catch2/catch_test_macros.hpp>
#include <vector>

using namespace vg810::scenarios;

namespace {

command_line parse(std::vector<std::string_view> arguments) {
    return parse_command_line(arguments);
}

std::string problem(std::vector<std::string_view> arguments) {
    try {
        parse_command_line(arguments);
    } catch (const bad_input& e) {
        return e.what();
    }
    return "accepted";
}

} // namespace

TEST_CASE("options may stand anywhere and carry their values either way") {
    const command_line c =
        parse({"run", "--seed", "7", "first-light", "--set=mode=paced", "--out", "/tmp/x"});
    CHECK(c.what == sub_command::run);
    CHECK(c.scenario == "first-light");
    CHECK(c.settings == std::vector<std::string>{"seed=7", "mode=paced"});
    CHECK(c.out == "/tmp/x");
    CHECK(parse({"boot", "--guests", "2", "--guest-json", "d"}).guests == 2);
    CHECK(parse({"describe", "--keys"}).keys);
    CHECK(parse({}).what == sub_command::help);
    CHECK(parse({"run", "x", "--help"}).what == sub_command::help);
}

TEST_CASE("a wrong command line says what was meant") {
    CHECK(problem({"rnu", "x"}) == "there is no command 'rnu', did you mean 'run'?");
    CHECK(problem({"run", "x", "--sed", "1"}) == "'run' has no option '--sed', did you mean '--set'?");
    CHECK(problem({"list", "--guests=1"}).find("'list' has no option '--guests'") == 0);
    CHECK(problem({"run"}) == "'run' wants a scenario: a file, or a name from 'vg810 list'");
    CHECK(problem({"run", "a", "b"}) == "'run' cannot use 'b'");
    CHECK(problem({"run", "a", "--set"}) == "--set wants KEY=VALUE behind it");
    CHECK(problem({"run", "a", "--seed", "x"}) == "--seed wants a number from 0 to 4294967295, not 'x'");
    CHECK(problem({"run", "a", "--print-config=1"}) == "--print-config takes no value");
    CHECK(problem({"boot", "--guests", "3"}) == "--guests wants a number from 1 to 2, not '3'");
    CHECK(problem({"boot", "--mode", "pacd"}) == "--mode cannot be 'pacd', did you mean 'paced'?");
}

TEST_CASE("help names every exit status") {
    for (const char* text :
         {"0 passed", "1 a step", "2 bad input", "3 something", "4 internal", "130 interrupted"})
        CHECK(usage().find(text) != std::string::npos);
}
