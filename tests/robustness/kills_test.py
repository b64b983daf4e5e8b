#!/usr/bin/env python3
"""The program is killed at random moments: files are old or new, never torn, and what was begun can be gone on with.

usage: kills_test.py DEEPPERF_BINARY [--kills N] [UNITTEST_ARGUMENT...]
"""

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time

from posts import RECIPE, many
from support import Folder, Program, main, run

KILLS = 8  # of each kind; by hand more
OLD = "import torch\nimport numpy as np\n" + "x = np.zeros(3, dtype=np.float)\nprint(torch.from_numpy(x), np.NaN)\n" * 40
NEW = OLD.replace("np.float)", "float)").replace("np.NaN", "np.nan")


def start(*arguments, cwd):
    return subprocess.Popen([Program.path, *arguments], cwd=cwd, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                            env={**os.environ, "XDG_CACHE_HOME": str(cwd / "cache")})


class Kills(Folder):
    def setUp(self):
        super().setUp()
        self.random = random.Random(7)

    def killed_at_random(self, longest, ending, *arguments):
        """True if it was killed before it had ended."""
        process = start(*arguments, cwd=self.folder)
        time.sleep(self.random.uniform(0, longest))
        process.send_signal(ending)
        return process.wait(120) < 0

    def time_of(self, *arguments):
        began = time.monotonic()
        start(*arguments, cwd=self.folder).wait(300)
        return time.monotonic() - began

    def test_fix(self):
        names = [f"a{i}.py" for i in range(25)]
        for name in names:
            self.write(name, OLD)
        longest = self.time_of("check", "--fix", ".")
        for kill in range(KILLS):
            for name in names:
                self.write(name, OLD)
            ending = [signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGPIPE, signal.SIGUSR1][kill % 6]
            self.killed_at_random(longest, ending, "check", "--fix", ".")
            for name in names:
                self.assertIn((self.folder / name).read_text(), (OLD, NEW))
            left = [name for name in os.listdir(self.folder) if name.startswith(".deepperf-")]
            if ending != signal.SIGKILL: # which nobody can clean up after
                self.assertEqual(left, [], ending)
            for name in left:
                os.unlink(self.folder / name)
        result = run("check", "--fix", ".", cwd=self.folder)
        self.assertEqual(result.returncode, 0, result.stdout)
        for name in names:
            self.assertEqual((self.folder / name).read_text(), NEW)

    def test_output(self):
        self.write("a.py", OLD)
        self.write("out.json", "old")
        longest = self.time_of("check", "-o", "other.json", "--format", "json", "a.py")
        new = (self.folder / "other.json").read_text()
        for kill in range(KILLS):
            self.write("out.json", "old")
            ending = [signal.SIGTERM, signal.SIGINT, signal.SIGHUP][kill % 3]
            self.killed_at_random(longest, ending, "check", "-o", "out.json", "--format", "json", "a.py")
            self.assertIn((self.folder / "out.json").read_text(), ("old", new))
            self.assertEqual([name for name in os.listdir(self.folder) if name.startswith(".deepperf-")], [])

    def rows(self, name):
        return sqlite3.connect(self.folder / name).execute("SELECT * FROM posts ORDER BY id").fetchall()

    def test_select_goes_on(self):
        self.write("posts.xml", many(30_000))
        self.write("all.toml", RECIPE)
        command = ["study", "select", "posts.xml", "--recipe", "all.toml", "--jobs", "2", "-o"]
        longest = self.time_of(*command, "whole.sqlite")
        wanted = self.rows("whole.sqlite")
        self.assertEqual(len(wanted), 30_000)
        for kill in range(KILLS):
            for name in list(os.listdir(self.folder)):
                if name.startswith("s.sqlite"):
                    os.unlink(self.folder / name)
            ending = [signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP][kill % 4]
            self.killed_at_random(longest, ending, *command, "s.sqlite")
            if not (self.folder / "s.sqlite").exists():
                self.killed_at_random(longest, ending, *command, "s.sqlite", "--resume")
            if not (self.folder / "s.sqlite").exists():
                result = run(*command, "s.sqlite", "--resume", cwd=self.folder)
                self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual(self.rows("s.sqlite"), wanted)
            left = [name for name in os.listdir(self.folder) if name.startswith("s.sqlite")]
            self.assertEqual(left, ["s.sqlite"])

    def test_select_goes_on_from_the_end(self):
        """Killed after everything was read and before the store got its name: the end of the dump was seen already."""
        self.write("posts.xml", many(300))
        self.write("all.toml", RECIPE)
        command = ["study", "select", "posts.xml", "--recipe", "all.toml", "-o", "s.sqlite"]
        result = run(*command, cwd=self.folder)
        self.assertEqual(result.returncode, 0, result.stderr)
        wanted = self.rows("s.sqlite")
        (self.folder / "s.sqlite").rename(self.folder / "s.sqlite.partial")
        result = run(*command, "--resume", cwd=self.folder)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(self.rows("s.sqlite"), wanted)


if __name__ == "__main__":
    if "--kills" in sys.argv:
        at = sys.argv.index("--kills")
        KILLS = int(sys.argv[at + 1])
        del sys.argv[at:at + 2]
    main(sys.argv)
