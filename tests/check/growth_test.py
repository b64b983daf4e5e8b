#!/usr/bin/env python3
"""A program of eight times the size must take about eight times the work.

Programs with many of one thing (functions in a chain, branches, attributes, …) are generated in several sizes and
checked. The program's own counters of work (`--timings`) are compared per byte of source, never seconds: so the test says
the same on every machine.

usage: growth_test.py DEEPPERF_BINARY [--shape NAME] [--show]
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

SIZES = (1, 2, 4, 8)  # times what a shape starts with
MOST_GROWTH = 1.5  # of the work per byte, from the smallest program to the largest
WORTH_LOOKING = 20_000  # steps: smaller numbers are meaningless

HEAD = "import torch\nimport tensorflow as tf\n\n\n"


def chain(n):
    """Functions that call the one before."""
    return HEAD + "def f0(x):\n    return torch.relu(x)\n\n\n" + "".join(
        f"def f{i}(x):\n    return f{i - 1}(x) + 1\n\n\n" for i in range(1, n)) + f"y = f{n - 1}(torch.zeros(3))\n"


def chain_backwards(n):
    """Functions that call the one after."""
    return HEAD + "".join(f"def f{i}(x):\n    return f{i + 1}(x) + 1\n\n\n" for i in range(n)) + \
        f"def f{n}(x):\n    return torch.relu(x)\n\n\ny = f0(torch.zeros(3))\n"


def ring(n):
    """Functions that call each other in one large circle."""
    return HEAD + "".join(f"def f{i}(x, n):\n    return f{(i + 1) % n}(torch.relu(x), n - 1) if n else x\n\n\n"
                          for i in range(n)) + "y = f0(torch.zeros(3), 9)\n"


def cliques(n):
    """Groups of eight functions, each calling all of its group."""
    out = HEAD
    for i in range(n):
        group = range(i - i % 8, i - i % 8 + 8)
        calls = " + ".join(f"f{j}(x)" for j in group if j < n)
        out += f"def f{i}(x):\n    return {calls}\n\n\n"
    return out + "y = f0(torch.zeros(3))\n"


def methods_of_one_expression(n):
    """Methods that call two others, one inside the other."""
    return "import torch\n\n\nclass A(torch.nn.Module):\n" + "".join(
        f"    def m{i}(self, x):\n        return self.m{(i * 7 + 1) % n}(self.m{(i * 3 + 2) % n}(x))\n\n" for i in range(n))


def call_sites(n):
    """Calls of one function from the same place."""
    return HEAD + "def f(x, y=None):\n    return torch.relu(x)\n\n\nx = torch.zeros(3)\n" + "".join(
        f"x = f(x, {i})\n" for i in range(n))


def callers(n):
    """Functions that all call the same one, each with something else."""
    return HEAD + "def f(x):\n    return x\n\n\n" + "".join(
        f"def g{i}():\n    return f(torch.zeros({i}))\n\n\n" for i in range(n))


def branches(n):
    """Conditions in one function."""
    return HEAD + "def f(x, y, a):\n" + "".join(
        f"    if a == {i}:\n        x = torch.relu(x)\n    else:\n        y = x\n" for i in range(n)) + "    return x, y\n"


def branches_of_a_module(n):
    """Conditions that bind a name each."""
    return HEAD + "".join(f"if a == {i}:\n    x{i} = torch.zeros({i})\n" for i in range(n))


def guards(n):
    """Statements after `if …: return`."""
    return HEAD + "def f(x, a):\n" + "".join(
        f"    if a == {i}:\n        return x\n    x = torch.relu(x)\n" for i in range(n)) + "    return x\n"


def stages(n):
    """Stages of one pipeline."""
    return HEAD + "def g(x):\n    return x\n\n\nds = tf.data.Dataset.range(9)\n" + "".join(
        "ds = ds.map(g)\n" for _ in range(n)) + "ds = ds.batch(8)\n"


def pipelines(n):
    """Pipelines of five stages."""
    return HEAD + "def g(x):\n    return tf.cast(x, tf.float32)\n\n\n" + "".join(
        f"def make{i}(x):\n    ds = tf.data.Dataset.range(9)\n    ds = ds.map(g).shuffle(10)\n    return ds.batch(8)\n\n\n"
        for i in range(n)) + "".join(f"for x in make{i}(1):\n    print(x)\n" for i in range(n))


def attributes(n):
    """Attributes of one class, each stored and read."""
    return HEAD + "class Net(torch.nn.Module):\n    def __init__(self):\n        super().__init__()\n" + "".join(
        f"        self.layer{i} = torch.nn.Linear(3, 3)\n" for i in range(n)) + "\n    def forward(self, x):\n" + "".join(
        f"        x = self.layer{i}(x)\n" for i in range(n)) + "        return x\n\n\ny = Net()(torch.zeros(3))\n"


def methods(n):
    """Methods of one class, each calling the next and storing an attribute."""
    return HEAD + "class Net(torch.nn.Module):\n" + "".join(
        f"    def m{i}(self, x):\n        self.a{i} = x\n        return self.m{i + 1}(self.a{max(i - 1, 0)})\n\n"
        for i in range(n)) + f"    def m{n}(self, x):\n        return x\n\n\ny = Net().m0(torch.zeros(3))\n"


def classes(n):
    """Classes with one method each, and an object of each."""
    return HEAD + "".join(
        f"class C{i}(torch.nn.Module):\n    def forward(self, x):\n        return torch.relu(x)\n\n\n" for i in range(n)) + \
        "x = torch.zeros(3)\n" + "".join(f"x = C{i}()(x)\n" for i in range(n))


def ladder(n):
    """Classes that each derive from the one before. Each has one base more than that one, so this is small."""
    return HEAD + "class C0(torch.nn.Module):\n    def forward(self, x):\n        return x\n\n\n" + "".join(
        f"class C{i}(C{i - 1}):\n    def m{i}(self):\n        return {i}\n\n\n" for i in range(1, n // 10)) + \
        f"y = C{n // 10 - 1}()(torch.zeros(3))\n"


def bases(n):
    """One class with many bases."""
    return HEAD + "".join(f"class B{i}:\n    a{i} = {i}\n\n\n" for i in range(n)) + \
        f"class C({', '.join(f'B{i}' for i in range(n))}):\n    pass\n\n\ny = C().a3\n"


def keywords(n):
    """Parameters of one function, and a call that gives them all."""
    return HEAD + f"def f({', '.join(f'p{i}=None' for i in range(n))}):\n    return p0\n\n\n" + \
        f"y = f({', '.join(f'p{i}=torch.zeros({i})' for i in range(n))})\n"


def decorators(n):
    """Functions with decorators of the project."""
    return HEAD + "def wrap(f):\n    def inner(*a):\n        return f(*a)\n    return inner\n\n\n" + "".join(
        f"@wrap\n@torch.no_grad()\ndef f{i}(x):\n    return torch.relu(x)\n\n\n" for i in range(n))


def loops(n):
    """Loops one after the other in one function."""
    return HEAD + "def f(loader, net, opt):\n    total = 0\n" + "".join(
        f"    for x in loader:\n        loss = net(x).sum()\n        loss.backward()\n        opt.step()\n"
        f"        total += loss.item() + {i}\n" for i in range(n)) + "    return total\n"


def loops_of_functions(n):
    """Functions with a loop in a loop that calls the one before."""
    return HEAD + "def f0(x):\n    return x\n\n\n" + "".join(
        f"def f{i}(x):\n    for a in range(x):\n        for b in range(a):\n            x = f{i - 1}(torch.relu(x))\n"
        "    return x\n\n\n" for i in range(1, n))


def nested_loops(n):
    """Loops as deep as people and the parser go, many times."""
    nest = "".join("    " * depth + f"for i{depth} in range(n):\n" for depth in range(1, 16))
    return HEAD + "".join(f"def f{i}(x, n):\n{nest}{'    ' * 16}x = torch.relu(x)\n    return x\n\n\n"
                          for i in range(n // 20))


def tuples(n):
    """One long list, and an element of it."""
    return HEAD + f"x = [{', '.join(f'torch.zeros({i})' for i in range(n))}]\ny = x[3]\n"


def dicts(n):
    return HEAD + "x = {" + ", ".join(f"'k{i}': torch.zeros({i})" for i in range(n)) + "}\ny = x['k3']\n"


def globals_of_functions(n):
    """A variable of the module that many functions bind."""
    return HEAD + "state = None\n\n\n" + "".join(
        f"def f{i}(x):\n    global state\n    state = torch.relu(x)\n    return state\n\n\n" for i in range(n)) + "f0(1)\n"


def tries(n):
    return HEAD + "def f(x):\n" + "".join(
        f"    try:\n        x = torch.relu(x)\n    except ValueError:\n        x = torch.zeros({i})\n" for i in range(n)) + \
        "    return x\n"


def sessions(n):
    """Calls that run a session, each through functions."""
    return HEAD + "def run(sess, x):\n    return sess.run(tf.add(x, 1))\n\n\n" + "".join(
        f"def f{i}(sess, x):\n    for a in range(100):\n        run(sess, tf.abs(x))\n\n\n" for i in range(n))


def lambdas(n):
    return HEAD + "x = torch.zeros(3)\n" + "".join(f"g{i} = lambda x, y={i}: torch.relu(x) + y\nx = g{i}(x)\n"
                                                   for i in range(n))


def cells(n):
    """Cells of a notebook."""
    def cell(text):
        return {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None, "source": text}
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {},
                       "cells": [cell("import torch\nx = torch.zeros(3)")] +
                       [cell(f"x{i} = torch.relu(x)\nx = x{i} + 1") for i in range(n)]})


def star_imports(n):
    """Modules that all take over the names of one."""
    files = {"common.py": HEAD + "".join(f"def f{i}(x):\n    return torch.relu(x)\n\n\n" for i in range(20))}
    for i in range(n // 20):
        files[f"m{i}.py"] = "from common import *\n\n\n" + "".join(f"def g{j}(x):\n    return f{j}(x)\n\n\n"
                                                                   for j in range(20))
    return files


def modules(n):
    """Modules that each import the one before."""
    files = {"m0.py": HEAD + "def f(x):\n    return torch.relu(x)\n"}
    for i in range(1, n // 10):
        files[f"m{i}.py"] = f"import torch\nfrom m{i - 1} import f as g\n\n\ndef f(x):\n    return g(x) + 1\n"
    return files


# A function gives the text of a program with so many things in it, or the texts of its files.
SHAPES = {name: shape for name, shape in list(globals().items()) if callable(shape)}
START = {"ladder": 500}  # 1000 if not given
ENDING = {"cells": ".ipynb"}


def measure(binary, name, count, folder):
    """Counters of work, and bytes."""
    made = SHAPES[name](count)
    files = made if isinstance(made, dict) else {"main" + ENDING.get(name, ".py"): made}
    place = pathlib.Path(folder, f"{name}-{count}")
    place.mkdir()
    for path, text in files.items():
        (place / path).write_text(text)
    result = subprocess.run([binary, "check", "--timings", "--format=json", "--hints", "--jobs=1", str(place)],
                            capture_output=True, text=True, timeout=120)
    if result.returncode not in (0, 1):
        sys.exit(f"{name} {count}: status {result.returncode}\n{result.stderr[:2000]}")
    return json.loads(result.stderr.strip().splitlines()[-1])["work"], sum(len(text) for text in files.values())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("--shape", action="append", choices=SHAPES)
    parser.add_argument("--show", action="store_true", help="print all counters per byte")
    arguments = parser.parse_args()
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        for name in arguments.shape or SHAPES:
            start = START.get(name, 1000)
            found = [measure(arguments.binary, name, start * size, folder) for size in SIZES]
            for counter in found[0][0]:
                per_byte = [work[counter] / size for work, size in found]
                growth = per_byte[-1] / per_byte[0] if per_byte[0] else 1
                is_bad = growth > MOST_GROWTH and found[-1][0][counter] >= WORTH_LOOKING
                line = f"{name:22} {counter:22} {' '.join(f'{value:9.3f}' for value in per_byte)}  grows {growth:.2f}x"
                if is_bad:
                    failures.append(line)
                if arguments.show or is_bad:
                    print(line + ("  <--" if is_bad else ""), flush=True)
    if failures:
        sys.exit(f"{len(failures)} counters grow faster than the source")
    print(f"{len(arguments.shape or SHAPES)} shapes: the work grows as the source does")


if __name__ == "__main__":
    main()
