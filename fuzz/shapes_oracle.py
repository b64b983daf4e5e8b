#!/usr/bin/env python3
"""Random PyTorch programs: what deepperf says of their shapes against what torch does.

usage: shapes_oracle.py DEEPPERF_BINARY [--programs N] [--seed N] [--keep FOLDER] [--batch N] [--shapes-every N] [--strict]
       shapes_oracle.py DEEPPERF_BINARY --from FILE
       shapes_oracle.py --make FILE [--programs N] [--seed N]

Each program (shapes_programs.py) is run with the torch of this machine (Debian: python3-torch). If it runs, deepperf must not
report an error (DP601 to DP613 without DP606, which is about programs that run), and every shape and dtype that `deepperf
shapes` gives for a name of the module must be the tensor's. If it raises, deepperf should report an error; where it does not,
that is a miss. A shape that is not known is no disagreement, but it is counted.

Prints how many programs agree, and the disagreements grouped by operation. Exit code 1 if there is one, 77 if there is no torch;
misses count only with --strict. Errors of torch that NO_MATTER lists are left out. --make writes the programs and what torch says
to a file, --from reads it: most of the time is torch's, and the programs of a seed are always the same. --keep FOLDER keeps the
programs that disagree.
"""

import argparse
import collections
import itertools
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import traceback
import warnings

RULES = ["DP601", "DP602", "DP603", "DP604", "DP605", "DP607", "DP608", "DP609", "DP610", "DP611", "DP612", "DP613"]

# Errors of torch that are no matter of shapes, dtypes or devices: they depend on values, or this version of torch has no
# kernel for a dtype on the CPU.
NO_MATTER = [
    r"not implemented for",
    r"Target -?\d+ is out of bounds",
    r"index out of range in self",
    r"Class values must be (non-negative|smaller)",
    r"all elements of (input|target) should be between",
    r"Integers to negative integer powers",
    r"Could not run '.*' with arguments",
    r"not supported on CPU",
    r"Expected more than 1 (value per channel|spatial element) when training",
    r"is not currently supported",
]


def run_program(text):
    """({name: (shape, dtype)}, None) or (None, (message, line))."""
    place = {"__name__": "__main__"}
    try:
        exec(compile(text, "/program.py", "exec"), place)
    except Exception as error:
        lines = [f.lineno for f in traceback.extract_tb(error.__traceback__) if f.filename == "/program.py"]
        return None, (f"{type(error).__name__}: {str(error).strip().splitlines()[0] if str(error).strip() else ''}",
                      lines[-1] if lines else 0)
    import torch
    return {name: (list(value.shape), str(value.dtype).removeprefix("torch.")) for name, value in place.items()
            if isinstance(value, torch.Tensor)}, None


def findings(binary, folder):
    """{file name: [(code, line, message)]} of all errors in a folder."""
    command = [binary, "check", "--no-cache", "--format", "json", "--select", ",".join(RULES), "."]
    result = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if result.returncode not in (0, 1):
        sys.exit(f"deepperf ended with {result.returncode}: {result.stderr[-2000:]}")
    found = collections.defaultdict(list)
    for finding in json.loads(result.stdout)["findings"]:
        found[os.path.basename(finding["path"])].append((finding["code"], finding["line"], finding["message"]))
    return found


def shapes(binary, folder, names):
    """{file name: the document of `deepperf shapes`}."""
    documents = {}
    for start in range(0, len(names), 200):
        part = names[start:start + 200]
        result = subprocess.run([binary, "shapes", "--format", "json", *part], cwd=folder, capture_output=True, text=True)
        if result.returncode not in (0, 1):
            sys.exit(f"deepperf shapes ended with {result.returncode}: {result.stderr[-2000:]}")
        for line in result.stdout.splitlines():
            if line.strip():
                document = json.loads(line)
                documents[os.path.basename(document["file"])] = document
    return documents


def made_now(count, seed):
    """Programs and what torch makes of them."""
    try:
        import torch
    except ImportError:
        print("skipped: there is no torch here (Debian: python3-torch)")
        sys.exit(77)
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    sys.path.insert(0, str(pathlib.Path(__file__).parent))
    import shapes_programs
    number = seed * 1_000_000_000
    while count > 0:
        number += 1
        text = shapes_programs.make(number)
        if text is not None:
            truth, error = run_program(text)
            count -= 1
            yield {"name": f"p{number}.py", "text": text, "truth": truth, "error": error}


def made_before(path):
    with open(path) as file:
        for line in file:
            if line.endswith("\n"):
                yield json.loads(line)


class Tally:
    def __init__(self):
        self.agreed = self.skipped = self.values = self.unknown = self.faulty = 0
        self.groups = collections.defaultdict(list)  # (kind, what) → [(program, detail)]
        self.lost = collections.Counter()

    def add(self, kind, what, program, detail):
        self.groups[kind, what].append((program, detail))


def operation_of(text, line):
    """What a line of a program calls, for grouping."""
    lines = text.split("\n")
    code = lines[line - 1] if 0 < line <= len(lines) else ""
    right = code.partition(" = ")[2] or code
    match = re.search(r"self\.(layer\d+)\(|^(layer\d+)\(", right)
    if match:
        name = match.group(1) or match.group(2)
        for other in lines:
            if re.match(rf"\s*(self\.)?{name} = ", other):
                right = other.partition(" = ")[2]
    called = re.findall(r"(?:nn|F|torch)\.[A-Za-z_0-9]+|\.[a-z_0-9]+(?=\()", right)
    if not called:
        called = re.findall(r" (@|[-+*/]{1,2}|>|==) ", right) or [("index" if "[" in right else right.strip()[:30])]
    return called[0]


def same(known, actual):
    """Does a shape of deepperf allow the real one? None: it says nothing."""
    if known is None or any(d is None for d in known):
        if known is not None and len(known) == len(actual):
            return None if all(k is None or k == a for k, a in zip(known, actual)) else False
        return None if known is None else False
    if any(isinstance(d, str) for d in known):
        return None if len(known) == len(actual) else False
    return known == actual


def compare(tally, name, text, truth, error, found, document):
    errors = found.get(name, [])
    if error is not None:
        message, line = error
        if any(re.search(pattern, message) for pattern in NO_MATTER):
            tally.skipped += 1
            return
        tally.faulty += 1
        if not errors:
            tally.add("missed", operation_of(text, line) + ": " + re.sub(r"\d+", "#", message)[:70], name, f"line {line}: {message}")
        else:
            tally.agreed += 1
        return
    if errors:
        code, line, message = errors[0]
        tally.add("false alarm", f"{code} {operation_of(text, line)}", name, f"line {line}: {code} {message}")
        return
    if document is not None:
        said = {}
        for root in document["roots"]:
            if root["name"] == "<module>":
                for value in root["values"]:
                    said[value["name"]] = value
        wrong = False
        for value_name, (shape, dtype) in truth.items():
            tally.values += 1
            value = said.get(value_name)
            head = value is not None and value.get("head")
            verdict = same(value["shape"], shape) if value is not None and not head else None
            line = value["line"] if value is not None else 0
            if verdict is False:
                tally.add("wrong shape", operation_of(text, line), name, f"{value_name}: {value['shape']}, and it is {shape}")
                wrong = True
            if verdict is None:
                tally.unknown += 1
                if value is None or value["shape"] is None:
                    for number, code in enumerate(text.split("\n"), 1):
                        if re.match(rf"\s*(.*\b)?{value_name}\b.* = ", code):
                            tally.lost[operation_of(text, number)] += 1
                            break
            if value is not None and value.get("dtype") not in (None, dtype):
                tally.add("wrong dtype", operation_of(text, line), name, f"{value_name}: {value['dtype']}, and it is {dtype}")
                wrong = True
        if wrong:
            return
    tally.agreed += 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary", nargs="?")
    parser.add_argument("--make", type=pathlib.Path)
    parser.add_argument("--from", type=pathlib.Path, dest="made")
    parser.add_argument("--programs", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--batch", type=int, default=1000)
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("--shapes-every", type=int, default=1, help="ask for the shapes of every N-th program")
    parser.add_argument("--strict", action="store_true")
    options = parser.parse_args()
    if options.make:
        with open(options.make, "w") as out:
            for program in made_now(options.programs, options.seed):
                out.write(json.dumps(program) + "\n")
                out.flush()
        return
    if options.binary is None:
        parser.error("which deepperf?")
    binary = os.path.abspath(options.binary)
    if options.keep:
        options.keep.mkdir(parents=True, exist_ok=True)
    tally, total = Tally(), 0
    began = time.monotonic()
    source = made_before(options.made) if options.made else made_now(options.programs, options.seed)
    while batch := list(itertools.islice(source, options.batch)):
        with tempfile.TemporaryDirectory() as holder:
            folder = pathlib.Path(holder)
            for program in batch:
                (folder / program["name"]).write_text(program["text"])
            found = findings(binary, folder)
            documents = shapes(binary, folder, [p["name"] for index, p in enumerate(batch)
                                                if p["error"] is None and index % options.shapes_every == 0])
            for program in batch:
                name = program["name"]
                before = sum(map(len, tally.groups.values()))
                compare(tally, name, program["text"], program["truth"], program["error"], found, documents.get(name))
                if options.keep and sum(map(len, tally.groups.values())) > before:
                    shutil.copy(folder / name, options.keep / name)
            total += len(batch)
        if total > options.batch:
            print(f"{total} programs after {time.monotonic() - began:.0f} s: {tally.agreed} agree", file=sys.stderr, flush=True)

    print(f"{total} programs, {tally.faulty} of them faulty; {tally.agreed} agree, {tally.skipped} are no matter of shapes; "
          f"{tally.values} values compared, {tally.unknown} of them not known")
    for (kind, what), cases in sorted(tally.groups.items(), key=lambda item: (item[0][0], -len(item[1]))):
        program, detail = cases[0]
        print(f"{kind}: {len(cases)} × {what}\n    {program}: {detail}")
    if tally.lost:
        print("not known, by operation:", ", ".join(f"{what} {count}" for what, count in tally.lost.most_common(40)))
    bad = sum(len(cases) for (kind, _), cases in tally.groups.items() if kind != "missed" or options.strict)
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
