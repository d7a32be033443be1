// SPDX-License-Identifier: Apache-2.0
#include "qemu-device/unix_socket.h"

#include <sys/socket.h>
#include <sys/un.h>

#include <cerrno>
#include <stdexcept>
#include <system_error>

namespace vg810::qemu {

file_descriptor listen_on(const std::string& path) {
    if (path.empty() || path.size() > max_socket_path)
        throw std::invalid_argument("socket path '" + path + "' has " + std::to_string(path.size()) +
                                    " characters, a Unix socket takes 1.." + std::to_string(max_socket_path) +
                                    ": use a shorter directory (TMPDIR)");
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, max_socket_path);

    file_descriptor listener(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    unlink(path.c_str());
    if (!listener || bind(listener.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 ||
        listen(listener.get(), 1) != 0)
        throw std::system_error(errno, std::generic_category(), "listening on " + path);
    return listener;
}

file_descriptor accept_on(const file_descriptor& listener) {
    file_descriptor connection(accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!connection && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR && errno != ECONNABORTED)
        throw std::system_error(errno, std::generic_category(), "accepting a connection");
    return connection;
}

} // namespace vg810::qemu
