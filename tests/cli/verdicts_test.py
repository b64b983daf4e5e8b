#!/usr/bin/env python3
"""`tools/verdicts` as a contributor runs it.

usage: verdicts_test.py DEEPPERF_BINARY
"""

import json
import os
import pathlib
import stat
import subprocess
import sys
import tempfile
import unittest

BINARY = os.path.abspath(sys.argv.pop(1))
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
VERDICTS = ROOT / "tools" / "verdicts"

SOURCE = """import tensorflow as tf

def load(path):
    return tf.image.decode_jpeg(tf.io.read_file(path))

ds = tf.data.Dataset.list_files("*.jpg")
ds = ds.map(load)
ds = ds.batch(32)
model.fit(ds)
"""

HEADER = "# repository somebody/something\n# commit 0123\nfile\tline\trule\ttier\tverdict\treason\n"


def finding(line, code, severity="warning", path="train.py", cell=None):
    return {"path": path, "line": line, "cell": cell, "code": code, "severity": severity,
            "confidence": "medium" if severity == "hint" else "high"}


class Verdicts(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)
        self.repository = self.folder / "repositories" / "somebody+something"
        self.repository.mkdir(parents=True)
        (self.repository / "train.py").write_text(SOURCE)
        self.data = self.folder / "data"
        self.data.mkdir()

    def program(self, name, *findings):
        """A program that reports these findings wherever it is run."""
        path = self.folder / name
        report = json.dumps({"findings": findings})
        path.write_text(f"#!{sys.executable}\nprint({report!r})\nraise SystemExit(1)\n")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return path

    def rows(self, *rows):
        lines = "".join("\t".join(map(str, row)) + "\n" for row in rows)
        (self.data / "somebody+something.tsv").write_text(HEADER + lines)

    def run_tool(self, command, *arguments):
        return subprocess.run([sys.executable, VERDICTS, command, "--data", self.data, *map(str, arguments)],
                              capture_output=True, text=True, timeout=300)

    def score(self, program, *arguments):
        return self.run_tool("score", "--repositories", self.folder / "repositories", "--binary", program, *arguments)

    def score_json(self, program):
        run = self.score(program, "--json")
        return json.loads(run.stdout)["rules"], run.returncode

    def test_scores_every_category(self):
        self.rows(("train.py", 1, "DP101", "on", "right", "kept"), ("train.py", 2, "DP101", "on", "right", "lost"),
                  ("train.py", 3, "DP101", "on", "right", "a hint now"), ("train.py", 4, "DP101", "on", "wrong", "kept"),
                  ("train.py", 5, "DP101", "on", "wrong", "gone"), ("train.py", 6, "DP101", "on", "miss", "found"),
                  ("train.py", 7, "DP101", "on", "miss", "left"), ("train.py", 8, "DP101", "on", "disputable", "kept"),
                  ("train.py", 9, "DP101", "on", "unread", ""))
        program = self.program("program", finding(1, "DP101"), finding(3, "DP101", "hint"), finding(4, "DP101"),
                               finding(6, "DP101"), finding(8, "DP101"), finding(9, "DP101"), finding(90, "DP101"),
                               finding(91, "DP101", "hint"))
        rules, status = self.score_json(program)
        self.assertEqual(status, 1)
        places = {name: [text.rpartition(":")[2] for text in texts] for name, texts in rules["DP101"].items() if texts}
        self.assertEqual(places, {
            "right kept": ["1"], "right lost": ["2"], "right now hint": ["3"], "wrong kept": ["4"], "wrong gone": ["5"],
            "misses found": ["6"], "misses left": ["7"], "disputable kept": ["8"], "unread": ["9"], "new": ["90"]})
        text = self.score(program).stdout
        self.assertIn("right lost:\n  DP101 somebody/something:train.py:2\n", text)
        self.assertIn("right, now only a hint:\n  DP101 somebody/something:train.py:3\n", text)

    def test_status_is_1_only_if_something_right_is_lost(self):
        self.rows(("train.py", 1, "DP101", "on", "right", ""), ("train.py", 2, "DP102", "on", "wrong", ""))
        self.assertEqual(self.score(self.program("kept", finding(1, "DP101"))).returncode, 0)
        lost = self.program("lost", finding(2, "DP102"))
        self.assertEqual(self.score(lost).returncode, 1)
        self.assertEqual(self.score(lost, "--rule", "DP102").returncode, 0)
        demoted = self.program("demoted", finding(1, "DP101", "hint"))
        self.assertEqual(self.score(demoted).returncode, 0)
        self.assertEqual(self.score(demoted, "--strict").returncode, 1)

    def test_says_where_a_lost_finding_may_have_gone(self):
        self.rows(("train.py", 1, "DP101", "on", "right", ""))
        run = self.score(self.program("program", finding(3, "DP101")))
        self.assertIn("train.py:1 (reported at 3 now)", run.stdout)
        self.assertEqual(run.returncode, 1)

    def test_skips_absent_repositories(self):
        self.rows(("train.py", 1, "DP101", "on", "right", ""))
        (self.data / "nobody+nothing.tsv").write_text(HEADER + "a.py\t1\tDP101\ton\tright\t\n")
        run = self.score(self.program("program", finding(1, "DP101")))
        self.assertIn("1 absent, skipped: nobody+nothing", run.stdout)
        self.assertEqual(run.returncode, 0)

    def test_status_is_2_without_any_repository_or_with_a_bad_row(self):
        program = self.program("program")
        self.assertEqual(self.score(program).returncode, 2)
        self.rows(("train.py", 1, "DP101", "on", "perhaps", ""))
        run = self.score(program)
        self.assertEqual(run.returncode, 2)
        self.assertIn("somebody+something.tsv:4: unknown tier or verdict: on perhaps", run.stderr)

    def test_refuses_another_commit(self):
        self.rows(("evaluate.py", 1, "DP101", "on", "right", ""))
        run = self.score(self.program("program"))
        self.assertEqual(run.returncode, 2)
        self.assertIn("has no evaluate.py: check out commit 0123", run.stderr)

    def test_a_line_in_a_notebook_is_counted_in_its_cell(self):
        (self.repository / "a.ipynb").write_text("{}")
        self.rows(("a.ipynb", "4:2", "DP101", "on", "right", ""))
        there = self.program("there", finding(2, "DP101", path="a.ipynb", cell=4))
        self.assertEqual(self.score(there).returncode, 0)
        elsewhere = self.program("elsewhere", finding(2, "DP101", path="a.ipynb", cell=5))
        self.assertEqual(self.score(elsewhere).returncode, 1)

    def test_diff_of_two_programs(self):
        self.rows(("train.py", 7, "DP101", "on", "right", ""))
        before = self.program("before", finding(7, "DP101"), finding(8, "DP103"), finding(9, "DP104", "hint"))
        after = self.program("after", finding(8, "DP103"), finding(9, "DP104"))
        run = self.run_tool("diff", "--repositories", self.folder / "repositories", "--before", before, "--after", after)
        self.assertEqual(run.stdout, "- DP101 on somebody/something:train.py:7 [right]\n      ds = ds.map(load)\n"
                                     "~ DP104 hint -> on somebody/something:train.py:9\n      model.fit(ds)\n")
        self.assertEqual(run.returncode, 1)

    def test_diff_of_two_reports(self):
        for name, findings in (("before", [finding(1, "DP101")]), ("after", [])):
            (self.folder / name).mkdir()
            (self.folder / name / "somebody+something.json").write_text(json.dumps({"findings": findings}))
        report = "somebody+something.json"
        run = self.run_tool("diff", "--before", self.folder / "before" / report, "--after", self.folder / "after" / report)
        self.assertEqual(run.stdout, "- DP101 on somebody/something:train.py:1\n")
        run = self.run_tool("diff", "--before", self.folder / "after" / report, "--after", self.folder / "after" / report)
        self.assertEqual((run.stdout, run.returncode), ("", 0))

    def test_add_appends_what_is_new_and_keeps_what_was_read(self):
        self.rows(("train.py", 1, "DP101", "on", "right", "decodes images"))
        program = self.program("program", finding(1, "DP101"), finding(7, "DP103"), finding(8, "DP104", "hint"))
        run = self.run_tool("add", "--repositories", self.folder / "repositories", "--binary", program)
        self.assertEqual(run.stdout, "somebody+something: 1 unread findings added\n")
        self.assertEqual((self.data / "somebody+something.tsv").read_text(),
                         HEADER + "train.py\t1\tDP101\ton\tright\tdecodes images\ntrain.py\t7\tDP103\ton\tunread\t\n")

    def test_with_the_real_program(self):
        run = self.run_tool("add", "--repositories", self.folder / "repositories", "--binary", BINARY, "--commit", "0123",
                            "somebody+something")
        self.assertEqual(run.returncode, 0, run.stderr)
        table = self.data / "somebody+something.tsv"
        self.assertIn("train.py\t7\tDP101\ton\tunread\t\n", table.read_text())
        table.write_text(table.read_text().replace("unread", "right"))
        self.assertEqual(self.score(BINARY).returncode, 0)
        (self.repository / "train.py").write_text("import tensorflow as tf\n")
        self.assertEqual(self.score(BINARY).returncode, 1)


class DataFiles(unittest.TestCase):
    def test_every_row_can_be_read(self):
        """`score` reads all data files before it looks for a repository."""
        with tempfile.TemporaryDirectory() as empty:
            run = subprocess.run([sys.executable, VERDICTS, "score", "--repositories", empty, "--binary", BINARY],
                                 capture_output=True, text=True, timeout=300)
        self.assertIn("none of the repositories with verdicts is in", run.stderr)


if __name__ == "__main__":
    unittest.main()
