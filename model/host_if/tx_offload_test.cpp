// SPDX-License-Identifier: Apache-2.0
// Offloads against a reference that shares nothing with them: a byte-wise checksum and a segmenter written
// from the RFCs.
#include "model/host_if/tx_offload.h"

#include "core/ethernet.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cstring>
#include <random>
#include <vector>

using namespace vg810;
using octets = std::vector<std::byte>;

namespace {

/// RFC 1071 by its definition: big-endian words, end-around carry at every step.
std::uint16_t reference_sum(const octets& data, std::uint32_t sum = 0) {
    for (std::size_t i = 0; i < data.size(); i += 2) {
        sum += std::to_integer<std::uint32_t>(data[i]) << 8;
        if (i + 1 < data.size())
            sum += std::to_integer<std::uint32_t>(data[i + 1]);
        sum = (sum & 0xffff) + (sum >> 16);
    }
    return static_cast<std::uint16_t>(sum);
}

octets slice(const octets& from, std::size_t at, std::size_t n) {
    return {from.begin() + static_cast<std::ptrdiff_t>(at),
            from.begin() + static_cast<std::ptrdiff_t>(at + n)};
}

std::uint16_t word(const octets& f, std::size_t at) {
    return load_be<std::uint16_t>(f.data() + at);
}
std::uint32_t longword(const octets& f, std::size_t at) {
    return load_be<std::uint32_t>(f.data() + at);
}

struct shape {
    bool ipv6 = false;
    std::uint8_t protocol = ip_protocol::tcp;
    std::size_t ip_options = 0; ///< octets
    std::size_t tcp_options = 0;
    std::size_t payload = 100;
    std::size_t l3() const { return 14; }
    std::size_t l4() const { return l3() + (ipv6 ? 40 : 20 + ip_options); }
    std::size_t header() const { return l4() + (protocol == ip_protocol::tcp ? 20 + tcp_options : 8); }
};

/// A packet as Linux hands it over: the L4 checksum field holds the pseudo header's sum, over length 0 for
/// TSO.
octets make(const shape& s, unsigned seed, bool tso) {
    std::mt19937 random(seed);
    octets p(s.header() + s.payload);
    for (auto& b : p)
        b = static_cast<std::byte>(random());
    ethernet_view<std::byte>(p.data()).set_type(s.ipv6 ? ethertype::ipv6 : ethertype::ipv4);
    const auto l4_bytes = static_cast<std::uint16_t>(p.size() - s.l4());
    octets pseudo;
    if (s.ipv6) {
        const ipv6_view<std::byte> ip(p.data() + s.l3());
        ip.set_version_class_label(0, 0x12345);
        ip.set_payload_length(tso ? 0 : l4_bytes);
        ip.set_next_header(s.protocol);
        pseudo = slice(p, s.l3() + 8, 32);
    } else {
        const ipv4_view<std::byte> ip(p.data() + s.l3());
        ip.set_version_and_header_bytes(static_cast<unsigned>(20 + s.ip_options));
        ip.set_total_length(tso ? 0 : static_cast<std::uint16_t>(p.size() - s.l3()));
        ip.set_flags_and_offset(0x4000);
        ip.set_protocol(s.protocol);
        pseudo = slice(p, s.l3() + 12, 8);
    }
    pseudo.push_back(std::byte{0});
    pseudo.push_back(std::byte{s.protocol});
    if (!tso) {
        pseudo.push_back(static_cast<std::byte>(l4_bytes >> 8));
        pseudo.push_back(static_cast<std::byte>(l4_bytes));
    }
    if (s.protocol == ip_protocol::tcp) {
        const tcp_view<std::byte> tcp(p.data() + s.l4());
        tcp.set_header_bytes(static_cast<unsigned>(20 + s.tcp_options));
        tcp.set_flags(0xff);
        tcp.set_checksum(reference_sum(pseudo));
    } else {
        const udp_view<std::byte> udp(p.data() + s.l4());
        udp.set_length(l4_bytes);
        udp.set_checksum(reference_sum(pseudo));
    }
    return p;
}

/// A receiver's check, RFC 9293 3.1 / RFC 768: everything sums to all ones.
bool l4_right(const octets& f, const shape& s, std::size_t tag = 0) {
    const std::size_t l3 = s.l3() + tag, l4 = s.l4() + tag;
    const auto l4_bytes = static_cast<std::uint32_t>(f.size() - l4);
    octets all = s.ipv6 ? slice(f, l3 + 8, 32) : slice(f, l3 + 12, 8);
    std::uint32_t start = reference_sum(all);
    start += s.protocol + l4_bytes;
    return reference_sum(slice(f, l4, l4_bytes), start) == 0xffff;
}

bool l3_right(const octets& f, const shape& s, std::size_t tag = 0) {
    return reference_sum(slice(f, s.l3() + tag, 20 + s.ip_options)) == 0xffff;
}

tx_offload offload_for(const shape& s) {
    tx_offload o;
    o.l3_checksum = !s.ipv6;
    o.l4_checksum = true;
    o.l3_offset = static_cast<std::uint8_t>(s.l3());
    o.l4_offset = static_cast<std::uint8_t>(s.l4());
    o.checksum_offset = s.protocol == ip_protocol::tcp ? 16 : 6;
    return o;
}

octets build(const tx_offload& o, const octets& packet, std::uint32_t n = 0) {
    static frame_pool pool;
    const frame_ptr f = build_frame(pool, o, packet, packet.size(), n);
    return f ? octets(f->stored().begin(), f->stored().end()) : octets{};
}

constexpr tx_limits everything{0xff, 9622};

} // namespace

TEST_CASE("offload: checksums of every shape") {
    unsigned seed = 1;
    for (bool ipv6 : {false, true})
        for (std::uint8_t protocol : {ip_protocol::tcp, ip_protocol::udp})
            for (std::size_t options : {0u, 4u, 40u})
                for (std::size_t payload : {64u, 65u, 1u + 60u, 1399u, 1400u}) {
                    shape s{ipv6, protocol, ipv6 ? 0 : options, options, payload};
                    const octets p = make(s, seed++, false);
                    const tx_offload o = offload_for(s);
                    REQUIRE(check_request(o, p.size(), everything) == regs::completion_status::ok);
                    const octets f = build(o, p);
                    REQUIRE(f.size() == p.size());
                    CHECK(l4_right(f, s));
                    if (!ipv6)
                        CHECK(l3_right(f, s));
                    // Nothing but the checksums has changed.
                    octets same = f;
                    std::memcpy(same.data() + s.l4() + o.checksum_offset,
                                p.data() + s.l4() + o.checksum_offset, 2);
                    if (!ipv6)
                        std::memcpy(same.data() + s.l3() + 10, p.data() + s.l3() + 10, 2);
                    CHECK(same == p);
                }
}

TEST_CASE("offload: a UDP checksum that comes out as 0 is sent as all ones") {
    shape s{false, ip_protocol::udp, 0, 0, 64};
    octets p = make(s, 5, false);
    const octets f = build(offload_for(s), p);
    // Choose the last word so that the sum is ffff: its complement, the checksum, is then 0.
    const std::uint16_t checksum = word(f, s.l4() + 6);
    const std::size_t last = p.size() - 2;
    const std::uint32_t raised = word(p, last) + checksum;
    store_be<std::uint16_t>(p.data() + last, static_cast<std::uint16_t>((raised & 0xffff) + (raised >> 16)));
    const octets g = build(offload_for(s), p);
    CHECK(word(g, s.l4() + 6) == 0xffff);
    CHECK(l4_right(g, s));
}

TEST_CASE("offload: VLAN insertion, with and without checksums") {
    shape s{false, ip_protocol::tcp, 0, 12, 500};
    const octets p = make(s, 9, false);
    tx_offload o = offload_for(s);
    o.insert_vlan = true;
    o.vlan_tci = 0xa123;
    const octets f = build(o, p);
    REQUIRE(f.size() == p.size() + 4);
    CHECK(slice(f, 0, 12) == slice(p, 0, 12));
    CHECK(word(f, 12) == 0x8100);
    CHECK(word(f, 14) == 0xa123);
    CHECK(word(f, 16) == 0x0800);
    CHECK(l3_right(f, s, 4));
    CHECK(l4_right(f, s, 4));

    tx_offload plain;
    plain.insert_vlan = true;
    const octets tiny(14, std::byte{3});
    const octets g = build(plain, tiny);
    REQUIRE(g.size() == 60);
    CHECK(word(g, 12) == 0x8100);
    CHECK(std::all_of(g.begin() + 18, g.end(), [](std::byte b) { return b == std::byte{0}; }));
}

TEST_CASE("offload: segmentation against the RFCs") {
    unsigned seed = 100;
    for (bool ipv6 : {false, true})
        for (bool tag : {false, true})
            for (std::size_t options : {0u, 12u})
                for (std::uint16_t mss :
                     {std::uint16_t{1}, std::uint16_t{536}, std::uint16_t{1448}, std::uint16_t{8948}})
                    for (std::size_t payload : {std::size_t{1}, std::size_t{1448}, std::size_t{1449},
                                                std::size_t{20000}, std::size_t{65535}}) {
                        if (mss == 1 && payload > 1500)
                            continue;
                        shape s{ipv6, ip_protocol::tcp, 0, options, payload};
                        const octets p = make(s, seed++, true);
                        tx_offload o = offload_for(s);
                        o.tso = true;
                        o.header_length = static_cast<std::uint8_t>(s.header());
                        o.mss = mss;
                        o.insert_vlan = tag;
                        o.vlan_tci = 77;
                        REQUIRE(check_request(o, p.size(), everything) == regs::completion_status::ok);
                        const std::uint32_t n = frame_count(o, p.size());
                        REQUIRE(n == (payload + mss - 1) / mss);
                        const std::size_t t = tag ? 4 : 0;
                        octets whole;
                        for (std::uint32_t i = 0; i < n; ++i) {
                            octets f = build(o, p, i);
                            const std::size_t part =
                                std::min<std::size_t>(mss, payload - std::size_t{i} * mss);
                            REQUIRE(f.size() == std::max<std::size_t>(60, t + s.header() + part));
                            f.resize(t + s.header() + part); // without Ethernet padding
                            REQUIRE(l4_right(f, s, t));
                            CHECK(longword(f, t + s.l4() + 4) == longword(p, s.l4() + 4) + i * mss);
                            std::uint8_t flags = 0xff;
                            if (i + 1 != n)
                                flags &= 0xf6; // neither FIN nor PSH
                            if (i != 0)
                                flags &= 0x7f; // no CWR
                            CHECK(std::to_integer<std::uint8_t>(f[t + s.l4() + 13]) == flags);
                            if (ipv6) {
                                CHECK(word(f, t + s.l3() + 4) == s.header() - s.l4() + part);
                            } else {
                                CHECK(l3_right(f, s, t));
                                CHECK(word(f, t + s.l3() + 2) == s.header() - s.l3() + part);
                                CHECK(word(f, t + s.l3() + 4) ==
                                      static_cast<std::uint16_t>(word(p, s.l3() + 4) + i));
                            }
                            const octets data = slice(f, t + s.header(), part);
                            whole.insert(whole.end(), data.begin(), data.end());
                        }
                        CHECK(whole == slice(p, s.header(), payload));
                    }
}

TEST_CASE("offload: what is needed of a packet before a segment can go") {
    tx_offload o;
    CHECK(needed_for(o, 500, 0) == 500);
    o.tso = true;
    o.header_length = 54;
    o.mss = 1000;
    CHECK(needed_for(o, 2500, 0) == 1054);
    CHECK(needed_for(o, 2500, 1) == 2054);
    CHECK(needed_for(o, 2500, 2) == 2500);
}

TEST_CASE("offload: requests that cannot be") {
    using regs::completion_status;
    const shape s{false, ip_protocol::tcp, 0, 0, 1000};
    const tx_offload good = [&] {
        tx_offload o = offload_for(s);
        o.tso = true;
        o.header_length = 54;
        o.mss = 500;
        return o;
    }();
    const bytes length = 1054;
    REQUIRE(check_request(good, length, everything) == completion_status::ok);
    const auto check = [&](auto change, completion_status expected, bytes n = 1054,
                           tx_limits limits = everything) {
        tx_offload o = good;
        change(o);
        CHECK(check_request(o, n, limits) == expected);
    };
    const auto none = [](tx_offload&) {};
    check([](tx_offload& o) { o.mss = 0; }, completion_status::bad_descriptor);
    check([](tx_offload& o) { o.header_length = 53; }, completion_status::bad_descriptor);
    check(none, completion_status::bad_descriptor, 54); // headers only
    check(none, completion_status::bad_descriptor, 13);
    check([](tx_offload& o) { o.l3_offset = 13; }, completion_status::bad_descriptor);
    check([](tx_offload& o) { o.l4_offset = 33; }, completion_status::bad_descriptor);
    check([](tx_offload& o) { o.l4_offset = 35; }, completion_status::bad_descriptor);
    check([](tx_offload& o) { o.mss = 9569; }, completion_status::too_long, 20000);
    check([](tx_offload& o) { o.mss = 9568; }, completion_status::ok, 20000);
    check(none, completion_status::too_long, 54 + 65536);
    check([](tx_offload& o) { o.tso = false; }, completion_status::too_long, 9623);
    check([](tx_offload& o) { o.tso = false; }, completion_status::ok, 9622);
    check([](tx_offload& o) { o.tso = false, o.insert_vlan = true; }, completion_status::too_long, 9619);
    check([](tx_offload& o) { o.tso = false, o.l4_offset = 200; }, completion_status::bad_descriptor, 217);
    check([](tx_offload& o) { o.tso = false, o.l4_offset = 200; }, completion_status::ok, 218);
    // Each offload needs its feature: tx_checksum 0, tso 2, vlan_insert 4.
    check(none, completion_status::bad_descriptor, length, {0xff & ~0x04u, 9622});
    check(none, completion_status::bad_descriptor, length, {0xff & ~0x01u, 9622});
    check([](tx_offload& o) { o.insert_vlan = true; }, completion_status::bad_descriptor, length,
          {0xff & ~0x10u, 9622});
}

TEST_CASE("offload: headers that are not what the descriptor says give no frame") {
    const shape s{false, ip_protocol::tcp, 0, 0, 1000};
    const octets good = make(s, 3, true);
    tx_offload o = offload_for(s);
    o.tso = true;
    o.header_length = 54;
    o.mss = 500;
    REQUIRE_FALSE(build(o, good).empty());
    const auto broken = [&](std::size_t at, unsigned value) {
        octets p = good;
        p[at] = static_cast<std::byte>(value);
        return build(o, p).empty();
    };
    CHECK(broken(14, 0x55)); // IP version 5
    CHECK(broken(14, 0x46)); // IPv4 options that reach into TCP
    CHECK(broken(14, 0x60)); // IPv6 does not fit in front of l4_offset
    CHECK(broken(23, 17));   // UDP
    CHECK(broken(46, 0x60)); // TCP options beyond header_length
    tx_offload l3 = offload_for(s);
    octets p = good;
    p[14] = std::byte{0x44}; // a header of 16 octets
    CHECK(build(l3, p).empty());
}
