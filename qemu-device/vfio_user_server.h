// SPDX-License-Identifier: Apache-2.0
// The server side of vfio-user for one PCI function: one Unix socket, one client (QEMU).
// Protocol: QEMU docs/interop/vfio-user.rst. Not offered: mmap-able regions (they would bypass the model),
// message-mode DMA, multi-writes, migration, legacy interrupts and MSI.
//
// The owner polls listen_fd() / fd() and calls on_readable(). What the function itself must answer (region
// accesses, reset, interrupt set-up) is not answered at once: it waits as access() until the owner, who first
// brings the model to the time of the access, calls perform_access() and then send_reply(). Nothing further
// is read in between, so the order of messages is kept.
#pragma once

#include "qemu-device/guest_memory.h"
#include "qemu-device/message_stream.h"
#include "qemu-device/pci_function_backend.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace vg810::qemu {

/// A request that waits for the owner.
struct access_request {
    enum class kind : std::uint8_t { read_config, write_config, read_bar, write_bar, reset, set_interrupts };
    kind what;
    unsigned bar;         ///< of a BAR access
    std::uint64_t offset; ///< of a config or BAR access
    std::uint32_t length; ///< of a config or BAR access, in bytes
};

class vfio_user_server {
  public:
    enum class state : std::uint8_t {
        listening,    ///< no client yet
        connected,    ///< a client is there
        disconnected, ///< the client closed; error() is empty
        failed,       ///< the client broke the protocol or the socket failed; error() says how
    };

    /// Listens on `socket_path`. Throws std::system_error, or std::invalid_argument when the path does not
    /// fit a socket address (107 characters).
    vfio_user_server(pci_function_backend& function, std::string socket_path);
    /// Serves a socket that is already connected.
    vfio_user_server(pci_function_backend& function, file_descriptor connected);
    vfio_user_server(const vfio_user_server&) = delete;
    vfio_user_server& operator=(const vfio_user_server&) = delete;
    ~vfio_user_server();

    state status() const { return state_; }
    const std::string& error() const { return error_; }
    /// What to poll for input now: the listening socket, then the connection; -1 when there is nothing to
    /// wait for (an access is pending, or the client is gone).
    int poll_fd() const;
    bool wants_write() const { return stream_ && stream_->wants_write(); }
    /// Call when poll_fd() is readable. Answers what it can until the socket is empty or an access waits.
    void on_readable();
    /// Call when poll_fd() is writable and wants_write().
    void on_writable();

    /// The request that waits, if any. Valid until send_reply().
    const std::optional<access_request>& access() const { return access_; }
    /// Has the function carry out the pending access, now.
    void perform_access();
    /// Answers the access just performed, and reads on.
    void send_reply();

    guest_memory& memory() { return memory_; }
    const guest_memory& memory() const { return memory_; }

    /// Raises MSI-X `vector`. True if it is on its way to the guest; false if the vector is not set up (yet):
    /// it is then remembered, as a PBA bit would be, and raised when it is set up.
    bool raise(unsigned vector);
    /// Whether the VMM has still to take a raised vector from its eventfd.
    bool interrupts_in_flight();
    /// Vectors raised before they were set up, now ready: raises them. Returns how many.
    unsigned raise_remembered();
    /// Whether raise_remembered() would raise any.
    bool has_remembered() const;

    /// Messages answered, and those answered with an error.
    std::uint64_t messages() const { return messages_; }
    std::uint64_t refused() const { return refused_; }

  private:
    struct vector_state {
        file_descriptor eventfd;
        bool remembered = false;
    };

    void accept_client();
    void handle(message& m);
    void dispatch(message& m);
    void answer_version(const message& m);
    void answer_device_info(const message& m);
    void answer_region_info(const message& m);
    void answer_irq_info(const message& m);
    void map_memory(const message& m);
    void unmap_memory(const message& m);
    void defer_region_access(message& m, bool write);
    void defer_set_irqs(message& m);
    void defer(message& m, const access_request& request);

    void perform_config_access(bool write);
    void perform_bar_access(bool write);
    void perform_set_irqs();
    std::span<std::byte> access_data();

    std::uint64_t region_size(std::uint32_t region) const;
    template <class T> std::optional<T> payload_of(const message& m, std::uint32_t minimum_argsz = sizeof(T));
    void reply(const message& m, std::span<const std::byte> payload);
    void refuse(const message& m, int error);
    void disconnect(state why, std::string error);

    pci_function_backend* function_;
    std::string socket_path_;
    file_descriptor listener_;
    std::optional<message_stream> stream_;
    state state_ = state::listening;
    std::string error_;
    bool negotiated_ = false;

    guest_memory memory_;
    std::vector<vector_state> vectors_;
    std::vector<unsigned> in_flight_; // raised, not yet seen consumed

    std::optional<access_request> access_;
    message pending_;
    std::vector<std::byte> pending_reply_;
    bool performed_ = false;

    std::uint64_t messages_ = 0;
    std::uint64_t refused_ = 0;
};

} // namespace vg810::qemu
