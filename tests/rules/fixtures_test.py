#!/usr/bin/env python3
"""Runs every rule on its fixture, and on the examples in its documentation.

usage: fixtures_test.py DEEPPERF_BINARY

tests/rules/<cause>/<rule>.py is the fixture of src/rules/<cause>/<rule>.cpp; a folder of that name holds fixtures of several
files. A line ending in `# expect: DP101` must be reported by that rule, one ending in `# hint: DP101` as a hint only, and
every other line must not be reported by that rule; a line with `# syntax error` is meant to have one. <rule>.fixed.py is what
--fix makes of <rule>.py, <rule>.unsafe.py what --fix --unsafe-fixes does.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

BINARY = os.path.abspath(sys.argv.pop(1))
HERE = pathlib.Path(__file__).resolve().parent
SOURCES = HERE.parent.parent / "src" / "rules"


def check(*arguments, cwd):
    result = subprocess.run([BINARY, "check", "--format", "json", *arguments], cwd=cwd, capture_output=True,
                            text=True, timeout=300)
    if result.returncode == 2:
        raise AssertionError(result.stdout + result.stderr)
    return json.loads(result.stdout)


def rules():
    """All rules, as `deepperf rules` tells them."""
    return json.loads(subprocess.run([BINARY, "rules", "--format", "json"], capture_output=True, text=True,
                                     check=True).stdout)["rules"]


CODES = {rule["name"].replace("-", "_"): rule["code"] for rule in rules()}


def code_of(fixture):
    """The code of the rule that a fixture is for: its file's name is the rule's name, perhaps with more behind it."""
    stem = fixture.name.split(".")[0]
    return CODES[max((name for name in CODES if stem.startswith(name)), key=len)]


def expected(path):
    found = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        for kind, codes in re.findall(r"#\s*(expect|hint):\s*((?:DP\d+[,\s]*)+)", line):
            found += [(number, code, "hint" if kind == "hint" else "warning") for code in re.findall(r"DP\d+", codes)]
    return sorted(found)


def broken(fixture):
    """Where a fixture has a syntax error on purpose."""
    files = fixture.rglob("*.py") if fixture.is_dir() else [fixture]
    return {(str(file.relative_to(fixture.parent)), number) for file in files
            for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1) if "# syntax error" in line}


def reported(findings, name):
    return sorted({(finding["line"], finding["code"], finding["severity"]) for finding in findings
                   if os.path.basename(finding["path"]) == name})


class Fixtures(unittest.TestCase):
    maxDiff = None

    def test_fixtures(self):
        fixtures = sorted(path for cause in HERE.iterdir() if cause.is_dir() for path in cause.iterdir()
                          if not path.name.endswith((".fixed.py", ".unsafe.py", ".fixed")) and (path.is_dir() or path.suffix == ".py")
                          and path.name != "__pycache__")
        self.assertGreater(len(fixtures), 2)
        for fixture in fixtures:
            with self.subTest(fixture=fixture.name), tempfile.TemporaryDirectory(prefix="fixture") as folder:
                # Elsewhere, because findings in a folder called tests are only hints.
                copy = pathlib.Path(folder) / "project" / fixture.name
                if fixture.is_dir():
                    shutil.copytree(fixture, copy)
                else:
                    copy.parent.mkdir()
                    shutil.copy(fixture, copy)
                result = check("--hints", "--select", code_of(fixture), ".", cwd=copy.parent)
                self.assertEqual({(error["path"], error["line"]) for error in result["errors"]}, broken(copy))
                for file in [copy] if copy.is_file() else sorted(copy.rglob("*.py")):
                    with self.subTest(file=file.name):
                        self.assertEqual(reported(result["findings"], file.name), expected(file))

    def test_fixes(self):
        for ending, options in ((".fixed.py", ["--fix"]), (".unsafe.py", ["--fix", "--unsafe-fixes"])):
            for fixed in sorted(HERE.rglob("*" + ending)):
                with self.subTest(fixture=fixed.name), tempfile.TemporaryDirectory(prefix="fixture") as folder:
                    original = fixed.with_name(fixed.name.replace(ending, ".py"))
                    copy = pathlib.Path(folder) / original.name
                    shutil.copy(original, copy)
                    all_options = [*options, "--select", code_of(fixed)]
                    check(*all_options, copy.name, cwd=folder)
                    self.assertEqual(copy.read_text(encoding="utf-8"), fixed.read_text(encoding="utf-8"))
                    check(*all_options, copy.name, cwd=folder)
                    self.assertEqual(copy.read_text(encoding="utf-8"), fixed.read_text(encoding="utf-8"),
                                     "a second run changes more")

    def test_fixes_of_folders(self):
        for fixed in sorted(HERE.rglob("*.fixed")):
            with self.subTest(fixture=fixed.name), tempfile.TemporaryDirectory(prefix="fixture") as folder:
                copy = pathlib.Path(folder) / "project"
                shutil.copytree(fixed.with_suffix(""), copy)
                check("--fix", "--select", code_of(fixed), ".", cwd=copy)
                for file in sorted(fixed.rglob("*.py")):
                    self.assertEqual((copy / file.relative_to(fixed)).read_text(encoding="utf-8"),
                                     file.read_text(encoding="utf-8"))

    def test_every_fix_has_a_fixture(self):
        for source in sorted(SOURCES.glob("*/*.cpp")):
            rule = next(rule for rule in rules() if rule["name"].replace("-", "_") == source.stem)
            if rule["fix"] != "none":
                ending = ".fixed.py" if rule["fix"] == "safe" else ".unsafe.py"
                fixture = HERE / source.parent.name / (source.stem + ending)
                self.assertTrue(fixture.exists() or fixture.with_suffix("").is_dir(), source)

    def test_every_rule_has_a_fixture(self):
        for source in sorted(SOURCES.glob("*/*.cpp")):
            fixture = HERE / source.parent.name / source.stem
            self.assertTrue(fixture.is_dir() or fixture.with_suffix(".py").exists(), source)

    def test_documentation(self):
        self.assertGreater(len(rules()), 2)
        for rule in rules():
            text = subprocess.run([BINARY, "explain", rule["code"], "--format", "markdown"], capture_output=True, text=True,
                                  check=True).stdout
            blocks = re.findall(r"## (Bad|Good)\n+```python\n(.*?)```", text, re.DOTALL)
            self.assertEqual([kind for kind, _ in blocks], ["Bad", "Good"], rule["code"])
            for kind, code in blocks:
                with self.subTest(rule=rule["code"], example=kind), tempfile.TemporaryDirectory(prefix="example") as folder:
                    (pathlib.Path(folder) / "example.py").write_text(code, encoding="utf-8")
                    for name, text in re.findall(r"^# ([\w.]+): (.*)$", code, re.MULTILINE):  # "# requirements.txt: torch<2"
                        (pathlib.Path(folder) / name).write_text(text, encoding="utf-8")
                    codes = {finding["code"] for finding in check("--hints", "--select", rule["code"], ".",
                                                              cwd=folder)["findings"]}
                    self.assertEqual(rule["code"] in codes, kind == "Bad")


if __name__ == "__main__":
    unittest.main()
