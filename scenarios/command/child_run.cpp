// SPDX-License-Identifier: Apache-2.0
#include "scenarios/command/child_run.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace vg810::scenarios {
namespace {

[[noreturn]] void fail(const std::string& what) {
    throw std::system_error(errno, std::generic_category(), what);
}

/// Between fork and exec: system calls only.
[[noreturn]] void become(char* const* arguments, int log, pid_t parent) {
    // A group of its own: Ctrl-C reaches the sweep alone, which then asks its runs to stop once.
    ::setpgid(0, 0);
    if (::prctl(PR_SET_PDEATHSIG, SIGTERM) != 0 || ::getppid() != parent)
        ::_exit(127);
    if (::dup2(log, STDOUT_FILENO) >= 0 && ::dup2(log, STDERR_FILENO) >= 0)
        ::execv("/proc/self/exe", arguments);
    ::_exit(127);
}

} // namespace

child_run::child_run(const std::vector<std::string>& arguments, const std::filesystem::path& log) {
    std::vector<char*> words{const_cast<char*>("vg810-sim")};
    for (const std::string& a : arguments)
        words.push_back(const_cast<char*>(a.c_str()));
    words.push_back(nullptr);
    const file_descriptor out(::open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
    if (!out)
        fail(log.string());
    const pid_t parent = ::getpid();
    pid_ = ::fork();
    if (pid_ < 0)
        fail("fork");
    if (pid_ == 0)
        become(words.data(), out.get(), parent);
    ::setpgid(pid_, pid_); // in both: whoever comes first
    pid_fd_ = file_descriptor(static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0)));
    if (!pid_fd_) {
        const int error = errno;
        kill();
        ::waitpid(pid_, nullptr, 0);
        errno = error;
        fail("pidfd_open");
    }
}

child_run::child_run(child_run&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)), pid_fd_(std::move(other.pid_fd_)), status_(other.status_) {}

child_run::~child_run() {
    if (pid_ < 0)
        return;
    kill();
    ::waitpid(pid_, nullptr, 0);
}

std::optional<int> child_run::poll() {
    int status = 0;
    if (pid_ >= 0 && ::waitpid(pid_, &status, WNOHANG) == pid_) {
        pid_ = -1;
        status_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }
    return status_;
}

void child_run::ask_to_stop() {
    if (pid_ >= 0)
        ::kill(pid_, SIGTERM);
}

void child_run::kill() {
    if (pid_ >= 0)
        ::kill(-pid_, SIGKILL);
}

} // namespace vg810::scenarios
