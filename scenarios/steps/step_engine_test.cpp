// SPDX-License-Identifier: Apache-2.0
#include "scenarios/steps/step_engine.h"

#include <catch2/catch_test_macros.hpp>
#include <deque>
#include <set>

using namespace vg810;
using namespace vg810::scenarios;

namespace {

/// A host whose commands end when and as the test says.
class scripted_host final : public command_host {
  public:
    explicit scripted_host(std::string name) : name_(std::move(name)) {}
    const std::string& name() const override { return name_; }
    void start(command_id id, const std::string& command, picoseconds timeout) override {
        started.push_back({id, command, timeout});
    }
    void start_background(command_id id, const std::string& command) override {
        started.push_back({id, command, {}});
    }
    void stop_background(command_id id) override { stopped.insert(id); }
    std::string output(command_id) const override { return text; }

    struct begun {
        command_id id;
        std::string command;
        picoseconds timeout;
    };
    std::vector<begun> started;
    std::set<command_id> stopped;
    std::string text;

  private:
    std::string name_;
};

command_end exits(int status) {
    command_end e;
    e.exit_status = status;
    return e;
}

struct bench {
    explicit bench(std::vector<step_config> steps) {
        s.name = "test";
        for (const char* name : {"left", "right"}) {
            host_config h;
            h.name = name;
            h.configure = false;
            s.hosts.push_back(h);
        }
        s.steps = std::move(steps);
        s.boot_timeout = picoseconds(1'000'000);
        engine.emplace(
            clock, s, [this](step_result& r, const std::string&) { ended.push_back(r.name); },
            [this] { ++done; });
        engine->add_host(left);
        engine->add_host(right);
        engine->begin({"left", "right"});
    }
    void boot() {
        engine->host_ready("left");
        engine->host_ready("right");
    }
    void run_until(picoseconds t) {
        clock.run_before(t);
        clock.advance_to(t);
    }

    scenario s;
    scheduler clock{"test"};
    scripted_host left{"left"};
    scripted_host right{"right"};
    std::vector<std::string> ended;
    int done = 0;
    std::optional<step_engine> engine;
};

step_config step(std::string name, std::vector<std::string> on, std::string group = "") {
    step_config c;
    c.name = std::move(name);
    c.on = std::move(on);
    c.run = "run " + c.name;
    c.group = std::move(group);
    c.timeout = picoseconds(1'000);
    return c;
}

} // namespace

TEST_CASE("steps wait for all guests, then run one after the other") {
    bench b({step("one", {"left"}), step("two", {"right"})});
    b.engine->host_ready("left");
    CHECK(b.left.started.empty());
    b.engine->host_ready("right");
    REQUIRE(b.left.started.size() == 1);
    CHECK(b.left.started[0].command == "run one");
    CHECK(b.right.started.empty());
    b.engine->command_ended(b.left.started[0].id, exits(0));
    REQUIRE(b.right.started.size() == 1);
    CHECK_FALSE(b.engine->finished());
    b.engine->command_ended(b.right.started[0].id, exits(0));
    CHECK(b.engine->finished());
    CHECK(b.done == 1);
    CHECK(b.ended == std::vector<std::string>{"one", "two"});
    CHECK(b.engine->results()[1].passed());
}

TEST_CASE("a group and a step on two hosts run at the same time") {
    bench b({step("a", {"left"}, "g"), step("b", {"right"}, "g"), step("c", {"left", "right"}),
             step("d", {"left"})});
    b.boot();
    REQUIRE(b.left.started.size() == 1);
    REQUIRE(b.right.started.size() == 1);
    b.engine->command_ended(b.left.started[0].id, exits(0));
    CHECK(b.left.started.size() == 1);
    b.engine->command_ended(b.right.started[0].id, exits(0));
    CHECK(b.left.started.size() == 2);
    REQUIRE(b.right.started.size() == 2);
    b.engine->command_ended(b.left.started[1].id, exits(0));
    CHECK(b.left.started.size() == 2);
    b.engine->command_ended(b.right.started[1].id, exits(0));
    CHECK(b.left.started.size() == 3);
}

TEST_CASE("a wrong exit status fails the step and later ones are not run") {
    bench b({step("one", {"left"}), step("two", {"right"})});
    b.boot();
    b.left.text = "some words\nno such file\n";
    b.engine->command_ended(b.left.started[0].id, exits(2));
    CHECK(b.engine->finished());
    REQUIRE(b.engine->results().size() == 2);
    CHECK(b.engine->results()[0].failures ==
          std::vector<std::string>{"exit status 2, expected 0; last output: some words | no such file"});
    CHECK(b.engine->results()[1].skipped);
    CHECK(b.right.started.empty());
}

TEST_CASE("a failure that need not stop does not") {
    step_config one = step("one", {"left"});
    one.stop_on_failure = false;
    bench b({one, step("two", {"right"})});
    b.boot();
    b.engine->command_ended(b.left.started[0].id, exits(1));
    CHECK(b.right.started.size() == 1);
}

TEST_CASE("an expected exit status passes") {
    step_config one = step("one", {"left"});
    one.expect_exit = 1;
    bench b({one});
    b.boot();
    b.engine->command_ended(b.left.started[0].id, exits(1));
    CHECK(b.engine->results()[0].passed());
}

TEST_CASE("a command that exceeds its time fails") {
    bench b({step("one", {"left"})});
    b.boot();
    CHECK(b.left.started[0].timeout == picoseconds(1'000));
    command_end late;
    late.timed_out = true;
    b.engine->command_ended(b.left.started[0].id, late);
    CHECK(b.engine->finished());
    CHECK(b.engine->results()[0].failures == std::vector<std::string>{"did not end within 1ns"});
    CHECK(b.engine->failure().empty());
}

TEST_CASE("a host that does not report an end in time is given up") {
    bench b({step("one", {"left"}), step("two", {"left"})});
    b.boot();
    b.run_until(picoseconds::from_ns(6'000'000'000));
    CHECK(b.engine->finished());
    CHECK(b.engine->failure().find("left does not answer: step one ") == 0);
    CHECK_FALSE(b.engine->results()[0].exit_status);
    CHECK(b.engine->results()[1].skipped);
    b.engine->command_ended(b.left.started[0].id, exits(0)); // too late, and harmless
    CHECK(b.engine->results().size() == 2);
}

TEST_CASE("a background command runs beside later steps and is ended after them") {
    step_config server = step("server", {"right"});
    server.background = true;
    bench b({server, step("client", {"left"})});
    b.boot();
    REQUIRE(b.right.started.size() == 1);
    REQUIRE(b.left.started.size() == 1);
    b.engine->command_ended(b.left.started[0].id, exits(0));
    CHECK(b.right.stopped.size() == 1);
    CHECK_FALSE(b.engine->finished());
    command_end ended;
    ended.still_ran = true;
    b.engine->command_ended(b.right.started[0].id, ended);
    CHECK(b.engine->finished());
    CHECK(b.engine->results()[1].passed());
}

TEST_CASE("a guest that never boots ends the run, by name") {
    bench b({step("one", {"left"})});
    b.engine->host_ready("right");
    b.run_until(picoseconds(2'000'000));
    CHECK(b.engine->finished());
    CHECK(b.engine->failure().find("guest left did not start its agent within 1us") == 0);
    CHECK(b.engine->results()[0].skipped);
}

TEST_CASE("a host that goes away ends the run") {
    bench b({step("one", {"left"}), step("two", {"left"})});
    b.boot();
    b.engine->host_gone("left", "QEMU was killed by signal 9");
    CHECK(b.engine->finished());
    CHECK(b.engine->failure() == "left: QEMU was killed by signal 9");
    CHECK_FALSE(b.engine->results()[0].passed());
}

TEST_CASE("an abandoned run says what ran and what did not") {
    bench b({step("one", {"left"}), step("two", {"left"})});
    b.boot();
    b.engine->abandon("interrupted");
    CHECK(b.engine->finished());
    CHECK(b.done == 0);
    REQUIRE(b.engine->results().size() == 2);
    CHECK(b.engine->results()[0].failures == std::vector<std::string>{"the run was given up: interrupted"});
    CHECK(b.engine->results()[1].skipped);
    b.engine->abandon("again");
    CHECK(b.engine->failure() == "interrupted");
}

TEST_CASE("guests configure both ports by address before the first step") {
    scenario s;
    s.name = "x";
    host_config h;
    h.name = "left";
    s.hosts = {h};
    fill_in(s);
    const auto steps = step_engine::configuration_steps(s);
    REQUIRE(steps.size() == 1);
    CHECK(steps[0].run.find("02:c8:10:00:00:01") != std::string::npos);
    CHECK(steps[0].run.find("ip address add 10.1.0.1/24 dev") != std::string::npos);
    s.hosts[0].configure = false;
    CHECK(step_engine::configuration_steps(s).empty());
}
