// SPDX-License-Identifier: Apache-2.0
// Frames of all kinds that card and parser know, and ways to make them wrong.
#pragma once

#include "core/ethernet.h"
#include "fuzz/dice.h"
#include "model/native/driver.h"

#include <vector>

namespace vg810::fuzz {

using octets = std::vector<std::byte>;

/// A frame of an experimental type, `length` octets (at least 60), whose payload follows from `number`.
octets make_plain(mac_address to, mac_address from, std::size_t length, std::uint64_t number);
/// UDP over IPv4, with right checksums.
octets make_udp(mac_address to, mac_address from, std::size_t length, std::uint64_t number);
/// TCP over IPv4, likewise.
octets make_tcp(mac_address to, mac_address from, std::size_t length, std::uint64_t number);

/// Turns right checksums of an unfragmented TCP or UDP packet into what a driver leaves the card to do: the
/// pseudo header's sum in the L4 field, and the offsets in `o`.
void leave_checksum_to_card(std::span<std::byte> frame, send_options& o);

/// Any valid frame between 60 and `longest` octets: tags, IPv4 with and without options, IPv6 with and
/// without extension headers, TCP, UDP, ICMP, fragments, ARP; checksums right.
octets make_any(dice& d, mac_address to, mac_address from, std::size_t longest);
/// One field of the headers changed, or the end cut off (14 octets remain).
void spoil(dice& d, octets& frame);

} // namespace vg810::fuzz
