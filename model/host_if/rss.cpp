// SPDX-License-Identifier: Apache-2.0
#include "model/host_if/rss.h"

#include <cstring>

namespace vg810 {

namespace {

/// 32 bits of the key from bit `at` on, its first bit the most significant.
std::uint32_t key_window(const toeplitz::key_type& key, std::size_t at) {
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < 5; ++i)
        bits = bits << 8 | std::to_integer<std::uint64_t>(key[at / 8 + i]);
    return static_cast<std::uint32_t>(bits >> (8 - at % 8));
}

} // namespace

void toeplitz::set_key(const key_type& key) {
    for (std::size_t nibble = 0; nibble < table_.size(); ++nibble)
        for (unsigned value = 0; value < 16; ++value) {
            std::uint32_t sum = 0;
            for (unsigned bit = 0; bit < 4; ++bit)
                if (value & (8u >> bit))
                    sum ^= key_window(key, nibble * 4 + bit);
            table_[nibble][value] = sum;
        }
}

std::uint32_t toeplitz::hash(std::span<const std::byte> input) const {
    std::uint32_t sum = 0;
    for (std::size_t i = 0; i < input.size(); ++i) {
        const auto octet = std::to_integer<unsigned>(input[i]);
        sum ^= table_[2 * i][octet >> 4] ^ table_[2 * i + 1][octet & 15];
    }
    return sum;
}

void rss::reset() {
    enabled_ = false;
    types_ = 0;
    table_.fill(0);
}

void rss::configure(bool enable, std::uint32_t hash_types, const toeplitz::key_type& key,
                    const table_type& table) {
    enabled_ = enable;
    types_ = hash_types;
    hash_.set_key(key);
    table_ = table;
}

rss_result rss::select(std::span<const std::byte> frame, const parse_result& p) const {
    rss_result r;
    r.queue = table_[0];
    if (!enabled_)
        return r;
    using wanted = regs::rss_config_hash_types;
    const bool ports = p.l4 == l4_type::tcp || p.l4 == l4_type::udp;
    std::size_t addresses = 0; // octets, and where they start
    std::size_t from = 0;
    bool with_ports = false;
    if (p.l3 == l3_type::ipv4) {
        with_ports = ports && wanted::ipv4_l4::get(types_);
        if (!with_ports && !wanted::ipv4::get(types_))
            return r;
        addresses = 8;
        from = p.l3_offset + 12u;
        r.type = with_ports ? regs::rss_hash_type::ipv4_l4 : regs::rss_hash_type::ipv4;
    } else if (p.l3 == l3_type::ipv6) {
        with_ports = ports && wanted::ipv6_l4::get(types_);
        if (!with_ports && !wanted::ipv6::get(types_))
            return r;
        addresses = 32;
        from = p.l3_offset + 8u;
        r.type = with_ports ? regs::rss_hash_type::ipv6_l4 : regs::rss_hash_type::ipv6;
    } else {
        return r;
    }
    std::array<std::byte, toeplitz::max_input> input;
    std::memcpy(input.data(), frame.data() + from, addresses);
    if (with_ports)
        std::memcpy(input.data() + addresses, frame.data() + p.l4_offset, 4);
    r.hash = hash_.hash({input.data(), addresses + (with_ports ? 4 : 0)});
    r.queue = table_[r.hash % table_.size()];
    return r;
}

} // namespace vg810
