// SPDX-License-Identifier: Apache-2.0
// Addresses of Ethernet and IP, as values that compare, hash and print.
#pragma once

#include "core/endian.h"

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace vg810 {

/// IEEE 802 48-bit address; octet 0 is the first on the wire.
class mac_address {
  public:
    constexpr mac_address() = default;
    constexpr explicit mac_address(const std::array<std::uint8_t, 6>& octets) : octets_(octets) {}
    /// The low 48 bits of `v`, most significant octet first.
    static constexpr mac_address from_u64(std::uint64_t v) {
        mac_address m;
        for (int i = 0; i < 6; ++i)
            m.octets_[i] = static_cast<std::uint8_t>(v >> (40 - 8 * i));
        return m;
    }
    /// The six octets at `p`.
    static mac_address load(const std::byte* p) {
        mac_address m;
        std::memcpy(m.octets_.data(), p, 6);
        return m;
    }
    /// "02:00:00:00:00:01" (hex digits of either case, separated by ':' or '-'); nothing else is accepted.
    static std::optional<mac_address> parse(std::string_view text);
    static constexpr mac_address broadcast() { return from_u64(0xffff'ffff'ffff); }

    void store(std::byte* p) const { std::memcpy(p, octets_.data(), 6); }
    constexpr const std::array<std::uint8_t, 6>& octets() const { return octets_; }
    constexpr std::uint64_t to_u64() const {
        std::uint64_t v = 0;
        for (std::uint8_t o : octets_)
            v = v << 8 | o;
        return v;
    }
    /// 802 8.2: the I/G bit of the first octet; broadcast counts as a group, too.
    constexpr bool is_group() const { return octets_[0] & 1; }
    constexpr bool is_broadcast() const { return *this == broadcast(); }
    constexpr bool is_zero() const { return *this == mac_address{}; }
    std::string to_string() const;

    constexpr auto operator<=>(const mac_address&) const = default;

  private:
    std::array<std::uint8_t, 6> octets_{};
};

/// An IPv4 address; `value()` is in host order, 10.0.0.1 is 0x0a000001.
class ipv4_address {
  public:
    constexpr ipv4_address() = default;
    constexpr explicit ipv4_address(std::uint32_t value) : value_(value) {}
    static ipv4_address load(const std::byte* p) { return ipv4_address(load_be<std::uint32_t>(p)); }
    /// Dotted decimal with four parts.
    static std::optional<ipv4_address> parse(std::string_view text);

    void store(std::byte* p) const { store_be(p, value_); }
    constexpr std::uint32_t value() const { return value_; }
    constexpr bool is_zero() const { return value_ == 0; }
    std::string to_string() const;

    constexpr auto operator<=>(const ipv4_address&) const = default;

  private:
    std::uint32_t value_ = 0;
};

/// An IPv6 address; octet 0 is the first on the wire.
class ipv6_address {
  public:
    constexpr ipv6_address() = default;
    constexpr explicit ipv6_address(const std::array<std::uint8_t, 16>& octets) : octets_(octets) {}
    static ipv6_address load(const std::byte* p) {
        ipv6_address a;
        std::memcpy(a.octets_.data(), p, 16);
        return a;
    }
    /// RFC 4291 2.2 text, without a zone.
    static std::optional<ipv6_address> parse(std::string_view text);

    void store(std::byte* p) const { std::memcpy(p, octets_.data(), 16); }
    constexpr const std::array<std::uint8_t, 16>& octets() const { return octets_; }
    /// RFC 5952 text.
    std::string to_string() const;

    constexpr auto operator<=>(const ipv6_address&) const = default;

  private:
    std::array<std::uint8_t, 16> octets_{};
};

} // namespace vg810

template <> struct std::hash<vg810::mac_address> {
    std::size_t operator()(const vg810::mac_address& m) const noexcept {
        return static_cast<std::size_t>(m.to_u64() * 0x9e37'79b9'7f4a'7c15u);
    }
};
template <> struct std::hash<vg810::ipv4_address> {
    std::size_t operator()(const vg810::ipv4_address& a) const noexcept {
        return static_cast<std::size_t>(a.value() * 0x9e37'79b9'7f4a'7c15u);
    }
};
