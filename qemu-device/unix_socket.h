// SPDX-License-Identifier: Apache-2.0
// Unix stream sockets by path.
#pragma once

#include "qemu-device/file_descriptor.h"

#include <string>

namespace vg810::qemu {

/// Longest path that fits a socket address: sun_path holds 108 bytes, one of them the NUL (unix(7)).
inline constexpr std::size_t max_socket_path = 107;

/// A non-blocking, close-on-exec listening socket. An old socket file at `path` is replaced.
/// Throws std::invalid_argument (path empty or too long, with the cure) or std::system_error.
file_descriptor listen_on(const std::string& path);
/// The next connection, or nothing when none waits. Throws std::system_error.
file_descriptor accept_on(const file_descriptor& listener);

} // namespace vg810::qemu
