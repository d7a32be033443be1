// SPDX-License-Identifier: Apache-2.0
// Reads a pcapng capture back (IETF draft-ietf-opsawg-pcapng, section headers, interfaces, enhanced packets)
// and looks for frames that a receiver would refuse.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace vg810::scenarios {

/// Calls `packet` for each enhanced packet in order, with its octets and its length on the wire. Returns why
/// the file is no whole pcapng, or nothing.
std::string read_pcapng(const std::filesystem::path& file,
                        const std::function<void(std::span<const std::byte>, std::size_t length)>& packet);

struct capture_findings {
    std::uint64_t frames = 0;
    std::uint64_t with_checksums = 0;  ///< IPv4 header, TCP or UDP checksum seen and right
    std::vector<std::string> problems; ///< the first ten
    std::uint64_t problem_count = 0;
};

/// Malformed headers, wrong IPv4, TCP, UDP checksums.
capture_findings inspect_capture(const std::filesystem::path& file);

/// What tshark finds: the count of frames it marks malformed or with a bad checksum, or -1 when there is no
/// tshark. Bounded to 60 s of wall time.
int tshark_complaints(const std::filesystem::path& file);

} // namespace vg810::scenarios
