// SPDX-License-Identifier: Apache-2.0
// RoCEv2 on the wire: InfiniBand transport headers (IBTA volume 1, chapter 9) behind UDP (annex A17), the
// congestion notification packet (A17.9.3) and the invariant CRC (A17.3.3). Field access in place; what the
// fields mean to a queue pair is model/rdma's business.
#pragma once

#include "core/ethernet.h"
#include "core/frame.h"

#include <cstdint>
#include <optional>
#include <span>

namespace vg810 {

inline constexpr std::uint16_t roce_udp_port = 4791; ///< A17.3.1
inline constexpr std::size_t bth_bytes = 12;
inline constexpr std::size_t reth_bytes = 16;
inline constexpr std::size_t aeth_bytes = 4;
inline constexpr std::size_t immediate_bytes = 4;
inline constexpr std::size_t icrc_bytes = 4;
inline constexpr std::size_t cnp_payload_bytes = 16;
inline constexpr std::uint16_t default_pkey = 0xffff;

/// A queue pair's number. Range: 0 .. 2^24 - 1.
using qp_number = std::uint32_t;

/// BTH opcodes of the reliable connection service, and the CNP (IBTA 9.2.1 table 35, A17.9.3).
enum class opcode : std::uint8_t {
    send_first = 0x00,
    send_middle = 0x01,
    send_last = 0x02,
    send_last_immediate = 0x03,
    send_only = 0x04,
    send_only_immediate = 0x05,
    write_first = 0x06,
    write_middle = 0x07,
    write_last = 0x08,
    write_last_immediate = 0x09,
    write_only = 0x0a,
    write_only_immediate = 0x0b,
    read_request = 0x0c,
    read_response_first = 0x0d,
    read_response_middle = 0x0e,
    read_response_last = 0x0f,
    read_response_only = 0x10,
    acknowledge = 0x11,
    cnp = 0x81,
};

/// Octets of extended headers behind the BTH. Nothing for an opcode that is not in the list above.
std::optional<std::size_t> extended_header_bytes(opcode op);

/// AETH syndromes (IBTA 9.7.5.2.1, tables 44, 46): the upper three bits are the kind.
enum class syndrome_kind : std::uint8_t { ack = 0, rnr_nak = 1, nak = 3 };
enum class nak_code : std::uint8_t {
    psn_sequence_error = 0,
    invalid_request = 1,
    remote_access_error = 2,
    remote_operational_error = 3,
    invalid_rd_request = 4,
};
/// A credit count of 31: end-to-end flow control is not used (9.7.7.2).
inline constexpr std::uint8_t credits_invalid = 31;
constexpr std::uint8_t make_syndrome(syndrome_kind k, std::uint8_t low_five) {
    return static_cast<std::uint8_t>(static_cast<unsigned>(k) << 5 | (low_five & 31u));
}
constexpr syndrome_kind kind_of(std::uint8_t syndrome) {
    return static_cast<syndrome_kind>(syndrome >> 5 & 3);
}
constexpr std::uint8_t low_five_of(std::uint8_t syndrome) {
    return syndrome & 31;
}

/// 9.2: base transport header.
template <class B> class bth_view : public header_view<B> {
  public:
    explicit bth_view(B* p) : header_view<B>(p) {}
    std::uint8_t raw_opcode() const { return this->template get<std::uint8_t>(0); }
    opcode op() const { return static_cast<opcode>(raw_opcode()); }
    bool solicited() const { return this->template get<std::uint8_t>(1) & 0x80; }
    unsigned pad() const { return this->template get<std::uint8_t>(1) >> 4 & 3u; }
    unsigned version() const { return this->template get<std::uint8_t>(1) & 15u; }
    std::uint16_t pkey() const { return this->template get<std::uint16_t>(2); }
    bool becn() const { return this->template get<std::uint8_t>(4) & 0x40; }
    qp_number destination() const { return this->template get<std::uint32_t>(4) & 0xff'ffff; }
    bool ack_request() const { return this->template get<std::uint8_t>(8) & 0x80; }
    std::uint32_t psn() const { return this->template get<std::uint32_t>(8) & 0xff'ffff; }
    /// Everything; MigReq is set (the state of a path that is not migrating), the version is 0.
    void fill(opcode op, unsigned pad, qp_number destination, bool ack_request, std::uint32_t psn,
              std::uint16_t pkey = default_pkey, bool becn = false) const {
        this->set(0, static_cast<std::uint8_t>(op));
        this->set(1, static_cast<std::uint8_t>(0x40 | pad << 4));
        this->set(2, pkey);
        this->set(4, (becn ? 0x4000'0000u : 0u) | destination);
        this->set(8, (ack_request ? 0x8000'0000u : 0u) | psn);
    }
};

/// 9.3.3: RDMA extended transport header.
template <class B> class reth_view : public header_view<B> {
  public:
    explicit reth_view(B* p) : header_view<B>(p) {}
    std::uint64_t address() const { return this->template get<std::uint64_t>(0); }
    std::uint32_t key() const { return this->template get<std::uint32_t>(8); }
    std::uint32_t length() const { return this->template get<std::uint32_t>(12); }
    void fill(std::uint64_t address, std::uint32_t key, std::uint32_t length) const {
        this->set(0, address);
        this->set(8, key);
        this->set(12, length);
    }
};

/// 9.3.5: ACK extended transport header.
template <class B> class aeth_view : public header_view<B> {
  public:
    explicit aeth_view(B* p) : header_view<B>(p) {}
    std::uint8_t syndrome() const { return this->template get<std::uint8_t>(0); }
    std::uint32_t msn() const { return this->template get<std::uint32_t>(0) & 0xff'ffff; }
    void fill(std::uint8_t syndrome, std::uint32_t msn) const {
        this->set(0, std::uint32_t{syndrome} << 24 | (msn & 0xff'ffff));
    }
};

/// The UDP source port for a flow label (20 bits), as Linux' rdma_flow_label_to_udp_sport computes it.
constexpr std::uint16_t udp_source_port(std::uint32_t flow_label) {
    return static_cast<std::uint16_t>(((flow_label & 0x3fff) ^ (flow_label >> 14 & 0x3f)) | 0xc000);
}

/// The invariant CRC of a RoCEv2 packet: `packet` is from the IP header to the last octet before the ICRC.
/// Store it little-endian. Precondition: IPv4 or IPv6, UDP and BTH are complete.
std::uint32_t icrc_of(std::span<const std::byte> packet);

/// Offset of the BTH when the frame is RoCEv2 (UDP to port 4791, or to the telemetry port with its block in
/// front) with a stored, complete BTH and the extended headers that its opcode asks for.
std::optional<std::size_t> find_bth(const frame& f);

} // namespace vg810
