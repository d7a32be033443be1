# SPDX-License-Identifier: Apache-2.0
"""What a register map must obey. Each rule reports every offender to the reader with file, line and item."""

import re

ACCESS = ("RO", "RW", "WO", "W1C", "RC")
PAGE = 4096

# Names become identifiers in C and C++; these would not compile. The last line is what the generated code itself uses.
RESERVED = set("""
alignas alignof and asm auto bool break case catch char class concept const consteval constexpr constinit continue
default delete do double else enum explicit export extern false float for friend goto if inline int long mutable
namespace new noexcept not nullptr operator or private protected public register requires return short signed sizeof
static struct switch template this throw true try typedef typeid typename union unsigned using virtual void volatile
while xor
""".split())
RESERVED_FIELDS = RESERVED | {"reg_id", "reg_offset", "reg_bar", "bytes"}


def name_ok(name, reserved=RESERVED):
    return re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", name) is not None and name.lower() not in reserved


class Rules:
    def __init__(self, regmap, reader):
        self.map = regmap
        self.error = reader.error

    def names(self, items, describe, reserved=RESERVED):
        """Usable as identifiers and unique; upper and lower case count as the same, since C macros are upper case."""
        seen = {}
        for item in items:
            label = describe(item)
            if not name_ok(item.name, reserved):
                self.error(item.line, label, f"'{item.name}' cannot be an identifier in C or C++")
            first = seen.setdefault(item.name.lower(), item)
            if first is not item:
                self.error(item.line, label, f"duplicate name, first used in line {first.line}")

    def identity(self):
        limits = {"vendor_id": 16, "device_id": 16, "subsystem_id": 16, "class_code": 24, "revision": 8,
                  "interface_major": 16, "interface_minor": 16}
        for key, bits in limits.items():
            if not 0 <= self.map.identity[key] < 1 << bits:
                self.error(self.map.identity_line, "map", f"'{key}' does not fit {bits} bits")
        version = self.map.identity["interface_major"] << 16 | self.map.identity["interface_minor"]
        for block, register in self.map.registers():
            if register.name == "INTERFACE_VERSION" and register.reset != version:
                self.error(register.line, f"block {block.name}, register INTERFACE_VERSION",
                           f"reset {register.reset:#x} is not [map]'s interface version {version:#x}")

    def bars(self):
        seen = {}
        for bar in self.map.bars:
            label = f"bar {bar.index}"
            if not 0 <= bar.index <= 5:
                self.error(bar.line, label, "index must be 0 .. 5")
            if bar.size < PAGE or bar.size & (bar.size - 1):
                self.error(bar.line, label, f"size {bar.size:#x} must be a power of two of at least {PAGE}")
            if seen.setdefault(bar.index, bar) is not bar:
                self.error(bar.line, label, f"duplicate index, first used in line {seen[bar.index].line}")

    def bar_size(self, index):
        return next((bar.size for bar in self.map.bars if bar.index == index), None)

    def msix_areas(self):
        """(name, first, end) of the MSI-X table and pending bits (PCIe 4.0, 7.7.2: 16 bytes and 1 bit a vector)."""
        msix = self.map.msix
        yield "table", msix.table_offset, msix.table_offset + 16 * msix.vectors
        yield "pba", msix.pba_offset, msix.pba_offset + 8 * ((msix.vectors + 63) // 64)

    def msix(self):
        msix = self.map.msix
        if not 1 <= msix.vectors <= 2048:
            self.error(msix.line, "msix", f"vectors {msix.vectors} must be 1 .. 2048")
        size = self.bar_size(msix.table_bar)
        if size is None:
            self.error(msix.line, "msix", f"no bar {msix.table_bar}")
            return
        for name, first, end in self.msix_areas():
            if first % PAGE:
                self.error(msix.line, "msix", f"{name} at {first:#x} is not on a page boundary")
            if end > size:
                self.error(msix.line, "msix", f"{name} ends at {end:#x}, outside bar {msix.table_bar} of {size:#x}")
        (_, table, table_end), (_, pba, pba_end) = self.msix_areas()
        if table // PAGE <= (pba_end - 1) // PAGE and pba // PAGE <= (table_end - 1) // PAGE:
            self.error(msix.line, "msix", "table and pba share a page")

    def constants(self):
        self.names(self.map.constants, lambda item: f"constant {item.name}")
        for constant in self.map.constants:
            if not 0 <= constant.value < 1 << 64:
                self.error(constant.line, f"constant {constant.name}", "value does not fit 64 bits")

    def enums(self):
        self.names(self.map.enums, lambda item: f"enum {item.name}")
        for enum in self.map.enums:
            self.names(enum.values, lambda item: f"enum {enum.name}, value {item.name}")
            seen = {}
            for value in enum.values:
                label = f"enum {enum.name}, value {value.name}"
                if not 0 <= value.value < 1 << 32:
                    self.error(value.line, label, f"{value.value} does not fit 32 bits")
                first = seen.setdefault(value.value, value)
                if first is not value:
                    self.error(value.line, label, f"duplicate value {value.value}, that is {first.name}")

    def enum_reference(self, item, label):
        if not item.enum:
            return
        enum = self.map.enum(item.enum)
        if enum is None:
            self.error(item.line, label, f"no enum '{item.enum}'")
        elif any(value.value >= 1 << item.width for value in enum.values):
            self.error(item.line, label, f"{item.width} bits cannot hold every value of enum {enum.name}")

    def bit_fields(self, fields, width, owner):
        self.names(fields, lambda item: f"{owner}, field {item.name}", RESERVED_FIELDS)
        taken = 0
        for item in fields:
            label = f"{owner}, field {item.name}"
            if item.high >= width:
                self.error(item.line, label, f"bits {item.bits} are outside of {width} bits")
            elif taken & item.mask:
                self.error(item.line, label, f"bits {item.bits} overlap an earlier field")
            taken |= item.mask
            self.enum_reference(item, label)

    def register(self, register, label):
        if register.width not in (32, 64):
            self.error(register.line, label, f"width {register.width} must be 32 or 64")
            return
        if register.access not in ACCESS:
            self.error(register.line, label, f"unknown access '{register.access}'; known are {', '.join(ACCESS)}")
        if register.offset < 0 or register.offset % register.bytes:
            self.error(register.line, label, f"misaligned: offset {register.offset:#x} must be a multiple of "
                                             f"{register.bytes}")
        self.bit_fields(register.fields, register.width, label)
        if not 0 <= register.reset < 1 << register.width:
            self.error(register.line, label, f"reset {register.reset:#x} does not fit {register.width} bits")
        elif register.reset & ~register.defined:
            self.error(register.line, label, f"reset {register.reset:#x} sets bits outside all fields")
        if register.access in ("WO", "RC") and register.reset:
            self.error(register.line, label, f"a {register.access} register resets to 0")
        if register.access == "RC" and (register.width != 64 or register.fields):
            self.error(register.line, label, "a RC register is a 64-bit counter without fields")

    def overlaps(self, items, describe):
        """Items with offset and bytes that share a byte."""
        ordered = sorted(items, key=lambda item: item.offset)
        for first, second in zip(ordered, ordered[1:]):
            if second.offset < first.offset + first.bytes:
                self.error(second.line, describe(second), f"overlaps {first.name} at {first.offset:#x} .. "
                                                          f"{first.offset + first.bytes - 1:#x}")

    def block(self, block):
        label = f"block {block.name}"
        for register in block.registers:
            self.register(register, f"{label}, register {register.name}")
        self.overlaps(block.registers, lambda item: f"{label}, register {item.name}")
        if not block.registers:
            self.error(block.line, label, "has no registers")
            return
        if block.base < 0 or block.base % 8:
            self.error(block.line, label, f"misaligned: base {block.base:#x} must be a multiple of 8")
        if block.count < 1 or (block.count > 1) != (block.stride > 0):
            self.error(block.line, label, "a repeated block needs count > 1 and a stride, any other neither")
        elif block.count > 1 and (block.stride % 8 or block.span > block.stride):
            self.error(block.line, label, f"stride {block.stride} must be a multiple of 8 and hold the "
                                          f"{block.span} bytes of the block")
        size = self.bar_size(block.bar)
        if size is None:
            self.error(block.line, label, f"no bar {block.bar}")
        elif block.end > size:
            self.error(block.line, label, f"ends at {block.end:#x}, outside bar {block.bar} of {size:#x}")

    def blocks(self):
        self.names(self.map.blocks, lambda item: f"block {item.name}")
        self.names([register for _, register in self.map.registers()], lambda item: f"register {item.name}")
        for block in self.map.blocks:
            self.block(block)
        ordered = sorted(self.map.blocks, key=lambda item: (item.bar, item.base))
        for first, second in zip(ordered, ordered[1:]):
            if first.bar == second.bar and second.base < first.end:
                self.error(second.line, f"block {second.name}", f"overlaps block {first.name}, which ends at "
                                                                f"{first.end:#x}")
        for block in self.map.blocks:
            for name, first, end in self.msix_areas():
                if block.bar == self.map.msix.table_bar and block.base // PAGE <= (end - 1) // PAGE and \
                        first // PAGE <= (block.end - 1) // PAGE:
                    self.error(block.line, f"block {block.name}", f"shares a page with the MSI-X {name}")

    def layout(self, layout):
        label = f"layout {layout.name}"
        self.names(layout.fields, lambda item: f"{label}, field {item.name}", RESERVED_FIELDS)
        if not layout.fields:
            self.error(layout.line, label, "has no fields")
        for item in layout.fields:
            where = f"{label}, field {item.name}"
            if item.width not in (8, 16, 32, 64):
                self.error(item.line, where, f"width {item.width} must be 8, 16, 32 or 64")
                continue
            if item.count < 1:
                self.error(item.line, where, f"count {item.count} must be at least 1")
            if item.offset < 0 or item.offset % (item.width // 8):
                self.error(item.line, where, f"misaligned: offset {item.offset} must be a multiple of "
                                             f"{item.width // 8}")
            if item.offset + item.bytes > layout.size:
                self.error(item.line, where, f"ends at {item.offset + item.bytes}, outside the layout's size "
                                             f"{layout.size}")
            self.bit_fields(item.fields, item.width, where)
            self.enum_reference(item, where)
        self.overlaps(layout.fields, lambda item: f"{label}, field {item.name}")
        widest = max((item.width // 8 for item in layout.fields), default=1)
        if layout.size < 1 or layout.size % widest:
            self.error(layout.line, label, f"size {layout.size} must be a multiple of its widest field's {widest} bytes")

    def layouts(self):
        self.names(self.map.layouts, lambda item: f"layout {item.name}")
        for layout in self.map.layouts:
            self.layout(layout)


def validate(regmap, reader):
    """Reports everything that is wrong with the map to `reader`."""
    rules = Rules(regmap, reader)
    rules.identity()
    rules.bars()
    rules.msix()
    rules.constants()
    rules.enums()
    rules.blocks()
    rules.layouts()
