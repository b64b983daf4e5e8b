#!/usr/bin/env python3
"""What lies around the checked files appears, changes and disappears at random: a check with a cache must report what one
without a cache reports. Findings depend on more than the files of a group: on requirements, on whether pip can install a
folder, on folders that have the name of a library.

usage: around_test.py DEEPPERF_BINARY [--steps N] [--seed N]
"""

import argparse
import collections
import json
import random
import shutil
import sys

from support import Folder, main, run

STEPS, SEED = 150, 1

LIBRARY = """import numpy as np
import tensorflow as tf
import torch
from torch.utils.data import DataLoader, Dataset


class Pictures(Dataset):
    def __init__(self, paths):
        self.paths = paths

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, i):
        return torch.load(self.paths[i]), np.random.rand()


class Trainer:
    def __init__(self, workers=0):
        self.workers = workers

    def train(self, model, optimizer, paths):
        for x, y in DataLoader(Pictures(paths), batch_size=32, num_workers=self.workers):
            optimizer.zero_grad()
            torch.nn.functional.cross_entropy(model(x.cuda()), y.cuda()).backward()
            optimizer.step()
        return np.float(3), torch.symeig(x), tf.to_float(y)
"""
SCRIPT = "import numpy as np\nimport torch\nimport lib\nimport tools\nx = np.float(1)\ny = np.bool(0)\nz = torch.lu(torch.zeros(3, 3))\nw = torch.solve(z, z)\n"

FOLDERS = ("", "a/", "a/lib/", "b/", "b/c/", "a/src/")
TEXTS = {
    "setup.py": ("from setuptools import setup\nsetup(name='thing')\n", "print('nothing')\n",
                 "from setuptools import setup\nsetup(name='thing', install_requires=['numpy>=1.24', 'torch==1.7'])\n"),
    "setup.cfg": ("[metadata]\nname = thing\n", "[flake8]\n"),
    "pyproject.toml": ("[project]\nname = 'thing'\n", "[tool.black]\n", "[project]\nname = 'numpy'\nversion = '1.19'\n",
                       "[project]\nname = 'lib'\ndependencies = ['numpy<1.20', 'torch>=2.0']\n"),
    "requirements.txt": ("numpy==1.19\n", "torch>=2.1\nnumpy>=1.24\n", "lib\n", "tensorflow==1.15\ntools\n", ""),
    "Dockerfile": ("FROM pytorch/pytorch:1.6\n", "RUN pip install numpy==1.24 torch==2.0\n"),
    "numpy.py": ("float = 3\n",),
    "torch/__init__.py": ("",),
    "lib/__init__.py": ("", "from numpy import *\n"),
    "tools/__init__.py": ("",),
    "src/lib/__init__.py": ("",),
    ".git/HEAD": ("ref: refs/heads/main\n",),
}


class Around(Folder):
    def setUp(self):
        super().setUp()
        self.write("a/lib/train.py", LIBRARY)
        self.write("b/script.py", SCRIPT)
        self.write("b/c/script.py", SCRIPT)
        self.write("a/src/lib/more.py", LIBRARY)

    def report(self, *arguments):
        result = run("check", "--all", "--format", "json", *arguments, cwd=self.folder / "tree")
        self.assertIn(result.returncode, (0, 1), result.stderr)
        return json.loads(result.stdout)

    def test_edits_at_random(self):
        (self.folder / "tree").mkdir()
        for name in ("a", "b"):
            (self.folder / name).rename(self.folder / "tree" / name)
        generator = random.Random(SEED)
        cache = f"--cache-dir={self.folder / 'cache'}"
        done = collections.deque(maxlen=6)
        seen = set()
        for _ in range(STEPS):
            kind = generator.choice(list(TEXTS))
            name = generator.choice(FOLDERS) + kind
            path = self.folder / "tree" / name
            if path.exists() and generator.random() < 0.6:
                shutil.rmtree(path.parent) if path.parent.name in ("torch", "tools", ".git") else path.unlink()
                done.append(f"no {name}")
            else:
                text = generator.choice(TEXTS[kind])
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
                done.append(f"{name}: {text!r}")
            fresh = self.report("--no-cache")
            self.assertEqual(self.report(cache, "."), fresh, "\n".join(done))
            seen.add(json.dumps(fresh["findings"]))
        self.assertGreater(len(seen), min(STEPS, 150) // 15)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--seed", type=int, default=SEED)
    arguments, rest = parser.parse_known_args()
    STEPS, SEED = arguments.steps, arguments.seed
    sys.argv[1:] = [arguments.binary, *rest]
    main(sys.argv)
