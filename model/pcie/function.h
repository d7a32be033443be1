// SPDX-License-Identifier: Apache-2.0
// One PCIe function as the rest of the card sees it: where BAR accesses go, how to reach host memory, how to
// interrupt.
#pragma once

#include "core/units.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace vg810::pcie {

enum class dma_status : std::uint8_t {
    ok,
    bus_master_disabled,
    unsupported_request, ///< no memory at that bus address
    poisoned,
    timeout,
    aborted, ///< a reset or link loss overtook it
};

/// Told, in the function's domain, that a DMA has ended. `cookie` is the caller's own.
class dma_client {
  public:
    virtual ~dma_client() = default;
    virtual void dma_done(std::uint64_t cookie, dma_status status) = 0;
};

/// One stretch of a write: card memory to bus address. The octets are copied when the write is accepted.
struct dma_piece {
    std::uint64_t address;
    std::span<const std::byte> data;
};

/// What a function has sent to the host since its last reset.
struct dma_counters {
    std::uint64_t read_requests = 0;  ///< TLPs
    std::uint64_t write_requests = 0; ///< TLPs, MSI-X messages not counted
    std::uint64_t read_bytes = 0;
    std::uint64_t write_bytes = 0;
    std::uint64_t interrupts = 0; ///< MSI-X messages
};

/// The function's way to host memory. Requests become TLPs split at MPS / MRRS / 4 KiB / RCB on the card's
/// one link. Reads may be reordered among each other by the host; posted writes and interrupts never pass
/// earlier ones. The client is always called later, never from within the request. After a function reset
/// every pending request is dropped and answered `aborted` during the reset call.
class dma_port {
  public:
    virtual ~dma_port() = default;
    /// Reads into `target`, which must stay valid until dma_done. 1 .. 64 KiB.
    virtual void read(std::uint64_t address, std::span<std::byte> target, dma_client& client,
                      std::uint64_t cookie) = 0;
    /// Posted write of all pieces in order; all become visible to the host at one instant, when the last TLP
    /// reaches the root complex. `client` may be null (errors still reach AER); else it is told at that
    /// instant.
    virtual void write(std::span<const dma_piece> pieces, dma_client* client, std::uint64_t cookie) = 0;
    /// MSI-X message, ordered behind every earlier write. Masked vectors become pending. Unknown vectors are
    /// ignored and reported as an internal error.
    virtual void interrupt(std::uint16_t vector) = 0;

    /// Least time from a request to its first touch of the host: a promise fit for `quiet` of every event
    /// that acts on the host through this port only.
    virtual picoseconds touch_latency() const { return {}; }
    virtual dma_counters counters() const { return {}; }
};

enum class reset_kind : std::uint8_t { power_on, bus, function_level, d3_to_d0 };

/// What a function's owner (host interface) implements. Called in the function's domain at its now().
class function_target {
  public:
    virtual ~function_target() = default;
    /// Size 1, 2, 4 or 8, within the BAR, not crossing an aligned 8 octets. The read value is little-endian.
    virtual std::uint64_t bar_read(int bar, std::uint64_t offset, unsigned size) = 0;
    virtual void bar_write(int bar, std::uint64_t offset, unsigned size, std::uint64_t value) = 0;
    virtual void reset(reset_kind kind) = 0;
    /// Bus master enable or memory space enable changed, so lookahead may have.
    virtual void command_changed(bool memory_space, bool bus_master) = 0;
};

} // namespace vg810::pcie
