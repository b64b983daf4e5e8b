#!/usr/bin/env python3
"""Single things that are very wide or very deep, of every kind: each gets an answer, in bounded memory and time, and the files
next to it are checked as ever.

usage: wide_test.py DEEPPERF_BINARY [--all] [--size N] [--only TEXT]
"""

import argparse
import json
import pathlib
import random
import resource
import subprocess
import sys
import tempfile

import generated
import tangled

MEMORY = 3 << 30  # bytes of addresses; two stacks of 256 MB are reserved in that
SECONDS = 120  # of processor time, for what would else never end
SAMPLE = 30
WIDE = generated.WIDE | tangled.WIDE
BESIDE = "import torch\nimport numpy as np\nx = np.float(3)\n"


def programs(size):
    for place, around in generated.PLACES.items():
        for name, made in WIDE.items():
            yield f"{name} in a {place}", lambda made=made, around=around: {"main.py": around(made(size))}
    for name, made in WIDE.items():
        yield f"{name} in a written cell", lambda made=made: {"main.ipynb": generated.notebook(
            [generated.HEAD, "%%writefile m.py\n" + made(size), made(size)])}
    for name, made in (generated.PROJECTS | tangled.PROJECTS).items():
        yield f"project {name}", lambda made=made: made(size)


def check(binary, files, is_limited):
    """What is wrong with the answer, or nothing; and the processor time."""
    def limit():
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
        if is_limited:
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            path = pathlib.Path(folder, "tree", name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        pathlib.Path(folder, "tree", "beside_it.py").write_text(BESIDE)
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        try:
            result = subprocess.run([binary, "check", "--no-cache", "--all", "--jobs=2", "--format=json", "tree"], cwd=folder,
                                    capture_output=True, preexec_fn=limit, timeout=10 * SECONDS)
        except subprocess.TimeoutExpired:
            return "hangs", 0
        seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    has_unknown_rules = b"in a suppression comment" in result.stderr  # which is trouble of its own
    if result.returncode != (2 if has_unknown_rules else 1):
        return f"status {result.returncode}: {(result.stderr or result.stdout)[-300:]}", seconds
    report = json.loads(result.stdout)
    failures = [error["message"] for error in report["errors"] if "deepperf failed" in error["message"]]
    if failures:
        return failures[0][:300], seconds
    if not any(finding["path"] == "tree/beside_it.py" for finding in report["findings"]):
        return "nothing is said of the file beside it", seconds
    return "", seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("--all", action="store_true", help="not only a sample")
    parser.add_argument("--size", type=int, default=2000)
    parser.add_argument("--only", default="")
    parser.add_argument("--show", action="store_true", help="print the processor time of each")
    arguments = parser.parse_args()
    binary = str(pathlib.Path(arguments.binary).resolve())
    chosen = [program for program in programs(arguments.size) if arguments.only in program[0]]
    if not arguments.all and not arguments.only:
        chosen = random.Random(3).sample(chosen, SAMPLE)
    failed = 0
    for name, files in chosen:
        problem, seconds = check(binary, files(), "asan" not in binary and "tsan" not in binary)
        if problem or arguments.show:
            print(f"{name}: {problem or 'fine'} ({seconds:.2f} s)", flush=True)
        failed += bool(problem)
    if failed:
        sys.exit(f"{failed} of {len(chosen)} programs failed")
    print(f"{len(chosen)} programs: each has its answer")


if __name__ == "__main__":
    main()
