// SPDX-License-Identifier: Apache-2.0
#include "qemu-device/agent_stream.h"
#include "qemu-device/harness_layout.h"

#include <catch2/catch_test_macros.hpp>

#include <zlib.h>

#include <cstring>
#include <fstream>
#include <random>

using namespace vg810::qemu;

namespace {

std::string record(std::uint32_t step, std::uint16_t kind, const std::string& payload) {
    vg810_record_head head{VG810_RECORD_MAGIC, step, kind, static_cast<std::uint16_t>(payload.size()), 0};
    const uLong crc = crc32(0, reinterpret_cast<const Bytef*>(&head), sizeof head);
    head.crc = static_cast<std::uint32_t>(
        crc32(crc, reinterpret_cast<const Bytef*>(payload.data()), static_cast<uInt>(payload.size())));
    return std::string(reinterpret_cast<const char*>(&head), sizeof head) + payload;
}

std::string number(std::uint32_t value) {
    return std::string(reinterpret_cast<const char*>(&value), sizeof value);
}

std::string session() {
    return record(0, VG810_RECORD_HELLO, "") + record(1, VG810_RECORD_OUTPUT, "hello ") +
           record(1, VG810_RECORD_OUTPUT, "world\n") + record(1, VG810_RECORD_EXIT, number(3)) +
           record(2, VG810_RECORD_FILE_NAME, "/tmp/a") +
           record(2, VG810_RECORD_FILE_DATA, std::string(4096, 'x')) +
           record(2, VG810_RECORD_FILE_DATA, "end") + record(2, VG810_RECORD_FILE_END, number(0)) +
           record(2, VG810_RECORD_FILE_NAME, "/absent") + record(2, VG810_RECORD_FILE_END, number(2)) +
           record(2, VG810_RECORD_EXIT, number(0));
}

void check_session(const agent_stream& s) {
    CHECK(s.hello());
    CHECK(s.step(1).text == "hello world\n");
    CHECK(s.step(1).result == 3u);
    REQUIRE(s.step(2).files.size() == 2);
    CHECK(s.step(2).files[0].path == "/tmp/a");
    CHECK(s.step(2).files[0].content == std::string(4096, 'x') + "end");
    CHECK(s.step(2).files[0].error == 0);
    CHECK(s.step(2).files[1].error == 2);
    CHECK(s.step(2).result == 0u);
    CHECK(s.step(3).text.empty());
}

} // namespace

TEST_CASE("a session is read in one piece or byte by byte") {
    const std::string all = session();
    agent_stream whole("");
    whole.feed(all.data(), all.size());
    check_session(whole);
    agent_stream pieces("");
    std::string printed;
    pieces.on_output(
        [&](std::uint32_t step, const std::string& text) { printed += std::to_string(step) + text; });
    for (const char c : all)
        pieces.feed(&c, 1);
    check_session(pieces);
    CHECK(printed == "1hello 1world\n");
    CHECK(pieces.skipped() == 0);
}

TEST_CASE("what came before a sudden end is kept") {
    const std::string all = session();
    for (std::size_t cut = 0; cut < all.size(); cut += 7) {
        agent_stream s("");
        s.feed(all.data(), cut);
        const std::string& text = s.step(1).text;
        CHECK((text.empty() || text == "hello " || text == "hello world\n"));
        CHECK(s.skipped() == 0);
    }
}

TEST_CASE("damage costs the damaged records only") {
    const std::string noise = "kernel noise \x01\x02 018r";
    std::string all = noise + session();
    agent_stream s("");
    s.feed(all.data(), all.size());
    check_session(s);
    CHECK(s.skipped() == noise.size());

    all = session();
    all[16 + 16 + 2] ^= 1; // in the first piece of output
    agent_stream damaged("");
    damaged.feed(all.data(), all.size());
    CHECK(damaged.step(1).text == "world\n");
    CHECK(damaged.step(1).result == 3u);
    CHECK(damaged.skipped() > 0);

    std::mt19937 random(1);
    for (int i = 0; i < 300; ++i) {
        std::string bent = session();
        for (int n = 0; n < 5; ++n)
            bent[random() % bent.size()] = static_cast<char>(random());
        agent_stream fuzzed("");
        fuzzed.feed(bent.data(), bent.size());
        CHECK(fuzzed.step(1).text.size() <= 12);
    }
}

TEST_CASE("a file is followed while it grows") {
    char name[] = "/tmp/vg810-test-XXXXXX";
    const int fd = mkstemp(name);
    REQUIRE(fd >= 0);
    close(fd);
    agent_stream s(name);
    s.poll();
    CHECK_FALSE(s.hello());
    const std::string all = session();
    std::ofstream out(name, std::ios::binary);
    out << all.substr(0, 40) << std::flush;
    s.poll();
    CHECK(s.hello());
    out << all.substr(40) << std::flush;
    s.poll();
    check_session(s);
    std::filesystem::remove(name);
    agent_stream absent("/nonexistent/agent");
    absent.poll();
    CHECK_FALSE(absent.hello());
}
