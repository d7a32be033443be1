// SPDX-License-Identifier: Apache-2.0
// What pciutils makes of the configuration space: `lspci -vvv` on a dump of both functions. Skipped without
// lspci.
#include "model/pcie/config_space.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <unistd.h>

using namespace vg810::pcie;
using Catch::Matchers::ContainsSubstring;

namespace {

/// `lspci -x` format, which `lspci -F` reads.
void dump(std::ostream& out, unsigned function) {
    config_layout layout;
    layout.function = function;
    config_space c(layout);
    const auto put = [&c](std::uint32_t offset, std::uint64_t value) {
        c.write(offset, std::as_bytes(std::span(&value, 1)));
    };
    put(at::bar, 0xe0000000);
    put(at::bar + 8, 0xe0100000);
    const std::byte command{0x06}, msix{0x80};
    c.write(at::command, {&command, 1});
    c.write(at::msix_control + 1, {&msix, 1});

    std::array<std::byte, config_space::size> image;
    c.read(0, image);
    out << "01:00." << function << " Ethernet controller: the card\n";
    char text[32];
    for (std::size_t i = 0; i < image.size(); ++i) {
        if (i % 16 == 0) {
            std::snprintf(text, sizeof text, "%02zx:", i);
            out << text;
        }
        std::snprintf(text, sizeof text, " %02x", std::to_integer<unsigned>(image[i]));
        out << text << (i % 16 == 15 ? "\n" : "");
    }
    out << "\n";
}

std::string run(const std::string& command) {
    const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
    std::string output;
    char buffer[4096];
    while (pipe && std::fgets(buffer, sizeof buffer, pipe.get()) != nullptr)
        output += buffer;
    return output;
}

} // namespace

TEST_CASE("lspci decodes both functions without a complaint") {
    if (std::system("command -v lspci >/dev/null 2>&1") != 0)
        SKIP("lspci is not installed");
    const auto path = std::filesystem::temp_directory_path() / ("vg810_lspci_" + std::to_string(getpid()));
    {
        std::ofstream file(path);
        dump(file, 0);
        dump(file, 1);
    }
    const std::string text = run("timeout 20 lspci -nvvv -F " + path.string() + " 2>&1");
    std::filesystem::remove(path);
    INFO(text);

    for (const char* expected :
         {"01:00.0 0200: 1ecc:8102 (rev 01)", "01:00.1 0200: 1ecc:8102", "Subsystem: 1ecc:0001",
          "Region 0: Memory at e0000000 (64-bit, non-prefetchable)", "Region 2: Memory at e0100000 (64-bit",
          "Capabilities: [40] Power Management version 3",
          "Capabilities: [50] MSI-X: Enable+ Count=64 Masked-", "Vector table: BAR=0 offset=00010000",
          "PBA: BAR=0 offset=00018000", "Capabilities: [70] Express (v2) Endpoint", "MaxPayload 512 bytes",
          "ExtTag+", "FLReset+", "Speed 16GT/s, Width x8", "ASPM not supported",
          "Capabilities: [100 v2] Advanced Error Reporting",
          "Capabilities: [140 v1] Device Serial Number 00-1e-cc-ff-fe-00-00-00",
          "Capabilities: [150 v1] Latency Tolerance Reporting", "Supported Link Speeds: 2.5-16GT/s"})
        CHECK_THAT(text, ContainsSubstring(expected));
    for (const char* unwanted :
         {"unknown", "Unknown", "<?>", "!!!", "access denied", "truncated", "Chain broken", "chain looped"})
        CHECK_THAT(text, !ContainsSubstring(unwanted));
}
