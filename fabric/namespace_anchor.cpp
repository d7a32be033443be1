// SPDX-License-Identifier: Apache-2.0
#include "fabric/namespace_anchor.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <initializer_list>
#include <linux/if_tun.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace vg810::fabric {

namespace {

constexpr int socket_fd = 3; // the only descriptor kept from the simulator
constexpr std::size_t most_commands = 64;

struct command {
    std::int32_t id;
    pid_t pid; // 0: the slot is free
};

void report(const anchor_report& r, const int* fds = nullptr, std::size_t count = 0) {
    iovec text{const_cast<anchor_report*>(&r), sizeof r};
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int) * most_taps)] = {};
    msghdr m{};
    m.msg_iov = &text;
    m.msg_iovlen = 1;
    if (count > 0) {
        m.msg_control = control;
        m.msg_controllen = CMSG_SPACE(sizeof(int) * count);
        cmsghdr* c = CMSG_FIRSTHDR(&m);
        c->cmsg_level = SOL_SOCKET;
        c->cmsg_type = SCM_RIGHTS;
        c->cmsg_len = CMSG_LEN(sizeof(int) * count);
        std::memcpy(CMSG_DATA(c), fds, sizeof(int) * count);
    }
    if (sendmsg(socket_fd, &m, MSG_NOSIGNAL) < 0)
        _exit(1); // nobody is left to tell
}

/// Ends the anchor with a report unless `ok`.
void demand(bool ok, const char* step) {
    if (ok)
        return;
    anchor_report r{anchor_report::kind::failed, 0, errno, {}};
    std::strncpy(r.step, step, sizeof r.step - 1);
    report(r);
    _exit(1);
}

bool write_all(const char* path, const char* text) {
    const int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    const bool ok = write(fd, text, std::strlen(text)) == static_cast<ssize_t>(std::strlen(text));
    close(fd);
    return ok;
}

void become_root_inside(const anchor_plan& plan) {
    demand(write_all("/proc/self/setgroups", "deny"), "entering a user namespace (setgroups)");
    demand(write_all("/proc/self/uid_map", plan.uid_map), "entering a user namespace (uid_map)");
    demand(write_all("/proc/self/gid_map", plan.gid_map), "entering a user namespace (gid_map)");
}

ifreq request_for(const char* name) {
    ifreq r{};
    std::memcpy(r.ifr_name, name, std::strlen(name));
    return r;
}

void bring_up(int control, const char* name) {
    ifreq r = request_for(name);
    demand(ioctl(control, SIOCGIFFLAGS, &r) == 0, "reading an interface's flags");
    r.ifr_flags |= IFF_UP;
    demand(ioctl(control, SIOCSIFFLAGS, &r) == 0, "bringing an interface up");
}

// No IPv6 address by itself, so that nothing is sent unasked (router solicitations, duplicate address
// detection). IFLA_AF_SPEC { AF_INET6 { IFLA_INET6_ADDR_GEN_MODE = none } }
void no_ipv6_autoconfiguration(int control, const char* name) {
    ifreq r = request_for(name);
    demand(ioctl(control, SIOCGIFINDEX, &r) == 0, "reading an interface's index");
    struct {
        nlmsghdr header;
        ifinfomsg info;
        rtattr spec, inet6, mode;
        std::uint32_t value; // one octet and padding
    } q{};
    q.header = {sizeof q, RTM_SETLINK, NLM_F_REQUEST | NLM_F_ACK, 1, 0};
    q.info.ifi_family = AF_UNSPEC;
    q.info.ifi_index = r.ifr_ifindex;
    q.spec = {3 * sizeof(rtattr) + 4, IFLA_AF_SPEC | NLA_F_NESTED};
    q.inet6 = {2 * sizeof(rtattr) + 4, AF_INET6 | NLA_F_NESTED};
    q.mode = {sizeof(rtattr) + 1, IFLA_INET6_ADDR_GEN_MODE};
    q.value = IN6_ADDR_GEN_MODE_NONE; // in the first octet on little-endian machines, the only ones built for
    const int netlink = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
    demand(netlink >= 0, "opening a netlink socket");
    demand(send(netlink, &q, sizeof q, 0) == static_cast<ssize_t>(sizeof q), "sending to netlink");
    struct {
        nlmsghdr header;
        nlmsgerr error;
        char rest[512];
    } answer{};
    demand(recv(netlink, &answer, sizeof answer, 0) >=
               static_cast<ssize_t>(sizeof(nlmsghdr) + sizeof(nlmsgerr)),
           "reading from netlink");
    close(netlink);
    errno = -answer.error.error;
    // A kernel without IPv6 has nothing to turn off.
    demand(errno == 0 || errno == EAFNOSUPPORT || errno == EOPNOTSUPP, "turning IPv6 autoconfiguration off");
}

int make_tap(int control, const anchor_plan::tap& t) {
    const int fd = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
    demand(fd >= 0, "opening /dev/net/tun");
    ifreq r = request_for(t.name);
    r.ifr_flags = IFF_TAP | IFF_NO_PI;
    demand(ioctl(fd, TUNSETIFF, &r) == 0, "creating a TAP interface");
    int carrier = 0; // until the far end's signal is seen
    demand(ioctl(fd, TUNSETCARRIER, &carrier) == 0, "taking a TAP interface's carrier down");

    r = request_for(t.name);
    r.ifr_hwaddr.sa_family = ARPHRD_ETHER;
    std::memcpy(r.ifr_hwaddr.sa_data, t.mac, 6);
    demand(ioctl(control, SIOCSIFHWADDR, &r) == 0, "setting a TAP interface's MAC address");
    r = request_for(t.name);
    r.ifr_mtu = t.mtu;
    demand(ioctl(control, SIOCSIFMTU, &r) == 0, "setting a TAP interface's MTU");
    no_ipv6_autoconfiguration(control, t.name);
    bring_up(control, t.name);
    if (t.ip == 0)
        return fd;
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = t.ip;
    r = request_for(t.name);
    std::memcpy(&r.ifr_addr, &address, sizeof address);
    demand(ioctl(control, SIOCSIFADDR, &r) == 0, "setting a TAP interface's IP address");
    address.sin_addr.s_addr = t.mask;
    std::memcpy(&r.ifr_netmask, &address, sizeof address);
    demand(ioctl(control, SIOCSIFNETMASK, &r) == 0, "setting a TAP interface's netmask");
    return fd;
}

void set_up(const anchor_plan& plan) {
    if (plan.user_namespace)
        become_root_inside(plan);
    const int control = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    demand(control >= 0, "opening a control socket");
    bring_up(control, "lo");
    int fds[most_taps];
    for (std::size_t i = 0; i < plan.taps; ++i)
        fds[i] = make_tap(control, plan.tap_list[i]);
    report({anchor_report::kind::ready, 0, 0, {}}, fds, plan.taps);
    for (std::size_t i = 0; i < plan.taps; ++i)
        close(fds[i]); // the simulator's copy is the one that counts
    close(control);
}

[[noreturn]] void become_command(const char* text, int out, int err, char** environment) {
    setsid(); // its own process group, to be killed as a whole
    dup2(out, 1);
    dup2(err, 2);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    for (int s : {SIGPIPE, SIGINT, SIGTERM, SIGHUP, SIGQUIT})
        signal(s, SIG_DFL);
    syscall(SYS_close_range, 3, ~0u, 0);
    const char* const arguments[] = {"sh", "-c", text, nullptr};
    execve("/bin/sh", const_cast<char* const*>(arguments), environment);
    _exit(127);
}

void start(command (&commands)[most_commands], std::int32_t id, const char* text, int out, int err,
           char** environment) {
    anchor_report no{anchor_report::kind::exited, id, 126 << 8, {}};
    for (command& c : commands) {
        if (c.pid != 0)
            continue;
        const auto pid = static_cast<pid_t>(syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0));
        if (pid == 0)
            become_command(text, out, err, environment);
        if (pid < 0)
            break;
        c = {id, pid};
        return;
    }
    report(no);
}

/// Takes one request; returns false when the simulator has gone.
bool serve(command (&commands)[most_commands], char** environment) {
    static char message[sizeof(anchor_request) + longest_command + 1];
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int) * 2)];
    iovec text{message, sizeof message};
    msghdr m{};
    m.msg_iov = &text;
    m.msg_iovlen = 1;
    m.msg_control = control;
    m.msg_controllen = sizeof control;
    const ssize_t n = recvmsg(socket_fd, &m, MSG_CMSG_CLOEXEC);
    if (n < static_cast<ssize_t>(sizeof(anchor_request)))
        return n < 0 && errno == EINTR;
    anchor_request q;
    std::memcpy(&q, message, sizeof q);
    if (q.what == anchor_request::kind::kill) {
        for (command& c : commands)
            if (c.pid != 0 && c.id == q.id)
                kill(-c.pid, SIGKILL);
        return true;
    }
    int fds[2];
    const cmsghdr* c = CMSG_FIRSTHDR(&m);
    if (!c || c->cmsg_len != CMSG_LEN(sizeof fds))
        return false;
    std::memcpy(fds, CMSG_DATA(c), sizeof fds);
    start(commands, q.id, message + sizeof q, fds[0], fds[1], environment);
    close(fds[0]);
    close(fds[1]);
    return true;
}

// The first process of a PID namespace is the parent of every orphan in it.
void reap(command (&commands)[most_commands]) {
    int status = 0;
    for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;)
        for (command& c : commands)
            if (c.pid == pid) {
                c.pid = 0;
                report({anchor_report::kind::exited, c.id, status, {}});
            }
}

void keep_only(int socket) {
    const int null = open("/dev/null", O_RDWR);
    for (int fd : {0, 1, 2})
        dup2(null, fd);
    if (socket == socket_fd)
        fcntl(socket_fd, F_SETFD, FD_CLOEXEC);
    else
        dup3(socket, socket_fd, O_CLOEXEC);
    syscall(SYS_close_range, socket_fd + 1, ~0u, 0);
}

} // namespace

void run_anchor(const anchor_plan& plan, int socket, char** environment) {
    prctl(PR_SET_NAME, "vg810-netns");
    setsid(); // the terminal's Ctrl-C is for the simulator
    keep_only(socket);
    sigset_t all, child;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, nullptr);
    signal(SIGCHLD, SIG_DFL); // ignored, the kernel would reap and the status be lost
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    set_up(plan);
    const int ended = signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
    demand(ended >= 0, "waiting for child processes");
    static command commands[most_commands];
    for (;;) {
        pollfd wait[] = {{socket_fd, POLLIN, 0}, {ended, POLLIN, 0}};
        poll(wait, 2, -1); // ends with the simulator: its end of the socket closes with it
        signalfd_siginfo info;
        while (read(ended, &info, sizeof info) > 0)
            continue;
        reap(commands);
        if (wait[0].revents && !serve(commands, environment))
            _exit(0);
    }
}

} // namespace vg810::fabric
