#!/usr/bin/env python3
"""What deepperf says about the programs of this folder. It needs no torch: verify_programs.py has run them.

usage: programs_test.py DEEPPERF_BINARY

Every crashing program must be reported by the expected rule on the expected line, and nowhere else; its corrected twin and the
good programs must not be reported. Programs whose fault is not found today stand in misses.txt with the reason; once one is
found, the test asks to remove it there.
"""

import collections
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import programs

BINARY = os.path.abspath(sys.argv[1])
RULES = ",".join(f"DP6{number:02}" for number in range(1, 15)) + ",DP268"


def check(folder):
    """{file: [(code, line, message)]}"""
    result = subprocess.run([BINARY, "check", "--no-cache", "--format", "json", "--select", RULES, "."], cwd=folder,
                            capture_output=True, text=True)
    if result.returncode not in (0, 1):
        sys.exit(f"deepperf ended with {result.returncode}: {result.stderr}")
    found = collections.defaultdict(list)
    for finding in json.loads(result.stdout)["findings"]:
        found[finding["path"]].append((finding["code"], finding["line"], finding["message"]))
    return found


def known_misses():
    misses = {}
    for line in (programs.HERE / "misses.txt").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            name, _, reason = line.partition(": ")
            misses[name] = reason
    return misses


def main():
    crashing, good = programs.crashing(), programs.good()
    for library in programs.LIBRARIES:
        crashing += programs.crashing(library)
        good += programs.good(library)
    names = [program.name for program in crashing + good]
    assert len(names) == len(set(names)), "two programs with one name"
    with tempfile.TemporaryDirectory() as holder:
        folder = pathlib.Path(holder)
        for kind in ("crash", "fixed", "good"):
            (folder / kind).mkdir()
        for program in crashing:
            (folder / "crash" / program.path.name).write_text(program.text, encoding="utf-8")
            (folder / "fixed" / program.path.name).write_text(program.fixed, encoding="utf-8")
        for program in good:
            (folder / "good" / program.path.name).write_text(program.text, encoding="utf-8")
        found = check(folder)

    problems, misses, hits = [], known_misses(), 0
    for program in crashing:
        name = program.path.name
        here = found.get(f"crash/{name}", [])
        (codes, line), = program.expected
        right = [one for one in here if one[0] in codes and (one[1] == line or one[1] in program.also)]
        hits += bool(right)
        said = "; ".join(f"{code} in line {number}: {message}" for code, number, message in here) or "nothing"
        if right and name in misses:
            problems.append(f"{program.name} is found now: take it out of misses.txt")
        if not right and name not in misses:
            problems.append(f"{program.name}: {' or '.join(codes)} is expected in line {line}, and deepperf says: {said}")
        if len(here) > 1:
            problems.append(f"{program.name}: one fault, {len(here)} findings: {said}")
        for code, number, message in found.get(f"fixed/{name}", []):
            problems.append(f"{program.name}, corrected: {code} in line {number}: {message}")
    for program in good:
        for code, number, message in found.get(program.name, []):
            problems.append(f"{program.name}: {code} in line {number}: {message}")
    print(f"{hits} of {len(crashing)} faults found; {len(misses)} known misses")
    print("\n".join(problems))
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
