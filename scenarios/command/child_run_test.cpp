// SPDX-License-Identifier: Apache-2.0
// A child run starts this very program, which here is the test: what it prints, how it ends, that it can be
// ended.
#include "scenarios/command/child_run.h"

#include <catch2/catch_test_macros.hpp>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <poll.h>
#include <system_error>
#include <thread>
#include <unistd.h>

using namespace vg810::scenarios;

namespace {

struct scratch_file {
    std::filesystem::path path =
        std::filesystem::temp_directory_path() / ("vg810-child-run-" + std::to_string(::getpid()) + ".log");
    ~scratch_file() { std::filesystem::remove(path); }
    std::string text() const {
        std::ifstream in(path);
        return {std::istreambuf_iterator<char>(in), {}};
    }
};

int end_of(child_run& run) {
    pollfd ended{run.exit_fd(), POLLIN, 0};
    REQUIRE(::poll(&ended, 1, 20'000) == 1);
    const auto status = run.poll();
    REQUIRE(status);
    return *status;
}

} // namespace

TEST_CASE("a child run's output goes to its log, and its exit status is known") {
    scratch_file log;
    child_run good({"--list-tests"}, log.path);
    CHECK(end_of(good) == 0);
    CHECK(good.poll() == 0);
    CHECK(log.text().find("a child run's output goes to its log") != std::string::npos);
    child_run bad({"--no-such-option"}, log.path);
    CHECK(end_of(bad) != 0);
}

// Not by itself: what the next test starts.
TEST_CASE("sleeper", "[.]") {
    std::this_thread::sleep_for(std::chrono::seconds(30));
}

TEST_CASE("a child run can be asked to stop, killed, or ends with its owner") {
    scratch_file log;
    child_run asked({"sleeper"}, log.path);
    CHECK_FALSE(asked.poll());
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    asked.ask_to_stop();
    CHECK(end_of(asked) == 128 + SIGTERM);
    child_run killed({"sleeper"}, log.path);
    killed.kill();
    CHECK(end_of(killed) == 128 + SIGKILL);
    const auto begin = std::chrono::steady_clock::now();
    {
        child_run left({"sleeper"}, log.path);
        const child_run moved = std::move(left);
    }
    CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(10));
}

TEST_CASE("a log that cannot be written is an error that names it") {
    CHECK_THROWS_AS(child_run({"x"}, "/nonexistent/folder/x.log"), std::system_error);
}
