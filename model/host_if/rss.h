// SPDX-License-Identifier: Apache-2.0
// Receive side scaling: the Toeplitz hash over addresses and ports, and the indirection table. Follows
// Microsoft's "RSS hashing types" and "Verifying the RSS hash calculation" (Windows driver documentation),
// whose vectors the test uses.
#pragma once

#include "core/ethernet.h"
#include "model/regs/vg810_regs.h"

#include <array>
#include <cstdint>
#include <span>

namespace vg810 {

class toeplitz {
  public:
    static constexpr std::size_t max_input = 36; ///< two IPv6 addresses and two ports
    using key_type = std::array<std::byte, regs::rss_key_bytes>;

    explicit toeplitz(const key_type& key = {}) { set_key(key); }
    void set_key(const key_type& key);
    /// At most max_input octets.
    std::uint32_t hash(std::span<const std::byte> input) const;

  private:
    // Contribution of each nibble value at each nibble of the input: small enough to stay in the first-level
    // cache.
    std::array<std::array<std::uint32_t, 16>, 2 * max_input> table_{};
};

struct rss_result {
    std::uint32_t hash = 0;
    regs::rss_hash_type type = regs::rss_hash_type::none;
    std::uint16_t queue = 0;
};

class rss {
  public:
    using table_type = std::array<std::uint16_t, regs::rss_table_entries>;

    /// Everything to queue 0.
    void reset();
    /// `hash_types`: regs::rss_config_hash_types.
    void configure(bool enable, std::uint32_t hash_types, const toeplitz::key_type& key,
                   const table_type& table);
    /// Where a frame goes. Fragments and other protocols than TCP and UDP hash over addresses only.
    rss_result select(std::span<const std::byte> frame, const parse_result& headers) const;

  private:
    bool enabled_ = false;
    std::uint32_t types_ = 0;
    toeplitz hash_;
    table_type table_{};
};

} // namespace vg810
