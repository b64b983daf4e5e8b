#!/usr/bin/env python3
"""The same files give the same bytes: with one thread and with two, in whatever order the files are named, without a
cache, with an empty one and with a full one, and with a cache of a project that has changed since.

The files are the fixtures of all rules, as one large group that is connected by imports, and as many small ones.

usage: same_bytes_test.py DEEPPERF_BINARY
"""

import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import unittest

BINARY = os.path.abspath(sys.argv.pop(1))
FIXTURES = pathlib.Path(__file__).resolve().parent.parent / "rules"


def check(folder, *arguments):
    result = subprocess.run([BINARY, "check", "--format=json", "--hints", *arguments], cwd=folder, capture_output=True,
                            timeout=300)
    if result.returncode not in (0, 1, 2):
        raise AssertionError(f"status {result.returncode}: {result.stderr.decode()[:2000]}")
    return result.stdout


class SameBytes(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name, "project")
        self.cache = pathlib.Path(holder.name, "cache")

    def test_however_the_folder_is_named(self):
        for name, text in (("src/tool/__init__.py", "from .nets import make\n"),
                           ("src/tool/nets.py", "from torch import nn\n\n\ndef make():\n    return nn.Linear(3, 3).cuda()\n"),
                           ("examples/train.py", "import torch\nfrom tool import make\n\nmodel = make()\nmodel.eval()\n"
                                                 "for i in range(1000):\n    y = model(torch.zeros(3).cuda())\n    print(y.detach())\n")):
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        there = check(self.folder, "--no-cache", str(self.folder)).replace(str(self.folder).encode() + b"/", b"")
        self.assertIn(b"DP232", there)
        self.assertEqual(check(self.folder, "--no-cache", "."), there)

    def copy_fixtures(self):
        names = []
        for path in sorted(FIXTURES.rglob("*.py")):
            if path.parent != FIXTURES and ".fixed" not in path.name and ".unsafe" not in path.name:
                target = self.folder / path.relative_to(FIXTURES)
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(path, target)
                names.append(str(target.relative_to(self.folder)))
        self.assertGreater(len(names), 50)
        return names

    def compare_all(self, names):
        expected = check(self.folder, "--no-cache", "--jobs=1", ".")
        self.assertGreater(len(expected), 10_000)
        self.assertEqual(check(self.folder, "--no-cache", "--jobs=2", "."), expected, "two threads")
        cached = f"--cache-dir={self.cache}"
        self.assertEqual(check(self.folder, cached, "--jobs=2", "."), expected, "empty cache")
        self.assertEqual(check(self.folder, cached, "--jobs=2", "."), expected, "full cache")
        self.assertEqual(check(self.folder, cached, "--jobs=1", "."), expected, "full cache, one thread")
        named = check(self.folder, "--no-cache", "--jobs=2", *names)
        for seed in range(3):
            shuffled = random.Random(seed).sample(names, len(names))
            self.assertEqual(check(self.folder, "--no-cache", "--jobs=2", *shuffled), named, f"order {seed}")
        return expected

    def test_many_groups(self):
        self.compare_all(self.copy_fixtures())

    def test_one_group(self):
        names = self.copy_fixtures()
        # One file that imports them all makes one group of them, large enough for several threads.
        lines = ["import torch"]
        for name in names:
            path = pathlib.PurePath(name)
            lines.append(f"from {'.'.join(path.parent.parts)} import {path.stem}")
        (self.folder / "all_of_them.py").write_text("\n".join(lines) + "\n")
        self.compare_all([*names, "all_of_them.py"])

    def test_after_a_change(self):
        names = self.copy_fixtures()
        check(self.folder, f"--cache-dir={self.cache}", ".")
        for name in names[::7]:
            path = self.folder / name
            path.write_text("# changed\n" + path.read_text())
        (self.folder / names[1]).unlink()
        self.compare_all([name for name in names if name != names[1]])


if __name__ == "__main__":
    unittest.main()
