#!/usr/bin/env python3
"""Runs the program as a user does and checks its output and exit status.

usage: cli_test.py DEEPPERF_BINARY
"""

import csv
import json
import os
import pathlib
import re
import pty
import subprocess
import sys
import tempfile
import unittest

BINARY = os.path.abspath(sys.argv.pop(1))
CACHE = tempfile.TemporaryDirectory()  # not the user's
os.environ["XDG_CACHE_HOME"] = CACHE.name


def run(*arguments, cwd=None, stdin=None, env=None):
    return subprocess.run([BINARY, *arguments], cwd=cwd, input=stdin, capture_output=True, text=True,
                          env={**os.environ, **(env or {})}, timeout=300)


class Folder(unittest.TestCase):
    """Gives each test a folder of its own."""

    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)

    def write(self, path, text, **options):
        target = self.folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(text, bytes):
            target.write_bytes(text)
        else:
            target.write_text(text, **options)
        return target


class CommandLine(unittest.TestCase):
    def test_no_arguments_shows_help(self):
        result = run()
        self.assertEqual(result.returncode, 0)
        self.assertIn("check", result.stdout)

    def test_help_and_version(self):
        self.assertEqual(run("--version").returncode, 0)
        self.assertRegex(run("--version").stdout, r"^deepperf \d+\.\d+\.\d+( \([0-9a-f]{7,}\+?\))?$")
        for arguments in (["--help"], ["check", "--help"], ["explain", "--help"], ["debug", "--help"],
                          ["debug", "ast", "--help"]):
            result = run(*arguments)
            self.assertEqual(result.returncode, 0, arguments)
            self.assertEqual(result.stderr, "")
            self.assertGreater(len(result.stdout), 200)

    def test_typos_get_a_suggestion(self):
        for arguments, suggestion in ((["chekc", "."], "'check'"), (["check", "--no-ingore", "."], "'--no-ignore'"),
                                      (["debug", "tokesn", "x"], "'tokens'"), (["--verison"], "'--version'"),
                                      (["check", "--select", "DP1O1"], "'DP101'"),
                                      (["check", "--ignore", "DP201,sequental-map"], "'sequential-map'"),
                                      (["explain", "seqential-map"], "'sequential-map'")):
            result = run(*arguments)
            self.assertEqual(result.returncode, 2, arguments)
            self.assertIn("did you mean " + suggestion, result.stderr)
            self.assertEqual(result.stdout, "")

    def test_wrong_values_are_explained(self):
        for arguments in (["check", "--jobs", "many"], ["check", "--jobs", "0"], ["check", "--color", "pink"],
                          ["check", "--format", "xml"], ["check", "--unsafe-fixes"], ["check", "-", "a.py"],
                          ["check", "--stdin-filename", "a.py"], ["explain"], ["rules", "--format", "xml"],
                          ["debug", "model"], ["debug", "ast"], ["debug", "ast", "--format", "xml", "x"], ["debug"]):
            result = run(*arguments)
            self.assertEqual(result.returncode, 2, arguments)
            self.assertIn("--help", result.stderr)


class Check(Folder):
    def test_nothing_found(self):
        self.write("a.py", "x = 1\n")
        result = run("check", ".", cwd=self.folder)
        self.assertEqual(result.returncode, 0)
        self.assertIn("No problems found in 1 file", result.stdout)
        self.assertEqual(result.stderr, "")

    def test_syntax_error_has_place_and_frame(self):
        self.write("a.py", "x = 1\ny = (1 2)\n")
        result = run("check", "a.py", cwd=self.folder)
        self.assertEqual(result.returncode, 1)
        self.assertIn("a.py:2:8: syntax error: expected ')', not number\n  2 | y = (1 2)\n    |        ^\n", result.stdout)
        self.assertNotIn("\x1b", result.stdout)

    def test_columns_count_characters(self):
        self.write("a.py", "x = 'äöü'; y = = 1\n", encoding="utf-8")
        self.assertIn("a.py:1:16:", run("check", ".", cwd=self.folder).stdout)

    def test_color_on_request_only(self):
        self.write("a.py", "x = = 1\n")
        self.assertIn("\x1b[", run("check", "--color", "always", ".", cwd=self.folder).stdout)
        self.assertNotIn("\x1b[", run("check", ".", cwd=self.folder).stdout)

    def test_color_on_a_terminal(self):
        self.write("a.py", "x = = 1\n")
        for env, colored in (({}, True), ({"NO_COLOR": "1"}, False)):
            master, slave = pty.openpty()
            environment = {key: value for key, value in os.environ.items() if key != "NO_COLOR"}
            process = subprocess.Popen([BINARY, "check", "."], cwd=self.folder, stdout=slave, stderr=slave,
                                       env={**environment, "TERM": "xterm", **env})
            process.wait(60)
            os.close(slave)
            output = os.read(master, 1 << 16)
            os.close(master)
            self.assertEqual(b"\x1b[" in output, colored)

    def test_unreadable_files_do_not_stop_the_rest(self):
        self.write("a.py", "x = = 1\n")
        self.write("b.py", b"# coding: no-such-thing\n")
        self.write("c.ipynb", "{not json")
        result = run("check", ".", "missing.py", cwd=self.folder)
        self.assertEqual(result.returncode, 2)
        self.assertIn("unknown encoding: no-such-thing", result.stdout)
        self.assertIn("c.ipynb", result.stdout)
        self.assertIn("missing.py", result.stdout)
        self.assertIn("a.py:1:5: syntax error", result.stdout)

    def test_python2_gets_a_note(self):
        self.write("a.py", "print 'hello'\n")
        result = run("check", ".", cwd=self.folder)
        self.assertEqual(result.returncode, 0)
        self.assertIn("a.py:1:1: note: this file is Python 2", result.stdout)

    def test_notebooks(self):
        cells = [{"cell_type": "markdown", "metadata": {}, "source": ["text"]},
                 {"cell_type": "code", "metadata": {}, "outputs": [], "source": ["%matplotlib inline\n", "x = = 1"]}]
        self.write("a.ipynb", json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells}))
        result = run("check", ".", cwd=self.folder)
        self.assertEqual(result.returncode, 1)
        self.assertIn("a.ipynb:cell 2:2:5: syntax error", result.stdout)

    def test_cells_that_are_written_to_files(self):
        mapped = ["    return tf.data.TFRecordDataset(files).map(decode).batch(8)\n"]
        sources = [
            ["%%writefile model.py\n", "import tensorflow as tf\n", "def decode(x):\n", "    return tf.io.decode_jpeg(x)\n"],
            ["def decode(x):\n", "    return x\n", "def load(files):\n", *mapped],  # knows no tf
            ["%%writefile -a model.py\n", "def load(files):\n", *mapped],
            ["%%writefile other.py\n", "def load(files):\n", *mapped],  # neither
            ["%%writefile run.sh\n", "for x in y; do\n"],
        ]
        cells = [{"cell_type": "code", "metadata": {}, "outputs": [], "source": source} for source in sources]
        self.write("a.ipynb", json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells}))
        result = run("check", "--format", "concise", "--select", "DP101", "a.ipynb", cwd=self.folder)
        lines = [line for line in result.stdout.splitlines() if line.startswith("a.ipynb")]
        self.assertEqual(len(lines), 1, result.stdout)
        self.assertTrue(lines[0].startswith("a.ipynb:cell 3:3:43: DP101 warning: "), lines[0])

    def test_folders_are_walked_and_ignored(self):
        for path in ("a.py", "pkg/b.py", "venv/x.py", "build/x.py", "node_modules/x.py", ".git/x.py", "ignored.py",
                     "stub.pyi", "text.txt"):
            self.write(path, "x = = 1\n")
        self.write("venv/pyvenv.cfg", "")
        self.write(".gitignore", "ignored.py\n")
        (self.folder / "loop").symlink_to(self.folder)
        self.assertIn("in 2 files", run("check", ".", cwd=self.folder).stdout)
        self.assertIn("in 6 files", run("check", "--no-ignore", ".", cwd=self.folder).stdout)
        self.assertIn("in 1 file\n", run("check", "ignored.py", cwd=self.folder).stdout)

    def test_output_does_not_depend_on_jobs(self):
        for i in range(200):
            self.write(f"d{i % 7}/f{i}.py", "x = = 1\n" if i % 3 == 0 else "def f(:\n  pass\nprint 'x'\n")
        outputs = {run("check", "--jobs", str(jobs), ".", cwd=self.folder).stdout for jobs in (1, 2, 5)}
        self.assertEqual(len(outputs), 1)


# One finding of DP101, with a safe fix.
SLOW = """import tensorflow as tf


def load(path):
    return tf.io.decode_jpeg(tf.io.read_file(path))


ds = tf.data.Dataset.list_files("*.jpg").map(load)
"""
FAST = SLOW.replace("map(load)", "map(load, num_parallel_calls=tf.data.AUTOTUNE)")


class Findings(Folder):
    def check(self, *arguments, **options):
        return run("check", *arguments, cwd=self.folder, **options)

    def test_text(self):
        self.write("a.py", SLOW)
        result = self.check("a.py")
        self.assertEqual(result.returncode, 1)
        self.assertRegex(result.stdout, r"(?m)^a\.py:8:\d+: warning DP101 sequential-map: ")
        self.assertIn('  8 | ds = tf.data.Dataset.list_files("*.jpg").map(load)\n    | ', result.stdout)
        self.assertRegex(result.stdout, r"help: .*fixable with --fix")
        self.assertRegex(result.stdout, r"\A1 warning in 1 file\n")

    def test_concise(self):
        self.write("a.py", SLOW)
        self.assertRegex(self.check("--format", "concise").stdout, r"\A\S*a\.py:8:\d+: DP101 warning: [^\n]+\n\Z")

    def test_json(self):
        self.write("a.py", SLOW)
        self.write("b.py", "x = = 1\n")
        output = json.loads(self.check("--format", "json", "a.py", "b.py").stdout)
        self.assertEqual(list(output), ["version", "findings", "errors", "files", "counts"])
        self.assertEqual((output["version"], output["files"], len(output["findings"])), (2, 2, 1))
        finding = output["findings"][0]
        self.assertEqual(list(finding), ["path", "line", "column", "end_line", "end_column", "cell", "code", "name",
                                         "message", "severity", "confidence", "root_cause", "symptoms", "stage",
                                         "help", "measured", "documentation", "notes", "fix"])
        self.assertEqual((finding["path"], finding["line"], finding["cell"], finding["code"], finding["severity"]),
                         ("a.py", 8, None, "DP101", "warning"))
        self.assertTrue(finding["fix"]["safe"])
        self.assertEqual([(error["path"], error["line"]) for error in output["errors"]], [("b.py", 1)])

    def test_statistics(self):
        self.write("a.py", SLOW)
        self.assertRegex(self.check("--statistics").stdout, r"(?m)^ +1  DP101 sequential-map$")
        self.assertEqual(json.loads(self.check("--statistics", "--format=json").stdout)["statistics"][0]["count"], 1)

    def test_select_and_ignore(self):
        self.write("a.py", SLOW)
        for arguments, found in ((["--select", "DP101"], 1), (["--select", "DP1,DP2"], 1), (["--select", "dp201"], 0),
                                 (["--select", "DP2", "--select", "sequential-map"], 1), (["--ignore", "DP101"], 0),
                                 (["--ignore", "sequential-map"], 0), (["--select", "DP1", "--ignore", "DP101"], 0)):
            self.assertEqual(self.check(*arguments, "a.py").returncode, found, arguments)

    def test_comments_silence(self):
        for comment, found in (("# deepperf: ignore[DP101]", 0), ("# noqa", 0), ("# noqa: E501", 1)):
            self.write("a.py", SLOW.rstrip() + "  " + comment + "\n")
            self.assertEqual(self.check().returncode, found, comment)
        self.write("a.py", "# deepperf: ignore-file\n" + SLOW)
        self.assertEqual(self.check().returncode, 0)

    def test_output_file(self):
        self.write("a.py", SLOW)
        result = self.check("--format", "json", "--output", "out.json", "a.py")
        self.assertEqual((result.returncode, result.stdout), (1, ""))
        self.assertEqual(len(json.loads((self.folder / "out.json").read_text())["findings"]), 1)
        self.assertEqual(self.check("--output", "no/such/folder").returncode, 2)

    def test_fix(self):
        target = self.write("a.py", SLOW.replace("\n", "\r\n").encode())
        self.write("b.py", "x = 1\n")
        target.chmod(0o750)
        result = self.check("--fix")
        self.assertEqual(result.returncode, 0, result.stdout)
        self.assertIn("fixed 1 finding in 1 file", result.stdout)
        self.assertIn("No problems found in 2 files", result.stdout)
        self.assertEqual(target.read_bytes(), FAST.replace("\n", "\r\n").encode())
        self.assertEqual(target.stat().st_mode & 0o777, 0o750)
        self.assertNotIn("fixed", self.check("--fix").stdout)
        self.assertEqual(sorted(os.listdir(self.folder)), ["a.py", "b.py"])

    def test_diff_writes_nothing(self):
        target = self.write("a.py", SLOW)
        result = self.check("--diff", "a.py")
        self.assertEqual(result.returncode, 1)
        self.assertTrue(result.stdout.startswith("--- a.py\n+++ a.py\n@@ -5,4 +5,4 @@\n"), result.stdout)
        self.assertIn("would fix 1 finding in 1 file", result.stderr)
        self.assertEqual(target.read_text(), SLOW)

    def test_notebook_fix_keeps_the_rest(self):
        name = SLOW.splitlines()[-1].split(" = ")[0]
        lines = SLOW.splitlines(keepends=True) + [f"model.fit({name})"]  # what nobody reads is no finding
        notebook = json.dumps({"cells": [{"cell_type": "code", "metadata": {}, "outputs": [], "source": lines}],
                               "metadata": {}, "nbformat": 4, "nbformat_minor": 5}, indent=3)
        target = self.write("a.ipynb", notebook)
        self.assertEqual(self.check("--fix").returncode, 0)
        self.assertEqual(target.read_text(),
                         notebook.replace("map(load)", "map(load, num_parallel_calls=tf.data.AUTOTUNE)"
                                          ".prefetch(tf.data.AUTOTUNE)"))

    def test_standard_input(self):
        result = self.check("-", "--stdin-filename", "name.py", "--format", "concise", stdin=SLOW)
        self.assertEqual(result.returncode, 1)
        self.assertTrue(result.stdout.startswith("name.py:8:"), result.stdout)
        self.assertTrue(self.check("-", "--format", "concise", stdin=SLOW).stdout.startswith("<stdin>:8:"))
        self.assertEqual(self.check("-", stdin="x = 1\n").returncode, 0)
        result = self.check("-", "--fix", stdin=SLOW)
        self.assertEqual((result.returncode, result.stdout), (0, FAST))
        self.assertIn("fixed 1 finding", result.stderr)
        self.assertEqual(self.check("-", "--fix", stdin="x = = 1\n").stdout, "x = = 1\n")


class Timings(Folder):
    def test_timings(self):
        self.write("a.py", SLOW)
        result = run("check", "--timings", "a.py", cwd=self.folder)
        self.assertEqual(result.returncode, 1)
        for word in ("load and parse", "bind, link and infer", "lint", "DP101 sequential-map", "function walks",
                     "rule queries"):
            self.assertIn(word, result.stderr)
        as_json = run("check", "--timings", "--format=json", "a.py", cwd=self.folder)
        timings = json.loads(as_json.stderr)
        self.assertEqual(timings["work"], json.loads(run("check", "--timings", "--format=json", "a.py",
                                                         cwd=self.folder).stderr)["work"])
        self.assertGreater(timings["work"]["expressions evaluated"], 10)
        self.assertIn("DP101", timings["rules"])
        self.assertEqual(result.stdout, run("check", "a.py", cwd=self.folder).stdout)


class Rules(unittest.TestCase):
    def test_every_rule_is_explained(self):
        rules = json.loads(run("rules", "--format", "json").stdout)["rules"]
        self.assertIn("DP101", [rule["code"] for rule in rules])
        text = run("rules").stdout
        for rule in rules:
            self.assertIn(rule["code"] + "  " + rule["name"], text)
            for format in ("text", "markdown", "json"):
                by_code = run("explain", rule["code"], "--format", format)
                self.assertEqual(by_code.returncode, 0)
                self.assertIn(rule["summary"], by_code.stdout)
                self.assertEqual(run("explain", rule["name"], "--format", format).stdout, by_code.stdout)

    def test_filters(self):
        def codes(*arguments):
            return [rule["code"] for rule in json.loads(run("rules", "--format", "json", *arguments).stdout)["rules"]]

        self.assertIn("DP101", codes("--framework", "tensorflow"))
        self.assertNotIn("DP401", codes("--framework", "tf"))
        self.assertIn("DP401", codes("--framework", "torch", "--cause", "data", "--tier", "on"))
        self.assertNotIn("DP101", codes("--tier", "hint"))
        self.assertEqual(run("rules", "--framework", "nonsense").returncode, 2)
        self.assertEqual(run("rules", "--tier", "loud").returncode, 2)

    def test_coverage(self):
        lines = {line["root_cause"]: line for line in json.loads(run("rules", "--coverage", "--format", "json").stdout)["coverage"]}
        self.assertEqual(sum(line["problems"] for line in lines.values()), 224)
        self.assertGreater(lines["API: Inefficient API Usage"]["rules"], 1)
        self.assertIn("of the study's problems", run("rules", "--coverage").stdout)

    def test_posts_are_the_study_s(self):
        study = pathlib.Path(__file__).resolve().parents[3] / "shared" / "data" / "dlperf" / "empirical_study.csv"
        if not study.exists():
            self.skipTest("the study's data is not at ../shared/data")
        with open(study, encoding="utf-8-sig", newline="") as file:
            known = {int(row["id"].split("_")[0]) for row in csv.DictReader(file)}
        for rule in json.loads(run("rules", "--format", "json").stdout)["rules"]:
            self.assertLessEqual(set(rule["posts"]), known, rule["code"])

    def test_parity_names_rules_that_exist(self):
        text = (pathlib.Path(__file__).resolve().parents[2] / "docs" / "rules" / "parity.md").read_text(encoding="utf-8")
        codes = {rule["code"] for rule in json.loads(run("rules", "--format", "json").stdout)["rules"]}
        self.assertLessEqual(set(re.findall(r"DP\d+", text)), codes)

    def test_docs_are_current(self):
        root = pathlib.Path(__file__).resolve().parent.parent.parent
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([sys.executable, root / "tools" / "make_rule_docs", BINARY, folder], check=True, timeout=300)
            wanted, found = ({page.name: page.read_text(encoding="utf-8") for page in pathlib.Path(place).glob("*.md")
                              if page.name != "parity.md"}
                             for place in (folder, root / "docs" / "rules"))
        self.assertEqual(found, wanted, "run tools/make_rule_docs")


class Debug(Folder):
    def test_ast(self):
        self.write("a.py", "x = f(1)\n")
        self.assertIn("Call 1:5-1:9", run("debug", "ast", "a.py", cwd=self.folder).stdout)
        self.assertEqual(run("debug", "ast", "--format=cpython", "a.py", cwd=self.folder).stdout,
                         "Module(body=[Assign(targets=[Name(id='x', ctx=Store())], value=Call(func=Name(id='f', "
                         "ctx=Load()), args=[Constant(value=1)], keywords=[]))], type_ignores=[])\n")

    def test_ast_of_a_list_of_files(self):
        self.write("a.py", "1\n")
        self.write("b.py", "2\n")
        result = run("debug", "ast", "--format=cpython", "--stdin-list", cwd=self.folder, stdin="a.py\nnone.py\nb.py\n")
        lines = result.stdout.split("\n")
        self.assertEqual([line[:40] for line in lines], ["Module(body=[Expr(value=Constant(value=1", "",
                                                         "Module(body=[Expr(value=Constant(value=2", ""])

    def test_tokens(self):
        self.write("a.py", "if x:\n  y\n")
        names = [line.split("\t")[1] for line in run("debug", "tokens", "a.py", cwd=self.folder).stdout.splitlines()]
        self.assertEqual(names, ["if", "Name", "Colon", "Newline", "Indent", "Name", "Newline", "Dedent", "EndOfFile"])

    def test_model(self):
        self.write("a.py", "import tensorflow.compat.v1 as tf\nfrom b import Net as N\n\n\ndef f(sess, op):\n"
                           "    return sess.run(op)\n\n\nnet = N()\nds = tf.data.Dataset.range(3)\nwith tf.Session() as s:\n"
                           "    f(s, 1)\n")
        self.write("b.py", "from tensorflow import keras\n\n\nclass Net(keras.Model):\n    def call(self, x):\n"
                           "        self.seen = keras.layers.Dense(3)\n        return x\n")
        result = run("debug", "model", "a.py", "b.py", cwd=self.folder)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        for pattern in (r"^a\.py  — imports TensorFlow, uses what only TF1 has$",
                        r"^    tf +-> Api tensorflow \(v1\) +import tensorflow\.compat\.v1 as tf$",
                        r"^    N +-> class Net +from b import Net as N$", r"^    net += object of Net$",
                        r"^    ds += Dataset made by \S+$", r"^    a\.py:5  f\(sess, op\) .*runs a session",
                        r"^    b\.py:5  Net\.call\(self, x\) .*traced", r"^    b\.py:4  Net\(.+\)  — is a KerasModel$",
                        r"^        self\.seen = KerasLayer made by \S+$"):
            self.assertRegex(result.stdout, "(?m)" + pattern)

    def test_pipelines(self):
        self.write("a.py", SLOW + "if x:\n    ds = ds.shuffle(9)\nelse:\n    ds = ds.cache()\n"
                                  "ds = ds.map(lambda v: v / 2.0,\n            num_parallel_calls=4)\n")
        result = run("debug", "pipelines", "a.py", cwd=self.folder)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        lines = [line.strip() for line in result.stdout.splitlines()]
        stages = [line.split()[1:3] for line in lines if line.startswith("#")]
        self.assertEqual(stages, [["a.py:8", "tensorflow.data.Dataset.list_files"], ["a.py:8", "map"],
                                  ["a.py:10", "shuffle"], ["a.py:12", "cache"], ["a.py:13", "map"]])
        self.assertEqual([lines.count(word) for word in ("branch", "branches meet")], [2, 1])
        self.assertRegex(result.stdout, "map  — one at a time; function load: 2 operations, not cheap, needs one example\n")
        self.assertRegex(result.stdout, "map  — num_parallel_calls=4; function <lambda>: 1 operation, cheap, takes batches\n")
        self.write("b.py", "x = 1\n")
        self.assertEqual(run("debug", "pipelines", "b.py", cwd=self.folder).stdout, "no pipelines\n")

    def test_summaries(self):
        self.write("a.py", "import tensorflow as tf\n\n\ndef inner(a, b):\n    return tf.sqrt(b)\n\n\ndef outer(c, d):\n"
                           "    tf.abs(open(c).read())\n    return inner(c, d)\n")
        result = run("debug", "summaries", "a.py", cwd=self.folder)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn("  inner(a, b)\n    5  tensorflow.sqrt  depends on b\n", result.stdout)
        self.assertRegex(result.stdout, r"(?m)^    9  tensorflow\.abs  varies$")
        self.assertIn("    5  tensorflow.sqrt  depends on d  through inner (called at 10)\n", result.stdout)

    WHY = ("import torch\n\n\ndef step(net, x):\n    loss = net(x).sum()\n    return loss.item(), torch.cuda.empty_cache()\n\n\n"
           "net = torch.nn.Linear(3, 3)\nprint(step(net, torch.zeros(3)))\n")

    def test_why(self):
        self.write("a.py", self.WHY)
        result = run("debug", "why", "a.py:6", "DP134", cwd=self.folder)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        for pattern in (r"^a\.py:6: return loss\.item\(\), torch", r"^in function step", r"^  called at a\.py:10$",
                        r"^  parameter x: TorchTensor", r"^  `loss\.item\(\)` +.*calls method item of TorchTensor",
                        r"^DP134 empty-cache-in-loop was tried at `torch\.cuda\.empty_cache\(\)` \(line 6\)$",
                        r"^  which loop of possibly many iterations is around it\? -> none$", r"^  no finding$"):
            self.assertRegex(result.stdout, "(?m)" + pattern)
        everything = run("debug", "why", "a.py:6", cwd=self.folder).stdout
        self.assertIn("DP134 empty-cache-in-loop", everything)
        self.assertIn("DP134", run("debug", "why", "a.py:6", "empty-cache-in-loop", cwd=self.folder).stdout)

    def test_why_with_the_rest_of_the_project(self):
        self.write("package/net.py", "import torch\n\n\ndef make():\n    return torch.nn.Linear(3, 3)\n")
        self.write("main.py", "from package.net import make\n\nnet = make()\nnet.eval()\n")
        self.assertIn("analyzed together with 1 other file\n", run("debug", "why", "main.py:4", cwd=self.folder).stdout)
        alone = run("debug", "why", "main.py:4", "--with", "main.py", cwd=self.folder)
        self.assertIn("uses a framework, so it is not analyzed", alone.stdout)
        self.assertEqual(alone.returncode, 0)

    def test_why_of_a_rule_that_does_not_look(self):
        self.write("a.py", self.WHY)
        result = run("debug", "why", "a.py:1", "DP134", cwd=self.folder)
        self.assertIn("it checks calls of: gc.collect torch.cuda.empty_cache", result.stdout)

    def test_why_of_a_notebook(self):
        cells = [{"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None, "source": source}
                 for source in ("import torch", "x = torch.zeros(3)\nx.item()")]
        self.write("a.ipynb", json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells}))
        self.assertIn("x.item()", run("debug", "why", "a.ipynb:2:2", cwd=self.folder).stdout)

    def test_why_of_nothing(self):
        self.write("a.py", self.WHY)
        for arguments in (["a.py"], ["a.py:0"], ["a.py:x"], ["a.py:999"], ["none.py:3"], ["a.py:6", "DP999"]):
            result = run("debug", "why", *arguments, cwd=self.folder)
            self.assertEqual(result.returncode, 2, arguments)
            self.assertEqual(result.stdout, "")
            self.assertGreater(len(result.stderr), 10)

    def test_what_cannot_be_analysed(self):
        self.write("a.py", "x = = 1\ny = 2\n")
        result = run("debug", "model", "a.py", cwd=self.folder)
        self.assertEqual(result.returncode, 1)
        self.assertIn("a.py:1:5: syntax error", result.stderr)
        self.assertRegex(result.stdout, "(?m)^    y = literal$")
        self.assertEqual(run("debug", "summaries", "a.py", "missing.py", cwd=self.folder).returncode, 2)


if __name__ == "__main__":
    unittest.main()
