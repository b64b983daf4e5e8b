#!/usr/bin/env python3
"""Configuration files, as a user has them: which one counts, what each key does, and what is said about mistakes.

usage: config_test.py DEEPPERF_BINARY
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

try:
    import tomllib
except ImportError:  # before Python 3.11
    tomllib = None

BINARY = os.path.abspath(sys.argv.pop(1))

# A warning (DP230) and a note that is not shown by default (DP302).
PROGRAM = """import torch


def train(model, loader, optimizer, loss_fn):
    total = 0
    for x, y in loader:
        loss = loss_fn(model(x), y)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        total += loss
    return total


outer = torch.ger(torch.ones(3), torch.ones(4))
"""
WRAPPED = """import tensorflow as tf
from company import data


def decode(path):
    return tf.io.decode_jpeg(tf.io.read_file(path))


ds = data.load("train").map(decode)
"""


class Configuration(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name).resolve() / "project"
        self.cache = pathlib.Path(holder.name) / "cache"
        self.write("a.py", PROGRAM)
        self.write("sub/b.py", PROGRAM)

    def write(self, path, text):
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def run_deepperf(self, *arguments, cwd=None, stdin=None):
        return subprocess.run([BINARY, *arguments], cwd=cwd or self.folder, capture_output=True, text=True, input=stdin,
                              timeout=300, env={**os.environ, "XDG_CACHE_HOME": str(self.cache)})

    def found(self, *arguments, cwd=None):
        """Paths and codes of what is reported, sorted, and the exit status."""
        done = self.run_deepperf("check", "--format", "concise", *arguments, cwd=cwd)
        self.assertNotEqual(done.returncode, 2, done.stderr)
        lines = re.findall(r"^(\S+?):\d+:\d+: (DP\d+) ", done.stdout, re.MULTILINE)
        return sorted(f"{path} {code}" for path, code in lines), done.returncode

    def refused(self, *arguments):
        """What standard error says about a run that does not begin."""
        done = self.run_deepperf(*(arguments or ("check",)))
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertEqual(done.stdout, "")
        return done.stderr

    def in_force(self, *arguments, cwd=None):
        done = self.run_deepperf("config", "--format", "json", *arguments, cwd=cwd)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    # ---- Which file counts

    def test_without_a_file(self):
        self.assertEqual(self.found(), (["a.py DP230", "sub/b.py DP230"], 1))
        self.assertIsNone(self.in_force()["file"])

    def test_pyproject(self):
        self.write("pyproject.toml", '[project]\nname = "x"\n\n[tool.deepperf]\nignore = ["DP230"]\n')
        self.assertEqual(self.found(), ([], 0))
        self.assertEqual(self.in_force()["settings"]["ignore"], {"value": ["DP230"], "from": "pyproject.toml:5"})

    def test_nearest_file_of_the_first_path(self):
        self.write("deepperf.toml", 'ignore = ["DP230"]\n')
        self.write("sub/deepperf.toml", "")
        self.assertEqual(self.found("sub")[0], ["sub/b.py DP230"])
        self.assertEqual(self.found("sub/b.py")[0], ["sub/b.py DP230"])
        self.assertEqual(self.found("a.py", "sub")[0], [])
        self.assertEqual(self.found(cwd=self.folder / "sub")[0], ["b.py DP230"])

    def test_config_and_isolated(self):
        self.write("deepperf.toml", 'ignore = ["DP230"]\n')
        self.write("other/strict.toml", 'select = ["DP302"]\n')
        self.assertEqual(self.found("--isolated")[0], ["a.py DP230", "sub/b.py DP230"])
        self.assertEqual(self.in_force("--config", "other/strict.toml")["file"], "other/strict.toml")
        self.assertIn("missing.toml: cannot be read", self.refused("check", "--config", "missing.toml"))
        self.assertIn("--isolated", self.refused("check", "--isolated", "--config", "deepperf.toml"))

    def test_standard_input(self):
        self.write("deepperf.toml", '[per-file-ignores]\n"sub/" = ["DP230"]\n')
        done = self.run_deepperf("check", "-", "--stdin-filename", "sub/x.py", stdin=PROGRAM)
        self.assertEqual(done.returncode, 0, done.stdout)
        done = self.run_deepperf("check", "-", "--stdin-filename", "x.py", stdin=PROGRAM)
        self.assertEqual(done.returncode, 1, done.stdout)

    # ---- What the keys do

    def test_select_and_ignore(self):
        self.write("deepperf.toml", 'select = ["DP230"]\nextend-select = ["DP101"]\n')
        self.assertEqual(self.found()[0], ["a.py DP230", "sub/b.py DP230"])
        self.assertEqual(self.found("--select", "DP101")[0], [])
        self.write("deepperf.toml", 'select = ["DP101"]\nextend-select = ["graph-kept-in-sum", "DP23"]\n'
                   .replace("graph-kept-in-sum", "DP230"))
        self.assertEqual(self.found()[0], ["a.py DP230", "sub/b.py DP230"])
        self.assertEqual(self.found("--ignore", "DP230")[0], [])
        # What the command line asks for by name is not for the file to ignore.
        self.write("deepperf.toml", 'ignore = ["DP230"]\n')
        self.assertEqual(self.found("--select", "DP230")[0], ["a.py DP230", "sub/b.py DP230"])
        self.assertEqual(self.found("--select", "DP230", "--ignore", "DP230")[0], [])

    def test_extend_select_keeps_the_default(self):
        self.write("deepperf.toml", 'extend-select = ["DP101"]\n')
        self.assertEqual(self.found()[0], ["a.py DP230", "sub/b.py DP230"])

    def test_per_file_ignores(self):
        self.write("deepperf.toml", '[per-file-ignores]\n"sub/**" = ["DP2"]\n')
        self.assertEqual(self.found()[0], ["a.py DP230"])
        self.assertEqual(self.found("..", cwd=self.folder / "sub")[0], ["../a.py DP230"])
        self.assertEqual(self.found(str(self.folder))[0], [f"{self.folder}/a.py DP230"])
        self.write("deepperf.toml", '[per-file-ignores]\n"!sub/" = ["DP230"]\n"a.py" = ["DP101"]\n')
        self.assertEqual(self.found()[0], ["sub/b.py DP230"])

    def test_exclude(self):
        self.write("venv/c.py", PROGRAM)
        self.write("deepperf.toml", 'extend-exclude = ["/sub"]\n')
        self.assertEqual(self.found()[0], ["a.py DP230"])
        self.assertEqual(self.found("sub")[0], ["sub/b.py DP230"])  # named, so wanted
        self.assertEqual(self.found("--no-ignore")[0], ["a.py DP230", "sub/b.py DP230", "venv/c.py DP230"])
        self.write("deepperf.toml", 'exclude = ["a.*"]\n')
        self.assertEqual(self.found()[0], ["sub/b.py DP230", "venv/c.py DP230"])
        self.write("deepperf.toml", 'exclude = ["*.py", "!a.py"]\n')
        self.assertEqual(self.found()[0], ["a.py DP230"])

    def test_severity_and_exit_status(self):
        self.write("deepperf.toml", 'fail-on = "error"\n')
        self.assertEqual(self.found()[1], 0)
        self.assertEqual(self.found("--fail-on", "warning")[1], 1)
        self.write("deepperf.toml", 'fail-on = "error"\n[severity]\nDP230 = "error"\nDP2 = "off"\n')
        self.assertEqual(self.found(), (["a.py DP230", "sub/b.py DP230"], 1))
        self.write("deepperf.toml", '[severity]\nDP230 = "note"\n')
        self.assertEqual(self.found(), ([], 0))
        self.assertEqual(self.found("--all", "a.py")[0], ["a.py DP230", "a.py DP302"])
        self.write("deepperf.toml", '[severity]\nDP230 = "off"\n')
        self.assertEqual(self.found("--all", "a.py")[0], ["a.py DP302"])

    def test_all_and_min_severity(self):
        self.write("deepperf.toml", "all = true\n")
        self.assertEqual(self.found("a.py")[0], ["a.py DP230", "a.py DP302"])
        self.assertEqual(self.found("a.py", "--min-severity", "warning")[0], ["a.py DP230"])
        self.write("deepperf.toml", 'min-severity = "error"\n')
        self.assertEqual(self.found("a.py")[0], [])
        self.assertEqual(self.found("a.py", "--all")[0], ["a.py DP230", "a.py DP302"])

    def test_target_versions(self):
        self.write("requirements.txt", "torch>=1.0,<1.5\n")
        self.assertEqual(self.found("--all", "a.py")[0], ["a.py DP230"])
        self.write("deepperf.toml", '\n[target-versions]\ntorch = ">=2.4"\n')
        # Also when the cache knows what was found with the other version.
        self.assertEqual(self.found("--all", "a.py")[0], ["a.py DP230", "a.py DP302"])
        self.assertEqual(self.found("--min-severity", "note", "a.py")[0], ["a.py DP230", "a.py DP302"])  # proven now
        self.write("c.py", "import numpy as np\nimport torch\n\nx = torch.tensor(np.float(1))\n")
        self.write("deepperf.toml", '\n[target-versions]\nnumpy = ">=1.26"\n')
        done = self.run_deepperf("check", "c.py", "--format", "concise")
        self.assertIn("requires 1.26 or newer (deepperf.toml:3)", done.stdout)

    def test_wrappers(self):
        self.write("w.py", WRAPPED)
        self.assertEqual(self.found("w.py")[0], [])
        self.write("deepperf.toml", '[wrappers]\n"company.data.load" = "Dataset"\n')
        self.assertEqual(self.found("w.py", "--select", "DP101")[0], ["w.py DP101"])
        self.write("deepperf.toml", "")
        self.assertEqual(self.found("w.py", "--select", "DP101")[0], [])

    def test_deprecated(self):
        self.write("tools/old.py", "import torch\n\n\ndef average(x):\n    return torch.mean(x)\n\n\nclass Net(torch.nn.Module):\n    pass\n")
        self.write("d.py", "import torch\nimport company\nfrom tools.old import average, Net\n\n"
                   "print(average(torch.ones(3)), Net())\ncompany.log('x')\n")
        self.assertEqual(self.found("d.py", "tools", "--all")[0], [])
        self.write("deepperf.toml", '[deprecated]\n"tools.old.average" = "use torch.mean"\n"company.log" = "use logging"\n'
                   '"tools.old.Net" = "use Network"\n')
        self.assertEqual(self.found("d.py", "tools", "--min-severity", "note")[0], ["d.py DP302"] * 3)
        done = self.run_deepperf("check", "d.py", "tools", "--min-severity", "note")
        self.assertIn("tools.old.average is deprecated in this project (deepperf.toml:2)", done.stdout)
        self.assertIn("use torch.mean", done.stdout)

    def test_unsafe_fixes(self):
        self.write("deepperf.toml", "unsafe-fixes = true\n")
        self.assertEqual(self.found("a.py")[1], 1)  # no complaint that --fix is missing
        self.assertEqual(self.in_force()["settings"]["unsafe-fixes"]["value"], True)

    # ---- Mistakes

    def test_mistakes(self):
        for text, message in (
            ("ingore = []\n", "deepperf.toml:1:1: unknown key 'ingore'; did you mean 'ignore'?"),
            ("\nselect = 'DP1'\n", "deepperf.toml:2:10: 'select' must be a list of rules"),
            ("select = ['DP1', 'sequentialmap']\n", "did you mean 'sequential-map'?"),
            ("select = [\n", "not valid TOML"),
            ("fail-on = 'waring'\n", "deepperf.toml:1:11: unknown severity 'waring'; did you mean 'warning'?"),
            ("[target-versions]\ntorch = '2.4'\n", "did you mean '>=2.4'"),
            ("all = 'yes'\nfoo = 1\n", "deepperf: deepperf.toml:2:1: unknown key 'foo'"),
            ("x" + ".x" * 300000 + " = 1\n", "more than 100 parts"),
            ("#" * 1000001, "larger than 1 MB"),
        ):
            self.write("deepperf.toml", text)
            for command in ("check", "config"):
                with self.subTest(text=text[:40], command=command):
                    self.assertIn(message, self.refused(command))
            self.assertEqual(self.found("--isolated")[1], 1)
        self.write("deepperf.toml", "")
        self.assertIn("unknown rule 'DP999'", self.refused("check", "--select", "DP999"))

    def test_broken_pyproject(self):
        self.write("pyproject.toml", "[tool.ruff\n")
        self.assertEqual(self.found("a.py")[1], 1)  # not for us to report
        self.write("pyproject.toml", "[tool.deepperf\n")
        self.assertIn("pyproject.toml:1:", self.refused())

    # ---- deepperf config

    def test_config_shows_origins(self):
        self.write("deepperf.toml", '# ours\nselect = ["DP1",\n  "DP2"]\nignore = ["DP101"]\n[severity]\nDP230 = "error"\n'
                   '[per-file-ignores]\n"tests/**" = ["DP3"]\n')
        shown = self.in_force("sub", "--ignore", "DP102,DP103", "--fail-on", "error")["settings"]
        self.assertEqual(shown["select"], {"value": ["DP1", "DP2"], "from": "deepperf.toml:2, deepperf.toml:3"})
        self.assertEqual(shown["ignore"], {"value": ["DP101", "DP102", "DP103"], "from": "deepperf.toml:4, command line"})
        self.assertEqual(shown["fail-on"], {"value": "error", "from": "command line"})
        self.assertEqual(shown["severity"], {"value": {"DP230": "error"}, "from": {"DP230": "deepperf.toml:6"}})
        self.assertEqual(shown["min-severity"]["from"], "default")

    def test_config_text_is_a_configuration(self):
        self.write("deepperf.toml", 'select = ["DP1", "DP2"]\nall = true\n[severity]\nDP230 = "error"\n'
                   '[per-file-ignores]\n"tests/**" = ["DP3"]\n[deprecated]\n"a.b" = "say \\"c\\""\n')
        done = self.run_deepperf("config")
        self.assertEqual(done.returncode, 0)
        self.assertIn("# configuration file: deepperf.toml\n", done.stdout)
        self.assertRegex(done.stdout, r'"DP230" = "error" +# deepperf.toml:4\n')
        self.assertRegex(done.stdout, r"# fail-on: warning +# default\n")
        before = self.in_force()
        self.write("deepperf.toml", done.stdout)
        after = self.in_force()
        self.assertEqual({key: value["value"] for key, value in before["settings"].items()},
                         {key: value["value"] for key, value in after["settings"].items()})
        if tomllib is not None:
            tomllib.loads(done.stdout)

    def test_schema(self):
        schema = json.loads(self.run_deepperf("config", "--schema").stdout)
        self.assertEqual(set(schema["properties"]), set(self.in_force()["settings"]))
        self.check_schema(schema)
        try:
            import jsonschema
        except ImportError:
            return
        jsonschema.Draft7Validator.check_schema(schema)
        good = {"select": ["DP1", "dp101", "sequential-map"], "severity": {"DP1": "off"}, "all": True, "fail-on": "never",
                "target-versions": {"torch": ">=2.4,<3"}, "per-file-ignores": {"tests/": ["DP"]}}
        jsonschema.validate(good, schema)
        for bad in ({"ingore": []}, {"select": "DP1"}, {"select": ["E501"]}, {"fail-on": "off"}, {"target-versions": {"torch": "2"}},
                    {"severity": {"E1": "off"}}, {"all": 1}):
            with self.assertRaises(jsonschema.ValidationError):
                jsonschema.validate(bad, schema)

    def check_schema(self, schema):
        """The words that a JSON schema has, each with a value that it may have."""
        for word, value in schema.items():
            with self.subTest(word=word):
                if word == "properties":
                    for one in value.values():
                        self.check_schema(one)
                elif word in ("items", "propertyNames"):
                    self.check_schema(value)
                elif word == "additionalProperties":
                    if value is not False:
                        self.check_schema(value)
                elif word == "anyOf":
                    for one in value:
                        self.check_schema(one)
                elif word == "type":
                    self.assertIn(value, ("object", "array", "string", "boolean"))
                elif word == "enum":
                    self.assertTrue(value)
                    self.assertEqual(len(value), len(set(value)))
                elif word == "pattern":
                    re.compile(value)
                elif word == "minLength":
                    self.assertIsInstance(value, int)
                else:
                    self.assertIn(word, ("$schema", "title", "description"))
                    self.assertIsInstance(value, str)

    def test_every_key_is_documented(self):
        text = (pathlib.Path(__file__).parents[2] / "docs/configuration.md").read_text()
        for key in self.in_force()["settings"]:
            self.assertIn(f"`{key}`", text)


if __name__ == "__main__":
    unittest.main()
