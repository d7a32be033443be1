#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Branch coverage of the decoder and ring code, from gcov's JSON: `branches.py BUILD --least PERCENT [--missing]`.

BUILD is a build folder of the preset `coverage` in which something has run. A branch counts once for each function (and
template instance) that it is in, summed over the translation units that have the function; branches that only an
exception takes are left out. Prints a line a file and the total; fails below PERCENT.
"""

import argparse
import collections
import json
import os
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# Decoder (registers, configuration space) and rings (queues, doorbells, DMA): whole folders, but for what is neither.
FOLDERS = ("model/regs/", "model/host_if/", "model/pcie/")
LEFT_OUT = ("model/host_if/testing/", "model/pcie/testing/",
            "model/regs/fields.h", "model/regs/vg810_regs.h",  # field arithmetic and tables, generated
            "model/pcie/root_complex.", "model/pcie/host_memory.",  # the machine around the card
            "model/pcie/link.")  # parameters and timing arithmetic, no input of the guest's


def counts(path):
    return path.startswith(FOLDERS) and not path.startswith(LEFT_OUT)


def gcov(data_files):
    """What gcov says of each translation unit."""
    with tempfile.TemporaryDirectory() as scratch:
        for data in data_files:
            run = subprocess.run(["gcov", "--json-format", "--stdout", "--branch-probabilities", data], cwd=scratch,
                                 capture_output=True, text=True, timeout=120, check=True)
            for line in run.stdout.splitlines():
                if line.startswith("{"):
                    yield json.loads(line)


def collect(build):
    """{file: {(function, line, number of the branch): times taken}}."""
    data = [os.path.join(folder, name) for folder, _, names in os.walk(os.path.join(build, "model"))
            for name in names if name.endswith(".gcda")]
    if not data:
        sys.exit(f"{build}: no .gcda file; build it with the preset coverage and run something")
    taken = collections.defaultdict(lambda: collections.defaultdict(int))
    for unit in gcov(sorted(data)):
        for source in unit["files"]:
            path = os.path.join(unit["current_working_directory"], source["file"])
            path = os.path.relpath(os.path.realpath(path), TOP)
            if not counts(path):
                continue
            for line in source["lines"]:
                for number, branch in enumerate(b for b in line["branches"] if not b["throw"]):
                    taken[path][line.get("function_name", ""), line["line_number"], number] += branch["count"]
    return taken


def share(branches):
    return 100.0 * sum(1 for times in branches if times) / len(branches) if branches else 100.0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("--least", type=float, required=True, help="percent")
    parser.add_argument("--missing", action="store_true", help="lists the lines with a branch never taken")
    arguments = parser.parse_args()
    taken = collect(os.path.abspath(arguments.build))
    for path, branches in sorted(taken.items()):
        if not branches:
            continue
        hit = sum(1 for times in branches.values() if times)
        print(f"{path:44} {hit:5} of {len(branches):5} branches {share(branches.values()):6.1f}%")
        if arguments.missing:
            lines = sorted({line for (_, line, _), times in branches.items() if not times})
            print("    never:", ", ".join(map(str, lines)) or "none")
    every = [times for branches in taken.values() for times in branches.values()]
    total = share(every)
    print(f"{'decoder and ring code':44} {sum(1 for t in every if t):5} of {len(every):5} branches {total:6.1f}%")
    if total < arguments.least:
        sys.exit(f"branch coverage {total:.1f}% is below {arguments.least}%")


main()
