// SPDX-License-Identifier: Apache-2.0
#include "core/address.h"

#include <arpa/inet.h>
#include <cstdio>

namespace vg810 {

namespace {
std::optional<unsigned> hex_digit(char c) {
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return std::nullopt;
}
} // namespace

std::optional<mac_address> mac_address::parse(std::string_view text) {
    if (text.size() != 17)
        return std::nullopt;
    std::array<std::uint8_t, 6> octets{};
    for (std::size_t i = 0; i < 6; ++i) {
        const auto high = hex_digit(text[3 * i]), low = hex_digit(text[3 * i + 1]);
        const bool separated =
            i == 5 || ((text[3 * i + 2] == ':' || text[3 * i + 2] == '-') && text[3 * i + 2] == text[2]);
        if (!high || !low || !separated)
            return std::nullopt;
        octets[i] = static_cast<std::uint8_t>(*high << 4 | *low);
    }
    return mac_address(octets);
}

std::string mac_address::to_string() const {
    char text[18];
    std::snprintf(text, sizeof text, "%02x:%02x:%02x:%02x:%02x:%02x", octets_[0], octets_[1], octets_[2],
                  octets_[3], octets_[4], octets_[5]);
    return text;
}

std::optional<ipv4_address> ipv4_address::parse(std::string_view text) {
    in_addr a{};
    if (inet_pton(AF_INET, std::string(text).c_str(), &a) != 1)
        return std::nullopt;
    return ipv4_address(ntohl(a.s_addr));
}

std::string ipv4_address::to_string() const {
    char text[16];
    std::snprintf(text, sizeof text, "%u.%u.%u.%u", value_ >> 24, value_ >> 16 & 255, value_ >> 8 & 255,
                  value_ & 255);
    return text;
}

std::optional<ipv6_address> ipv6_address::parse(std::string_view text) {
    std::array<std::uint8_t, 16> octets{};
    if (inet_pton(AF_INET6, std::string(text).c_str(), octets.data()) != 1)
        return std::nullopt;
    return ipv6_address(octets);
}

std::string ipv6_address::to_string() const {
    char text[INET6_ADDRSTRLEN];
    return inet_ntop(AF_INET6, octets_.data(), text, sizeof text);
}

} // namespace vg810
