// SPDX-License-Identifier: Apache-2.0
#include "fabric/net_namespace.h"

#include "fabric/namespace_anchor.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>

namespace vg810::fabric {

namespace {

constexpr auto setup_limit = std::chrono::seconds(10);
constexpr std::size_t most_output = 16 << 20;

[[noreturn]] void fail(const std::string& step, int reason) {
    std::string text = "cannot make a network namespace with a TAP: " + step + ": " + std::strerror(reason);
    if (step.find("/dev/net/tun") != std::string::npos)
        text += reason == ENOENT ? "; load the module: modprobe tun"
                                 : "; run as root, or give access to /dev/net/tun";
    else if (reason == EPERM || reason == EACCES || reason == ENOSPC)
        text += "; run as root, or allow user namespaces (sysctl kernel.unprivileged_userns_clone, "
                "user.max_user_namespaces)";
    throw namespace_error(text);
}

anchor_plan plan_for(const std::vector<tap_parameters>& taps) {
    if (taps.empty() || taps.size() > most_taps)
        throw std::invalid_argument("a namespace needs 1 to " + std::to_string(most_taps) +
                                    " TAP interfaces");
    anchor_plan plan{};
    std::snprintf(plan.uid_map, sizeof plan.uid_map, "0 %u 1", static_cast<unsigned>(geteuid()));
    std::snprintf(plan.gid_map, sizeof plan.gid_map, "0 %u 1", static_cast<unsigned>(getegid()));
    for (const tap_parameters& t : taps) {
        if (t.name.empty() || t.name.size() > 15 || t.prefix_length > 32 || t.mtu < 68 || t.mtu > 9600 ||
            t.mac.is_group() || t.mac.is_zero())
            throw std::invalid_argument("TAP interface '" + t.name +
                                        "': name, MAC address, prefix or MTU out of range");
        anchor_plan::tap& p = plan.tap_list[plan.taps++];
        std::memcpy(p.name, t.name.data(), t.name.size());
        std::ranges::copy(t.mac.octets(), p.mac);
        const std::uint32_t mask = t.prefix_length == 0 ? 0 : ~std::uint32_t{0} << (32 - t.prefix_length);
        store_be(reinterpret_cast<std::byte*>(&p.ip), t.ip.value());
        store_be(reinterpret_cast<std::byte*>(&p.mask), mask);
        p.mtu = static_cast<int>(t.mtu);
    }
    return plan;
}

/// Clones the anchor; returns its pidfd, or -1 with errno.
int clone_anchor(const anchor_plan& plan, int socket) {
    int pidfd = -1;
    const unsigned long user = plan.user_namespace ? CLONE_NEWUSER : 0;
    const unsigned long flags = CLONE_NEWNET | CLONE_NEWPID | CLONE_PIDFD | user | SIGCHLD;
    const long pid = syscall(SYS_clone, flags, 0, &pidfd, 0, 0);
    if (pid == 0)
        run_anchor(plan, socket, environ);
    return pid < 0 ? -1 : pidfd;
}

} // namespace

net_namespace::net_namespace(const std::vector<tap_parameters>& taps) {
    anchor_plan plan = plan_for(taps);
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
        fail("opening a socket pair", errno);
    socket_ = file_descriptor(pair[0]);
    const file_descriptor theirs(pair[1]);
    plan.user_namespace = geteuid() != 0;
    int pidfd = clone_anchor(plan, theirs.get());
    if (pidfd < 0 && errno == EPERM &&
        !plan.user_namespace) { // root without the capability, as in a container
        plan.user_namespace = true;
        pidfd = clone_anchor(plan, theirs.get());
    }
    if (pidfd < 0)
        fail("creating the namespace", errno);
    holder_.pidfd = file_descriptor(pidfd);
    receive_setup();
    if (taps_.size() != taps.size())
        fail("receiving the TAP interfaces", EPROTO);
}

net_namespace::holder::~holder() {
    if (!pidfd)
        return;
    syscall(SYS_pidfd_send_signal, pidfd.get(), SIGKILL, nullptr, 0);
    pollfd ended{pidfd.get(), POLLIN, 0};
    if (::poll(&ended, 1, 5000) == 1) {
        siginfo_t info;
        waitid(P_PIDFD, static_cast<id_t>(pidfd.get()), &info, WEXITED);
    }
}

void net_namespace::receive_setup() {
    pollfd wait{socket_.get(), POLLIN, 0};
    if (::poll(&wait, 1, static_cast<int>(std::chrono::milliseconds(setup_limit).count())) != 1)
        fail("waiting for the namespace to be set up", ETIMEDOUT);
    anchor_report r{};
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int) * most_taps)];
    iovec text{&r, sizeof r};
    msghdr m{};
    m.msg_iov = &text;
    m.msg_iovlen = 1;
    m.msg_control = control;
    m.msg_controllen = sizeof control;
    if (recvmsg(socket_.get(), &m, MSG_CMSG_CLOEXEC) != static_cast<ssize_t>(sizeof r))
        fail("hearing from the namespace's holder", EPIPE);
    if (r.what == anchor_report::kind::failed)
        fail(r.step, r.status);
    const cmsghdr* c = CMSG_FIRSTHDR(&m);
    const std::size_t count = c ? (c->cmsg_len - CMSG_LEN(0)) / sizeof(int) : 0;
    for (std::size_t i = 0; i < count; ++i) {
        int fd;
        std::memcpy(&fd, CMSG_DATA(c) + i * sizeof fd, sizeof fd);
        taps_.emplace_back(fd);
    }
}

void net_namespace::request(std::int32_t kind, std::int32_t id, const std::string& text, const int* fds) {
    anchor_request q{static_cast<anchor_request::kind>(kind), id};
    iovec parts[2] = {{&q, sizeof q}, {const_cast<char*>(text.c_str()), text.size() + 1}};
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int) * 2)] = {};
    msghdr m{};
    m.msg_iov = parts;
    m.msg_iovlen = 2;
    if (fds) {
        m.msg_control = control;
        m.msg_controllen = sizeof control;
        cmsghdr* c = CMSG_FIRSTHDR(&m);
        c->cmsg_level = SOL_SOCKET;
        c->cmsg_type = SCM_RIGHTS;
        c->cmsg_len = CMSG_LEN(sizeof(int) * 2);
        std::memcpy(CMSG_DATA(c), fds, sizeof(int) * 2);
    }
    if (sendmsg(socket_.get(), &m, MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
        throw namespace_error(std::string("the holder of the network namespace does not answer: ") +
                              std::strerror(errno));
}

std::shared_ptr<namespace_command> net_namespace::start(const std::string& text,
                                                        std::chrono::milliseconds limit) {
    if (text.size() >= longest_command)
        throw std::length_error("a command of " + std::to_string(text.size()) + " octets is too long");
    auto c = std::make_shared<namespace_command>();
    c->id_ = next_id_++;
    c->deadline_ = std::chrono::steady_clock::now() + limit;
    file_descriptor theirs[2];
    int fds[2];
    for (int i : {0, 1}) {
        int ends[2];
        if (pipe2(ends, O_CLOEXEC) != 0)
            throw namespace_error(std::string("cannot make a pipe for a command's output: ") +
                                  std::strerror(errno));
        c->streams_[i].fd = file_descriptor(ends[0]);
        theirs[i] = file_descriptor(ends[1]);
        fds[i] = ends[1];
        fcntl(ends[0], F_SETFL, O_NONBLOCK);
    }
    request(static_cast<std::int32_t>(anchor_request::kind::run), c->id_, text, fds);
    running_[c->id_] = c;
    return c;
}

void namespace_command::stream::drain() {
    char buffer[16384];
    for (ssize_t n; fd && (n = read(fd.get(), buffer, sizeof buffer)) > 0;) {
        const std::size_t room = most_output - std::min(most_output, text.size());
        text.append(buffer, std::min(room, static_cast<std::size_t>(n)));
        cut = cut || static_cast<std::size_t>(n) > room;
    }
}

void net_namespace::poll() {
    anchor_report r{};
    ssize_t n;
    while ((n = recv(socket_.get(), &r, sizeof r, MSG_DONTWAIT)) == static_cast<ssize_t>(sizeof r)) {
        const auto c = running_.find(r.id);
        if (r.what != anchor_report::kind::exited || c == running_.end())
            continue;
        namespace_command& done = *c->second;
        for (auto& s : done.streams_) {
            s.drain(); // what a background process writes later is not this command's
            s.fd.close();
        }
        done.exit_code_ = WIFEXITED(r.status) ? WEXITSTATUS(r.status) : 128 + WTERMSIG(r.status);
        done.running_ = false;
        running_.erase(c);
    }
    if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
        throw namespace_error("the holder of the network namespace has ended; someone killed it");
    const auto now = std::chrono::steady_clock::now();
    for (auto& [id, c] : running_) {
        for (auto& s : c->streams_)
            s.drain();
        if (now >= c->deadline_ && !c->timed_out_) {
            c->timed_out_ = true;
            request(static_cast<std::int32_t>(anchor_request::kind::kill), id, "", nullptr);
        }
    }
}

std::shared_ptr<namespace_command> net_namespace::run(const std::string& text,
                                                      std::chrono::milliseconds limit) {
    auto c = start(text, limit);
    while (c->running()) {
        poll();
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return c;
}

} // namespace vg810::fabric
