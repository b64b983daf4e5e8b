#!/usr/bin/env python3
"""Figures in the documentation that the benchmark has measured are those of benchmark/evidence.json.

usage: documented_figures_test.py PROJECT_FOLDER
"""

import json
import pathlib
import re
import sys

# As src/evidence/evidence.cpp writes them.
FIGURE = re.compile(r"(\d[\d.]*)x (slower|the memory|the time) \((\d[\d.]*) to (\d[\d.]*)\)")
GROWTH = re.compile(r"4x the ([\w ]+?) (?:take|need) (\d[\d.]*)x the (time|memory); (\d[\d.]*)x once fixed")
OTHER = re.compile(r"(?<!up to )(?<![\w.])\d+(\.\d+)?x(?!\w)")  # "up to 3x": what a source claims


def number(ratio):
    return f"{ratio:.{2 if ratio < 2 else 1 if ratio < 10 else 0}f}"


def figures_of(measurement):
    if measurement["measure"] == "growth":
        knob = measurement["growth_knob"].lower().replace("_", " ")
        return knob, number(measurement["buggy_growth"]), measurement["metric"], number(measurement["fixed_growth"])
    words = "the memory" if measurement["measure"] == "memory" else "slower" if measurement["ratio"] >= 1 else "the time"
    return number(measurement["ratio"]), words, number(measurement["low"]), number(measurement["high"])


def main():
    root = pathlib.Path(sys.argv[1])
    measurements = json.loads((root / "benchmark" / "evidence.json").read_text())["measurements"]
    known = {figures_of(measurement) for measurement in measurements}
    mistakes = []
    count = 0
    pages = [root / "README.md", root / "CHANGELOG.md", *sorted((root / "docs").rglob("*.md"))]
    for page in pages:
        for line, text in enumerate(page.read_text().splitlines(), 1):
            for pattern in (FIGURE, GROWTH):
                for match in pattern.finditer(text):
                    count += 1
                    if match.groups() not in known:
                        mistakes.append(f"{page}:{line}: '{match[0]}' is not in benchmark/evidence.json")
            # A figure that is written in another way could not be checked.
            for match in OTHER.finditer(GROWTH.sub("", FIGURE.sub("", text))):
                mistakes.append(f"{page}:{line}: '{match[0]}' is not written as `deepperf explain` writes what was measured")
    if mistakes:
        sys.exit("\n".join(mistakes))
    print(f"{count} figures in {len(pages)} pages, {len(known)} measurements")


main()
