# SPDX-License-Identifier: Apache-2.0
"""The C++ header of the model: register table and decoder, field accessors, enumerations, views of layouts."""

HEAD = """\
// SPDX-License-Identifier: Apache-2.0
// The register map of the {name} card for the model: constants, enumerations, the table of all registers, field
// accessors, and views that read and write commands, descriptors and completions in place.
//
// Generated from model/regs/{source} by model/regs/generate.py: change that file, not this one. Register and field
// names are spelled as in the manual (docs/registers.md).
#pragma once
// clang-format off
// NOLINTBEGIN(readability-identifier-naming)

#include "model/regs/fields.h"

namespace vg810::regs {{
"""
TAIL = """
} // namespace vg810::regs

// NOLINTEND(readability-identifier-naming)
"""
ACCESS = {"RO": "read_only", "RW": "read_write", "WO": "write_only", "W1C": "write_one_to_clear", "RC": "counter"}


def smallest(value):
    """The narrowest unsigned type that holds a value."""
    bits = next(width for width in (8, 16, 32, 64) if value < 1 << width)
    return f"std::uint{bits}_t"


def doc_lines(text, indent=""):
    """A /// comment of at most 110 columns a line; nothing for an empty text."""
    lines, line = [], f"{indent}///"
    for word in text.split():
        if len(line) + 1 + len(word) > 110:
            lines.append(line)
            line = f"{indent}///"
        line += " " + word
    return lines + [line] if text else []


def identity(regmap):
    lines = ["", "// PCI identity and interface version."]
    for key, value in regmap.identity.items():
        if key != "name":
            lines.append(f"inline constexpr {smallest(value)} {key} = 0x{value:x};")
    for bar in regmap.bars:
        lines += doc_lines(bar.doc)
        lines.append(f"inline constexpr std::uint32_t bar{bar.index}_size = 0x{bar.size:x};")
        lines.append(f"inline constexpr bool bar{bar.index}_prefetchable = {str(bar.prefetchable).lower()};")
    msix = regmap.msix
    lines += [f"inline constexpr std::uint32_t msix_vectors = {msix.vectors};",
              f"inline constexpr std::uint8_t msix_table_bar = {msix.table_bar};",
              f"inline constexpr std::uint32_t msix_table_offset = 0x{msix.table_offset:x};",
              f"inline constexpr std::uint32_t msix_pba_offset = 0x{msix.pba_offset:x};"]
    return lines


def constants(regmap):
    lines = ["", "// Constants and limits."]
    for item in regmap.constants:
        lines += doc_lines(item.doc)
        kind = "std::uint64_t" if item.value >= 1 << 32 else "std::uint32_t"
        value = f"0x{item.value:x}" if item.value > 0xffff else str(item.value)
        lines.append(f"inline constexpr {kind} {item.name.lower()} = {value};")
    return lines


def enums(regmap):
    lines = []
    for enum in regmap.enums:
        lines += [""] + doc_lines(enum.doc)
        lines.append(f"enum class {enum.name} : {smallest(max(v.value for v in enum.values))} {{")
        for value in enum.values:
            lines += doc_lines(value.doc, "    ")
            lines.append(f"    {value.name.lower()} = {value.value},")
        lines.append("};")
    return lines


def field_alias(field, width, indent):
    """A field<> type: typed by its enumeration if it has one, bool if it is a single bit."""
    kind = field.enum or ("bool" if field.width == 1 else f"std::uint{width}_t")
    return doc_lines(field.doc, indent) + [
        f"{indent}using {field.name} = field<std::uint{width}_t, {field.low}, {field.width}, {kind}>;"]


def registers(regmap):
    """The reg and counter enumerations, a struct a register, and the table in the order of reg."""
    everything = list(regmap.registers())
    counters = [(block, register) for block, register in everything if register.access == "RC"]
    lines = ["", "/// Every register; the index of register_table."]
    lines.append("enum class reg : std::uint16_t {")
    lines += [f"    {register.name}," for _, register in everything]
    lines += ["};", f"inline constexpr std::size_t register_count = {len(everything)};"]
    lines += ["", "/// The counters, in the order of register_file's array of them."]
    lines.append("enum class counter : std::uint16_t {")
    for _, register in counters:
        lines += doc_lines(register.doc, "    ") + [f"    {register.name},"]
    lines += ["};", f"inline constexpr std::size_t counter_count = {len(counters)};"]
    for block, register in everything:
        lines += [""] + doc_lines(register.doc)
        lines += [f"struct {register.name} {{",
                  f"    static constexpr reg reg_id = reg::{register.name};",
                  f"    static constexpr std::uint8_t reg_bar = {block.bar};",
                  f"    static constexpr std::uint32_t reg_offset = 0x{block.base + register.offset:x};"]
        for field in register.fields:
            lines += field_alias(field, register.width, "    ")
        lines.append("};")
    lines += ["", "/// All registers in the order of reg. Slots, in register_file, begin with the counters.",
              "inline constexpr std::array<register_info, register_count> register_table{{"]
    slot, counter_slot = len(counters), 0
    for block, register in everything:
        if register.access == "RC":
            this, counter_slot = counter_slot, counter_slot + 1
        else:
            this, slot = slot, slot + block.count
        lines.append(f"    {{\"{register.name}\", reg::{register.name}, {block.bar}, {register.bytes}, "
                     f"access::{ACCESS[register.access]}, {str(block.before_ready).lower()}, "
                     f"0x{block.base + register.offset:x}, {block.stride}, {block.count}, {this}, "
                     f"0x{register.reset:x}, 0x{register.defined:x}}},")
    lines += ["}};", "/// Values that a register_file holds: one a register and copy of it.",
              f"inline constexpr std::size_t slot_count = {slot};"]
    return lines


def windows(regmap):
    """(bar, base, end, stride) of areas that one dense lookup table serves: blocks with one copy are taken together."""
    result = []
    for block in sorted(regmap.blocks, key=lambda item: (item.bar, item.base)):
        if block.count > 1:
            result.append((block.bar, block.base, block.base + block.count * block.stride, block.stride, block.span))
        elif result and result[-1][0] == block.bar and not result[-1][3]:
            bar, base, _, _, _ = result[-1]
            result[-1] = (bar, base, block.end, 0, block.end - base)
        else:
            result.append((block.bar, block.base, block.end, 0, block.span))
    return result


def decoder(regmap):
    lines = ["", "/// Areas of the BARs that have registers, each with its part of the decoder's table.",
             f"inline constexpr std::array<register_window, {len(windows(regmap))}> register_windows{{{{"]
    first = 0
    for bar, base, end, stride, span in windows(regmap):
        lines.append(f"    {{{bar}, 0x{base:x}, 0x{end:x}, {stride}, 0x{span:x}, {first}}},")
        first += span // 4
    lines += ["}};",
              f"inline constexpr auto decoder_table = make_decoder_table<{first}>(register_table, register_windows);",
              "", "/// The register of which `offset` (bytes) is a part, or null. Takes constant time.",
              "constexpr const register_info* find(unsigned bar, std::uint64_t offset) {",
              "    return find_register(register_table, register_windows, decoder_table, bar, offset);",
              "}",
              "",
              "constexpr const register_info& info(reg which) { return register_table[static_cast<std::size_t>(which)]; }"]
    return lines


def view(layout):
    lines = [""] + doc_lines(layout.doc)
    name = f"basic_{layout.name}_view"
    lines += ["template <typename Byte>", f"class {name} {{", "  public:",
              f"    static constexpr std::size_t bytes = {layout.size};",
              f"    explicit constexpr {name}(std::span<Byte, bytes> memory) : memory_(memory.data()) {{}}"]
    for field in layout.fields:
        raw = f"std::uint{field.width}_t"
        kind = field.enum or raw
        lines += doc_lines(field.doc, "    ")
        if field.count > 1:
            lines.append(f"    static constexpr std::size_t {field.name}_count = {field.count};")
            place, argument, comma = f"memory_ + {field.offset} + index * {field.width // 8}", "std::size_t index", ", "
        else:
            place, argument, comma = f"memory_ + {field.offset}", "", ""
        lines += [f"    constexpr {kind} {field.name}({argument}) const {{",
                  f"        return static_cast<{kind}>(load_little_endian<{raw}>({place}));",
                  "    }",
                  f"    constexpr void set_{field.name}({argument}{comma}{kind} value) const",
                  "        requires(!std::is_const_v<Byte>)",
                  "    {",
                  f"        store_little_endian<{raw}>({place}, static_cast<{raw}>(value));",
                  "    }"]
    lines += ["", "  private:", "    Byte* memory_;", "};",
              f"using {layout.name}_view = basic_{layout.name}_view<std::byte>;",
              f"using {layout.name}_const_view = basic_{layout.name}_view<const std::byte>;"]
    for field in layout.fields:
        if field.fields:
            lines += ["", f"/// Fields of {layout.name}.{field.name}.", f"struct {layout.name}_{field.name} {{"]
            for bits in field.fields:
                lines += field_alias(bits, field.width, "    ")
            lines.append("};")
    return lines


def emit(regmap):
    """The text of the C++ header."""
    lines = HEAD.format(name=regmap.identity["name"], source=regmap.path.name).splitlines()
    lines += identity(regmap) + constants(regmap) + enums(regmap) + registers(regmap) + decoder(regmap)
    for layout in regmap.layouts:
        lines += view(layout)
    return "\n".join(lines) + "\n" + TAIL
