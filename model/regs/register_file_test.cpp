// SPDX-License-Identifier: Apache-2.0
// Every register of the map against the rules of the manual.
#include "model/regs/register_file.h"

#include <catch2/catch_test_macros.hpp>

#include <vector>

using namespace vg810::regs;

namespace {

struct heard_write {
    reg which;
    std::uint32_t copy;
    std::uint64_t old;
    std::uint64_t value;
    bool operator==(const heard_write&) const = default;
};

struct recorder : register_listener {
    std::vector<heard_write> writes;
    std::vector<reg> reads;

    void on_write(reg which, std::uint32_t copy, std::uint64_t old, std::uint64_t value) override {
        writes.push_back({which, copy, old, value});
    }
    void on_read(reg which, std::uint32_t) override { reads.push_back(which); }
};

/// A register file whose firmware is ready.
struct fixture {
    recorder heard;
    register_file file{heard};

    fixture() { make_ready(); }
    void make_ready() { file.set<STATUS, STATUS::ready>(true); }

    std::uint64_t read(const register_info& info, std::uint32_t copy = 0) {
        const read_result got = file.read(info.bar, info.address(copy), info.bytes);
        REQUIRE(got.result == access_result::ok);
        return got.value;
    }
    access_result write(const register_info& info, std::uint64_t value, std::uint32_t copy = 0) {
        return file.write(info.bar, info.address(copy), info.bytes, value);
    }
};

constexpr std::uint64_t all_bits(const register_info& info) {
    return info.bytes == 8 ? ~std::uint64_t{0} : 0xffffffff;
}

/// The value that a register reads after reset, once the fixture has set STATUS.ready.
std::uint64_t expected_reset(const register_info& info) {
    return info.id == reg::STATUS ? info.reset | STATUS::ready::mask : info.reset & info.readable();
}

template <typename Check> void for_each(Check check) {
    for (const register_info& info : register_table) {
        INFO("register " << info.name);
        check(info);
    }
}

template <typename Check> void for_each(access kind, Check check) {
    unsigned seen = 0;
    for_each([&](const register_info& info) {
        if (info.access == kind) {
            ++seen;
            check(info);
        }
    });
    REQUIRE(seen > 0);
}

constexpr unsigned patterns = 4;
constexpr std::uint64_t pattern[patterns] = {~std::uint64_t{0}, 0x5555555555555555, 0xaaaaaaaaaaaaaaaa, 0};

} // namespace

TEST_CASE("every register reads its reset value, in every copy") {
    fixture card;
    for_each([&](const register_info& info) {
        for (std::uint32_t copy = 0; copy < info.count; ++copy)
            REQUIRE(card.read(info, copy) == expected_reset(info));
    });
}

TEST_CASE("reset brings every register back to its reset value") {
    fixture card;
    for_each([&](const register_info& info) {
        for (std::uint32_t copy = 0; copy < info.count; ++copy)
            card.file.set(info.id, ~info.reset, copy);
    });
    card.file.reset();
    card.make_ready();
    for_each([&](const register_info& info) { REQUIRE(card.read(info) == expected_reset(info)); });
}

TEST_CASE("read-only registers and counters reject writes") {
    fixture card;
    for (const access kind : {access::read_only, access::counter})
        for_each(kind, [&](const register_info& info) {
            const std::uint64_t before = card.file.get(info.id);
            for (const std::uint64_t value : pattern) {
                REQUIRE(card.write(info, value) == access_result::bad);
                REQUIRE(card.file.get(info.id) == before);
            }
            if (info.bytes == 8) {
                REQUIRE(card.file.write(info.bar, info.offset, 4, 1) == access_result::bad);
                REQUIRE(card.file.write(info.bar, info.offset + 4, 4, 1) == access_result::bad);
                REQUIRE(card.file.get(info.id) == before);
            }
        });
    REQUIRE(card.heard.writes.empty());
}

TEST_CASE("read-only registers and counters read what their owner set") {
    fixture card;
    for (const access kind : {access::read_only, access::counter})
        for_each(kind, [&](const register_info& info) {
            const std::uint64_t value = 0x123456789abcdef1 & all_bits(info);
            card.file.set(info.id, 0x123456789abcdef1); // what does not fit is cut off
            REQUIRE(card.file.get(info.id) == value);
            REQUIRE(card.read(info) == (value & info.defined));
            card.make_ready();
        });
}

TEST_CASE("read-write registers keep their defined bits; reserved bits read 0") {
    fixture card;
    for_each(access::read_write, [&](const register_info& info) {
        std::uint64_t old = card.read(info);
        for (const std::uint64_t value : pattern) {
            card.heard.writes.clear();
            REQUIRE(card.write(info, value) == access_result::ok);
            REQUIRE(card.read(info) == (value & info.defined));
            REQUIRE((card.read(info) & ~info.defined) == 0);
            REQUIRE(card.heard.writes == std::vector{heard_write{info.id, 0, old, value & info.defined}});
            old = value & info.defined;
        }
    });
}

TEST_CASE("write-one-to-clear clears the set bits and only those") {
    fixture card;
    for_each(access::write_one_to_clear, [&](const register_info& info) {
        for (unsigned bit = 0; bit < 8u * info.bytes; ++bit) {
            const std::uint64_t one = std::uint64_t{1} << bit;
            card.file.set(info.id, info.defined);
            card.heard.writes.clear();
            REQUIRE(card.write(info, one) == access_result::ok);
            REQUIRE(card.read(info) == (info.defined & ~one));
            REQUIRE(card.heard.writes ==
                    std::vector{heard_write{info.id, 0, info.defined, info.defined & ~one}});
        }
        card.file.set(info.id, info.defined);
        card.write(info, 0);
        REQUIRE(card.read(info) == info.defined);
        card.file.set(info.id, 0);
        card.write(info, all_bits(info));
        REQUIRE(card.read(info) == 0);
    });
}

TEST_CASE("write-only registers read 0 and report what was written, without reserved bits, for each copy") {
    fixture card;
    for_each(access::write_only, [&](const register_info& info) {
        for (const std::uint32_t copy : {0u, info.count / 2, info.count - 1})
            for (const std::uint64_t value : pattern) {
                card.heard.writes.clear();
                REQUIRE(card.write(info, value, copy) == access_result::ok);
                REQUIRE(card.read(info, copy) == 0);
                REQUIRE(card.heard.writes ==
                        std::vector{heard_write{info.id, copy, 0, value & info.defined}});
            }
    });
}

TEST_CASE("bits above a 4-byte access do not count") {
    fixture card;
    REQUIRE(card.file.write(0, SCRATCH::reg_offset, 4, 0xdeadbeef12345678) == access_result::ok);
    REQUIRE(card.file.read(0, SCRATCH::reg_offset, 4).value == 0x12345678);
    REQUIRE(card.heard.writes.back().value == 0x12345678);
}

TEST_CASE("halves of 64-bit registers read what the whole reads") {
    fixture card;
    for_each([&](const register_info& info) {
        if (info.bytes != 8)
            return;
        card.file.set(info.id, 0x1122334455667788);
        const std::uint64_t whole = card.read(info);
        REQUIRE(card.file.read(info.bar, info.offset, 4).value == (whole & 0xffffffff));
        REQUIRE(card.file.read(info.bar, info.offset + 4, 4).value == whole >> 32);
        card.file.set(info.id, 0);
    });
}

TEST_CASE("the high half belongs to the low half that was read before it") {
    fixture card;
    card.file.set(reg::CLOCK, 0x00000001ffffffff);
    REQUIRE(card.file.read(0, CLOCK::reg_offset, 4).value == 0xffffffff);
    card.file.set(reg::CLOCK, 0x0000000200000000);
    REQUIRE(card.file.read(0, CLOCK::reg_offset + 4, 4).value == 1);
    REQUIRE(card.heard.reads == std::vector{reg::CLOCK}); // for the low half, not again for its high half
    SECTION("once") {
        REQUIRE(card.file.read(0, CLOCK::reg_offset + 4, 4).value == 2);
    }
    SECTION("and to no other register") {
        card.file.read(0, CLOCK::reg_offset, 4);
        card.file.set(reg::ASQ_BASE, 0x0000000500000000);
        REQUIRE(card.file.read(0, ASQ_BASE::reg_offset + 4, 4).value == 5);
    }
    SECTION("unless the function is reset between") {
        card.file.read(0, CLOCK::reg_offset, 4);
        card.file.reset();
        REQUIRE(card.file.read(0, CLOCK::reg_offset + 4, 4).value == 0);
    }
}

TEST_CASE("halves of read-write registers act at once and leave the other half") {
    fixture card;
    for_each(access::read_write, [&](const register_info& info) {
        if (info.bytes != 8)
            return;
        card.write(info, 0);
        card.heard.writes.clear();
        REQUIRE(card.file.write(info.bar, info.offset, 4, 0xffffffff) == access_result::ok);
        REQUIRE(card.read(info) == (info.defined & 0xffffffff));
        REQUIRE(card.file.write(info.bar, info.offset + 4, 4, 0xffffffff) == access_result::ok);
        REQUIRE(card.read(info) == info.defined);
        REQUIRE(card.file.write(info.bar, info.offset, 4, 0) == access_result::ok);
        REQUIRE(card.read(info) == (info.defined & ~std::uint64_t{0xffffffff}));
        REQUIRE(card.heard.writes.size() == 3);
        REQUIRE(card.heard.writes.back().value == (info.defined & ~std::uint64_t{0xffffffff}));
    });
}

TEST_CASE("halves of write-only registers act together, with the high half") {
    fixture card;
    unsigned seen = 0;
    for_each(access::write_only, [&](const register_info& info) {
        if (info.bytes != 8)
            return;
        ++seen;
        const std::uint32_t copy = info.count - 1;
        const std::uint64_t address = info.address(copy);
        const auto write_half = [&](std::uint64_t half, std::uint64_t value) {
            card.heard.writes.clear();
            REQUIRE(card.file.write(info.bar, address + 4 * half, 4, value) == access_result::ok);
        };
        write_half(0, 0x80000123);
        REQUIRE(card.heard.writes.empty());
        REQUIRE(card.read(info, copy) == 0);
        REQUIRE(card.file.read(info.bar, address, 4).value == 0);
        write_half(1, 7);
        REQUIRE(card.heard.writes ==
                std::vector{heard_write{info.id, copy, 0, 0x0000000780000123 & info.defined}});
        write_half(1, 7); // the low half was used up
        REQUIRE(card.heard.writes.back().value == (0x0000000700000000 & info.defined));
        write_half(0, 0x123);
        card.write(info, 5, copy); // a whole write forgets it
        REQUIRE(card.heard.writes.back().value == (5 & info.defined));
        write_half(1, 7);
        REQUIRE(card.heard.writes.back().value == (0x0000000700000000 & info.defined));
        write_half(0, 0x123);
        card.file.reset(); // and so does a reset
        card.make_ready();
        write_half(1, 7);
        REQUIRE(card.heard.writes.back().value == (0x0000000700000000 & info.defined));
    });
    REQUIRE(seen > 0);
}

TEST_CASE("before STATUS.ready only the blocks that say so answer") {
    fixture card;
    card.file.reset();
    unsigned silent = 0;
    for_each([&](const register_info& info) {
        if (info.before_ready) {
            REQUIRE(card.read(info) == (info.reset & info.readable()));
            return;
        }
        ++silent;
        card.file.set(info.id, info.access == access::write_only ? 0 : info.defined);
        card.heard.writes.clear();
        const read_result got = card.file.read(info.bar, info.offset, info.bytes);
        REQUIRE(got.value == 0);
        REQUIRE(got.result == access_result::not_ready);
        REQUIRE(card.write(info, 0) == access_result::not_ready);
        REQUIRE(card.heard.writes.empty());
        card.make_ready();
        REQUIRE(card.read(info) == (info.access == access::write_only ? 0 : info.defined));
        card.file.reset();
    });
    REQUIRE(silent > 0);
}

TEST_CASE("strapped values survive a reset") {
    fixture card;
    card.file.strap(reg::MAC_ADDRESS, 0x060504030201);
    card.file.strap(reg::MAC_ADDRESS, 0x0a0504030201);
    REQUIRE(card.read(info(reg::MAC_ADDRESS)) == 0x0a0504030201);
    card.file.set(reg::MAC_ADDRESS, 0);
    card.file.reset();
    card.make_ready();
    REQUIRE(card.read(info(reg::MAC_ADDRESS)) == 0x0a0504030201);
}

TEST_CASE("counters are incremented in place and read through their register") {
    fixture card;
    std::uint64_t next = 1;
    for_each(access::counter, [&](const register_info& info) {
        REQUIRE(info.slot == next - 1); // an index of the counters array
        card.file.count(static_cast<counter>(info.slot)) += next;
        REQUIRE(card.read(info) == next);
        ++next;
    });
    REQUIRE(next == counter_count + 1);
    REQUIRE(card.file.count(counter::tx_packets) == 1);
    REQUIRE(card.file.counters().back() == counter_count);
    card.file.reset();
    REQUIRE(card.file.counters().back() == 0);
}

TEST_CASE("an owner may reset the function from within a write") {
    struct owner : register_listener {
        register_file* file = nullptr;
        void on_write(reg which, std::uint32_t, std::uint64_t, std::uint64_t value) override {
            if (which == reg::RESET && value == reset_key)
                file->reset();
        }
        void on_read(reg which, std::uint32_t) override {
            if (which == reg::CLOCK)
                file->set(reg::CLOCK, 42);
        }
    } listener;
    register_file file{listener};
    listener.file = &file;
    file.set<STATUS, STATUS::ready>(true);
    REQUIRE(file.write(0, SCRATCH::reg_offset, 4, 5) == access_result::ok);
    REQUIRE(file.read(0, CLOCK::reg_offset, 8).value == 42);
    REQUIRE(file.write(0, RESET::reg_offset, 4, reset_key - 1) == access_result::ok);
    REQUIRE(file.read(0, SCRATCH::reg_offset, 4).value == 5);
    REQUIRE(file.write(0, RESET::reg_offset, 4, reset_key) == access_result::ok);
    REQUIRE(file.read(0, SCRATCH::reg_offset, 4).value == 0);
    REQUIRE_FALSE(file.get<STATUS, STATUS::ready>());
}
