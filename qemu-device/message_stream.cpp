// SPDX-License-Identifier: Apache-2.0
#include "qemu-device/message_stream.h"

#include <fcntl.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>

namespace vg810::qemu {

message_stream::message_stream(file_descriptor socket) : socket_(std::move(socket)) {
    fcntl(socket_.get(), F_SETFL, fcntl(socket_.get(), F_GETFL) | O_NONBLOCK);
}

message_stream::result message_stream::fail(std::string why) {
    error_ = std::move(why);
    return result::failed;
}

message_stream::result message_stream::receive(message& out) {
    auto* head = reinterpret_cast<std::byte*>(&incoming_.header);
    if (header_bytes_ < sizeof incoming_.header) {
        const result r = fill(head, sizeof incoming_.header, header_bytes_);
        if (r != result::complete)
            return r;
        if (incoming_.header.size < sizeof incoming_.header ||
            incoming_.header.size > vfio_user::max_message_size)
            return fail("message size " + std::to_string(incoming_.header.size) + " is outside " +
                        std::to_string(sizeof incoming_.header) + ".." +
                        std::to_string(vfio_user::max_message_size));
        incoming_.payload.resize(incoming_.header.size - sizeof incoming_.header);
        payload_bytes_ = 0;
    }
    const result r = fill(incoming_.payload.data(), incoming_.payload.size(), payload_bytes_);
    if (r == result::closed)
        return fail("the peer closed in the middle of a message");
    if (r != result::complete)
        return r;
    header_bytes_ = 0;
    out = std::move(incoming_);
    incoming_ = {};
    return result::complete;
}

// Reads until `have` reaches `size`. Descriptors ride on the first byte of their message.
message_stream::result message_stream::fill(std::byte* into, std::size_t size, std::size_t& have) {
    while (have < size) {
        iovec piece{into + have, size - have};
        alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int) * vfio_user::max_message_fds)];
        msghdr head{};
        head.msg_iov = &piece;
        head.msg_iovlen = 1;
        head.msg_control = control;
        head.msg_controllen = sizeof control;
        const ssize_t n = recvmsg(socket_.get(), &head, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
            return result::partial;
        if (n < 0)
            return fail(std::string("receiving: ") + std::strerror(errno));
        if (!take_descriptors(head))
            return fail("more than " + std::to_string(vfio_user::max_message_fds) +
                        " descriptors in one message");
        if (n == 0)
            return header_bytes_ == 0 ? result::closed : fail("the peer closed in the middle of a message");
        have += static_cast<std::size_t>(n);
    }
    return result::complete;
}

bool message_stream::take_descriptors(msghdr& head) {
    for (cmsghdr* c = CMSG_FIRSTHDR(&head); c != nullptr; c = CMSG_NXTHDR(&head, c)) {
        if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
            continue;
        const std::size_t count = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (std::size_t i = 0; i < count; ++i) {
            int fd = -1;
            std::memcpy(&fd, CMSG_DATA(c) + i * sizeof fd, sizeof fd);
            incoming_.fds.emplace_back(fd);
        }
    }
    return (head.msg_flags & MSG_CTRUNC) == 0 && incoming_.fds.size() <= vfio_user::max_message_fds;
}

bool message_stream::send(const vfio_user::header& header, std::span<const std::byte> payload) {
    const auto* head = reinterpret_cast<const std::byte*>(&header);
    unsent_.insert(unsent_.end(), head, head + sizeof header);
    unsent_.insert(unsent_.end(), payload.begin(), payload.end());
    return flush();
}

bool message_stream::flush() {
    std::size_t done = 0;
    while (done < unsent_.size()) {
        const ssize_t n =
            ::send(socket_.get(), unsent_.data() + done, unsent_.size() - done, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
            break;
        if (n < 0) {
            fail(std::string("sending: ") + std::strerror(errno));
            return false;
        }
        done += static_cast<std::size_t>(n);
    }
    unsent_.erase(unsent_.begin(), unsent_.begin() + static_cast<std::ptrdiff_t>(done));
    if (unsent_.size() > max_unsent) {
        fail("the peer does not read its replies");
        return false;
    }
    return true;
}

} // namespace vg810::qemu
