// SPDX-License-Identifier: Apache-2.0
// vfio-user messages over a non-blocking Unix stream socket: whole messages in, with the descriptors that
// came along; whole messages out, kept when the peer does not read.
#pragma once

#include "qemu-device/file_descriptor.h"
#include "qemu-device/vfio_user_protocol.h"

#include <sys/socket.h>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace vg810::qemu {

/// One received message. `payload` excludes the header.
struct message {
    vfio_user::header header{};
    std::vector<std::byte> payload;
    std::vector<file_descriptor> fds;
};

class message_stream {
  public:
    /// What `receive` found.
    enum class result : std::uint8_t {
        complete, ///< a message is in `out`
        partial,  ///< nothing whole yet; wait until the socket is readable
        closed,   ///< the peer closed between messages
        failed,   ///< error() says why; the stream can no longer be trusted
    };

    /// Takes a connected stream socket and makes it non-blocking.
    explicit message_stream(file_descriptor socket);

    int fd() const { return socket_.get(); }
    result receive(message& out);
    /// Sends or queues. False: the peer is gone or has left more than `max_unsent` bytes unread; error() says
    /// which.
    bool send(const vfio_user::header& header, std::span<const std::byte> payload);
    /// Bytes wait for the socket to become writable: call flush() then.
    bool wants_write() const { return !unsent_.empty(); }
    bool flush();
    const std::string& error() const { return error_; }

    static constexpr std::size_t max_unsent = 1 << 20;

  private:
    result fail(std::string why);
    result fill(std::byte* into, std::size_t size, std::size_t& have);
    bool take_descriptors(msghdr& head);

    file_descriptor socket_;
    message incoming_;
    std::size_t header_bytes_ = 0;
    std::size_t payload_bytes_ = 0;
    std::vector<std::byte> unsent_;
    std::string error_;
};

} // namespace vg810::qemu
