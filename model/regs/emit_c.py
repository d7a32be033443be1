# SPDX-License-Identifier: Apache-2.0
"""The C header: defines and structures that a Linux driver and a plain user-space program can both include."""

from regmap import MapError

HEAD = """\
/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0 */
/*
 * Registers, commands and descriptors of the {name} network card.
 *
 * Generated from model/regs/{source} by model/regs/generate.py: change that file, not this one.
 * Register offsets count from the start of their BAR; field masks are for FIELD_GET() and
 * FIELD_PREP(). What each of them means: docs/registers.md.
 */
#ifndef {guard}
#define {guard}

#include <linux/types.h>
#ifdef __KERNEL__
#include <linux/build_bug.h>
#else
#include <assert.h>
#endif
"""
WIDTH = 100
C_TYPES = {8: "__u8", 16: "__le16", 32: "__le32", 64: "__le64"}


class Header:
    def __init__(self, regmap):
        self.map = regmap
        self.prefix = regmap.identity["name"].upper()
        self.lines = []
        self.defined = {}

    def comment(self, text, indent=""):
        """A block comment of at most WIDTH columns a line."""
        if len(indent) * 8 + len(text) + 6 <= WIDTH:
            self.lines.append(f"{indent}/* {text} */")
            return
        self.lines.append(f"{indent}/*")
        line = f"{indent} *"
        for word in text.split():
            if len(line) + 7 * len(indent) + 1 + len(word) > WIDTH:
                self.lines.append(line)
                line = f"{indent} *"
            line += " " + word
        self.lines += [line, f"{indent} */"]

    def define(self, name, value, item):
        """One `#define`; the value starts at column 56 where the name leaves room, as kernel headers align theirs."""
        name = f"{self.prefix}_{name.upper()}"
        if name in self.defined:
            raise MapError([f"{self.map.path}:{item.line}: {name} would be defined twice in C; the other comes from "
                            f"line {self.defined[name]}"])
        self.defined[name] = item.line
        text = f"#define {name}"
        tabs = max(1, (56 - len(text) + 7) // 8)
        self.lines.append(text + "\t" * tabs + value)

    def fields(self, owner, fields, width):
        for field in fields:
            digits, suffix = (16, "ULL") if width == 64 else (width // 4, "")
            self.define(f"{owner}_{field.name}", f"0x{field.mask:0{digits}x}{suffix}", field)

    def identity(self):
        self.lines.append("")
        self.comment("PCI identity and interface version")
        place = type("place", (), {"line": self.map.identity_line})
        for key, value in self.map.identity.items():
            if key != "name":
                self.define(key, f"0x{value:0{6 if key == 'class_code' else 4}x}", place)
        for bar in self.map.bars:
            self.define(f"BAR{bar.index}_SIZE", f"{bar.size:#x}", bar)
        self.define("MSIX_VECTORS", str(self.map.msix.vectors), self.map.msix)

    def constants(self):
        self.lines.append("")
        self.comment("Constants and limits")
        for constant in self.map.constants:
            self.define(constant.name, f"{constant.value:#x}" if constant.value > 0xffff else str(constant.value),
                        constant)

    def enums(self):
        for enum in self.map.enums:
            self.lines.append("")
            self.comment(f"{enum.name}: {enum.doc}" if enum.doc else enum.name)
            for value in enum.values:
                self.define(f"{enum.name}_{value.name}", str(value.value), value)

    def block(self, block):
        self.lines.append("")
        self.comment(f"Block {block.name}, BAR {block.bar}" + (f": {block.doc}" if block.doc else ""))
        self.define(f"{block.name}_BAR", str(block.bar), block)
        if block.count > 1:
            self.define(f"{block.name}_STRIDE", str(block.stride), block)
            self.define(f"{block.name}_COUNT", str(block.count), block)
        for register in block.registers:
            self.define(f"REG_{register.name}", f"{block.base + register.offset:#06x}", register)
            self.fields(register.name, register.fields, register.width)

    def counters(self):
        counters = [(block, register) for block, register in self.map.registers() if register.access == "RC"]
        if not counters:
            return
        self.lines.append("")
        self.comment(f"Every counter, for tables: X(name, offset). {self.prefix}_STATS_COUNT is their number.")
        self.lines.append(f"#define {self.prefix}_STATS_COUNT {len(counters)}")
        rows = [f"\tX({register.name}, {block.base + register.offset:#06x})" for block, register in counters]
        self.lines.append(f"#define {self.prefix}_STATS(X) \\")
        self.lines += [row + " \\" for row in rows[:-1]] + [rows[-1]]

    def pad(self, offset, end):
        if end > offset:
            self.lines.append(f"\t__u8 pad{offset}[{end - offset}];")

    def layout(self, layout):
        self.lines.append("")
        if layout.doc:
            self.comment(layout.doc)
        self.lines.append(f"struct {self.prefix.lower()}_{layout.name} {{")
        offset = 0
        for field in sorted(layout.fields, key=lambda item: item.offset):
            self.pad(offset, field.offset)
            array = f"[{field.count}]" if field.count > 1 else ""
            self.lines.append(f"\t{C_TYPES[field.width]} {field.name}{array};")
            offset = field.offset + field.bytes
        self.pad(offset, layout.size)
        self.lines.append("};")
        self.lines.append("")
        self.lines.append(f"static_assert(sizeof(struct {self.prefix.lower()}_{layout.name}) == {layout.size},")
        self.lines.append(f"\t      \"struct {self.prefix.lower()}_{layout.name} is {layout.size} bytes\");")
        if any(field.fields for field in layout.fields):
            self.lines.append("")
        for field in layout.fields:
            self.fields(f"{layout.name}_{field.name}", field.fields, field.width)

    def text(self):
        guard = f"{self.prefix}_REGS_H"
        self.lines = HEAD.format(name=self.map.identity["name"], source=self.map.path.name, guard=guard).splitlines()
        self.identity()
        self.constants()
        self.enums()
        for block in self.map.blocks:
            self.block(block)
        self.counters()
        for layout in self.map.layouts:
            self.layout(layout)
        self.lines += ["", f"#endif /* {guard} */"]
        return "\n".join(self.lines) + "\n"


def emit(regmap):
    """The text of the C header. Raises MapError if two items of the map would be one macro."""
    return Header(regmap).text()
