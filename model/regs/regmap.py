# SPDX-License-Identifier: Apache-2.0
"""The register map as objects, and how it is read from TOML.

`load()` turns the data file into a `RegisterMap`; what the file must obey is in validate.py. Every object remembers the
line of the file where it stands, so that an error can name it. TOML itself has no such positions: `Locator` finds them
again by the names in the text.
"""

import difflib
import re
import tomllib
from dataclasses import dataclass, field
from pathlib import Path


class MapError(Exception):
    """The map is not usable. `errors` has one "file:line: item: what" a finding."""

    def __init__(self, errors):
        super().__init__("\n".join(errors))
        self.errors = errors


@dataclass
class Bar:
    index: int
    size: int
    prefetchable: bool
    doc: str
    line: int


@dataclass
class Msix:
    vectors: int
    table_bar: int
    table_offset: int
    pba_offset: int
    line: int


@dataclass
class Constant:
    name: str
    value: int
    doc: str
    line: int


@dataclass
class EnumValue:
    name: str
    value: int
    doc: str
    line: int


@dataclass
class Enum:
    name: str
    doc: str
    values: list
    line: int


@dataclass
class Field:
    """Bits `low`..`high` of a register or of a layout's field; both -1 if the file's text for them is not a range."""

    name: str
    bits: str
    enum: str
    doc: str
    line: int
    low: int = -1
    high: int = -1

    @property
    def width(self):
        return self.high - self.low + 1

    @property
    def mask(self):
        return ((1 << self.width) - 1) << self.low


@dataclass
class Register:
    name: str
    offset: int
    width: int
    access: str
    reset: int
    doc: str
    fields: list
    line: int

    @property
    def bytes(self):
        return self.width // 8

    @property
    def defined(self):
        """The bits that mean something: those of the fields, or all if there are none."""
        if not self.fields:
            return (1 << self.width) - 1
        mask = 0
        for item in self.fields:
            mask |= item.mask
        return mask


@dataclass
class Block:
    """Registers at `base` of a BAR; `count` copies of them, `stride` bytes apart (stride 0: one copy)."""

    name: str
    bar: int
    base: int
    stride: int
    count: int
    before_ready: bool
    doc: str
    registers: list
    line: int

    @property
    def span(self):
        """Bytes from the first register to the end of the last."""
        return max((r.offset + r.bytes for r in self.registers), default=0)

    @property
    def end(self):
        return self.base + self.stride * (self.count - 1) + self.span


@dataclass
class LayoutField:
    name: str
    offset: int
    width: int
    count: int
    enum: str
    doc: str
    fields: list
    line: int

    @property
    def bytes(self):
        return self.width // 8 * self.count


@dataclass
class Layout:
    name: str
    size: int
    doc: str
    fields: list
    line: int


@dataclass
class RegisterMap:
    path: Path
    identity: dict
    identity_line: int
    bars: list = field(default_factory=list)
    msix: Msix | None = None
    constants: list = field(default_factory=list)
    enums: list = field(default_factory=list)
    blocks: list = field(default_factory=list)
    layouts: list = field(default_factory=list)

    def registers(self):
        """(block, register) for all registers, in the order of the file."""
        for block in self.blocks:
            for register in block.registers:
                yield block, register

    def enum(self, name):
        return next((e for e in self.enums if e.name == name), None)


class Locator:
    """Finds lines: of a [section], and of named items inside a section."""

    def __init__(self, text):
        self.lines = text.splitlines()
        self.sections = {}
        for number, line in enumerate(self.lines, 1):
            match = re.match(r"\s*\[{1,2}\s*([\w-]+)\s*\]{1,2}", line)
            if match:
                self.sections.setdefault(match[1], []).append(number)

    def section(self, kind, index):
        found = self.sections.get(kind, [])
        return found[index] if index < len(found) else 1

    def named(self, start, name, column=0):
        """(line, column after it) of the first `name = "<name>"` at or after a place; the place itself if none."""
        pattern = re.compile(r'\bname\s*=\s*"' + re.escape(str(name)) + '"')
        for number in range(start, len(self.lines) + 1):
            match = pattern.search(self.lines[number - 1], column if number == start else 0)
            if match:
                return number, match.end()
        return start, column


class Reader:
    """Reads tables with known keys, and collects what is wrong with them."""

    TYPES = {int: "an integer", str: "a string", bool: "true or false", list: "an array"}

    def __init__(self, path, text):
        self.path = path
        self.locator = Locator(text)
        self.errors = []

    def error(self, line, item, what):
        self.errors.append(f"{self.path}:{line}: {item}: {what}")

    def unknown(self, line, item, key, known):
        near = difflib.get_close_matches(key, known, 1)
        hint = f", did you mean '{near[0]}'?" if near else f"; known are {', '.join(sorted(known))}"
        self.error(line, item, f"unknown key '{key}'{hint}")

    def table(self, table, line, item, required, optional):
        """The table's values with defaults filled in. A wrong type is reported and replaced by the type's zero."""
        if not isinstance(table, dict):
            self.error(line, item, "must be a table")
            table = {}
        known = required | {key: type(value) for key, value in optional.items()}
        for key in table:
            if key not in known:
                self.unknown(line, item, key, known)
        result = dict(optional)
        for key, kind in known.items():
            if key not in table:
                if key in required:
                    self.error(line, item, f"'{key}' is missing")
                    result[key] = kind()
            elif type(table[key]) is not kind:
                self.error(line, item, f"'{key}' must be {self.TYPES[kind]}")
                result[key] = kind()
            else:
                result[key] = table[key]
        return result

    def bit_fields(self, tables, place, owner):
        result = []
        for index, table in enumerate(tables):
            name = table.get("name", f"#{index}") if isinstance(table, dict) else f"#{index}"
            place = self.locator.named(place[0], name, place[1])
            item = f"{owner}, field {name}"
            values = self.table(table, place[0], item, {"name": str, "bits": str}, {"enum": "", "doc": ""})
            bits = Field(**values, line=place[0])
            match = re.fullmatch(r"(\d+)(?::(\d+))?", bits.bits)
            if not match or (match[2] and int(match[2]) > int(match[1])):
                self.error(bits.line, item, f"bits = \"{bits.bits}\" must be \"high:low\" or \"n\"")
            else:
                bits.high = int(match[1])
                bits.low = int(match[2] or match[1])
                result.append(bits)
        return result

    def named_tables(self, tables, place, owner, kind):
        """(table, place, item) of each table of an array, found by its name."""
        for index, table in enumerate(tables):
            name = table.get("name", f"#{index}") if isinstance(table, dict) else f"#{index}"
            place = self.locator.named(place[0], name, place[1])
            yield table, place, f"{owner}, {kind} {name}"

    def block(self, table, line, item):
        values = self.table(table, line, item, {"name": str, "bar": int, "base": int, "registers": list},
                            {"doc": "", "stride": 0, "count": 1, "before_ready": False})
        place = self.locator.named(line, values["name"])
        registers = []
        for entry, where, label in self.named_tables(values["registers"], place, item, "register"):
            got = self.table(entry, where[0], label, {"name": str, "offset": int, "width": int, "access": str},
                             {"reset": 0, "doc": "", "fields": []})
            got["fields"] = self.bit_fields(got["fields"], where, label)
            registers.append(Register(**got, line=where[0]))
        values["registers"] = registers
        return Block(**values, line=line)

    def layout(self, table, line, item):
        values = self.table(table, line, item, {"name": str, "size": int, "fields": list}, {"doc": ""})
        place = self.locator.named(line, values["name"])
        fields = []
        for entry, where, label in self.named_tables(values["fields"], place, item, "field"):
            got = self.table(entry, where[0], label, {"name": str, "offset": int, "width": int},
                             {"count": 1, "enum": "", "doc": "", "fields": []})
            got["fields"] = self.bit_fields(got["fields"], where, label)
            fields.append(LayoutField(**got, line=where[0]))
        values["fields"] = fields
        return Layout(**values, line=line)

    def enum(self, table, line, item):
        values = self.table(table, line, item, {"name": str, "values": list}, {"doc": ""})
        place = self.locator.named(line, values["name"])
        entries = []
        for entry, where, label in self.named_tables(values["values"], place, item, "value"):
            got = self.table(entry, where[0], label, {"name": str, "value": int}, {"doc": ""})
            entries.append(EnumValue(**got, line=where[0]))
        values["values"] = entries
        return Enum(**values, line=line)


IDENTITY_KEYS = {"name": str, "vendor_id": int, "device_id": int, "subsystem_id": int, "class_code": int,
                 "revision": int, "interface_major": int, "interface_minor": int}
SECTIONS = ("map", "msix", "bar", "constant", "enum", "block", "layout")


def read(path):
    """(RegisterMap, Reader) of a file; the reader has the errors found so far."""
    path = Path(path)
    text = path.read_text(encoding="utf-8")
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise MapError([f"{path}: not TOML: {error}"]) from error
    reader = Reader(path, text)
    for key in data:
        if key not in SECTIONS:
            reader.unknown(reader.locator.section(key, 0), "top level", key, SECTIONS)

    def single(kind, required):
        line = reader.locator.section(kind, 0)
        return reader.table(data.get(kind, {}), line, kind, required, {}), line

    def several(kind):
        tables = data.get(kind, [])
        if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
            reader.error(reader.locator.section(kind, 0), "top level", f"'{kind}' must be an array of tables, [[{kind}]]")
            return
        for index, table in enumerate(tables):
            name = table.get("name", table.get("index", f"#{index}"))
            yield table, reader.locator.section(kind, index), f"{kind} {name}"

    identity, line = single("map", IDENTITY_KEYS)
    result = RegisterMap(path, identity, line)
    msix, line = single("msix", {"vectors": int, "table_bar": int, "table_offset": int, "pba_offset": int})
    result.msix = Msix(**msix, line=line)
    for table, line, item in several("bar"):
        values = reader.table(table, line, item, {"index": int, "size": int}, {"prefetchable": False, "doc": ""})
        result.bars.append(Bar(**values, line=line))
    for table, line, item in several("constant"):
        values = reader.table(table, line, item, {"name": str, "value": int}, {"doc": ""})
        result.constants.append(Constant(**values, line=line))
    result.enums = [reader.enum(*place) for place in several("enum")]
    result.blocks = [reader.block(*place) for place in several("block")]
    result.layouts = [reader.layout(*place) for place in several("layout")]
    return result, reader


def load(path):
    """The validated map in the file. Raises MapError with every finding, OSError if the file cannot be read."""
    from validate import validate

    result, reader = read(path)
    if not reader.errors:
        validate(result, reader)
    if reader.errors:
        raise MapError(reader.errors)
    return result
