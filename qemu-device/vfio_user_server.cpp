// SPDX-License-Identifier: Apache-2.0
// The connection, the messages answered at once and the dispatch. What waits for the owner:
// vfio_user_access.cpp.
#include "qemu-device/vfio_user_server.h"
#include "qemu-device/unix_socket.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace vg810::qemu {

using namespace vfio_user;

namespace {

template <class T> std::span<const std::byte> bytes_of(const T& value) {
    return std::as_bytes(std::span(&value, 1));
}

} // namespace

vfio_user_server::vfio_user_server(pci_function_backend& function, std::string socket_path)
    : function_(&function), socket_path_(std::move(socket_path)), listener_(listen_on(socket_path_)),
      vectors_(function.msix_vectors()) {}

vfio_user_server::vfio_user_server(pci_function_backend& function, file_descriptor connected)
    : function_(&function), stream_(std::move(connected)), state_(state::connected),
      vectors_(function.msix_vectors()) {}

vfio_user_server::~vfio_user_server() {
    if (!socket_path_.empty())
        unlink(socket_path_.c_str());
}

int vfio_user_server::poll_fd() const {
    if (state_ == state::listening)
        return listener_.get();
    return state_ == state::connected && !access_ ? stream_->fd() : -1;
}

void vfio_user_server::on_readable() {
    if (state_ == state::listening)
        accept_client();
    message m;
    while (state_ == state::connected && !access_) {
        switch (stream_->receive(m)) {
        case message_stream::result::complete:
            handle(m);
            break;
        case message_stream::result::partial:
            return;
        case message_stream::result::closed:
            disconnect(state::disconnected, {});
            return;
        case message_stream::result::failed:
            disconnect(state::failed, stream_->error());
            return;
        }
    }
}

void vfio_user_server::on_writable() {
    if (stream_ && !stream_->flush())
        disconnect(state::failed, stream_->error());
}

void vfio_user_server::accept_client() {
    file_descriptor connection = accept_on(listener_);
    if (!connection)
        return;
    listener_.close();
    stream_.emplace(std::move(connection));
    state_ = state::connected;
}

// The specification's rule for a client that goes: memory and interrupt descriptors are dropped, the device
// stays.
void vfio_user_server::disconnect(state why, std::string error) {
    memory_.clear();
    for (vector_state& v : vectors_)
        v = {};
    access_.reset();
    stream_.reset();
    state_ = why;
    error_ = std::move(error);
}

void vfio_user_server::handle(message& m) {
    ++messages_;
    if ((m.header.flags & type_mask) != type_command)
        return disconnect(state::failed, "the client sent a reply to nothing (command " +
                                             std::to_string(m.header.command) + ")");
    const auto c = static_cast<command>(m.header.command);
    if (!negotiated_ && c != command::version)
        return disconnect(state::failed, "the client's first message is command " +
                                             std::to_string(m.header.command) + ", not the version");
    if (c != command::dma_map && c != command::device_set_irqs && !m.fds.empty())
        return refuse(m, EINVAL);
    dispatch(m);
}

void vfio_user_server::dispatch(message& m) {
    switch (static_cast<command>(m.header.command)) {
    case command::version:
        return answer_version(m);
    case command::dma_map:
        return map_memory(m);
    case command::dma_unmap:
        return unmap_memory(m);
    case command::device_get_info:
        return answer_device_info(m);
    case command::device_get_region_info:
        return answer_region_info(m);
    case command::device_get_irq_info:
        return answer_irq_info(m);
    case command::device_set_irqs:
        return defer_set_irqs(m);
    case command::region_read:
        return defer_region_access(m, false);
    case command::region_write:
        return defer_region_access(m, true);
    case command::device_reset:
        return m.payload.empty() ? defer(m, {access_request::kind::reset, 0, 0, 0}) : refuse(m, EINVAL);
    case command::device_get_region_io_fds:
    case command::region_write_multi:
    case command::device_feature:
    case command::mig_data_read:
    case command::mig_data_write:
        return refuse(m, ENOTSUP);
    case command::dma_read: // server to client only
    case command::dma_write:
        break;
    }
    refuse(m, EINVAL);
}

void vfio_user_server::reply(const message& m, std::span<const std::byte> payload) {
    if ((m.header.flags & flag_no_reply) != 0)
        return;
    header h{};
    h.id = m.header.id;
    h.command = m.header.command;
    h.size = static_cast<std::uint32_t>(sizeof h + payload.size());
    h.flags = type_reply;
    if (!stream_->send(h, payload))
        disconnect(state::failed, stream_->error());
}

void vfio_user_server::refuse(const message& m, int error) {
    ++refused_;
    if ((m.header.flags & flag_no_reply) != 0)
        return;
    header h{};
    h.id = m.header.id;
    h.command = m.header.command;
    h.size = sizeof h;
    h.flags = type_reply | flag_error;
    h.error = static_cast<std::uint32_t>(error);
    if (!stream_->send(h, {}))
        disconnect(state::failed, stream_->error());
}

// The fixed part of a payload, if the message has exactly that (set_irqs and region_write add data: >=) and
// its argsz, always the first field, leaves room for the reply.
template <class T>
std::optional<T> vfio_user_server::payload_of(const message& m, std::uint32_t minimum_argsz) {
    if (m.payload.size() != sizeof(T))
        return std::nullopt;
    T value;
    std::memcpy(&value, m.payload.data(), sizeof value);
    if (value.argsz < minimum_argsz)
        return std::nullopt;
    return value;
}

void vfio_user_server::answer_version(const message& m) {
    if (negotiated_)
        return refuse(m, EINVAL);
    version_payload version{};
    if (m.payload.size() < sizeof version)
        return disconnect(state::failed, "the client's version message is too short");
    std::memcpy(&version, m.payload.data(), sizeof version);
    if (version.major != 0)
        return disconnect(state::failed, "the client speaks vfio-user " + std::to_string(version.major) +
                                             ".x, this server 0.x");

    nlohmann::json proposed = nlohmann::json::object();
    if (m.payload.size() > sizeof version) {
        const auto* text = reinterpret_cast<const char*>(m.payload.data()) + sizeof version;
        const std::size_t length = m.payload.size() - sizeof version - 1;
        if (text[length] != '\0')
            return disconnect(state::failed, "the client's capabilities do not end in NUL");
        proposed = nlohmann::json::parse(text, text + length, nullptr, false);
        if (!proposed.is_object())
            return disconnect(state::failed, "the client's capabilities are not a JSON object");
    }

    // A capability may be answered only if the client named it.
    nlohmann::json limits = nlohmann::json::object();
    const nlohmann::json named = proposed.value("capabilities", nlohmann::json());
    if (named.is_object() && named.contains("max_msg_fds"))
        limits["max_msg_fds"] = max_message_fds;
    if (named.is_object() && named.contains("max_data_xfer_size"))
        limits["max_data_xfer_size"] = max_data_transfer;
    const std::string text = nlohmann::json{{"capabilities", limits}}.dump();

    const version_payload mine{0, std::min<std::uint16_t>(version.minor, 1)};
    std::vector<std::byte> payload(sizeof mine + text.size() + 1);
    std::memcpy(payload.data(), &mine, sizeof mine);
    std::memcpy(payload.data() + sizeof mine, text.c_str(), text.size() + 1);
    negotiated_ = true;
    reply(m, payload);
}

void vfio_user_server::answer_device_info(const message& m) {
    if (!payload_of<device_info_payload>(m))
        return refuse(m, EINVAL);
    reply(m, bytes_of(device_info_payload{sizeof(device_info_payload), device_is_pci | device_resettable,
                                          region_count, irq_type_count}));
}

std::uint64_t vfio_user_server::region_size(std::uint32_t region) const {
    if (region <= last_bar_region)
        return function_->bar_size(region - first_bar_region);
    return region == config_region ? function_->config_size() : 0;
}

void vfio_user_server::answer_region_info(const message& m) {
    const auto asked = payload_of<region_info_payload>(m);
    if (!asked || asked->index >= region_count)
        return refuse(m, EINVAL);
    const std::uint64_t size = region_size(asked->index);
    reply(m, bytes_of(region_info_payload{sizeof(region_info_payload),
                                          size == 0 ? 0 : region_readable | region_writable, asked->index, 0,
                                          size, 0}));
}

void vfio_user_server::answer_irq_info(const message& m) {
    const auto asked = payload_of<irq_info_payload>(m);
    if (!asked || asked->index >= irq_type_count)
        return refuse(m, EINVAL);
    const auto count = asked->index == msix_irq ? static_cast<std::uint32_t>(vectors_.size()) : 0;
    reply(m, bytes_of(irq_info_payload{sizeof(irq_info_payload), irq_eventfd, asked->index, count}));
}

void vfio_user_server::map_memory(const message& m) {
    const auto asked = payload_of<dma_map_payload>(m);
    const std::uint32_t rights = dma_readable | dma_writable;
    if (!asked || m.fds.size() > 1 || (asked->flags & rights) == 0 || (asked->flags & ~rights) != 0)
        return refuse(m, EINVAL);
    static const file_descriptor none;
    const int error = memory_.map(asked->address, asked->size, static_cast<dma_access>(asked->flags & rights),
                                  m.fds.empty() ? none : m.fds.front(), asked->offset);
    if (error != 0)
        return refuse(m, error);
    reply(m, {});
}

void vfio_user_server::unmap_memory(const message& m) {
    const auto asked = payload_of<dma_unmap_payload>(m);
    if (!asked || (asked->flags & ~dma_unmap_all) != 0)
        return refuse(m, EINVAL);
    if ((asked->flags & dma_unmap_all) != 0)
        memory_.clear();
    else if (const int error = memory_.unmap(asked->address, asked->size))
        return refuse(m, error);
    reply(m, m.payload);
}

} // namespace vg810::qemu
