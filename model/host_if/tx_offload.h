// SPDX-License-Identifier: Apache-2.0
// What a TX descriptor asks for besides sending: checksum insertion, TCP segmentation, VLAN insertion. Pure
// functions from a packet's octets to frames.
#pragma once

#include "core/frame.h"
#include "model/regs/vg810_regs.h"

#include <cstdint>
#include <optional>
#include <span>

namespace vg810 {

struct tx_offload {
    bool l3_checksum = false; ///< IPv4 header
    bool l4_checksum = false; ///< TCP or UDP
    bool tso = false;         ///< implies both
    bool insert_vlan = false;
    std::uint16_t vlan_tci = 0;
    std::uint8_t l3_offset = 0; ///< octets, before a tag is inserted
    std::uint8_t l4_offset = 0;
    std::uint8_t checksum_offset = 0;
    std::uint8_t header_length = 0; ///< TSO: Ethernet to TCP options
    std::uint16_t mss = 0;
};

/// The limits of the port and what was negotiated.
struct tx_limits {
    std::uint64_t features = 0;
    bytes max_frame = 0; ///< octets without FCS, tags included
};

/// The offloads that a packet's first descriptor asks for.
tx_offload read_offload(regs::tx_descriptor_const_view first);

/// Whether a packet of `length` octets can be sent so, as far as its descriptors tell.
regs::completion_status check_request(const tx_offload& o, bytes length, const tx_limits& limits);

/// Number of frames.
std::uint32_t frame_count(const tx_offload& o, bytes length);
/// Octets of the packet, from its start, that frame `n` needs.
bytes needed_for(const tx_offload& o, bytes length, std::uint32_t n);

/// Frame `n` of the packet, padded to the least length; empty if the headers are not what the descriptor
/// says. `packet`: all of it, or with TSO the first needed_for() octets; `length`: its whole length.
frame_ptr build_frame(frame_pool& pool, const tx_offload& o, std::span<const std::byte> packet, bytes length,
                      std::uint32_t n);

} // namespace vg810
