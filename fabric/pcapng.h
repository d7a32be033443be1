// SPDX-License-Identifier: Apache-2.0
// Writes capture files in the pcapng format (IETF draft-ietf-opsawg-pcapng): section header, interface
// descriptions, enhanced packets. Little-endian, nanosecond time stamps, no FCS octets; the same calls give
// the same octets.
#pragma once

#include "core/units.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace vg810::fabric {

/// A file that is being written. When writing fails (disk full), everything up to the last whole packet is
/// kept, the error is reported once, and later packets are only counted.
class pcapng_writer {
  public:
    /// Told once, with the file's name and the reason.
    using error_handler = std::function<void(const std::string&)>;

    /// Creates or empties the file. Throws std::system_error naming it when that fails.
    pcapng_writer(std::string path, error_handler on_error);
    pcapng_writer(const pcapng_writer&) = delete;
    pcapng_writer& operator=(const pcapng_writer&) = delete;
    ~pcapng_writer();

    /// An Ethernet interface; returns its number. Interfaces must be added before their packets.
    std::uint32_t add_interface(std::string_view name, bits_per_second speed);

    enum class direction : std::uint8_t { unknown = 0, inbound = 1, outbound = 2 };
    struct packet {
        std::uint32_t interface = 0;
        picoseconds at;                    ///< written in whole nanoseconds, rounded down
        std::span<const std::byte> octets; ///< what was kept
        bytes length = 0;                  ///< on the wire, without FCS; >= octets.size()
        direction way = direction::unknown;
        bool fcs_bad = false;
    };
    void write(const packet& p);

    /// Hands everything written so far to the operating system.
    void flush();
    /// Flushes and closes; later packets are counted as lost.
    void close();

    const std::string& path() const { return path_; }
    std::uint64_t packets() const { return packets_; }
    /// Packets that did not reach the file.
    std::uint64_t lost() const { return lost_; }
    /// What went wrong, if anything did.
    const std::optional<std::string>& error() const { return error_; }

  private:
    void begin_block(std::uint32_t type);
    void end_block();
    template <class T> void put(T v);
    void put_padded(std::span<const std::byte> octets);
    void put_option(std::uint16_t code, std::span<const std::byte> value);
    void put_option(std::uint16_t code, std::string_view value);
    void fail(int reason, std::size_t written);

    std::string path_;
    error_handler on_error_;
    int fd_;
    std::vector<std::byte> buffer_; ///< whole blocks, and the one being made
    std::size_t block_ = 0;         ///< where that one starts
    std::uint64_t kept_ = 0;        ///< octets in the file
    std::uint64_t buffered_ = 0;    ///< packets in the buffer
    std::uint32_t interfaces_ = 0;
    std::uint64_t packets_ = 0;
    std::uint64_t lost_ = 0;
    std::optional<std::string> error_;
};

} // namespace vg810::fabric
