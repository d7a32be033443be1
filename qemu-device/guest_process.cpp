// SPDX-License-Identifier: Apache-2.0
#include "qemu-device/guest_process.h"
#include "qemu-device/guest_clock.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <iterator>

namespace vg810::qemu {

namespace {

// Where the plugin finds its descriptors in the child.
constexpr int child_memory_fd = 3;
constexpr int child_notify_fd = 4;
constexpr int child_alive_fd = 5;

file_descriptor open_or_throw(const std::string& path, int flags) {
    file_descriptor fd(open(path.c_str(), flags | O_CLOEXEC, 0644));
    if (!fd)
        throw guest_error("cannot open " + path + ": " + std::strerror(errno));
    return fd;
}

std::string last_words(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(in), {}};
    constexpr std::size_t most = 2000;
    if (text.size() > most)
        text = text.substr(text.size() - most);
    while (!text.empty() && text.back() == '\n')
        text.pop_back();
    return text;
}

// As execve wants them.
std::vector<char*> pointers_to(const std::vector<std::string>& strings) {
    std::vector<char*> out;
    for (const std::string& s : strings)
        out.push_back(const_cast<char*>(s.c_str()));
    out.push_back(nullptr);
    return out;
}

// This process's, with `preload` first among the libraries to preload.
std::vector<std::string> child_environment(const std::string& preload) {
    const std::string name = "LD_PRELOAD=";
    std::vector<std::string> out;
    std::string libraries = preload;
    for (char** variable = environ; *variable != nullptr; ++variable) {
        const std::string text = *variable;
        if (!text.starts_with(name))
            out.push_back(text);
        else if (text.size() > name.size())
            libraries += (libraries.empty() ? "" : ":") + text.substr(name.size());
    }
    if (!libraries.empty())
        out.push_back(name + libraries);
    return out;
}

// QEMU's messages that have a cure of their own.
struct known_failure {
    const char* words;
    const char* cure;
};
constexpr std::array known_failures{
    known_failure{
        "'vfio-user-pci' is not a valid device model name",
        "this QEMU has no vfio-user-pci: version 10.1 or newer is needed, built with vfio-user support"},
    known_failure{"plugin requires API version",
                  "this QEMU's plugin interface is newer or older than the sync plugin "
                  "knows: rebuild with ./vg810, or use QEMU 10.1 to 11.x"},
    known_failure{"Could not load plugin", "the time-sync plugin was refused"},
    known_failure{"-plugin: invalid option", "this QEMU is built without TCG plugins"},
    known_failure{"No space left on device", "the disk is full"},
    known_failure{"cannot set up guest memory", "not enough memory for the guest: lower its memory"},
    known_failure{"Could not access KVM kernel module", "KVM is not usable here: use accelerator tcg"},
};

} // namespace

struct guest_process::child_setup {
    int stdin_fd;
    int stdout_fd;
    int stderr_fd;
    std::array<int, 3> plugin_fds; // to become child_memory_fd ...; -1: none
    bool own_group;
    std::string preload; // library that is to see QEMU's messages; empty: none
};

guest_process::guest_process(const guest_root& root, const guest_spec& spec, guest_clock* clock)
    : spec_(spec), clock_(clock) {
    if ((spec.mode == time_mode::lockstep) != (clock != nullptr))
        throw std::invalid_argument("guest '" + spec.name + "': lockstep needs a clock, paced mode has none");
    const file_descriptor nothing = open_or_throw("/dev/null", O_RDWR);
    const file_descriptor log = spec.log_file.empty()
                                    ? open_or_throw("/dev/null", O_WRONLY)
                                    : open_or_throw(spec.log_file, O_WRONLY | O_CREAT | O_TRUNC);
    const bool interactive = spec.console_file.empty() && spec.console_socket.empty();
    child_setup setup{interactive ? STDIN_FILENO : nothing.get(),
                      interactive ? STDOUT_FILENO : log.get(),
                      log.get(),
                      {-1, -1, -1},
                      !interactive,
                      {}};
    std::string plugin_arguments;
    if (clock != nullptr) {
        setup.plugin_fds = {clock->memory_fd(), clock->notify_fd(), clock->alive_read_fd()};
        setup.preload = root.plugin;
        plugin_arguments = clock->plugin_arguments(child_memory_fd, child_notify_fd, child_alive_fd);
    }
    spawn(qemu_arguments(root, spec, plugin_arguments), setup);
    if (clock != nullptr)
        clock->set_liveness([this] { return running(); });
}

guest_process::~guest_process() {
    stop(std::chrono::milliseconds(0));
    if (clock_ != nullptr)
        clock_->set_liveness([] { return false; });
}

// fork and exec, because the child must ask to die with its parent. Between the two only async-signal-safe
// calls.
void guest_process::spawn(const std::vector<std::string>& arguments, const child_setup& setup) {
    const std::vector<char*> argv = pointers_to(arguments);
    int report[2];
    if (pipe2(report, O_CLOEXEC) != 0)
        throw guest_error(std::string("creating a pipe: ") + std::strerror(errno));
    const file_descriptor read_end(report[0]);
    file_descriptor write_end(report[1]);
    const pid_t parent = getpid();
    const std::vector<std::string> variables = child_environment(setup.preload);
    const std::vector<char*> environment = pointers_to(variables);

    pid_ = fork();
    if (pid_ < 0)
        throw guest_error(std::string("cannot fork: ") + std::strerror(errno));
    if (pid_ == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent)
            _exit(127);
        if (setup.own_group)
            setpgid(0, 0);
        // First out of the way of the target numbers, then into place.
        std::array<int, 3> parked{-1, -1, -1};
        for (std::size_t i = 0; i < parked.size(); ++i)
            parked[i] = setup.plugin_fds[i] < 0 ? -1 : fcntl(setup.plugin_fds[i], F_DUPFD_CLOEXEC, 64);
        const int error_fd = fcntl(write_end.get(), F_DUPFD_CLOEXEC, 64);
        dup2(setup.stdin_fd, STDIN_FILENO);
        dup2(setup.stdout_fd, STDOUT_FILENO);
        dup2(setup.stderr_fd, STDERR_FILENO);
        for (std::size_t i = 0; i < parked.size(); ++i)
            if (parked[i] >= 0)
                dup2(parked[i], child_memory_fd + static_cast<int>(i));
        execve(argv[0], argv.data(), environment.data());
        const int error = errno;
        (void)!write(error_fd, &error, sizeof error);
        _exit(127);
    }
    write_end.close();
    pid_fd_ = file_descriptor(static_cast<int>(syscall(SYS_pidfd_open, pid_, 0)));
    int error = 0;
    if (read(read_end.get(), &error, sizeof error) == sizeof error) {
        wait_for_end(std::chrono::milliseconds(5000));
        throw guest_error("guest '" + spec_.name + "': cannot run " + arguments.front() + ": " +
                          std::strerror(error) + "; ./vg810 installs QEMU or makes a private root with it");
    }
}

bool guest_process::running() {
    if (pid_ < 0 || status_)
        return false;
    int status = 0;
    const pid_t reaped = waitpid(pid_, &status, WNOHANG);
    if (reaped == 0)
        return true;
    status_ = reaped < 0 ? 255 : WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
    return false;
}

bool guest_process::wait_for_end(std::chrono::milliseconds limit) {
    const auto deadline = std::chrono::steady_clock::now() + limit;
    while (running()) {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
            deadline - std::chrono::steady_clock::now());
        if (left.count() <= 0)
            return false;
        pollfd end{pid_fd_.get(), POLLIN, 0};
        poll(&end, 1, static_cast<int>(std::min<std::int64_t>(left.count(), 100)));
    }
    return true;
}

void guest_process::stop(std::chrono::milliseconds patience) {
    if (!running())
        return;
    const bool deaf = clock_ != nullptr && clock_->state() != guest_state::running;
    if (!deaf && patience.count() > 0) {
        kill(pid_, SIGTERM);
        if (wait_for_end(patience))
            return;
    }
    kill(pid_, SIGKILL);
    // Only a process in an uninterruptible system call survives this for long; it is then the kernel's to
    // reap.
    wait_for_end(std::chrono::milliseconds(10'000));
}

bool guest_process::ram_is_private() const {
    std::ifstream maps("/proc/" + std::to_string(pid_) + "/maps");
    std::string range, access, rest; // proc(5): address, perms, then offset, device, inode, path
    while (maps >> range >> access && std::getline(maps, rest))
        if (rest.find("memfd:memory-backend-memfd") != std::string::npos && access.size() == 4 &&
            access[3] == 'p')
            return true;
    return false;
}

std::string guest_process::failure() const {
    std::string text = "guest '" + spec_.name + "': QEMU ";
    if (!status_)
        text += "still runs";
    else if (*status_ < 0)
        text += "was killed by signal " + std::to_string(-*status_) + " (" + strsignal(-*status_) + ")";
    else
        text += "ended with status " + std::to_string(*status_);

    const std::string words = last_words(spec_.log_file);
    const auto* known = std::ranges::find_if(
        known_failures, [&](const known_failure& k) { return words.find(k.words) != std::string::npos; });
    if (const std::string reason = clock_ == nullptr ? "" : clock_->plugin_error(); !reason.empty())
        text += ": " + reason;
    else if (known != known_failures.end())
        text += std::string(": ") + known->cure;
    if (!words.empty())
        text += "\nQEMU's last words (" + spec_.log_file + "):\n" + words;
    return text;
}

} // namespace vg810::qemu
