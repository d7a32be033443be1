// SPDX-License-Identifier: Apache-2.0
#include "scenarios/checks/checks.h"

#include "core/checksum.h"
#include "core/ethernet.h"
#include "scenarios/checks/capture_check.h"
#include "scenarios/run/native_machine.h"

#include <catch2/catch_test_macros.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>

using namespace vg810;
using namespace vg810::scenarios;
namespace fs = std::filesystem;

namespace {

using octets = std::vector<std::byte>;

class scratch {
  public:
    scratch() {
        char name[] = "/tmp/vg810-checks-XXXXXX";
        path_ = ::mkdtemp(name);
    }
    ~scratch() { fs::remove_all(path_); }
    const fs::path& path() const { return path_; }

  private:
    fs::path path_;
};

/// A UDP datagram over IPv4 with right checksums.
octets datagram() {
    octets f(64);
    const ethernet_view<std::byte> e(f.data());
    e.set_destination(mac_address::from_u64(0x020000000002));
    e.set_source(mac_address::from_u64(0x020000000001));
    e.set_type(ethertype::ipv4);
    const ipv4_view<std::byte> ip(f.data() + 14);
    ip.set_version_and_header_bytes(20);
    ip.set_total_length(50);
    ip.set_ttl(64);
    ip.set_protocol(ip_protocol::udp);
    ip.set_source(ipv4_address(0x0a000001));
    ip.set_destination(ipv4_address(0x0a000002));
    const udp_view<std::byte> udp(f.data() + 34);
    udp.set_source_port(1000);
    udp.set_destination_port(2000);
    udp.set_length(30);
    const parse_result p = parse(f);
    fill_ipv4_checksum(f, p);
    fill_l4_checksum(f, p);
    return f;
}

void put32(std::string& out, std::uint32_t v) {
    out.append(reinterpret_cast<const char*>(&v), 4);
}

/// A pcapng file by hand: section header, one Ethernet interface, enhanced packets.
std::string pcapng(const std::vector<octets>& frames) {
    std::string out;
    for (const std::uint32_t v : {0x0a0d0d0aU, 28U, 0x1a2b3c4dU, 1U, 0xffffffffU, 0xffffffffU, 28U})
        put32(out, v);
    for (const std::uint32_t v : {1U, 20U, 1U, 0U, 20U})
        put32(out, v);
    for (const octets& f : frames) {
        const auto padded = static_cast<std::uint32_t>((f.size() + 3) / 4 * 4);
        const auto size = static_cast<std::uint32_t>(f.size());
        for (const std::uint32_t v : {6U, 32U + padded, 0U, 0U, 0U, size, size})
            put32(out, v);
        out.append(reinterpret_cast<const char*>(f.data()), f.size());
        out.append(padded - f.size(), '\0');
        put32(out, 32U + padded);
    }
    return out;
}

capture_findings inspect(const scratch& s, const std::string& content) {
    std::ofstream(s.path() / "c.pcapng", std::ios::binary) << content;
    return inspect_capture(s.path() / "c.pcapng");
}

octets changed(octets f, std::size_t at) {
    f[at] ^= std::byte{0x10};
    return f;
}

} // namespace

TEST_CASE("a clean capture is counted and passes") {
    const scratch s;
    const capture_findings found = inspect(s, pcapng({datagram(), datagram()}));
    CHECK(found.frames == 2);
    CHECK(found.with_checksums == 2);
    CHECK(found.problem_count == 0);
}

TEST_CASE("every kind of bad frame is found, by number") {
    const scratch s;
    octets short_ip = datagram();
    ipv4_view<std::byte>(short_ip.data() + 14).set_total_length(500); // claims more than there is
    const capture_findings found =
        inspect(s, pcapng({datagram(), changed(datagram(), 30), changed(datagram(), 60),
                           changed(datagram(), 24), short_ip}));
    CHECK(found.problems ==
          std::vector<std::string>{"frame 2: bad IPv4 header checksum", "frame 3: bad UDP checksum",
                                   "frame 4: bad IPv4 header checksum", "frame 5: malformed"});
}

TEST_CASE("a damaged or absent file is a problem") {
    const scratch s;
    const std::string whole = pcapng({datagram()});
    CHECK(inspect(s, whole.substr(0, whole.size() - 6)).problems ==
          std::vector<std::string>{"c.pcapng block 2 is cut short"});
    CHECK(inspect(s, "").problems == std::vector<std::string>{"c.pcapng is empty"});
    CHECK(inspect(s, "hello, world").problems == std::vector<std::string>{"c.pcapng block 0 is damaged"});
    CHECK(inspect_capture(s.path() / "none").problems == std::vector<std::string>{"none cannot be read"});
}

TEST_CASE("tshark, where there is one, agrees") {
    const scratch s;
    std::ofstream(s.path() / "c.pcapng", std::ios::binary) << pcapng({datagram(), changed(datagram(), 60)});
    const int complaints = tshark_complaints(s.path() / "c.pcapng");
    CHECK((complaints == 1 || complaints == -1));
}

TEST_CASE("patterns match as a shell's would") {
    CHECK(matches("left.port0.rx", "left.port0.rx"));
    CHECK(matches("*.rx", "left.port0.rx"));
    CHECK(matches("left.*.rx*", "left.port0.rx_bytes"));
    CHECK(matches("*", ""));
    CHECK_FALSE(matches("*.rx", "left.port0.rx_bytes"));
    CHECK_FALSE(matches("left", "left.port0"));
}

TEST_CASE("value and counter checks can pass and fail") {
    const scratch s;
    const run_directory d(s.path() / "run", "unused", "x");
    run_report report;
    step_result step;
    step.name = "tcp";
    step.values["gbps"] = 2.5;
    report.steps = {step};
    report.metrics = {{{}, "tcp", "left.port0.drops", 7},
                      {{}, "end", "left.port0.drops", 0},
                      {{}, "end", "right.port1.drops", 2}};
    const std::vector<ping_trip> none;
    const check_inputs in{&report, &d, &none, {}};
    const auto failures = [&](check_kind kind, std::string of, auto&& rule) {
        check_config c;
        c.kind = kind;
        c.of = std::move(of);
        rule(c);
        return evaluate(c, in).failures;
    };
    CHECK(failures(check_kind::value, "tcp.gbps", [](auto& c) { c.min = 2; }).empty());
    CHECK(failures(check_kind::value, "tcp.gbps", [](auto& c) { c.min = 3; }) ==
          std::vector<std::string>{"tcp.gbps is 2.5, below 3"});
    CHECK(failures(check_kind::value, "tcp.loss", [](auto& c) { c.max = 0; }) ==
          std::vector<std::string>{"tcp.loss was not measured"});
    CHECK(failures(check_kind::counter, "left.*.drops", [](auto& c) { c.equals = 0; }).empty());
    CHECK(failures(check_kind::counter, "*.drops", [](auto& c) { c.equals = 0; }) ==
          std::vector<std::string>{"right.port1.drops is 2, expected 0"});
    CHECK(failures(check_kind::counter, "left.typo", [](auto& c) { c.equals = 0; }) ==
          std::vector<std::string>{"no counter is called left.typo"});
    CHECK(failures(check_kind::ping_timing, "tcp", [](auto&) {}) ==
          std::vector<std::string>{"no ping of step tcp was followed through both cards"});
}

TEST_CASE("a ping is compared with the closed form and with its guest") {
    const scratch s;
    const run_directory d(s.path() / "run", "unused", "x");
    run_report report;
    step_result step;
    step.name = "echo";
    step.host = "left";
    step.ended = picoseconds(1'000'000'000);
    step.output_file = "echo.txt";
    report.steps = {step};
    ping_trip t;
    t.from = "left";
    t.to = "right";
    t.id.sequence = 1;
    t.length = 98;
    t.doorbell = picoseconds(20'000'000);
    t.out = picoseconds(21'000'000);
    t.far_in = picoseconds(23'000'000);
    t.far_out = picoseconds(30'000'000);
    t.in = picoseconds(32'000'000);
    t.interrupt = picoseconds(33'000'000);
    const std::vector<ping_trip> trips{t};
    const auto failures = [&](const std::string& output, std::int64_t wire_ns) {
        d.write("echo.txt", output);
        check_config c;
        c.kind = check_kind::ping_timing;
        c.of = "echo";
        return evaluate(c, {&report, &d, &trips,
                            [wire_ns](const std::string&, unsigned, const std::string&, unsigned, bytes) {
                                return picoseconds::from_ns(wire_ns);
                            }})
            .failures;
    };
    const auto said = [](int rtt) {
        return R"({"echoes": [{"sequence": 1, "rtt_ns": )" + std::to_string(rtt) +
               R"(, "before_ns": 15000, "after_ns": 40000}]})";
    };
    CHECK(failures(said(25'000), 2'000).empty());
    CHECK(failures(said(25'000), 2'030) ==
          std::vector<std::string>{"the wire part is off the closed form by 1.48 %"});
    CHECK(failures(said(26'000), 2'000) ==
          std::vector<std::string>{"sequence 1: the guest measured 26000 ns, the parts add up to 25000 ns"});
    CHECK(failures("{}", 2'000) == std::vector<std::string>{"sequence 1: the guest printed no figure"});
}

TEST_CASE("a native host answers pings and ARP for itself, and nothing else") {
    const mac_address me = mac_address::from_u64(0x020000000002);
    const ipv4_address ip(0x0a000002);
    octets ping = datagram();
    const ipv4_view<std::byte> header(ping.data() + 14);
    header.set_protocol(ip_protocol::icmp);
    std::fill(ping.begin() + 34, ping.end(), std::byte{0});
    ping[34] = std::byte{8};
    ping[41] = std::byte{5}; // sequence
    fill_ipv4_checksum(ping, parse(ping));
    const octets reply = answer(ping, me, ip);
    REQUIRE(reply.size() == ping.size());
    const parse_result p = parse(reply);
    CHECK(check_ipv4_header(reply, p) == checksum_verdict::good);
    CHECK(internet_checksum(std::span(reply).subspan(34, 30)) == 0);
    CHECK(reply[34] == std::byte{0});
    CHECK(reply[41] == std::byte{5});
    CHECK(ethernet_view<const std::byte>(reply.data()).destination() ==
          mac_address::from_u64(0x020000000001));
    CHECK(ipv4_view<const std::byte>(reply.data() + 14).destination() == ipv4_address(0x0a000001));
    CHECK(answer(ping, me, ipv4_address(0x0a000003)).empty());
    CHECK(answer(datagram(), me, ip).empty());
    CHECK(answer(octets(10), me, ip).empty());

    octets arp(60);
    const ethernet_view<std::byte> e(arp.data());
    e.set_destination(mac_address::broadcast());
    e.set_source(mac_address::from_u64(0x020000000001));
    e.set_type(ethertype::arp);
    const arp_view<std::byte> request(arp.data() + 14);
    request.fill(request.request, mac_address::from_u64(0x020000000001), ipv4_address(0x0a000001), {}, ip);
    const octets answered = answer(arp, me, ip);
    REQUIRE(answered.size() == arp.size());
    const arp_view<const std::byte> is(answered.data() + 14);
    CHECK(is.operation() == is.reply);
    CHECK(is.sender_mac() == me);
    CHECK(is.target_ip() == ipv4_address(0x0a000001));
    CHECK(answer(arp, me, ipv4_address(0x0a000003)).empty());
}
