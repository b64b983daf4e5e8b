#!/usr/bin/env python3
"""Safe fixes change no result: runs the programs in tests/fix/programs before and after --fix, and compares what they print.

usage: programs_test.py DEEPPERF_BINARY [UNITTEST_ARGUMENT...]

Needs a Python with PyTorch, which may be another one than runs this; without one only the edits are looked at, and the test says
so.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

PROGRAMS = pathlib.Path(__file__).resolve().parent / "programs"
# Programs that fail without their fix: what they print is not compared.
FAILS_BEFORE = {"missing_super_init", "missing_super_init_before_others", "missing_super_init_in_old_style"}


def python_with(*modules):
    """A Python that has them all; nothing if there is none."""
    for python in (sys.executable, "/usr/bin/python3", shutil.which("python3")):
        imports = "import " + ", ".join(modules)
        if python and subprocess.run([python, "-c", imports], capture_output=True).returncode == 0:
            return python
    return None


# Runs the programs that it is given one after the other, as importing PyTorch takes longer than all of them.
RUN_ALL = """
import contextlib, io, json, runpy, sys, traceback, warnings
warnings.simplefilter("ignore")
results = {}
for path in sys.argv[1:]:
    printed, error = io.StringIO(), ""
    with contextlib.redirect_stdout(printed):
        try:
            runpy.run_path(path, run_name="__main__")
        except BaseException:
            error = traceback.format_exc()
    results[path] = [printed.getvalue(), error]
json.dump(results, sys.stdout)
"""


def run_programs(python, folder, names):
    """{name: [what it printed, the error that ended it]}"""
    result = subprocess.run([python, "-c", RUN_ALL, *names], capture_output=True, cwd=folder, encoding="utf-8")
    if result.returncode != 0:
        raise AssertionError(result.stderr)
    return json.loads(result.stdout)


class Programs(unittest.TestCase):
    maxDiff = None

    def fix(self, path, folder):
        """Applies the safe fixes of its rules to a copy."""
        head = path.read_text(encoding="utf-8").splitlines()[0].lstrip("# ").split()
        rules, unchanged = [word for word in head if word.startswith("DP")], "unchanged" in head
        environment = {**os.environ, "XDG_CACHE_HOME": os.devnull}
        command = [BINARY, "check", "--select", ",".join(rules), "--hints"]
        found = subprocess.run([*command, "--format", "concise", path.name], cwd=folder, capture_output=True,
                               env=environment, encoding="utf-8")
        self.assertIn(rules[0], found.stdout)
        fixed = subprocess.run([*command, "--fix", path.name], cwd=folder, capture_output=True, env=environment)
        self.assertIn(fixed.returncode, (0, 1), fixed.stderr)
        copy = pathlib.Path(folder) / path.name
        self.assertEqual(copy.read_bytes() == path.read_bytes(), unchanged, copy.read_text(encoding="utf-8"))

    def test_programs(self):
        python = python_with("torch", "numpy")
        paths = sorted(PROGRAMS.glob("*.py"))
        names = [path.name for path in paths]
        with tempfile.TemporaryDirectory() as folder:
            for path in [*paths, PROGRAMS / "requirements.txt"]:
                shutil.copy(path, folder)
            before = run_programs(python, folder, names) if python else {}
            for path in paths:
                with self.subTest(program=path.stem):
                    self.fix(path, folder)
            if not python:
                self.skipTest("no Python with PyTorch and NumPy here, so the results were not compared")
            after = run_programs(python, folder, names)
            for path in paths:
                with self.subTest(program=path.stem):
                    self.assertNotEqual(before[path.name][0], "", "a program has to print what it computes")
                    self.assertEqual(after[path.name][1], "", (pathlib.Path(folder) / path.name).read_text())
                    if path.stem not in FAILS_BEFORE:
                        self.assertEqual(before[path.name], after[path.name])


if __name__ == "__main__":
    BINARY = os.path.abspath(sys.argv.pop(1))
    unittest.main()
