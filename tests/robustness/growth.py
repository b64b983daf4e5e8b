#!/usr/bin/env python3
"""Every rule's fixture and the generated programs, from 1,000 to 8,000 lines: the work per byte must not grow.

Many copies of a fixture, or many pieces of one kind, are put together in five ways: one after the other in a file, in one
function, in the methods of one class, in the cells of a notebook, and in files that import each other. Single things that are
very wide stand in a module, in a function and in a forward pass, and there are projects of many files. What is compared:

  --by counters      what the program counts itself (`--timings`): solver, walks, visits and queries of rules, and the
                     steps of each rule; no rule may stop because it takes too many
  --by instructions  all instructions, by callgrind: sees everything, and takes hours for all programs
  --by seconds       processor time: for a first look, on a quiet machine

  growth.py DEEPPERF_BINARY --sample 1      what ./test runs: a different part for each number, by the counters
  growth.py DEEPPERF_BINARY                 all of them, by the counters
  growth.py DEEPPERF_BINARY --by instructions --only frames --way function

usage: growth.py DEEPPERF_BINARY [--by …] [--only TEXT] [--way NAME] [--sample NUMBER] [--show]
"""

import argparse
import concurrent.futures
import json
import pathlib
import random
import re
import resource
import subprocess
import sys
import tempfile

import generated
import tangled

RULES = pathlib.Path(__file__).parent.parent / "rules"
LINES = {"counters": (1000, 8000), "instructions": (1000, 8000), "seconds": (2000, 16000)}
# Of the work per byte, from the smallest program to the largest. n log n from 1,000 to 8,000 lines would be 1.3.
MOST = {"counters": 1.5, "instructions": 1.6, "seconds": 2.2}
# Smaller numbers are meaningless, and so is less than one step for two bytes, as when a rule starts to work only at a certain length.
LEAST = {"counters": 20_000, "instructions": 400_000_000, "seconds": 0.4}
# What is bounded in another way: a function of more than 1,000 names keeps no values of its branches apart, so that each
# branch copies 1,000 at most.
BOUNDED = {"branch copies": 50_000_000}
SAMPLE = 34


def subjects():
    """Names of programs, and functions that give the texts of so many pieces."""
    made = {name: piece for name, piece in generated.PIECES.items()}
    for path in sorted(RULES.glob("*/*.py")):
        if not path.name.endswith(".fixed.py"):
            text = path.read_text()
            made[f"{path.parent.name}/{path.stem}"] = lambda i, text=text: text
    return made


def pieces_of(piece, lines):
    count = max(1, lines // max(1, piece(0).count("\n")))
    return [piece(i) for i in range(count)]


def programs():
    """Names, ways, and functions that give the files of a program of so many lines, or parts."""
    for name, piece in subjects().items():
        for way, arranged in generated.WAYS.items():
            yield name, way, lambda lines, piece=piece, arranged=arranged: arranged(pieces_of(piece, lines))
    for name, made in (generated.WIDE | tangled.WIDE).items():
        for place, around in generated.PLACES.items():
            yield f"wide {name}", place, lambda size, made=made, around=around: {"main.py": around(made(size))}
    for name, made in (generated.PROJECTS | tangled.PROJECTS).items():
        yield f"project {name}", "project", made


def run(command):
    """Runs it; its result and its processor time."""
    def limit():
        resource.setrlimit(resource.RLIMIT_CPU, (900, 900))
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    result = subprocess.run(command, capture_output=True, text=True, preexec_fn=limit)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if result.returncode not in (0, 1):
        raise RuntimeError(f"status {result.returncode}: {' '.join(map(str, command))}\n{result.stderr[-2000:]}")
    return result, after.ru_utime - before.ru_utime


def measure(arguments, folder):
    check = [arguments.binary, "check", "--no-cache", "--all", "--jobs=1", "--format=json"]
    if arguments.by == "instructions":
        out = folder.parent / (folder.name + ".callgrind")
        result, _ = run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", *check, folder])
        out.unlink(missing_ok=True)
        return {"instructions": int(re.search(r"Collected : (\d+)", result.stderr).group(1))}
    result, seconds = run([*check, "--timings", folder])
    if arguments.by == "seconds":
        return {"seconds": seconds}
    timings = json.loads(result.stderr.strip().splitlines()[-1])
    if stopped := [code for code, files in timings.get("stopped", {}).items() if files]:
        raise RuntimeError(f"{', '.join(stopped)}: too many steps")
    return timings["work"] | {f"steps of {code}": steps for code, steps in timings.get("steps", {}).items()}


def grows(arguments, name, way, made, nothing):
    """Lines about what grows, and lines about everything."""
    found = []
    for lines in LINES[arguments.by]:
        files = made(lines)
        with tempfile.TemporaryDirectory() as folder:
            place = pathlib.Path(folder, "program")
            for path, text in files.items():
                (place / path).parent.mkdir(parents=True, exist_ok=True)
                (place / path).write_text(text)
            try:
                found.append((measure(arguments, place), sum(len(text) for text in files.values())))
            except RuntimeError as error:
                return [f"{name} {way} {lines}: {error}"], []
    bad, all_lines = [], []
    for counter, last in found[-1][0].items():
        per_byte = [max(work.get(counter, 0) - nothing.get(counter, 0), 0) / size for work, size in found]
        growth = per_byte[-1] / per_byte[0] if per_byte[0] else 1
        line = f"{name:44} {way:9} {counter:22} {per_byte[0]:12.4g} {per_byte[-1]:12.4g}  grows {growth:.2f}x ({last:.3g})"
        all_lines.append(line)
        is_much = last >= BOUNDED.get(counter, LEAST[arguments.by]) and (arguments.by == "seconds" or per_byte[-1] > 0.5)
        if growth > MOST[arguments.by] and is_much:
            bad.append(line)
    return bad, all_lines


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("--by", choices=LINES, default="counters")
    parser.add_argument("--only", default="", help="programs with this in their name")
    parser.add_argument("--way", choices=[*generated.WAYS, *generated.PLACES, "project"])
    parser.add_argument("--sample", type=int, help="a part of all, chosen by this number")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--show", action="store_true", help="print everything, not only what grows")
    arguments = parser.parse_args()
    arguments.binary = str(pathlib.Path(arguments.binary).resolve())
    chosen = [one for one in programs() if arguments.only in one[0] and arguments.way in (None, one[1])]
    if arguments.sample is not None:
        chosen = random.Random(arguments.sample).sample(chosen, min(SAMPLE, len(chosen)))
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "program").mkdir()
        pathlib.Path(folder, "program", "empty.py").write_text("import torch\n")
        nothing = {} if arguments.by == "counters" else measure(arguments, pathlib.Path(folder, "program"))
    failures = []
    with concurrent.futures.ThreadPoolExecutor(1 if arguments.by == "seconds" else arguments.jobs) as pool:
        waiting = [pool.submit(grows, arguments, *what, nothing) for what in chosen]
        for done in concurrent.futures.as_completed(waiting):
            bad, lines = done.result()
            failures += bad
            for line in lines if arguments.show else bad:
                print(line + ("  <--" if line in bad else ""), flush=True)
    if failures:
        sys.exit(f"{len(failures)} of {len(chosen)} programs take more work per byte as they grow")
    print(f"{len(chosen)} programs: the work grows as the source does")


if __name__ == "__main__":
    main()
