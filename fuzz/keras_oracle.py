#!/usr/bin/env python3
"""Random stacks of Keras layers: the shapes that deepperf gives against those of TensorFlow.js.

usage: keras_oracle.py DEEPPERF_BINARY BUILD_FOLDER [--stacks N] [--seed N] [--keep FOLDER]

TensorFlow.js has the layers of Keras and computes their output shapes without TensorFlow; npm installs it into the build
folder. A stack that it takes must have the same shapes here and no finding; one that it refuses must have a finding at the
layer that it refuses, and a stack whose map vanishes counts as refused. A shape that is not known is no disagreement, and is
counted. Exit code 1 if there is a disagreement, 77 if there is no npm.
"""

import argparse
import collections
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tests"))
import npm_packages  # noqa: E402: its folder is known only now

RULES = ["DP601", "DP602", "DP603", "DP604", "DP610", "DP611", "DP612"]


def python_name(name):
    """conv2dTranspose -> Conv2DTranspose"""
    fixed = {"gru": "GRU", "lstm": "LSTM", "simpleRNN": "SimpleRNN", "cropping2D": "Cropping2D"}
    if name in fixed:
        return fixed[name]
    for digit in "123":
        name = name.replace(digit + "d", digit + "D")
    return name[0].upper() + name[1:]


def python_value(value):
    return tuple(value) if isinstance(value, list) else value


def snake(name):
    return "".join("_" + c.lower() if c.isupper() else c for c in name)


def python_layer(description):
    name, options = description
    arguments = []
    for key, value in options.items():
        text = python_layer(value) if key == "layer" else repr(python_value(value))
        arguments.append(f"{snake(key)}={text}")
    return f"layers.{python_name(name)}({', '.join(arguments)})"


def program(stack):
    lines = ["from tensorflow.keras import layers, Input", f"x0 = Input(shape={tuple(stack['input'])!r})"]
    for i, description in enumerate(stack["layers"], 1):
        before = f"[x{i - 1}, x{i - 1}]" if description[0] in ("add", "concatenate") else f"x{i - 1}"
        lines.append(f"x{i} = {python_layer(description)}({before})")
    return "\n".join(lines) + "\n"


class Maker:
    """A random stack. It follows the rank roughly, so that most stacks are right; one in six layers does not care."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def number(self, low, high):
        return self.random.randint(low, high)

    def sizes(self, count, low, high):
        if self.random.random() < 0.5:
            return self.number(low, high)
        return [self.number(low, high) for _ in range(count)]

    def window(self, count, is_pool):
        options = {"poolSize" if is_pool else "kernelSize": self.sizes(count, 1, 4),
                   "padding": self.random.choice(["valid", "same"])}
        if self.random.random() < 0.5:
            options["strides"] = self.sizes(count, 1, 3)
        return options

    def recurrent(self):
        return [self.random.choice(["lstm", "gru", "simpleRNN"]),
                {"units": self.number(1, 12), "returnSequences": self.random.random() < 0.6}]

    def layer(self, rank):
        pick = self.random.choice
        if self.random.random() < 1 / 6:
            rank = self.number(2, 5)
        common = [["dense", {"units": self.number(1, 16)}], ["dropout", {"rate": 0.5}], ["batchNormalization", {}],
                  ["activation", {"activation": "relu"}], ["add", {}], ["concatenate", {"axis": -1}], ["flatten", {}],
                  ["layerNormalization", {}]]
        if rank == 2:
            return pick(common + [["repeatVector", {"n": self.number(1, 6)}],
                                  ["reshape", {"targetShape": [self.number(1, 8), self.number(1, 8)]}],
                                  ["reshape", {"targetShape": [-1, self.number(1, 4)]}],
                                  ["embedding", {"inputDim": 50, "outputDim": self.number(1, 12)}]])
        if rank == 3:
            return pick(common + [
                ["conv1d", {"filters": self.number(1, 12), **self.window(1, False)}],
                ["maxPooling1d", self.window(1, True)], ["averagePooling1d", self.window(1, True)],
                ["globalMaxPooling1d", {}], ["globalAveragePooling1d", {}], self.recurrent(), self.recurrent(),
                ["bidirectional", {"layer": self.recurrent(), "mergeMode": pick(["concat", "sum", "mul", "ave"])}],
                ["timeDistributed", {"layer": ["dense", {"units": self.number(1, 9)}]}],
                ["permute", {"dims": [2, 1]}], ["upSampling1d", {"size": self.number(1, 3)}]][:-1])
        if rank == 4:
            return pick(common + [
                ["conv2d", {"filters": self.number(1, 12), **self.window(2, False)}],
                ["conv2d", {"filters": self.number(1, 12), "kernelSize": self.number(1, 3), "dilationRate": 2}],
                ["conv2dTranspose", {"filters": self.number(1, 12), **self.window(2, False)}],
                ["depthwiseConv2d", {**self.window(2, False), "depthMultiplier": self.number(1, 3)}],
                ["separableConv2d", {"filters": self.number(1, 12), **self.window(2, False)}],
                ["maxPooling2d", self.window(2, True)], ["averagePooling2d", self.window(2, True)],
                ["globalMaxPooling2d", {}], ["globalAveragePooling2d", {}], ["upSampling2d", {"size": [2, 2]}],
                ["zeroPadding2d", {"padding": [self.number(0, 2), self.number(0, 2)]}],
                ["zeroPadding2d", {"padding": [[1, 2], [0, 3]]}],
                ["cropping2D", {"cropping": [[self.number(0, 2), 1], [0, self.number(0, 3)]]}],
                ["permute", {"dims": [2, 1, 3]}],
                ["reshape", {"targetShape": [-1, self.number(1, 12)]}]])
        return pick(common + [["conv3d", {"filters": self.number(1, 4), **self.window(3, False)}],
                              ["maxPooling3d", self.window(3, True)]])

    def stack(self):
        rank = self.random.choice([2, 3, 3, 4, 4, 4, 5])
        low, high = (3, 9) if rank == 5 else (4, 24)
        stack = {"input": [self.number(low, high) for _ in range(rank - 2)] + [self.number(1, 6)], "layers": []}
        for _ in range(self.number(1, 6)):
            name, options = self.layer(rank)
            stack["layers"].append([name, options])
            if name in ("flatten",) or name.startswith("global") or options.get("returnSequences") is False:
                rank = 2
            elif name == "repeatVector" or name == "embedding":
                rank = 3
            elif name == "reshape":
                rank = len(options["targetShape"]) + 1
        return stack


def answers(stacks, folder):
    text = "\n".join(json.dumps(stack) for stack in stacks) + "\n"
    result = subprocess.run(["node", str(HERE / "keras_oracle" / "shapes.js"), str(folder)], input=text, text=True,
                            capture_output=True)
    lines = [json.loads(line) for line in result.stdout.splitlines()]
    if len(lines) != len(stacks):
        sys.exit(f"TensorFlow.js answered {len(lines)} of {len(stacks)} stacks: {result.stderr[-2000:]}")
    return lines


def documents(binary, folder, names):
    found = {}
    for start in range(0, len(names), 200):
        result = subprocess.run([binary, "shapes", "--format", "json", *names[start:start + 200]], cwd=folder,
                                capture_output=True, text=True)
        for line in result.stdout.splitlines():
            if line.startswith("{"):
                document = json.loads(line)
                found[pathlib.Path(document["file"]).name] = document
    return found


def findings(binary, folder):
    result = subprocess.run([binary, "check", "--no-cache", "--format", "json", "--select", ",".join(RULES), "."],
                            cwd=folder, capture_output=True, text=True)
    found = collections.defaultdict(list)
    for one in json.loads(result.stdout)["findings"]:
        found[pathlib.Path(one["path"]).name].append(one)
    return found


def plain(shape):
    """Without the batch, which has a name here and none there; a size that is not known is None."""
    return None if shape is None else [size if isinstance(size, int) else None for size in shape[1:]]


def compare(stack, answer, document, found, count):
    """What is wrong, or nothing."""
    values = {value["name"]: value["shape"] for root in document["roots"] for value in root["values"]}
    for i, shape in enumerate(answer["shapes"]):
        mine = plain(values.get(f"x{i}"))
        layer = stack["layers"][i - 1][0] if i else "input"
        if mine is None:
            count["not known"] += 1
        elif len(mine) != len(shape) - 1 or any(a is not None and a != b for a, b in zip(mine, shape[1:])):
            return f"{layer}: {mine} here, {shape[1:]} there"
        else:
            count["shapes"] += 1
    if "error" not in answer:
        return f"{found[0]['code']}: {found[0]['message']}, and TensorFlow.js takes it" if found else None
    count["refused"] += 1
    layer = stack["layers"][len(answer["shapes"]) - 1][0]
    line = len(answer["shapes"]) + 2
    if not found:
        count[f"missed {layer}: {re.sub(r'layer [a-z0-9A-Z_]+', 'layer', answer['error'])[:80]}"] += 1
    elif found[0]["line"] != line:
        return f"a finding in line {found[0]['line']}, and TensorFlow.js refuses {layer} in line {line}: {answer['error']}"
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("build_folder")
    parser.add_argument("--stacks", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep")
    options = parser.parse_args()
    binary = str(pathlib.Path(options.binary).resolve())
    try:
        folder = npm_packages.install(HERE / "keras_oracle", options.build_folder, "npm-keras-oracle")
    except npm_packages.Missing as reason:
        print(f"skipped: {reason}")
        sys.exit(77)
    maker = Maker(options.seed)
    stacks = [maker.stack() for _ in range(options.stacks)]
    theirs = answers(stacks, folder)
    count, problems = collections.Counter(), collections.defaultdict(list)
    with tempfile.TemporaryDirectory() as holder:
        names = [f"stack{i}.py" for i in range(len(stacks))]
        for name, stack in zip(names, stacks):
            pathlib.Path(holder, name).write_text(program(stack), encoding="utf-8")
        ours, found = documents(binary, holder, names), findings(binary, holder)
        for name, stack, answer in zip(names, stacks, theirs):
            wrong = compare(stack, answer, ours[name], found.get(name, []), count)
            if wrong:
                problems[wrong.split(":")[0]].append((name, wrong))
                if options.keep:
                    pathlib.Path(options.keep).mkdir(parents=True, exist_ok=True)
                    pathlib.Path(options.keep, name).write_text(f"# {wrong}\n{program(stack)}", encoding="utf-8")
    wrong = sum(map(len, problems.values()))
    print(f"{len(stacks)} stacks: {wrong} disagree; {count['shapes']} shapes agree, {count['not known']} are not known; "
          f"TensorFlow.js refuses {count['refused']}")
    for key, times in count.most_common():
        if key.startswith("missed"):
            print(f"  {times} {key}")
    for key, cases in problems.items():
        print(f"{len(cases)} times {key}: {cases[0][0]}: {cases[0][1]}")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
