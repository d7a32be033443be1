#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the tests labelled `validation` and writes what they expected and measured into docs/validation.md.

    tests/validation/report.py [--build build/release] [--page docs/validation.md]

Each comparison of floating-point numbers (Catch2's WithinRel, WithinAbs) becomes a row, named by the message that stands
in front of it; so does an order (a < b, a > b) that has such a message. Misses are shown like the rest. Status 1 if there is one, 2 if a test could not be run.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as tree

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BEGIN, END = "<!-- table: begin -->", "<!-- table: end -->"
NUMBER = r"(-?[\d.]+(?:e[+-]?\d+)?)"
RELATIVE = re.compile(f"^{NUMBER} and {NUMBER} are within {NUMBER}% of each other$")
ABSOLUTE = re.compile(f"^{NUMBER} is within {NUMBER} of {NUMBER}$")
ORDER = re.compile(f"^{NUMBER} ([<>]) {NUMBER}$")


class failure(Exception):
    """Something the user can act on; the text names it."""


def validation_tests(build):
    """Name and command of each test with the label, as CTest knows them."""
    listed = subprocess.run(["ctest", "--test-dir", build, "-L", "^validation$", "--show-only=json-v1"],
                            capture_output=True, text=True, timeout=60, check=False)
    if listed.returncode != 0:
        raise failure(f"ctest knows no tests in {build}: build first")
    tests = [(t["name"], t.get("command")) for t in json.loads(listed.stdout)["tests"]]
    if not tests:
        raise failure(f"{build} has no test labelled validation")
    return tests


def run(name, command):
    """The Catch2 report of a test, failed comparisons included."""
    if not command or not os.path.exists(command[0]):
        raise failure(f"{name} is not built")
    with tempfile.TemporaryDirectory() as scratch:
        report = os.path.join(scratch, "report.xml")
        subprocess.run(command + ["--success", "--reporter", f"xml::out={report}"], stdout=subprocess.DEVNULL,
                       timeout=600, check=False, env={**os.environ, "SYSTEMC_DISABLE_COPYRIGHT_MESSAGE": "1"})
        try:
            return tree.parse(report).getroot()
        except (OSError, tree.ParseError) as problem:
            raise failure(f"{name} left no report: {problem}") from problem


def comparison(text):
    """Measured, expected and tolerance of an expanded assertion; None when it compares something else."""
    if found := RELATIVE.match(text):
        return float(found[1]), float(found[2]), f"{float(found[3]):g} %"
    if found := ABSOLUTE.match(text):
        return float(found[1]), float(found[3]), f"{float(found[2]):g}"
    if found := ORDER.match(text):
        return float(found[1]), float(found[3]), found[2]
    return None


def rows(root):
    """Test case, row name, expected, measured, tolerance, verdict."""
    for case in root.iter("TestCase"):
        message = ""
        for node in case.iter():
            if node.tag == "Info":
                message = " ".join((node.text or "").split())
            if node.tag != "Expression":
                continue
            found = comparison(" ".join((node.findtext("Expanded") or "").split()))
            if found and (message or found[2] not in ("<", ">")):
                measured, expected, tolerance = found
                verdict = "ok" if node.get("success") == "true" else "**missed**"
                yield case.get("name"), message, expected, measured, tolerance, verdict
            message = ""


def table(all_rows):
    lines = []
    before = None
    for case, message, expected, measured, tolerance, verdict in all_rows:
        if case != before:
            lines += ["", f"### {case}", "", "| | expected | measured | off by | tolerance | verdict |", "|---|---|---|---|---|---|"]
            before = case
        off = f"{abs(measured - expected) / abs(expected) * 100:.3f} %" if expected else f"{measured - expected:g}"
        if tolerance in ("<", ">"):
            lines.append(f"| {message} | {tolerance} {expected:.6g} | {measured:.6g} | | order | {verdict} |")
            continue
        lines.append(f"| {message} | {expected:.6g} | {measured:.6g} | {off} | {tolerance} | {verdict} |")
    return "\n".join(lines).strip()


def write(page, text):
    with open(page, encoding="utf-8") as source:
        whole = source.read()
    if BEGIN not in whole or END not in whole:
        raise failure(f"{page} lacks the lines {BEGIN} and {END}")
    head, rest = whole.split(BEGIN, 1)
    tail = rest.split(END, 1)[1]
    with open(page, "w", encoding="utf-8") as out:
        out.write(f"{head}{BEGIN}\n\n{text}\n\n{END}{tail}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default=os.path.join(TOP, "build/release"), help="the build folder")
    parser.add_argument("--page", default=os.path.join(TOP, "docs/validation.md"), help="the page to write into")
    options = parser.parse_args()
    try:
        found = [row for name, command in validation_tests(options.build) for row in rows(run(name, command))]
        if not found:
            raise failure("the validation tests compare no numbers")
        write(options.page, table(found))
    except (failure, OSError, subprocess.SubprocessError) as problem:
        print(f"report: {problem}", file=sys.stderr)
        return 2
    missed = sum(row[-1] != "ok" for row in found)
    print(f"{len(found)} figures, {missed} missed")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
