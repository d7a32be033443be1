# SPDX-License-Identifier: Apache-2.0
"""The validator refuses each way of breaking the map and says where; the outputs compile and agree with the map."""

import contextlib
import io
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import emit_c  # noqa: E402
import generate  # noqa: E402
import regmap  # noqa: E402

SMALL = """\
[map]
name = "toy"
vendor_id = 1
device_id = 2
subsystem_id = 3
class_code = 0x020000
revision = 1
interface_major = 1
interface_minor = 0
[[bar]]
index = 0
size = 0x10000
[[bar]]
index = 2
size = 0x4000
[msix]
vectors = 8
table_bar = 0
table_offset = 0x8000
pba_offset = 0x9000
[[constant]]
name = "LIMIT"
value = 7
[[constant]]
name = "OTHER"
value = 8
[[enum]]
name = "colour"
values = [
  { name = "RED", value = 0 },
  { name = "BLUE", value = 3 },
]
[[block]]
name = "MAIN"
bar = 0
base = 0x100
before_ready = true
registers = [
  { name = "FIRST", offset = 0x00, width = 32, access = "RW", reset = 0x1, fields = [
    { name = "low", bits = "3:0" },
    { name = "tint", bits = "5:4", enum = "colour" } ] },
  { name = "SECOND", offset = 0x08, width = 64, access = "RO", reset = 5 },
  { name = "third", offset = 0x10, width = 64, access = "RC" },
  { name = "INTERFACE_VERSION", offset = 0x18, width = 32, access = "RO", reset = 0x00010000 },
]
[[block]]
name = "BELL"
bar = 2
base = 0
stride = 4096
count = 4
registers = [ { name = "RING", offset = 0, width = 32, access = "WO" } ]
[[layout]]
name = "command"
size = 16
fields = [
  { name = "opcode", offset = 0, width = 8, enum = "colour" },
  { name = "address", offset = 8, width = 64, fields = [ { name = "tag", bits = "63:60" } ] },
]
"""


def line_of(text, needle):
    return text[:text.index(needle)].count("\n") + 1


class Broken(unittest.TestCase):
    """Each test breaks the small map in one way. `at` is text on the line that the error must name."""

    def errors(self, text):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "toy.toml"
            path.write_text(text, encoding="utf-8")
            with self.assertRaises(regmap.MapError) as caught:
                emit_c.emit(regmap.load(path))
            return [error.replace(folder + os.sep, "") for error in caught.exception.errors]

    def refused(self, old, new, message, at=None):
        self.assertEqual(SMALL.count(old), 1, f"'{old}' must be in the small map once")
        text = SMALL.replace(old, new)
        found = self.errors(text)
        where = f"toy.toml:{line_of(text, at or new)}: "
        self.assertTrue(any(error.startswith(where) and message in error for error in found),
                        f"no '{where}... {message}' in {found}")
        return found

    def test_the_small_map_itself_is_good(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "toy.toml"
            path.write_text(SMALL, encoding="utf-8")
            self.assertEqual(len(list(regmap.load(path).registers())), 5)

    def test_not_toml(self):
        self.assertRegex(self.errors(SMALL + "= 1\n")[0], r"toy.toml: not TOML: .*line \d+")

    def test_unknown_section(self):
        self.refused("[msix]", "[msx]\na = 1\n[msix]", "unknown key 'msx', did you mean 'msix'?", at="[msx]")

    def test_unknown_key_of_register(self):
        self.refused('"RO", reset = 5', '"RO", rest = 5', "register SECOND: unknown key 'rest', did you mean 'reset'?")

    def test_unknown_key_of_field(self):
        self.refused('"low", bits', '"low", colour = 1, bits', "field low: unknown key 'colour'")

    def test_unknown_key_of_layout_field(self):
        self.refused("offset = 8, width", "offfset = 8, width", "did you mean 'offset'?")

    def test_missing_key(self):
        self.refused('"SECOND", offset = 0x08, width = 64,', '"SECOND", offset = 0x08,', "'width' is missing")

    def test_wrong_type(self):
        self.refused("value = 7", 'value = "7"', "constant LIMIT: 'value' must be an integer", at="[[constant]]")

    def test_boolean_is_no_integer(self):
        self.refused("index = 2", "index = true", "'index' must be an integer", at="[[bar]]\nindex = true")

    def test_register_must_be_a_table(self):
        self.refused('[ { name = "RING", offset = 0, width = 32, access = "WO" } ]', "[ 5 ]", "must be a table",
                     at="name = \"BELL\"")

    def test_section_of_the_wrong_kind(self):
        self.refused("[[layout]]", "[layout]", "'layout' must be an array of tables")
        text = "block = [5]\n" + SMALL[:SMALL.index("[[block]]")]
        self.assertIn("'block' must be an array of tables", self.errors(text)[0])

    def test_overlapping_registers(self):
        self.refused("offset = 0x10, width = 64, access", "offset = 0x08, width = 64, access",
                     "block MAIN, register third: overlaps SECOND at 0x8 .. 0xf", at='"third"')

    def test_overlap_of_a_wide_register(self):
        self.refused("offset = 0x18", "offset = 0x14", "overlaps third")

    def test_overlapping_fields(self):
        self.refused('bits = "5:4"', 'bits = "5:3"', "register FIRST, field tint: bits 5:3 overlap", at='"tint"')

    def test_overlapping_layout_fields(self):
        self.refused("opcode\", offset = 0, width = 8,", "opcode\", offset = 8, width = 8,",
                     "field address: overlaps opcode", at='"address"')

    def test_misaligned_register(self):
        self.refused('"SECOND", offset = 0x08', '"SECOND", offset = 0x04',
                     "misaligned: offset 0x4 must be a multiple of 8")

    def test_misaligned_block(self):
        self.refused("base = 0x100", "base = 0x104", "block MAIN: misaligned", at='[[block]]')

    def test_misaligned_layout_field(self):
        self.refused("offset = 8, width", "offset = 4, width", "misaligned: offset 4 must be a multiple of 8")

    def test_negative_offset(self):
        self.refused('"FIRST", offset = 0x00', '"FIRST", offset = -4', "misaligned")

    def test_field_outside_register(self):
        self.refused('bits = "5:4"', 'bits = "32:4"', "field tint: bits 32:4 are outside of 32 bits")

    def test_field_outside_layout_field(self):
        self.refused('bits = "63:60"', 'bits = "64:60"', "field tag: bits 64:60 are outside of 64 bits")

    def test_bits_that_are_no_range(self):
        for bits in ("0:3", "x", "", "3-0", "-1"):
            with self.subTest(bits):
                self.refused('bits = "3:0"', f'bits = "{bits}"', "field low: bits")

    def test_reset_outside_fields(self):
        self.refused("reset = 0x1,", "reset = 0x41,", "reset 0x41 sets bits outside all fields")

    def test_reset_too_wide(self):
        self.refused("reset = 5", "reset = 0x10000000000000000", "does not fit 64 bits")

    def test_reset_of_write_only(self):
        self.refused('access = "WO"', 'access = "WO", reset = 1', "a WO register resets to 0")

    def test_reset_of_counter(self):
        self.refused('access = "RC"', 'access = "RC", reset = 1', "a RC register resets to 0")

    def test_narrow_counter(self):
        self.refused('offset = 0x10, width = 64', 'offset = 0x10, width = 32', "64-bit counter", at='"third"')

    def test_unknown_access(self):
        self.refused('access = "WO"', 'access = "W0"', "unknown access 'W0'")

    def test_unknown_width(self):
        self.refused('"RING", offset = 0, width = 32', '"RING", offset = 0, width = 16', "width 16 must be 32 or 64")

    def test_unknown_layout_width(self):
        self.refused('"opcode", offset = 0, width = 8', '"opcode", offset = 0, width = 24', "must be 8, 16, 32 or 64")

    def test_duplicate_register_name_in_another_block(self):
        self.refused('"RING"', '"first"', "register first: duplicate name")

    def test_duplicate_field_name(self):
        self.refused('"tint"', '"LOW"', "field LOW: duplicate name")

    def test_duplicate_names_of_other_things(self):
        for old, new, message in (('"OTHER"', '"LIMIT"', "constant LIMIT: duplicate name"),
                                  ('"BLUE"', '"RED"', "value RED: duplicate name"),
                                  ('name = "BELL"', 'name = "MAIN"', "block MAIN: duplicate name"),
                                  ('"address"', '"opcode"', "field opcode: duplicate name"),
                                  ("index = 2", "index = 0", "bar 0: duplicate index")):
            with self.subTest(new):
                self.assertTrue(any(message in error for error in self.errors(SMALL.replace(old, new))))

    def test_duplicate_enum_value(self):
        self.refused('"BLUE", value = 3', '"BLUE", value = 0', "duplicate value 0, that is RED")

    def test_enum_that_does_not_exist(self):
        self.refused('width = 8, enum = "colour"', 'width = 8, enum = "color"', "no enum 'color'")

    def test_enum_that_does_not_fit(self):
        self.refused('"BLUE", value = 3', '"BLUE", value = 4', "2 bits cannot hold every value of enum colour",
                     at='"tint"')

    def test_names_that_do_not_compile(self):
        for old, new in (('"tint"', '"default"'), ('"tint"', '"reg_id"'), ('"RING"', '"2ND"'), ('"RED"', '"Re d"'),
                         ('"opcode"', '"class"')):
            with self.subTest(new):
                self.refused(old, new, "cannot be an identifier")

    def test_block_outside_bar(self):
        self.refused("count = 4", "count = 5", "block BELL: ends at 0x4004, outside bar 2 of 0x4000",
                     at="[[block]]\nname = \"BELL\"")

    def test_block_in_no_bar(self):
        self.refused("bar = 2\n", "bar = 4\n", "block BELL: no bar 4", at="[[block]]\nname = \"BELL\"")

    def test_stride_too_small(self):
        self.refused("stride = 4096", "stride = 2", "stride 2", at="[[block]]\nname = \"BELL\"")

    def test_count_without_stride(self):
        self.refused("stride = 4096\n", "", "needs count > 1 and a stride", at="[[block]]\nname = \"BELL\"")

    def test_overlapping_blocks(self):
        self.refused("bar = 2\nbase = 0\nstride = 4096\ncount = 4", "bar = 0\nbase = 0x110",
                     "block BELL: overlaps block MAIN, which ends at 0x11c", at="[[block]]\nname = \"BELL\"")

    def test_repeated_block_reaches_into_another(self):
        self.refused("bar = 2\nbase = 0\nstride = 4096\ncount = 4", "bar = 0\nbase = 0\nstride = 0x80\ncount = 4",
                     "block MAIN: overlaps block BELL", at="[[block]]\nname = \"MAIN\"")

    def test_block_on_an_msix_page(self):
        self.refused("base = 0x100", "base = 0x8800", "block MAIN: shares a page with the MSI-X table",
                     at="[[block]]\nname = \"MAIN\"")

    def test_msix(self):
        for old, new, message in (("table_offset = 0x8000", "table_offset = 0x8010", "not on a page boundary"),
                                  ("pba_offset = 0x9000", "pba_offset = 0x8000", "share a page"),
                                  ("pba_offset = 0x9000", "pba_offset = 0x10000", "outside bar 0"),
                                  ("vectors = 8", "vectors = 2049", "must be 1 .. 2048"),
                                  ("vectors = 8", "vectors = 257", "share a page"),
                                  ("table_bar = 0", "table_bar = 1", "no bar 1")):
            with self.subTest(new):
                self.refused(old, new, message, at="[msix]")

    def test_bar_size(self):
        for size in ("0x3000", "0x800", "0"):
            with self.subTest(size):
                self.refused("size = 0x4000", f"size = {size}", "must be a power of two", at="[[bar]]\nindex = 2")

    def test_bar_index(self):
        self.refused("index = 2", "index = 6", "index must be 0 .. 5", at="[[bar]]\nindex = 6")

    def test_layout_field_outside_size(self):
        self.refused("offset = 8, width", "offset = 16, width", "ends at 24, outside the layout's size 16")

    def test_layout_array_outside_size(self):
        self.refused("offset = 8, width = 64,", "offset = 8, width = 64, count = 2,", "ends at 24, outside")

    def test_layout_size_that_tears_an_array_of_it(self):
        self.refused("size = 16\nfields", "size = 20\nfields", "size 20 must be a multiple of its widest field's 8",
                     at="[[layout]]")

    def test_identity_too_wide(self):
        self.refused("vendor_id = 1", "vendor_id = 0x10000", "'vendor_id' does not fit 16 bits", at="[map]")

    def test_version_register_that_contradicts_the_map(self):
        self.refused("interface_minor = 0", "interface_minor = 1",
                     "reset 0x10000 is not [map]'s interface version 0x10001", at='"INTERFACE_VERSION"')

    def test_names_that_collide_in_c_only(self):
        self.refused('name = "OTHER"', 'name = "FIRST_LOW"', "TOY_FIRST_LOW would be defined twice", at='"low"')

    def test_every_error_is_reported_not_only_the_first(self):
        text = SMALL.replace("count = 4", "count = 5").replace("reset = 0x1,", "reset = 0x41,")
        self.assertEqual(len(self.errors(text)), 2)


class Outputs(unittest.TestCase):
    def setUp(self):
        self.map = regmap.load(HERE / "vg810.toml")
        self.header = emit_c.emit(self.map)

    def run_generator(self, *arguments):
        output = io.StringIO()
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
            code = generate.main([str(argument) for argument in arguments])
        return code, output.getvalue()

    def test_check_finds_what_is_stale_and_writes_nothing(self):
        with tempfile.TemporaryDirectory() as folder:
            code, text = self.run_generator("--check", "--root", folder)
            self.assertEqual((code, text.count("stale: ")), (1, len(generate.OUTPUTS)))
            self.assertEqual(list(Path(folder).iterdir()), [])
            self.assertEqual(self.run_generator("--root", folder)[0], 0)
            self.assertEqual(self.run_generator("--check", "--root", folder), (0, ""))
            header = Path(folder) / "driver/vg810_regs.h"
            header.write_text(header.read_text(encoding="utf-8") + "\n", encoding="utf-8")
            code, text = self.run_generator("--check", "--root", folder)
            self.assertEqual(code, 1)
            self.assertIn(str(header), text)

    def test_a_broken_map_is_exit_code_2(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "toy.toml"
            path.write_text(SMALL.replace("count = 4", "count = 5"), encoding="utf-8")
            code, text = self.run_generator("--map", path, "--root", folder)
            self.assertEqual(code, 2)
            self.assertIn("outside bar 2", text)
            self.assertEqual(self.run_generator("--map", Path(folder) / "none.toml", "--root", folder)[0], 2)
            self.assertEqual([entry.name for entry in Path(folder).iterdir()], ["toy.toml"])

    def test_c_header_agrees_with_the_map(self):
        """A C compiler, as strict as it gets, confirms every offset, mask, value and member's place."""
        prefix = self.map.identity["name"].upper()
        lines = ["#include <stddef.h>", '#include "vg810_regs.h"']

        def claim(expression):
            lines.append(f'_Static_assert({expression}, "{expression}");')

        for block, register in self.map.registers():
            claim(f"{prefix}_REG_{register.name.upper()} == {block.base + register.offset}")
            for field in register.fields:
                claim(f"{prefix}_{register.name}_{field.name}".upper() + f" == {field.mask}ULL")
        for enum in self.map.enums:
            for value in enum.values:
                claim(f"{prefix}_{enum.name}_{value.name}".upper() + f" == {value.value}")
        for constant in self.map.constants:
            claim(f"{prefix}_{constant.name} == {constant.value}")
        for layout in self.map.layouts:
            struct = f"struct {prefix.lower()}_{layout.name}"
            claim(f"sizeof({struct}) == {layout.size}")
            for field in layout.fields:
                claim(f"offsetof({struct}, {field.name}) == {field.offset}")
                claim(f"sizeof((({struct} *)0)->{field.name}) == {field.bytes}")
        counters = [register for _, register in self.map.registers() if register.access == "RC"]
        lines.append("#define X(name, offset) + (offset == 0 ? 0 : 1)")
        claim(f"0 {prefix}_STATS(X) == {len(counters)} && {prefix}_STATS_COUNT == {len(counters)}")
        lines[-1] = lines[-1].replace(f", \"0 {prefix}", f", \"{prefix}")
        self.assertGreater(len(lines), 300)
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "vg810_regs.h").write_text(self.header, encoding="utf-8")
            (Path(folder) / "claims.c").write_text("\n".join(lines) + "\n", encoding="utf-8")
            command = [os.environ.get("CC", "cc"), "-std=c11", "-fsyntax-only", "-Wall", "-Wextra", "-Wpedantic",
                       "-Werror", "-I", folder, str(Path(folder) / "claims.c")]
            result = subprocess.run(command, capture_output=True, text=True, timeout=50, check=False)
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_c_header_keeps_to_100_columns(self):
        for line in self.header.splitlines():
            self.assertLessEqual(len(line.expandtabs(8)), 100, line)
            self.assertEqual(line, line.rstrip())

    def test_every_register_and_field_is_in_the_manual(self):
        manual = generate.emit_docs.emit(self.map)
        for block, register in self.map.registers():
            self.assertIn(f"| `{block.base + register.offset:#06x}` | `{register.name}` |", manual)
            for field in register.fields:
                self.assertIn(f"| `{field.name}` |", manual)
        for link in re.findall(r"\]\(#([\w-]+)\)", manual):
            self.assertIn(f"### {link}\n", manual)


if __name__ == "__main__":
    unittest.main()
