#!/usr/bin/env python3
"""The same mistake must be found however the program around it is organised: flows_test.py BINARY

The package flows makes training programs: each mistake in each structure. All of them are checked in one run. What is reported must be the codes that
the mistake names (and advice that is right for a structure), else the difference must be listed in flows_open.txt with its reason; an entry that is no
longer needed fails. Some programs are checked on their own, too: what is around a program must not matter.

flows_test.py BINARY --write FOLDER writes the programs; --show prints a table of all differences; --update drops entries that no longer differ."""
import argparse
import collections
import json
import pathlib
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from flows import jax_programs, tensorflow_programs  # noqa: E402
from flows.frameworks import PROGRAMS  # noqa: E402
from flows.mistakes import MISTAKES  # noqa: E402
from flows.structures import STRUCTURES  # noqa: E402

OPEN = pathlib.Path(__file__).resolve().parent / "flows_open.txt"
# Advice that is right for what a program is, whatever is planted into it.
RIGHT = {"DP513"}  # it trains in float32
RIGHT_IN = {"data_parallel": {"DP240"}}
# What a mistake also is, where that can be seen. Not required.
ALSO = {"argmax_loss": {"DP232"}, "detached_output": {"DP232", "DP877"}, "ema_without_buffers": {"DP192"},
        "inplace_ema": {"DP192", "DP907"}, "one_hot": {"DP605"}, "model_aliased": {"DP192", "DP907"}}
SINGLE_RUNS = 20


def programs():
    """Structure, mistake, the codes that it must get, and the text or the files by name."""
    for structure, build in STRUCTURES.items():
        for mistake, (codes, parts) in MISTAKES.items():
            made = build(parts)
            if made is not None:
                yield structure, mistake, codes, made
    for structure, mistake, codes, text in PROGRAMS + jax_programs.PROGRAMS + tensorflow_programs.PROGRAMS:
        yield structure, mistake, frozenset(codes.split()), text


def write(folder):
    """Every program in a folder of its own; returns the codes that each must get."""
    expected = {}
    for structure, mistake, codes, made in programs():
        home = folder / structure / mistake
        home.mkdir(parents=True)
        for name, text in (made if isinstance(made, dict) else {"train.py": made}).items():
            if name.endswith(".py"):
                compile(text, f"{structure}/{mistake}/{name}", "exec")
            (home / name).write_text(text)
        expected[structure, mistake] = codes
    return expected


def findings(binary, path):
    done = subprocess.run([binary, "check", "--no-cache", "--all", "--format", "json", str(path)], capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        sys.exit(f"check failed: {done.stderr}")
    return json.loads(done.stdout)["findings"]


def codes(found, folder):
    """By program: the codes that are reported by default, and those of hints."""
    shown, hinted = collections.defaultdict(set), collections.defaultdict(set)
    for finding in found:
        structure, mistake = pathlib.Path(finding["path"]).relative_to(folder).parts[:2]
        is_hint = finding["confidence"] != "high"
        (hinted if is_hint else shown)[structure, mistake].add(finding["code"])
    return shown, hinted


def differences(all_expected, shown, hinted):
    """Triples of structure, mistake and code, each with what is different."""
    found = {}
    for (structure, mistake), expected in all_expected.items():
        got = shown[structure, mistake]
        for code in expected - got:
            found[structure, mistake, code] = "hint" if code in hinted[structure, mistake] else "missed"
        right = expected | RIGHT | RIGHT_IN.get(structure, set()) | ALSO.get(mistake, set())
        for code in got - right:
            found[structure, mistake, code] = "extra"
    return found


def listed():
    """The open differences: what is different, by structure, mistake and code."""
    entries = {}
    for line in OPEN.read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            structure, mistake, code, what, _ = line.split(None, 4)
            entries[structure, mistake, code] = what
    return entries


def update(found):
    """Drops the entries that no longer differ. New differences need a reason, which you must write."""
    def is_kept(line):
        parts = line.split(None, 4)
        return not line.strip() or line.startswith("#") or found.get(tuple(parts[:3])) == parts[3]

    OPEN.write_text("".join(line for line in OPEN.read_text().splitlines(keepends=True) if is_kept(line)))


def compare(found, entries):
    new = [f"{structure}/{mistake}: {code} {what}" for (structure, mistake, code), what in sorted(found.items())
           if entries.get((structure, mistake, code)) != what]
    gone = [f"flows_open.txt: {' '.join(key)} {what} no longer differs" for key, what in entries.items() if found.get(key) != what]
    return new + gone


def single_runs(binary, folder, expected, found):
    """What is reported of a program must not depend on the others in the same run."""
    problems = []
    together = collections.defaultdict(list)
    for finding in found:
        together[tuple(pathlib.Path(finding["path"]).relative_to(folder).parts[:2])].append(finding)
    for structure, mistake in random.Random(1).sample(sorted(expected), SINGLE_RUNS):
        if findings(binary, folder / structure / mistake) != together[structure, mistake]:
            problems.append(f"{structure}/{mistake}: reported differently when it is checked on its own")
    return problems


def show(expected, found):
    count = sum(len(codes) for codes in expected.values())
    counts = collections.Counter(found.values())
    print(f"{len(expected)} programs, {count} expected: {count - counts['missed'] - counts['hint']} by default, "
          f"{counts['hint']} as hints, {counts['missed']} missed; {counts['extra']} extra")
    by_mistake, by_structure = collections.defaultdict(list), collections.Counter()
    for (structure, mistake, code), what in sorted(found.items()):
        by_mistake[mistake, code, what].append(structure)
        by_structure[structure, what] += 1
    for (mistake, code, what), where in sorted(by_mistake.items(), key=lambda entry: -len(entry[1])):
        everywhere = "EVERYWHERE " if sum(name == mistake for _, name in expected) == len(where) else ""
        print(f"{mistake} {code} {what} {len(where)}: {everywhere}{' '.join(where)}")
    print(by_structure.most_common())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("--write", type=pathlib.Path)
    parser.add_argument("--show", action="store_true")
    parser.add_argument("--update", action="store_true")
    options = parser.parse_args()
    if options.write:
        write(options.write)
        return 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary).resolve()
        expected = write(folder)
        found = findings(options.binary, folder)
        shown, hinted = codes(found, folder)
        differing = differences(expected, shown, hinted)
        if options.show:
            show(expected, differing)
            return 0
        if options.update:
            update(differing)
            return 0
        problems = compare(differing, listed()) + single_runs(options.binary, folder, expected, found)
    print("\n".join(problems) or f"{len(expected)} programs: as expected")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
