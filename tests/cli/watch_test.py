#!/usr/bin/env python3
"""`check --watch`: edits files while the program runs, and waits for what it prints.

usage: watch_test.py DEEPPERF_BINARY
"""

import json
import os
import pathlib
import pty
import queue
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

BINARY = os.path.abspath(sys.argv.pop(1))
PATIENCE = 120  # seconds; what is waited for comes long before
SLOW = """import tensorflow as tf


def load(path):
    return tf.io.decode_jpeg(tf.io.read_file(path))


ds = tf.data.Dataset.list_files("*.jpg").map(load)
"""
FAST = SLOW.replace("map(load)", "map(load, num_parallel_calls=tf.data.AUTOTUNE)")


class Watched:
    """A running program, and all that it has printed."""

    def __init__(self, arguments, folder, stdout=subprocess.PIPE, read=None):
        self.process = subprocess.Popen([BINARY, "check", "--watch", *arguments], cwd=folder, stdin=subprocess.DEVNULL,
                                        stdout=stdout, stderr=subprocess.PIPE,
                                        env={**os.environ, "XDG_CACHE_HOME": str(folder.parent / "cache")})
        self.read = read or (lambda: os.read(self.process.stdout.fileno(), 1 << 16))
        self.chunks = queue.Queue()
        self.printed = ""
        self.thread = threading.Thread(target=self.collect, daemon=True)
        self.thread.start()

    def collect(self):
        try:
            while chunk := self.read():
                self.chunks.put(chunk.decode())
        except OSError:  # a terminal that was closed
            pass

    def wait_for(self, pattern):
        """Waits until it has printed that, and forgets everything up to there."""
        end = time.monotonic() + PATIENCE
        while not (found := re.search(pattern, self.printed, re.MULTILINE | re.DOTALL)):
            try:
                self.printed += self.chunks.get(timeout=max(0.0, end - time.monotonic()))
            except queue.Empty:
                raise AssertionError(f"never printed {pattern!r} but {self.printed!r}") from None
        self.printed = self.printed[found.end():]
        return found.group()

    def stop(self, how=signal.SIGINT):
        self.process.send_signal(how)
        code = self.process.wait(PATIENCE)
        self.thread.join(PATIENCE)
        while not self.chunks.empty():
            self.printed += self.chunks.get()
        return code


class Watch(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name) / "project"
        (self.folder / ".git").mkdir(parents=True)

    def write(self, path, text):
        target = self.folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)

    def watch(self, *arguments, **options):
        watched = Watched(arguments, self.folder, **options)
        self.addCleanup(watched.process.stderr.close)
        if watched.process.stdout:
            self.addCleanup(watched.process.stdout.close)
        self.addCleanup(watched.process.wait)
        self.addCleanup(watched.process.kill)
        return watched

    def test_reports_after_each_change(self):
        self.write("a.py", SLOW)
        for cache in ([], ["--no-cache"]):
            self.write("a.py", SLOW)
            watched = self.watch(*cache)
            self.assertNotIn("---", watched.wait_for("1 warning in 1 file$.*a.py:8:.* DP101 .*help: "))
            self.write("a.py", FAST)
            watched.wait_for(r"^--- \d\d:\d\d:\d\d ---\nNo problems found in 1 file$")
            self.write("new/folder/b.py", "x = = 1\n")
            watched.wait_for("^---.*^1 syntax error in 2 files$.*b.py:1:5: syntax error")
            self.write("new/folder/b.py", "x = 1\n")
            watched.wait_for("^---.*^No problems found in 2 files$")
            (self.folder / "new/folder/b.py").unlink()
            watched.wait_for("^---.*^No problems found in 1 file$")
            self.assertEqual(watched.stop(), 0)
            self.assertEqual(watched.process.stderr.read(), b"")

    def test_formats_and_files(self):
        self.write("a.py", SLOW)
        watched = self.watch("--format", "concise", "a.py")
        watched.wait_for("^a.py:8:.*DP101.*\n")
        self.write("a.py", "\n" + SLOW)
        watched.wait_for("^---.*^a.py:9:.*DP101.*\n")
        self.assertEqual(watched.stop(signal.SIGTERM), 0)
        watched = self.watch("--format", "json", "--output", str(self.folder / "out.json"))
        deadline = time.monotonic() + PATIENCE

        def lines():
            try:
                return [finding["line"] for finding in json.loads((self.folder / "out.json").read_text())["findings"]]
            except (OSError, json.JSONDecodeError):
                return None

        while lines() != [9] and time.monotonic() < deadline:
            time.sleep(0.02)
        self.write("a.py", SLOW)
        while lines() != [8] and time.monotonic() < deadline:
            time.sleep(0.02)
        self.assertEqual(lines(), [8])
        self.assertEqual((watched.stop(), watched.printed), (0, ""))

    def test_requirements_count(self):
        self.write("a.py", "import numpy as np\nimport torch\n\nx = np.float(1)\n")
        self.write("requirements.txt", "numpy>=1.24\n")
        watched = self.watch("--format", "concise", "--hints", "a.py")
        first = watched.wait_for("a.py:4.*\n")
        self.write("requirements.txt", "numpy<1.20\n")
        watched.wait_for("^---.*\n")
        self.assertEqual(watched.stop(), 0)
        self.assertNotEqual(watched.printed, first)

    def test_on_a_terminal(self):
        self.write("a.py", SLOW)
        master, slave = pty.openpty()
        self.addCleanup(os.close, master)
        watched = self.watch("--color", "never", stdout=slave, read=lambda: os.read(master, 1 << 16))
        os.close(slave)
        clear = re.escape("\x1b[H\x1b[2J\x1b[3J")
        watched.wait_for(clear + r".*DP101.*\d\d:\d\d:\d\d: 1 warning in 1 file \([\d.]+ s\)\. Waiting for changes")
        self.write("a.py", FAST)
        watched.wait_for(clear + r".*No problems found.*\d\d:\d\d:\d\d: No problems found in 1 file \([\d.]+ s\)\. Waiting for changes")
        self.assertEqual(watched.stop(), 0)
        self.assertTrue(watched.printed.endswith("\x1b[0m\r\n"), watched.printed)

    def test_what_cannot_be_watched(self):
        for arguments in (["--fix"], ["--diff"], ["--timings"], ["-"]):
            result = subprocess.run([BINARY, "check", "--watch", *arguments], cwd=self.folder, capture_output=True, text=True,
                                    stdin=subprocess.DEVNULL, timeout=PATIENCE)
            self.assertEqual(result.returncode, 2, arguments)
            self.assertIn("--watch", result.stderr)


if __name__ == "__main__":
    unittest.main()
