// SPDX-License-Identifier: Apache-2.0
// RoCEv2 frames of one connection over IPv4 from a header that is made once: headers only, the payload is a
// length.
#pragma once

#include "core/address.h"
#include "core/frame.h"
#include "core/roce.h"
#include "model/rdma/requester.h"
#include "model/rdma/responder.h"

#include <array>
#include <cstdint>

namespace vg810::rdma {

/// Selective repeat, which no standard describes: a NAK for a gap has these octets more behind its AETH, the
/// PSN of the later packet that is kept.
inline constexpr std::size_t selective_bytes = 4;

/// Both ends of a connection as its frames name them.
struct path_address {
    mac_address own_mac;
    mac_address peer_mac;
    ipv4_address own_ip;
    ipv4_address peer_ip;
    std::uint16_t udp_source = 0xc000; ///< picks the path where there are several
    std::uint8_t dscp = 0;
    qp_number peer_qp = 0;
    frame_labels labels; ///< of a frame on that path, as far as its maker knows them
};

class packet_builder {
  public:
    packet_builder() = default;
    explicit packet_builder(const path_address& a);

    /// Octets of such a frame without FCS.
    static bytes frame_bytes(opcode op, bytes payload, bool telemetry);

    /// A data packet, a READ request or response; `telemetry`: with an empty block. ECT(0).
    frame_ptr data(frame_pool& pool, const packet_plan& p, std::uint32_t msn, bool telemetry) const;
    /// An ACK or NAK. `telemetry`: the block of the packet it answers, telemetry_bytes octets, or null.
    frame_ptr answer_frame(frame_pool& pool, const answer& a, const std::byte* telemetry) const;
    frame_ptr cnp(frame_pool& pool, std::uint8_t dscp) const;

  private:
    struct layout {
        std::size_t stored; ///< headers
        bytes packet;       ///< IP header to ICRC
        bytes length;       ///< of the frame: padded when the packet is short
        std::size_t bth;
    };
    static layout lay_out(std::size_t extended, bytes payload, bool telemetry);
    frame_ptr start(frame_pool& pool, const layout& l, std::uint8_t tos) const;

    static constexpr std::size_t template_bytes =
        ethernet_header_bytes + ipv4_header_bytes + udp_header_bytes;
    std::array<std::byte, template_bytes> header_{};
    frame_labels labels_;
    qp_number peer_qp_ = 0;
    std::uint32_t ip_sum_ = 0; // of the IPv4 header without ToS, length and checksum
    std::uint8_t dscp_ = 0;
};

} // namespace vg810::rdma
