# SPDX-License-Identifier: Apache-2.0
"""The register chapter of the programmer's reference, in Markdown."""

from pathlib import Path

ACCESS_DOC = [
    ("RO", "Read only. A write is ignored and counts as a bad access."),
    ("RW", "Reads what was written, reserved bits excepted."),
    ("WO", "Reads 0; a write has an effect."),
    ("W1C", "Reads what happened; writing 1 to a bit clears it, writing 0 leaves it."),
    ("RC", "64-bit counter: read only, cleared by function reset only."),
]
INTRO = """\
<!-- SPDX-License-Identifier: Apache-2.0 -->
<!-- Generated from model/regs/{source} by model/regs/generate.py: change that file, not this one. -->

# Registers, commands and descriptors

The interface between driver and card, version {major}.{minor}. The driver's names are in `driver/vg810_regs.h`
(`VG810_REG_<register>`, `VG810_<register>_<field>`, `struct vg810_<layout>`), the model's in `model/regs/vg810_regs.h`.

## How to read this chapter

Everything is little-endian. Offsets are hexadecimal bytes from the start of the BAR; bits are numbered from 0, the
least significant. Reset values are those after a function reset (FLR, bus reset or `RESET`). Bits that are in no field
of a register that has fields are reserved: they read 0 and ignore writes.

| Access | Meaning |
|---|---|
{access}

**Widths.** A 32-bit register takes aligned 4-byte accesses, a 64-bit register aligned 8-byte accesses or two aligned
4-byte accesses, low half first:

- reading the low half holds the high half of that moment for the next read of the high half, so the two fit together;
- writing a half of a RW or W1C register acts at once, on that half;
- writing the low half of a WO register holds it; writing the high half acts with both. A low half that was never
  written counts as 0.

**Bad accesses.** An address where there is no register, another width or alignment than above, or a write to a RO or RC
register: reads give 0, writes do nothing, and `ERROR_STATUS.bad_access` is set.

**Before `STATUS.ready`** only the blocks marked so answer; everything else reads 0 and ignores writes, which is no bad
access.
"""


def cell(text):
    return text.replace("|", "\\|")


def bits(field):
    return str(field.low) if field.width == 1 else f"{field.high}:{field.low}"


def meaning(item):
    """The doc of a field, with a link to the enumeration of its values."""
    parts = [item.doc] if item.doc else []
    if item.enum:
        parts.append(f"Values: [{item.enum}](#{item.enum}).")
    return cell(" ".join(parts))


def table(head, rows):
    return ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)] + ["| " + " | ".join(row) + " |" for row in rows]


def identity(regmap):
    known = regmap.identity
    rows = [("Vendor id", f"{known['vendor_id']:#06x}"), ("Device id", f"{known['device_id']:#06x}"),
            ("Subsystem id", f"{known['subsystem_id']:#06x}"), ("Class code", f"{known['class_code']:#08x}"),
            ("Revision", f"{known['revision']:#04x}"), ("MSI-X vectors", str(regmap.msix.vectors))]
    rows += [(f"BAR {bar.index}", f"{bar.size // 1024} KiB. {cell(bar.doc)}".strip()) for bar in regmap.bars]
    rows.append(("MSI-X table, pending bits", f"BAR {regmap.msix.table_bar} + {regmap.msix.table_offset:#x}, "
                                              f"+ {regmap.msix.pba_offset:#x}"))
    return ["", "## PCI function", ""] + table(("What", "Value"), rows)


def block(item):
    last = item.base + item.span - 1
    place = f"BAR {item.bar}, {item.base:#06x} .. {last:#06x}"
    if item.count > 1:
        place += f", {item.count} copies {item.stride} bytes apart"
    if item.before_ready:
        place += "; answers before `STATUS.ready`"
    lines = ["", f"### Block {item.name}", "", place + "." + (f" {item.doc}" if item.doc else ""), ""]
    rows = [(f"`{item.base + r.offset:#06x}`", f"`{r.name}`", str(r.width), r.access, f"`{r.reset:#x}`", cell(r.doc))
            for r in item.registers]
    lines += table(("Offset", "Register", "Width", "Access", "Reset", "Meaning"), rows)
    for register in item.registers:
        if register.fields:
            lines += ["", f"#### {register.name}", ""]
            lines += table(("Bits", "Field", "Meaning"),
                           [(bits(f), f"`{f.name}`", meaning(f)) for f in register.fields])
    return lines


def layout(item):
    lines = ["", f"### {item.name}", "", f"{item.size} bytes." + (f" {item.doc}" if item.doc else ""), ""]
    rows = []
    for field in sorted(item.fields, key=lambda entry: entry.offset):
        kind = f"u{field.width}" + (f"[{field.count}]" if field.count > 1 else "")
        rows.append((str(field.offset), f"`{field.name}`", kind, meaning(field)))
    lines += table(("Offset", "Field", "Type", "Meaning"), rows)
    for field in item.fields:
        if field.fields:
            lines += ["", f"Bits of `{field.name}`:", ""]
            lines += table(("Bits", "Field", "Meaning"), [(bits(f), f"`{f.name}`", meaning(f)) for f in field.fields])
    return lines


def enum(item):
    lines = ["", f"### {item.name}", ""] + ([item.doc, ""] if item.doc else [])
    return lines + table(("Value", "Name", "Meaning"),
                         [(f"{v.value:#x}", f"`{v.name}`", cell(v.doc)) for v in item.values])


def constants(regmap):
    rows = [(f"`{c.name}`", f"{c.value:#x}" if c.value > 0xffff else str(c.value), cell(c.doc))
            for c in regmap.constants]
    return ["", "## Constants and limits", ""] + table(("Name", "Value", "Meaning"), rows)


def emit(regmap):
    """The text of the chapter."""
    access = "\n".join(f"| {name} | {text} |" for name, text in ACCESS_DOC)
    lines = INTRO.format(source=Path(regmap.path).name, major=regmap.identity["interface_major"],
                         minor=regmap.identity["interface_minor"], access=access).rstrip().splitlines()
    lines += identity(regmap)
    lines += ["", "## Registers"]
    for item in regmap.blocks:
        lines += block(item)
    lines += ["", "## Structures in host memory", "", "Bytes that no field covers are reserved: the driver writes 0, the card writes 0."]
    for item in regmap.layouts:
        lines += layout(item)
    lines += ["", "## Enumerations"]
    for item in regmap.enums:
        lines += enum(item)
    lines += constants(regmap)
    return "\n".join(lines) + "\n"
