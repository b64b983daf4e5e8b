#!/usr/bin/env python3
"""Whatever happens to the files, what is printed with a cache is what is printed without one.

usage: cache_test.py DEEPPERF_BINARY
"""

import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time
import unittest

BINARY = os.path.abspath(sys.argv.pop(1))
FORMATS = (["--format", "text"], ["--format", "concise"], ["--format", "json"], ["--hints", "--format", "json"],
           ["--hints", "--format", "sarif"],
           ["--statistics"], ["--no-ignore", "--hints"], ["--diff", "--unsafe-fixes"])
OLD = 2.2  # seconds after which a file counts as quiet, and is not read again

DECODE = """def decode(path):
    return tf.io.decode_jpeg(tf.io.read_file(path))
"""
BODIES = (
    DECODE,
    DECODE + '\n\nds = tf.data.Dataset.list_files("*.jpg").map(decode)\n',
    'ds = tf.data.Dataset.list_files("*.jpg").map(decode)\n',
    'ds = tf.data.Dataset.list_files("*.jpg").map(decode)  # noqa: DP101\n',
    'ds = tf.data.Dataset.list_files("*.jpg").map(decode)  # deepperf: ignore\n',
    "def train(model, loader, optimizer, loss_function):\n    total = 0\n    for x, y in loader:\n"
    "        optimizer.zero_grad()\n        loss = loss_function(model(x), y)\n        loss.backward()\n"
    "        optimizer.step()\n        total += loss\n    return total\n",
    "x = np.float(1)\n",
    "x = 1  # deepperf: ignore[DP1O1] why\n",
    "x = = 1\n",
    "print 'Python 2'\n",
    "y = 'ä' * 3; z = (\n",
    "",
)
IMPORTS = ("import tensorflow as tf\n", "import torch\nimport numpy as np\n", "from a import *\n", "from b import decode\n",
           "from p.b import decode\n", "from . import a\n", "from .b import decode\n", "import p.q.a\n", "from q.b import decode\n",
           "import unittest\n", "from tensorflow import *\n")
PATHS = ("a.py", "b.py", "c.py", "p/__init__.py", "p/a.py", "p/b.py", "p/test.py", "p/q/a.py", "p/q/b.py", "q/b.py", "q/__init__.py",
         "tests/a.py", "tests/test_b.py", "setup.py", "n.ipynb")


def run(*arguments, cwd, cache):
    return subprocess.run([BINARY, "check", *arguments], cwd=cwd, capture_output=True, timeout=300,
                          env={**os.environ, "XDG_CACHE_HOME": str(cache)})


class Project(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name) / "project"
        self.cache = pathlib.Path(holder.name) / "cache"
        self.folder.mkdir()
        self.random = random.Random(7)

    def text(self):
        return "".join(self.random.sample(IMPORTS, self.random.randrange(4))) + "\n\n" + self.random.choice(BODIES)

    def write(self, path, text):
        target = self.folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        if target.suffix == ".ipynb":
            cells = [{"cell_type": "code", "metadata": {}, "outputs": [], "source": text}]
            text = json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells})
        target.write_text(text, encoding="utf-8")
        return target

    def fill(self):
        for path in PATHS:
            self.write(path, self.text())

    def files(self):
        return sorted(path for path in self.folder.rglob("*") if path.is_file())

    def check(self, *arguments, **options):
        return run(*arguments, cwd=options.get("cwd", self.folder), cache=self.cache)

    def assert_same(self, arguments, why):
        cached = self.check(*arguments)
        plain = self.check("--no-cache", *arguments)
        self.assertEqual(cached.stdout.decode(), plain.stdout.decode(), why)
        self.assertEqual(cached.stderr.decode(), plain.stderr.decode(), why)
        self.assertEqual(cached.returncode, plain.returncode, why)


class Edits(Project):
    """After each of many edits."""

    def change(self):
        target = self.random.choice(self.files())
        self.write(target.relative_to(self.folder), self.text())
        return f"change {target}"

    def add(self):
        path = self.random.choice(PATHS)
        self.write(path, self.text())
        return f"add {path}"

    def remove(self):
        target = self.random.choice(self.files())
        target.unlink()
        return f"remove {target}"

    def rename(self):
        target = self.random.choice(self.files())
        other = self.folder / self.random.choice(PATHS)
        other.parent.mkdir(parents=True, exist_ok=True)
        target.rename(other)
        return f"rename {target} to {other}"

    def touch(self):
        target = self.random.choice(self.files())
        target.touch()
        return f"touch {target}"

    def set_time(self):
        target = self.random.choice(self.files())
        moment = self.random.choice((0, 10**9, time.time(), time.time() + 10**6))
        os.utime(target, (moment, moment))
        return f"{target} is of {moment}"

    def same_size(self):
        """An edit that leaves size and time as they were."""
        target = self.random.choice(self.files())
        before = target.stat()
        text = target.read_bytes()
        for old, new in ((b"decode", b"encode"), (b"encode", b"decode"), (b"import tensorflow", b"import tensorfl0w")):
            if old in text:
                target.write_bytes(text.replace(old, new, 1))
                break
        os.utime(target, ns=(before.st_atime_ns, before.st_mtime_ns))
        return f"{target}, as long and as old as before"

    def swap(self):
        first, second = self.random.choice(self.files()), self.random.choice(self.files())
        other = first.with_name("swapped")
        first.rename(other)
        if first != second:
            second.rename(first)
        other.rename(second)
        return f"swap {first} and {second}"

    def require(self):
        name = self.random.choice(("requirements.txt", "p/requirements.txt", "p/q/Pipfile", "requirements/requirements.txt"))
        target = self.folder / name
        if target.exists() and self.random.random() < 0.3:
            target.unlink()
        else:
            self.write(name, self.random.choice(("numpy<1.20\n", "numpy>=1.24\n", "tensorflow==1.15\n", "torch>=2\n", "")))
        return f"requirements in {name}"

    def ignore(self):
        name = self.random.choice((".gitignore", "p/.gitignore"))
        self.write(name, self.random.choice(("", "b.py\n", "q/\n", "*.ipynb\n")))
        return f"rules in {name}"

    def test_random_edits(self):
        self.fill()
        (self.folder / ".git").mkdir()
        time.sleep(OLD)
        for arguments in FORMATS:
            self.assert_same(arguments, "cold")
            self.assert_same(arguments, "warm")
        edits = (self.change, self.change, self.add, self.add, self.remove, self.rename, self.touch, self.set_time,
                 self.same_size, self.same_size, self.swap, self.require, self.ignore)
        history = []
        for step in range(200):
            if len(self.files()) < 8:
                self.fill()
            for _ in range(self.random.choice((1, 1, 1, 3))):
                history.append(self.random.choice(edits)())
            if step % 40 == 39:
                time.sleep(OLD)
            self.assert_same(self.random.choice(FORMATS[:3]), (step, history[-6:]))
        for arguments in FORMATS:
            self.assert_same(arguments, "at the end")


class Runs(Project):
    def test_warm_equals_cold(self):
        self.fill()
        self.write("bad.py", "# coding: no-such-thing\n")
        self.write("c.ipynb", "x = = 1")
        for wait in (0, OLD):
            time.sleep(wait)
            for paths in ([], ["."], ["p", "a.py"], ["./p/"], [str(self.folder)], ["missing.py", "a.py"]):
                for arguments in FORMATS:
                    self.assert_same([*arguments, *paths], (arguments, paths))

    def test_unreadable_files(self):
        if os.geteuid() == 0:
            self.skipTest("root can read everything")
        self.fill()
        time.sleep(OLD)
        self.assert_same([], "cold")
        (self.folder / "a.py").chmod(0)
        self.assert_same([], "unreadable")
        self.assert_same([], "still unreadable")
        (self.folder / "a.py").chmod(0o600)
        self.assert_same([], "readable again")

    def test_fix(self):
        text = "import tensorflow as tf\n\n\n" + BODIES[1]
        outputs = set()
        for options in ([], [], ["--no-cache"]):
            self.write("a.py", text)
            self.check()
            result = self.check("--fix", *options)
            outputs.add((result.stdout, result.returncode, (self.folder / "a.py").read_text()))
        self.assertEqual(len(outputs), 1)
        self.assertIn("num_parallel_calls", outputs.pop()[2])

    def test_standard_input_and_timings_are_not_cached(self):
        subprocess.run([BINARY, "check", "-"], input="x = = 1\n", text=True, cwd=self.folder, capture_output=True,
                       env={**os.environ, "XDG_CACHE_HOME": str(self.cache)})
        self.check("--timings")
        self.assertFalse(self.cache.exists())

    def test_only_in_the_cache_folder(self):
        self.fill()
        before = self.files()
        self.check()
        self.assertEqual(self.files(), before)
        self.assertEqual(len(list((self.cache / "deepperf").iterdir())), 1)
        self.check("--hints")
        self.check("p")
        self.check("--no-cache", "p/q")
        self.assertEqual(len(list((self.cache / "deepperf").iterdir())), 3)

    def test_cache_dir(self):
        self.fill()
        other = self.cache / "some" / "where"
        expected = self.check("--no-cache").stdout
        for _ in range(2):
            self.assertEqual(self.check("--cache-dir", str(other)).stdout, expected)
        self.assertEqual(len(list(other.iterdir())), 1)
        self.assertFalse((self.cache / "deepperf").exists())

    def test_useless_folders_are_no_error(self):
        self.fill()
        expected = self.check("--no-cache")
        file = self.cache.with_name("file")
        file.write_text("x")
        locked = self.cache.with_name("locked")
        locked.mkdir(mode=0o500)
        public = self.cache.with_name("public")
        public.mkdir()
        public.chmod(0o777)
        for folder in (file, locked, public, "/proc/deepperf", "/dev/null"):
            for _ in range(2):
                result = self.check("--cache-dir", str(folder))
                self.assertEqual((result.stdout, result.stderr, result.returncode),
                                 (expected.stdout, b"", expected.returncode), folder)
        self.assertEqual(list(public.iterdir()), [])
        for environment in ({"XDG_CACHE_HOME": "relative"}, {"XDG_CACHE_HOME": "", "HOME": ""}):
            result = subprocess.run([BINARY, "check"], cwd=self.folder, capture_output=True,
                                    env={**os.environ, "HOME": str(self.cache), **environment})
            self.assertEqual((result.stdout, result.stderr), (expected.stdout, b""))

    def test_damage(self):
        self.fill()
        time.sleep(OLD)
        expected = self.check("--no-cache").stdout
        self.check()
        [file] = (self.cache / "deepperf").iterdir()
        good = file.read_bytes()
        for i in range(0, len(good), max(1, len(good) // 60)):
            for bad in (good[:i], good[:i] + bytes([good[i] ^ 0x55]) + good[i + 1:], good[i:], good + good[:i + 1]):
                file.write_bytes(bad)
                self.assertEqual(self.check().stdout, expected, i)
        self.assertEqual(file.read_bytes()[:15], good[:15])  # it was written again
        self.assertEqual(self.check().stdout, expected)

    def test_many_processes_at_once(self):
        self.fill()
        expected = self.check("--no-cache").stdout
        for _ in range(5):
            self.write("c.py", self.text())
            expected = self.check("--no-cache").stdout
            processes = [subprocess.Popen([BINARY, "check"], cwd=self.folder, stdout=subprocess.PIPE,
                                          env={**os.environ, "XDG_CACHE_HOME": str(self.cache)}) for _ in range(8)]
            for process in processes:
                self.assertEqual(process.communicate(timeout=300)[0], expected)
        self.assertEqual(len(list((self.cache / "deepperf").iterdir())), 1)
        self.assertEqual(self.check().stdout, expected)


if __name__ == "__main__":
    unittest.main()
