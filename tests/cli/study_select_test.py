#!/usr/bin/env python3
"""`deepperf study select` as a user runs it.

usage: study_select_test.py DEEPPERF_BINARY
"""

import gzip
import json
import os
import pathlib
import pty
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import unittest

BINARY = os.path.abspath(sys.argv.pop(1))

ROW = ('  <row Id="{id}" PostTypeId="1" {more}CreationDate="2018-05-06T07:08:09.010" Score="2" ViewCount="30" '
       'Body="&lt;p&gt;It is slower.&lt;/p&gt;" Title="How to go faster {id}?" Tags="&lt;python&gt;&lt;tensorflow&gt;" '
       'AnswerCount="1" />\n')
ANSWER = '  <row Id="{id}" PostTypeId="2" ParentId="{parent}" CreationDate="2018-05-06T08:00:00.000" Body="" />\n'


def dump(rows):
    return '<?xml version="1.0" encoding="utf-8"?>\n<posts>\n' + rows + "</posts>\n"


class Select(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)

    def write(self, name, content):
        path = self.folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def run_select(self, *arguments, stdin=None):
        return subprocess.run([BINARY, "study", "select", *arguments], cwd=self.folder, input=stdin, capture_output=True,
                              timeout=300)

    def test_prints_the_funnel(self):
        self.write("Posts.xml", dump(ROW.format(id=1, more='AcceptedAnswerId="2" ') + ANSWER.format(id=2, parent=1) +
                                     ROW.format(id=3, more="")))
        for recipe, lines in (("liu", ["tagged 2 90,697", "how-to 2 14,203", "answered 1 4,327", "open 1 3,842"]),
                              ("zhang", ["in time 2", "tagged 2 39,628"]),
                              ("dlperf", ["tagged 2", "in time 2", "keywords 2"])):
            result = self.run_select("Posts.xml", "--recipe", recipe, "-o", f"{recipe}.sqlite")
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual(result.stderr, b"")
            printed = [" ".join(line.split()) for line in result.stdout.decode().splitlines()]
            for line in ["questions 2", *lines]:
                self.assertTrue(any((found + " ").startswith(line + " ") for found in printed), (line, printed))
        self.assertIn(b"3 rows", result.stdout)
        with sqlite3.connect(self.folder / "liu.sqlite") as database:
            self.assertEqual(list(database.execute("SELECT id, tags, accepted FROM posts")),
                             [(1, "|python|tensorflow|", "2018-05-06T08:00:00.000")])

    def test_says_why_nothing_was_left(self):
        self.write("Posts.xml", dump(ROW.format(id=1, more="").replace("2018-05", "2011-05")))
        result = self.run_select("Posts.xml", "-r", "dlperf", "-o", "x.sqlite")
        self.assertEqual(result.returncode, 0, result.stderr)
        said = result.stdout.decode()
        self.assertIn("the questions are from 2011-05-06 to 2011-05-06", said)
        self.assertIn("from 2018-01-01; before 2021-03-03", said)
        self.assertIn('stored 0 posts in x.sqlite: no question has passed the step "in time"', said)

    def test_one_run_at_a_time(self):
        text = dump(ROW.format(id=1, more="")).encode()
        first = subprocess.Popen([BINARY, "study", "select", "-", "-r", "zhang", "-o", "x.sqlite"], cwd=self.folder,
                                 stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        first.stdin.write(text[:100])
        first.stdin.flush()
        while not (self.folder / "x.sqlite.partial").exists():
            self.assertIsNone(first.poll())
            time.sleep(0.01)
        time.sleep(0.1)
        for more in ([], ["--resume"], ["--force"]):
            second = self.run_select("-", "-r", "zhang", "-o", "x.sqlite", *more, stdin=text)
            self.assertEqual(second.returncode, 2)
            self.assertIn(b"another run of deepperf is writing x.sqlite.partial", second.stderr)
        self.assertEqual(first.communicate(text[100:], timeout=60)[1], b"")
        self.assertEqual(first.returncode, 0)
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["x.sqlite"])

    def test_standard_input(self):
        text = dump(ROW.format(id=1, more="")).encode()
        for number, stdin in enumerate((text, gzip.compress(text))):
            result = self.run_select("-", "-r", "zhang", "-o", f"{number}.sqlite", "--format", "json", stdin=stdin)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual(json.loads(result.stdout)["stored"], 1)

    def test_a_recipe_of_ones_own(self):
        self.write("Posts.xml", dump("".join(ROW.format(id=number, more="") for number in range(1, 4))))
        self.write("mine.toml", '[[step]]\nname = "mine"\ntags = ["python"]\nmin_score = 2\n')
        result = self.run_select("Posts.xml", "-r", "mine.toml", "-o", "out.sqlite")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn(b"stored 3 posts", result.stdout)

    def test_what_is_wrong_is_told_with_its_place(self):
        text = dump(ROW.format(id=1, more="") + "  <row Id=\"2\" Body=\"<b>\" />\n" + ROW.format(id=3, more=""))
        self.write("Posts.xml", text)
        result = self.run_select("Posts.xml", "-r", "zhang", "-o", "out.sqlite")
        self.assertEqual(result.returncode, 1)
        self.assertIn(b"stored 2 posts", result.stdout)
        self.assertIn(b"byte %d" % text.index('<row Id="2"'), result.stderr)
        self.write("torn.gz", gzip.compress(os.urandom(10).hex().encode() + text.encode() * 300)[:-200])
        result = self.run_select("torn.gz", "-r", "zhang", "-o", "torn.sqlite")
        self.assertIn(result.returncode, (1, 2))
        self.assertIn(b"truncated", result.stderr)

    def test_errors(self):
        self.write("Posts.xml", dump(ROW.format(id=1, more="")))
        self.write("empty.xml", "")
        self.write("Tags.xml", '<tags><row Id="1" TagName="x" Count="3" /></tags>')
        self.write("wrong.toml", '[[step]]\nname = "a"\ntag = ["b"]\n')
        for arguments, message in (
                (["none.xml", "-r", "liu", "-o", "x.sqlite"], "cannot read none.xml: No such file"),
                ([".", "-r", "liu", "-o", "x.sqlite"], "Is a directory"),
                (["empty.xml", "-r", "liu", "-o", "x.sqlite"], "empty.xml contains no post"),
                (["Tags.xml", "-r", "liu", "-o", "x.sqlite"], "Tags.xml contains no post: is it the Posts.xml of a dump?"),
                (["Posts.xml", "-r", "liu", "-o", ".", "--force"], "the output must be a file"),
                (["Posts.xml", "-r", "lui", "-o", "x.sqlite"], "there is no recipe 'lui'"),
                (["Posts.xml", "-r", "wrong.toml", "-o", "x.sqlite"], "wrong.toml:3:7: unknown condition 'tag'"),
                (["Posts.xml", "-r", "liu", "-o", "no/x.sqlite"], "no/x.sqlite"),
                (["Posts.xml", "-r", "liu"], "--output"),
                (["Posts.xml", "-o", "x.sqlite"], "--recipe")):
            result = self.run_select(*arguments)
            self.assertEqual(result.returncode, 2, arguments)
            self.assertIn(message, result.stderr.decode())
            self.assertEqual(result.stdout, b"")
            self.assertFalse((self.folder / "x.sqlite").exists())
        self.assertEqual(self.run_select("Posts.xml", "-r", "liu", "-o", "x.sqlite").returncode, 0)
        result = self.run_select("Posts.xml", "-r", "liu", "-o", "x.sqlite")
        self.assertEqual(result.returncode, 2)
        self.assertIn(b"--force", result.stderr)
        result = self.run_select("Posts.xml", "-r", "liu", "-o", "./Posts.xml", "--force")
        self.assertEqual(result.returncode, 2)
        self.assertIn(b"is the dump", result.stderr)
        result = self.run_select("-", "-r", "liu", "-o", "y.sqlite", stdin=b"7z\xBC\xAF\x27\x1C" + bytes(100))
        self.assertEqual(result.returncode, 2)
        self.assertIn(b"cannot be read from a pipe", result.stderr)
        self.assertEqual(list(self.folder.glob("*.partial")), [])

    def test_help(self):
        for arguments in (["study", "--help"], ["study", "select", "--help"]):
            result = subprocess.run([BINARY, *arguments], capture_output=True, text=True, timeout=60)
            self.assertEqual(result.returncode, 0)
            self.assertIn("select", result.stdout)

    def test_interrupted_and_resumed(self):
        rows = "".join(ROW.format(id=2 * number + 1, more=f'AcceptedAnswerId="{2 * number + 2}" ') +
                       ANSWER.format(id=2 * number + 2, parent=2 * number + 1) for number in range(20000))
        text = dump(rows).encode()
        # Through a pipe that stays open, so that there is a moment to interrupt it in.
        process = subprocess.Popen([BINARY, "study", "select", "-", "-r", "zhang", "-o", "out.sqlite"], cwd=self.folder,
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        process.stdin.write(text[: len(text) // 2])
        process.stdin.flush()
        while not (self.folder / "out.sqlite.partial").exists():
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        time.sleep(0.2)  # the signal may come while it waits for bytes: these wake it up
        try:
            process.stdin.write(text[len(text) // 2: len(text) // 2 + 3_000_000])
            process.stdin.close()
        except BrokenPipeError:
            pass
        stderr = process.stderr.read().decode()
        self.assertEqual(process.wait(60), 2, stderr)
        self.assertIn("--resume", stderr)
        process.stdout.close()
        process.stderr.close()
        self.assertFalse((self.folder / "out.sqlite").exists())
        result = self.run_select("-", "-r", "zhang", "-o", "out.sqlite", "--resume", "--format", "json", stdin=text)
        self.assertEqual(result.returncode, 0, result.stderr)
        report = json.loads(result.stdout)
        self.assertEqual((report["questions"], report["answers"], report["stored"]), (20000, 20000, 20000))
        self.assertEqual(report["accepted"]["found"], 20000)

    def test_progress_on_a_terminal(self):
        leader, follower = pty.openpty()
        process = subprocess.Popen([BINARY, "study", "select", "-", "-r", "zhang", "-o", "out.sqlite"], cwd=self.folder,
                                   stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=follower)
        os.close(follower)
        text = dump(ROW.format(id=1, more="") * 2000).encode()
        process.stdin.write(text)
        process.stdin.flush()
        seen = os.read(leader, 1000)  # blocks until the bar is there
        self.assertIn(b"read, ", seen)
        self.assertIn(b"/s", seen)
        process.stdin.close()
        while True:
            try:
                if not os.read(leader, 1000):
                    break
            except OSError:
                break
        os.close(leader)
        self.assertEqual(process.wait(60), 0)


if __name__ == "__main__":
    unittest.main()
