#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Generates from the register map the driver's C header, the model's C++ header and the register chapter.

    generate.py           writes the files that are not up to date
    generate.py --check   writes nothing; exit code 1 and the names of the stale files if there are any

Python 3.11 or later, standard library only. Exit code 2: the map has errors, which are printed as file:line: item: what.
"""

import argparse
import sys
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import emit_c  # noqa: E402
import emit_cpp  # noqa: E402
import emit_docs  # noqa: E402
import regmap  # noqa: E402

OUTPUTS = {
    "driver/vg810_regs.h": emit_c.emit,
    "model/regs/vg810_regs.h": emit_cpp.emit,
    "docs/registers.md": emit_docs.emit,
}


def stale(root, texts):
    """The files under `root` that differ from their generated text or do not exist."""
    for name, text in texts.items():
        path = root / name
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            yield path, text


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing, fail if a file is stale")
    parser.add_argument("--map", type=Path, default=HERE / "vg810.toml", help="the data file")
    parser.add_argument("--root", type=Path, default=HERE.parent.parent, help="top of the source tree to write into")
    options = parser.parse_args(arguments)
    try:
        loaded = regmap.load(options.map)
        texts = {name: emit(loaded) for name, emit in OUTPUTS.items()}
        found = list(stale(options.root, texts))
        for path, text in found:
            if options.check:
                print(f"stale: {path}: run model/regs/generate.py", file=sys.stderr)
            else:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
                print(f"wrote {path}")
    except regmap.MapError as error:
        print(error, file=sys.stderr)
        return 2
    except (OSError, UnicodeDecodeError) as error:
        print(f"{options.map}: {error}" if isinstance(error, UnicodeDecodeError) else error, file=sys.stderr)
        return 2
    return 1 if options.check and found else 0


if __name__ == "__main__":
    sys.exit(main())
