// SPDX-License-Identifier: Apache-2.0
// What the generated register header is made of: bit fields, little-endian access, the description of a
// register and the decoder from address to register.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>

namespace vg810::regs {

enum class reg : std::uint16_t;

/// Bits Low .. Low + Width - 1 of a value of type Whole, read and written as Part.
template <typename Whole, unsigned Low, unsigned Width, typename Part = Whole> struct field {
    static_assert(Width >= 1 && Low + Width <= 8 * sizeof(Whole));
    static constexpr unsigned shift = Low;
    static constexpr unsigned width = Width;
    static constexpr Whole mask =
        static_cast<Whole>((~std::uint64_t{0} >> (64 - Width)) << Low); // the bits in place

    static constexpr Part get(Whole whole) {
        return static_cast<Part>(static_cast<Whole>((whole & mask) >> Low));
    }

    /// `whole` with this field replaced by the low Width bits of `part`.
    static constexpr Whole set(Whole whole, Part part) {
        const auto bits = static_cast<Whole>(static_cast<Whole>(static_cast<Whole>(part) << Low) & mask);
        return static_cast<Whole>((whole & static_cast<Whole>(~mask)) | bits);
    }
};

template <typename Value> constexpr Value load_little_endian(const std::byte* memory) {
    Value value = 0;
    for (std::size_t i = 0; i < sizeof(Value); ++i)
        value = static_cast<Value>(value | static_cast<Value>(std::to_integer<Value>(memory[i])) << (8 * i));
    return value;
}

template <typename Value> constexpr void store_little_endian(std::byte* memory, Value value) {
    for (std::size_t i = 0; i < sizeof(Value); ++i)
        memory[i] = static_cast<std::byte>(value >> (8 * i));
}

/// How a register answers reads and writes. `counter` is a 64-bit counter: read only, cleared by function
/// reset.
enum class access : std::uint8_t { read_only, read_write, write_only, write_one_to_clear, counter };

struct register_info {
    std::string_view name;
    reg id;
    std::uint8_t bar;
    std::uint8_t bytes; ///< 4 or 8
    regs::access access;
    bool before_ready;    ///< answers before STATUS.ready is set
    std::uint32_t offset; ///< bytes from the start of the BAR, of the first copy
    std::uint32_t stride; ///< bytes between copies; 0 if there is one
    std::uint32_t count;  ///< copies (doorbell pages)
    std::uint32_t slot;   ///< where register_file keeps the first copy's value
    std::uint64_t reset;
    std::uint64_t defined; ///< bits that mean something; the others read 0 and ignore writes

    constexpr std::uint64_t readable() const { return access == access::write_only ? 0 : defined; }
    constexpr std::uint64_t writable() const {
        return access == access::read_only || access == access::counter ? 0 : defined;
    }

    /// Which copy `at` (bytes from the start of the BAR) belongs to.
    constexpr std::uint32_t copy(std::uint64_t at) const {
        return stride == 0 ? 0 : static_cast<std::uint32_t>((at - offset) / stride);
    }
    /// Bytes from the start of the BAR to a copy.
    constexpr std::uint64_t address(std::uint32_t which_copy = 0) const {
        return offset + std::uint64_t{stride} * which_copy;
    }
};

/// An area of a BAR with registers; with a stride it repeats. `first` is its first entry of the decoder's
/// table, which has one for each 4 bytes of `span`.
struct register_window {
    std::uint8_t bar;
    std::uint32_t base;
    std::uint32_t end;
    std::uint32_t stride;
    std::uint32_t span;
    std::uint32_t first;
};

/// 1 + index of the register at each 4-byte word of the windows; 0 where there is none.
template <std::size_t Words, std::size_t Registers, std::size_t Windows>
constexpr std::array<std::uint16_t, Words>
make_decoder_table(const std::array<register_info, Registers>& registers,
                   const std::array<register_window, Windows>& windows) {
    static_assert(Registers < 0xffff);
    std::array<std::uint16_t, Words> table{};
    for (std::size_t i = 0; i < Registers; ++i)
        for (const register_window& window : windows)
            if (registers[i].bar == window.bar && registers[i].offset >= window.base &&
                registers[i].offset < window.end)
                for (unsigned word = 0; word < registers[i].bytes / 4u; ++word)
                    table[window.first + (registers[i].offset - window.base) / 4 + word] =
                        static_cast<std::uint16_t>(i + 1);
    return table;
}

template <std::size_t Words, std::size_t Registers, std::size_t Windows>
constexpr const register_info* find_register(const std::array<register_info, Registers>& registers,
                                             const std::array<register_window, Windows>& windows,
                                             const std::array<std::uint16_t, Words>& table, unsigned bar,
                                             std::uint64_t offset) {
    for (const register_window& window : windows) {
        if (bar != window.bar || offset < window.base || offset >= window.end)
            continue;
        std::uint64_t inside = offset - window.base;
        if (window.stride != 0)
            inside %= window.stride;
        if (inside >= window.span)
            return nullptr;
        const std::uint16_t entry = table[window.first + inside / 4];
        return entry == 0 ? nullptr : &registers[entry - 1u];
    }
    return nullptr;
}

} // namespace vg810::regs
