// SPDX-License-Identifier: Apache-2.0
#include "scenarios/checks/capture_check.h"

#include "core/checksum.h"
#include "core/ethernet.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <iterator>

namespace vg810::scenarios {
namespace {

constexpr std::uint32_t section_block = 0x0a0d0d0a;
constexpr std::uint32_t packet_block = 6;
constexpr std::uint32_t byte_order = 0x1a2b3c4d;
constexpr std::size_t most_octets = 1 << 20; // of a block: larger ones are damage

template <class T> T load(const std::byte* p) {
    T value;
    std::memcpy(&value, p, sizeof value);
    return value;
}

/// Why a frame is bad; empty when it is not.
std::string complaint(std::span<const std::byte> octets, std::size_t length, bool& checked) {
    const parse_result p = parse(octets, length);
    if (p.malformed)
        return "malformed";
    const checksum_verdict header = check_ipv4_header(octets, p);
    const checksum_verdict payload = check_l4(octets, p);
    checked = header == checksum_verdict::good || payload == checksum_verdict::good;
    if (header == checksum_verdict::bad)
        return "bad IPv4 header checksum";
    if (payload == checksum_verdict::bad)
        return p.l4 == l4_type::tcp ? "bad TCP checksum" : "bad UDP checksum";
    return "";
}

} // namespace

std::string read_pcapng(const std::filesystem::path& file,
                        const std::function<void(std::span<const std::byte>, std::size_t)>& packet) {
    std::ifstream in(file, std::ios::binary);
    if (!in)
        return "cannot be read";
    std::vector<std::byte> block;
    for (std::uint64_t number = 0;; ++number) {
        std::array<std::byte, 8> head;
        in.read(reinterpret_cast<char*>(head.data()), head.size());
        if (in.gcount() == 0)
            return number == 0 ? "is empty" : "";
        const auto type = load<std::uint32_t>(head.data());
        const auto total = load<std::uint32_t>(head.data() + 4);
        if (in.gcount() != 8 || total < 12 || total % 4 != 0 || total > most_octets ||
            (number == 0 && type != section_block))
            return fmt::format("block {} is damaged", number);
        block.resize(total - 8);
        in.read(reinterpret_cast<char*>(block.data()), static_cast<std::streamsize>(block.size()));
        if (static_cast<std::size_t>(in.gcount()) != block.size() ||
            load<std::uint32_t>(&block[block.size() - 4]) != total)
            return fmt::format("block {} is cut short", number);
        if (type == section_block && (total < 28 || load<std::uint32_t>(block.data()) != byte_order))
            return "is of another byte order";
        if (type != packet_block)
            continue;
        const auto captured = total < 32 ? 0 : load<std::uint32_t>(&block[12]);
        if (total < 32 || captured > total - 32)
            return fmt::format("block {} holds less than it says", number);
        packet({&block[20], captured}, load<std::uint32_t>(&block[16]));
    }
}

capture_findings inspect_capture(const std::filesystem::path& file) {
    capture_findings found;
    const std::string damage = read_pcapng(file, [&](std::span<const std::byte> octets, std::size_t length) {
        ++found.frames;
        bool checked = false;
        const std::string bad = complaint(octets, length, checked);
        found.with_checksums += checked;
        if (bad.empty())
            return;
        if (++found.problem_count <= 10)
            found.problems.push_back(fmt::format("frame {}: {}", found.frames, bad));
    });
    if (!damage.empty()) {
        ++found.problem_count;
        found.problems.push_back(fmt::format("{} {}", file.filename().string(), damage));
    }
    return found;
}

int tshark_complaints(const std::filesystem::path& file) {
    if (std::system("command -v tshark >/dev/null 2>&1") != 0)
        return -1;
    // The file is named by the scenario and the run's directory by the user: quoted all the same.
    std::string quoted = "'";
    for (const char c : file.string())
        quoted += c == '\'' ? "'\\''" : std::string(1, c);
    const std::string command =
        "timeout 60 tshark -r " + quoted +
        "' -o ip.check_checksum:TRUE -o tcp.check_checksum:TRUE -o udp.check_checksum:TRUE "
        "-Y '_ws.malformed || ip.checksum.status == \"Bad\" || tcp.checksum.status == \"Bad\" || "
        "udp.checksum.status == \"Bad\"' 2>/dev/null | wc -l";
    FILE* pipe = ::popen(command.c_str(), "r");
    if (!pipe)
        return -1;
    int count = -1;
    if (std::fscanf(pipe, "%d", &count) != 1)
        count = -1;
    ::pclose(pipe);
    return count;
}

} // namespace vg810::scenarios
