#!/usr/bin/env python3
"""Living with findings: suppressions, baselines, and findings on changed lines only; in real git repositories.

usage: living_test.py DEEPPERF_BINARY
"""

import ast
import json
import os
import pathlib
import shutil
import stat
import subprocess
import sys
import tempfile
import unittest

BINARY = os.path.abspath(sys.argv.pop(1))

MAP = """import tensorflow as tf


def decode(path):
    return tf.io.decode_jpeg(tf.io.read_file(path))


def load(pattern):
    files = tf.data.Dataset.list_files(pattern)
    return files.map(decode).batch(32)
"""
MAP_LINE = MAP.splitlines().index("    return files.map(decode).batch(32)") + 1

LOOP = """import torch


def train(model, loader, optimizer, loss_function):
    total = 0
    for x, y in loader:
        optimizer.zero_grad()
        loss = loss_function(model(x), y)
        loss.backward()
        optimizer.step()
        total += loss
    return total
"""


def notebook(*cells):
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {},
                       "cells": [{"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None,
                                  "source": cell.splitlines(keepends=True)} for cell in cells]}, indent=1)


class Living(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.root = pathlib.Path(holder.name) / "project"
        self.root.mkdir()
        self.environment = {**os.environ, "XDG_CACHE_HOME": str(pathlib.Path(holder.name) / "cache"), "HOME": holder.name,
                            "GIT_CONFIG_NOSYSTEM": "1", "GIT_CEILING_DIRECTORIES": holder.name}

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
        return path

    def read(self, name):
        return (self.root / name).read_bytes().decode()

    def run_check(self, *arguments, status=None, cwd=None, input=None):
        done = subprocess.run([BINARY, "check", *arguments], cwd=cwd or self.root, capture_output=True, text=True,
                              env=self.environment, timeout=300, input=input)
        if status is not None:
            self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done

    def found(self, *arguments, cwd=None):
        """`path code` of all findings, sorted."""
        done = self.run_check("--format", "json", *arguments, cwd=cwd)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        return sorted(f"{f['path'].removeprefix('./')} {f['code']}" for f in json.loads(done.stdout)["findings"])

    def git(self, *arguments):
        subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main",
                        "-c", "commit.gpgsign=false", *arguments], cwd=self.root, check=True, capture_output=True,
                       env=self.environment)

    def commit(self):
        if not (self.root / ".git").exists():
            self.git("init")
        self.git("add", "-A")
        self.git("commit", "-m", "all")


class Suppressions(Living):
    def test_reasons(self):
        for reason in ("", " short", " -- it is short", ": see #12"):
            self.write("a.py", MAP.replace(".batch(32)", f".batch(32)  # deepperf: ignore[DP101]{reason}"))
            self.run_check("--select", "DP101", status=0)
            self.assertEqual(self.found("--select", "DP101"), [], reason)

    def test_in_notebooks(self):
        silenced = MAP.replace(".batch(32)", ".batch(32)  # deepperf: ignore[DP101] -- small")
        self.write("a.ipynb", notebook("x = 1", silenced))
        self.assertEqual(self.found("--select", "DP101"), [])
        self.write("a.ipynb", notebook("x = 1", MAP))
        self.assertEqual(self.found("--select", "DP101"), ["a.ipynb DP101"])

    def test_an_unknown_rule_is_named_with_the_nearest(self):
        self.write("a.py", "x = 1  # deepperf: ignore[DP101, DP1O1] why\n")
        self.write("b.py", MAP)
        self.write("n.ipynb", notebook("x = 1", "\ny = 2  # deepperf: ignore[sequental-map]"))
        for _ in range(3):  # the second time it comes from the cache
            done = self.run_check(status=2)
            self.assertIn("a.py:1:34: warning: unknown rule 'DP1O1' in a suppression comment; did you mean 'DP101'?",
                          done.stderr)
            self.assertIn("n.ipynb:cell 2:2:27: warning: unknown rule 'sequental-map'", done.stderr)
            self.assertIn("'sequential-map'", done.stderr)
            self.assertIn("DP101", done.stdout)  # all else is reported
        self.write("a.py", "x = 1  # noqa: XY123, DP999\n")
        (self.root / "n.ipynb").unlink()
        self.assertNotIn("unknown", self.run_check(status=1).stderr)

    def test_unused_ones_are_listed(self):
        self.write("a.py", MAP.replace(".batch(32)", ".batch(32)  # deepperf: ignore[DP101, DP801] -- small") +
                   "x = 1  # noqa: DP101\ny = 2  # noqa: DP101, E501\nz = 3  # noqa\nw = 4  # deepperf: ignore\n")
        self.write("plain.py", "x = 1  # deepperf: ignore[DP101]\n")
        self.write("n.ipynb", notebook("x = 1", "y = 2  # deepperf: ignore[DP101]"))
        for _ in range(2):
            done = self.run_check("--report-unused-suppressions", status=1)
            lines = [line.removeprefix("./") for line in done.stdout.splitlines()]
            self.assertEqual(len(lines), 6, done.stdout)
            self.assertTrue(lines[0].startswith(f"a.py:{MAP_LINE}:41: DP801 in `# deepperf: ignore[DP101, DP801]"), lines[0])
            self.assertTrue(lines[1].startswith("a.py:11:8: `# noqa: DP101` suppresses nothing"), lines[1])
            self.assertTrue(lines[2].startswith("a.py:14:8: `# deepperf: ignore` suppresses"), lines[2])
            self.assertTrue(lines[3].startswith("n.ipynb:cell 2:1:8: "), lines[3])
            self.assertTrue(lines[4].startswith("plain.py:1:8: "), lines[4])
            self.assertEqual(lines[5], "5 unused suppressions in 3 files")
        unused = json.loads(self.run_check("--report-unused-suppressions", "--format", "json").stdout)["unused_suppressions"]
        self.assertEqual([entry["rules"] for entry in unused], [["DP801"], [], [], [], []])
        self.assertEqual(unused[0]["reason"], "small")

    def test_one_that_silences_a_hint_or_test_code_is_used(self):
        hint = next((line for line in self.hints()), None)
        self.assertIsNotNone(hint)
        path, line, code = hint
        lines = self.read(path).splitlines()
        lines[line - 1] += f"  # deepperf: ignore[{code}]"
        self.write(path, "\n".join(lines) + "\n")
        self.assertEqual(self.found(), [])  # it is not shown anyway
        self.run_check("--report-unused-suppressions", status=0)

    def hints(self):
        self.write("tests/test_load.py", MAP)
        done = self.run_check("--all", "--format", "json")
        return [(f["path"].removeprefix("./"), f["line"], f["code"]) for f in json.loads(done.stdout)["findings"]]

    def test_adding_them(self):
        self.write("a.py", MAP)
        self.write("sub/b.py", LOOP)
        self.write("n.ipynb", notebook("x = 1", MAP))
        trees = {name: ast.dump(ast.parse(self.read(name))) for name in ("a.py", "sub/b.py")}
        before = self.found()
        self.assertGreaterEqual(len(before), 3)
        os.chmod(self.root / "a.py", 0o640)
        diff = self.run_check("--add-suppressions", "--diff", "--reason", "known for years").stdout
        self.assertIn("+    return files.map(decode).batch(32)  # deepperf: ignore[", diff)
        self.assertEqual(self.found(), before)
        self.run_check("--add-suppressions", "--reason", "known for years", status=0)
        self.assertEqual(self.found(), [])
        self.run_check("--report-unused-suppressions", status=0)
        self.assertIn("] -- known for years\n", self.read("a.py"))
        for name, tree in trees.items():
            self.assertEqual(ast.dump(ast.parse(self.read(name))), tree)
        self.assertEqual(stat.S_IMODE(os.stat(self.root / "a.py").st_mode), 0o640)
        cells = json.loads(self.read("n.ipynb"))["cells"]
        self.assertIn("# deepperf: ignore[", "".join(cells[1]["source"]))
        again = self.read("a.py")
        self.run_check("--add-suppressions", status=0)
        self.assertEqual(self.read("a.py"), again)

    def test_adding_them_to_standard_input(self):
        done = self.run_check("--add-suppressions", "-", input=MAP, status=0)
        self.assertEqual(done.stdout.count("# deepperf: ignore["), 1)
        self.assertEqual(ast.dump(ast.parse(done.stdout)), ast.dump(ast.parse(MAP)))

    def test_wrong_use(self):
        self.write("a.py", MAP)
        for arguments, words in ((["--reason", "x"], "--add-suppressions"),
                                 (["--add-suppressions", "--reason", "a\nb"], "one line"),
                                 (["--add-suppressions", "--fix"], "cannot be used together"),
                                 (["--report-unused-suppressions", "--add-suppressions"], "cannot be used together"),
                                 (["--report-unused-suppressions", "--diff"], "cannot be used together")):
            self.assertIn(words, self.run_check(*arguments, status=2).stderr)
        self.assertEqual(self.read("a.py"), MAP)


class Baseline(Living):
    def test_edits_elsewhere_leave_it_valid(self):
        self.write("a.py", MAP)
        self.write("sub/b.py", LOOP)
        done = self.run_check("--write-baseline", "baseline.json", status=0)
        self.assertIn("to baseline.json", done.stderr)
        self.assertEqual(self.found("--baseline", "baseline.json"), [])
        self.run_check("--baseline", "baseline.json", status=0)
        self.write("a.py", "import os\n\n\n" + MAP.replace("files.map(decode).batch(32)",
                                                       "(\n        files  # all of them\n        .map(decode,)\n"
                                                       "        .batch(32)\n    )"))
        self.write("sub/b.py", LOOP.replace("    ", "\t").replace("optimizer.step()", "optimizer.step()\n\t\tprint(1)"))
        for folder, path in ((self.root, "baseline.json"), (self.root / "sub", "../baseline.json")):
            self.assertEqual(self.found("--baseline", path, str(self.root), cwd=folder), [])
        self.write("a.py", MAP + "    return files.map(decode).batch(32)\n\n\ndef more(files):\n    return files.map(decode)\n")
        self.assertNotIn("matches nothing", self.run_check("--baseline", "baseline.json").stderr)
        self.assertIn("known from the baseline", self.run_check("--baseline", "baseline.json").stdout)
        counts = json.loads(self.run_check("--baseline", "baseline.json", "--format", "json").stdout)["counts"]
        self.assertGreaterEqual(counts["hidden"]["baselined"], 2)

    def test_new_findings_are_shown(self):
        self.write("a.py", MAP)
        self.run_check("--write-baseline", "baseline.json", status=0)
        self.write("b.py", LOOP)
        found = self.found()
        shown = self.found("--baseline", "baseline.json")
        self.assertTrue(shown)
        self.assertEqual(shown, [line for line in found if line.startswith("b.py")])

    def test_a_moved_file_is_recognized_and_a_copy_is_new(self):
        self.write("a.py", MAP)
        self.run_check("--write-baseline", "baseline.json", status=0)
        self.write("copy.py", MAP)
        self.assertEqual(self.found("--baseline", "baseline.json"), ["copy.py DP101"])
        (self.root / "copy.py").unlink()
        (self.root / "sub").mkdir()
        (self.root / "a.py").rename(self.root / "sub" / "renamed.py")
        self.assertEqual(self.found("--baseline", "baseline.json"), [])
        self.run_check("--baseline", "baseline.json", "--prune-baseline", status=0)
        self.assertIn('"sub/renamed.py"', self.read("baseline.json"))
        self.assertNotIn('"a.py"', self.read("baseline.json"))

    def test_stale_entries_are_listed_and_pruned(self):
        self.write("a.py", MAP)
        self.write("b.py", LOOP)
        self.run_check("--write-baseline", "baseline.json", status=0)
        self.run_check("--baseline", "baseline.json", "--report-stale-baseline", status=0)
        self.write("a.py", "x = 1\n")
        text = self.read("baseline.json")
        self.assertIn("--prune-baseline removes", self.run_check("--baseline", "baseline.json", status=0).stderr)
        listed = self.run_check("--baseline", "baseline.json", "--report-stale-baseline", status=1)
        self.assertIn("a.py: DP101", listed.stdout)
        # Neither a check of another file nor one of other rules can tell.
        self.run_check("--baseline", "baseline.json", "--prune-baseline", "b.py", status=0)
        self.run_check("--baseline", "baseline.json", "--prune-baseline", "--select", "DP8", status=0)
        self.assertEqual(self.read("baseline.json"), text)
        self.run_check("--baseline", "baseline.json", "--prune-baseline", status=0)
        self.assertNotIn("a.py", self.read("baseline.json"))
        self.assertIn("b.py", self.read("baseline.json"))
        self.assertEqual(self.found("--baseline", "baseline.json"), [])

    def test_of_everything_read_by_a_check_of_less(self):
        self.write("a.py", MAP)
        self.write("tests/test_b.py", LOOP)
        self.run_check("--all", "--write-baseline", "baseline.json", status=0)
        self.assertIn("tests/test_b.py", self.read("baseline.json"))
        self.assertEqual(self.found("--all", "--baseline", "baseline.json"), [])
        self.run_check("--baseline", "baseline.json", "--report-stale-baseline", status=0)

    def test_fixes_only_what_is_not_known(self):
        self.write("a.py", MAP)
        self.run_check("--write-baseline", "baseline.json", status=0)
        self.run_check("--baseline", "baseline.json", "--fix", status=0)
        self.assertEqual(self.read("a.py"), MAP)

    def test_what_is_no_baseline(self):
        self.write("a.py", MAP)
        for text, words in (("", "not JSON"), ("{", "line 1"), ("[1]", "version"), ('{"version": 99}', "newer"),
                            ('{"version": 1, "findings": {}}', "list"), ("\xff\x00", "not JSON"),
                            ('{"version": 1, "findings": [{"path": 3}]}', "entry 1")):
            self.write("baseline.json", text)
            done = self.run_check("--baseline", "baseline.json", status=2)
            self.assertIn("baseline.json: ", done.stderr)
            self.assertIn(words, done.stderr)
            self.assertEqual(done.stdout, "")
            self.assertEqual(self.read("baseline.json"), text)
        self.assertIn("none.json", self.run_check("--baseline", "none.json", status=2).stderr)
        self.run_check("--baseline", ".", status=2)
        self.run_check("--write-baseline", "no/such/folder.json", status=2)
        self.run_check("--write-baseline", ".", status=2)
        self.run_check("--prune-baseline", status=2)
        self.run_check("--report-stale-baseline", status=2)
        self.assertEqual(sorted(os.listdir(self.root)), ["a.py", "baseline.json"])


@unittest.skipUnless(shutil.which("git"), "git is not installed")
class Since(Living):
    def test_only_changed_lines(self):
        self.write("a.py", MAP)
        self.write("b.py", LOOP)
        self.commit()
        self.assertTrue(self.found())
        self.assertEqual(self.found("--since", "HEAD"), [])
        self.write("a.py", "# a comment\n" + MAP)
        self.assertEqual(self.found("--since", "HEAD"), [])
        self.write("a.py", MAP.replace("batch(32)", "batch(64)"))
        self.assertEqual(self.found("--since", "HEAD"), ["a.py DP101"])
        self.assertEqual(self.found("--since", "HEAD", "b.py"), [])
        self.commit()
        self.assertEqual(self.found("--since", "HEAD"), [])
        self.assertEqual(self.found("--since", "HEAD~1"), ["a.py DP101"])
        self.assertEqual(self.found("--since", "HEAD~1", cwd=self.root), ["a.py DP101"])
        self.assertIn("not on changed lines", self.run_check("--since", "HEAD").stdout)

    def test_a_changed_line_of_a_note(self):
        self.write("a.py", MAP)
        self.commit()
        self.write("a.py", MAP.replace("decode_jpeg", "decode_png"))
        done = self.run_check("--format", "json", "a.py")
        notes = {note["line"] for f in json.loads(done.stdout)["findings"] for note in f["notes"]}
        self.assertEqual(self.found("--since", "HEAD"), ["a.py DP101"] if notes & {5} else [])

    def test_untracked_staged_and_ignored_files_are_new(self):
        self.write("x.py", "x = 1\n")
        self.write(".gitignore", "ignored/\n")
        self.commit()
        self.write("new/a.py", MAP)
        self.assertEqual(self.found("--since", "HEAD"), ["new/a.py DP101"])
        self.git("add", "-A")
        self.assertEqual(self.found("--since", "HEAD"), ["new/a.py DP101"])
        self.write("ignored/b.py", MAP)
        self.assertEqual(self.found("--since", "HEAD", "ignored/b.py"), ["ignored/b.py DP101"])

    def test_a_moved_file_has_not_changed(self):
        self.write("a.py", MAP)
        self.commit()
        (self.root / "a.py").rename(self.root / "moved.py")
        self.assertEqual(self.found("--since", "HEAD"), [])
        self.git("add", "-A")
        self.assertEqual(self.found("--since", "HEAD"), [])

    def test_next_to_deleted_lines(self):
        fine = LOOP.replace("total += loss", "loss = loss.detach()\n        total += loss")
        self.write("a.py", fine)
        self.commit()
        before = self.found()
        self.write("a.py", LOOP)
        new = [line for line in self.found() if line not in before]
        self.assertTrue(new)
        self.assertEqual([line for line in self.found("--since", "HEAD") if line in new], new)

    def test_notebooks_by_their_cells(self):
        other = MAP.replace("def load", "def other")
        self.write("a.ipynb", notebook("x = 1", MAP))
        self.commit()
        self.write("a.ipynb", notebook("x = 2", MAP))
        self.assertEqual(self.found("--since", "HEAD"), [])
        self.write("a.ipynb", notebook("x = 1", MAP, other))
        self.assertEqual(self.found("--since", "HEAD", "--select", "DP101"), ["a.ipynb DP101"])

    def test_line_ends_that_git_converts(self):
        self.write("a.py", MAP)
        self.commit()
        self.git("config", "core.autocrlf", "true")
        self.write("a.py", MAP.replace("\n", "\r\n"))
        self.assertEqual(self.found("--since", "HEAD"), [])

    def test_from_elsewhere(self):
        self.write("a.py", MAP)
        self.commit()
        self.write("a.py", MAP.replace("batch(32)", "batch(64)"))
        done = self.run_check("--since", "HEAD", "--format", "json", str(self.root), cwd="/")
        self.assertEqual([f["code"] for f in json.loads(done.stdout)["findings"]], ["DP101"])

    def test_what_git_does_not_know(self):
        self.write("a.py", MAP)
        self.assertIn("not in a git repository", self.run_check("--since", "HEAD", status=2).stderr)
        self.git("init")
        self.assertIn("unknown git revision 'HEAD'", self.run_check("--since", "HEAD", status=2).stderr)
        self.commit()
        done = self.run_check("--since", "nowhere", status=2)
        self.assertIn("unknown git revision 'nowhere'", done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertIn("neither a commit nor a tree", self.run_check("--since", "HEAD:a.py", status=2).stderr)
        self.run_check("--since", "HEAD", "-", status=2, input=MAP)
        self.run_check("--since", "HEAD", "--write-baseline", "b.json", status=2)


if __name__ == "__main__":
    unittest.main()
