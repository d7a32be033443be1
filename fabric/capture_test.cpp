// SPDX-License-Identifier: Apache-2.0
#include "fabric/capture.h"

#include "core/endian.h"
#include "fabric/testing/bench.h"
#include "fabric/testing/scratch.h"

#include <catch2/catch_test_macros.hpp>

#include <csignal>
#include <sys/resource.h>

using namespace vg810;
using namespace vg810::fabric;
using namespace vg810::fabric::testing;

namespace {

struct block {
    std::uint32_t type;
    std::vector<std::byte> body; ///< without type and the two lengths
    std::uint32_t word(std::size_t i) const { return load_le<std::uint32_t>(body.data() + 4 * i); }
};

/// Takes a file apart; fails the test when its lengths do not fit together.
std::vector<block> read_blocks(const std::string& path) {
    const std::vector<std::byte> file = read_file(path);
    std::vector<block> blocks;
    for (std::size_t at = 0; at < file.size();) {
        REQUIRE(at + 12 <= file.size());
        const auto length = load_le<std::uint32_t>(file.data() + at + 4);
        REQUIRE(length % 4 == 0);
        REQUIRE(at + length <= file.size());
        REQUIRE(load_le<std::uint32_t>(file.data() + at + length - 4) == length);
        blocks.push_back(
            {load_le<std::uint32_t>(file.data() + at),
             {file.begin() + static_cast<long>(at) + 8, file.begin() + static_cast<long>(at + length) - 4}});
        at += length;
    }
    return blocks;
}

std::uint64_t time_of(const block& b) {
    return std::uint64_t{b.word(1)} << 32 | b.word(2);
}

const std::vector<std::byte> some_octets(61, std::byte{0x5a});

} // namespace

TEST_CASE("Blocks have the octets that the format prescribes") {
    scratch_directory dir;
    pcapng_writer w(dir.path("a.pcapng"), {});
    w.add_interface("ab", 25_gbps);
    w.write({0, picoseconds(0x1'2345'6789 * 1000 + 999), std::span(some_octets).first(5), 61,
             pcapng_writer::direction::inbound, true});
    w.close();
    const std::string expected =
        "0a0d0d0a 2c000000 4d3c2b1a 01000000 ffffffff ffffffff 0400 0500 7667383130000000 "
        "0000 0000 2c000000"
        "01000000 3c000000 0100 0000 00000000 0200 0200 61620000 0800 0800 00ba1dd205000000 "
        "0900 0100 09000000 0d00 0100 00000000 0000 0000 3c000000";
    std::string digits;
    const auto file = read_file(dir.path("a.pcapng"));
    for (std::size_t i = 0; i < 0x2c + 0x3c; ++i) {
        char text[3];
        std::snprintf(text, sizeof text, "%02x", std::to_integer<unsigned>(file.at(i)));
        digits += text;
    }
    CHECK(digits == [&] {
        std::string s;
        for (char c : expected)
            if (c != ' ')
                s += c;
        return s;
    }());
    const auto blocks = read_blocks(dir.path("a.pcapng"));
    REQUIRE(blocks.size() == 3);
    const block& epb = blocks[2];
    CHECK(epb.type == 6);
    CHECK(time_of(epb) == 0x1'2345'6789);
    CHECK(epb.word(3) == 5);
    CHECK(epb.word(4) == 61);
    CHECK(epb.body[20] == std::byte{0x5a});
    CHECK(epb.body[25] == std::byte{0});  // padding
    CHECK(epb.word(7) == (4u << 16 | 2)); // epb_flags
    CHECK(epb.word(8) == (1u << 24 | 1));
    CHECK(w.packets() == 1);
}

TEST_CASE("A directory that is not there is named in the error") {
    try {
        pcapng_writer w("/no/such/directory/x.pcapng", {});
        FAIL("opened");
    } catch (const std::system_error& e) {
        CHECK(std::string(e.what()).find("/no/such/directory/x.pcapng") != std::string::npos);
        CHECK(e.code().value() == ENOENT);
    }
}

TEST_CASE("A full disk is reported once, by file and reason, and does not stop the caller") {
    std::vector<std::string> said;
    pcapng_writer w("/dev/full", [&](const std::string& s) { said.push_back(s); });
    w.add_interface("ab", 25_gbps);
    for (int i = 0; i < 10'000; ++i)
        w.write({0, 1_us, some_octets, 61});
    w.close();
    REQUIRE(said.size() == 1);
    CHECK(said[0] == "the capture /dev/full ends after 0 packets: No space left on device");
    CHECK(w.error() == said[0]);
    CHECK(w.lost() == 10'000);
    CHECK(w.packets() == 0);
}

TEST_CASE("What was written before the disk was full stays readable") {
    scratch_directory dir;
    rlimit before{};
    REQUIRE(getrlimit(RLIMIT_FSIZE, &before) == 0);
    const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
    std::vector<std::string> said;
    pcapng_writer w(dir.path("a.pcapng"), [&](const std::string& s) { said.push_back(s); });
    const rlimit limit{100'001, before.rlim_max}; // in the middle of a block
    REQUIRE(setrlimit(RLIMIT_FSIZE, &limit) == 0);
    w.add_interface("ab", 25_gbps);
    for (int i = 0; i < 3000; ++i)
        w.write({0, 1_us, some_octets, 61});
    w.close();
    REQUIRE(setrlimit(RLIMIT_FSIZE, &before) == 0);
    std::signal(SIGXFSZ, old_handler);
    CHECK(said.size() == 1);
    const auto blocks = read_blocks(dir.path("a.pcapng"));
    CHECK(blocks.size() == w.packets() + 2);
    CHECK(w.packets() > 800);
    CHECK(w.packets() + w.lost() == 3000);
}

TEST_CASE("A captured link is in the order of time, whatever order its ends ran in") {
    scratch_directory dir;
    std::vector<std::vector<std::byte>> files;
    for (const bool right_first : {false, true}) {
        frame_pool pool;
        scheduler a("a"), b("b");
        cable_parameters p;
        p.name = "wire";
        p.length = millimetres{10'000'000}; // 50 us
        cable wire(p, a, b);
        const mac_address am = mac_address::from_u64(2), bm = mac_address::from_u64(0x0200);
        station left(a, "left", am, p.rate), right(b, "right", bm, p.rate);
        wire.plug(cable_side::a, left);
        wire.plug(cable_side::b, right);
        left.plug(wire.end(cable_side::a));
        right.plug(wire.end(cable_side::b));
        const std::string path = dir.path(right_first ? "r.pcapng" : "l.pcapng");
        capture tap(wire, path, {});
        for (std::uint64_t i = 0; i < 300; ++i) {
            left.send_at(1_us * static_cast<std::int64_t>(i), make_frame(pool, bm, am, 60 + i, i, 40));
            right.send_at(1_us * static_cast<std::int64_t>(2 * (i / 2)), make_frame(pool, am, bm, 1000, i));
        }
        // Each goes as far ahead of the other as the cable allows.
        scheduler &first = right_first ? b : a, &second = right_first ? a : b;
        for (picoseconds t = 40_us; !a.empty() || !b.empty(); t += 40_us) {
            first.run_before(t);
            second.run_before(t);
        }
        tap.finish();
        CHECK(tap.file().packets() == 600);
        files.push_back(read_file(path));
        const auto blocks = read_blocks(path);
        REQUIRE(blocks.size() == 602);
        for (std::size_t i = 3; i < blocks.size(); ++i)
            CHECK(time_of(blocks[i]) >= time_of(blocks[i - 1]));
        CHECK(blocks[2].word(3) == 40); // snapped
        CHECK(blocks[2].word(4) == 60);
    }
    CHECK(files[0] == files[1]);
}

TEST_CASE("A long one-way capture does not wait for its end") {
    scratch_directory dir;
    frame_pool pool;
    scheduler a("a"), b("b");
    cable_parameters p;
    p.name = "wire";
    cable wire(p, a, b);
    station left(a, "left", mac_address::from_u64(2), p.rate);
    left.plug(wire.end(cable_side::a));
    capture tap(wire, dir.path("a.pcapng"), {});
    for (std::uint64_t i = 0; i < 1000; ++i)
        left.send_at(1_us * static_cast<std::int64_t>(i), make_frame(pool, left.mac(), left.mac(), 60, i));
    a.run_before(never); // b stands at 0
    tap.flush();
    CHECK(tap.file().packets() > 990);
}
