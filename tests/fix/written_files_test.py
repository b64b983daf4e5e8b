#!/usr/bin/env python3
"""What --fix does to files beside their text: links, modes, attributes, interrupts, full disks.

usage: written_files_test.py DEEPPERF_BINARY [UNITTEST_ARGUMENT...]
"""

import os
import pathlib
import random
import re
import resource
import signal
import stat
import subprocess
import sys
import tempfile
import time
import unittest

OLD = b"""import torch
import numpy as np

x = np.zeros(3, dtype=np.float)
print(torch.from_numpy(x), np.NaN)
"""
NEW = OLD.replace(b"np.float)", b"float)").replace(b"np.NaN", b"np.nan")
ENVIRONMENT = {**os.environ, "XDG_CACHE_HOME": os.devnull}


def fix(folder, *options, **more):
    return subprocess.run([BINARY, "check", "--fix", *options, "."], cwd=folder, capture_output=True, encoding="utf-8",
                          env=ENVIRONMENT, **more)


class WrittenFiles(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        self.file = self.folder / "train.py"
        self.file.write_bytes(OLD)

    def assert_only(self, *names):
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), sorted(names))

    def test_text(self):
        fix(self.folder)
        self.assertEqual(self.file.read_bytes(), NEW)
        self.assert_only("train.py")

    def test_mode_stays(self):
        self.file.chmod(0o751)
        fix(self.folder)
        self.assertEqual(stat.S_IMODE(self.file.stat().st_mode), 0o751)
        self.assertEqual(self.file.read_bytes(), NEW)

    def test_symbolic_link_stays(self):
        target = self.folder / "elsewhere"
        target.mkdir()
        self.file.rename(target / "train.py")
        self.file.symlink_to("elsewhere/train.py")
        fix(self.folder)
        self.assertTrue(self.file.is_symlink())
        self.assertEqual((target / "train.py").read_bytes(), NEW)

    def test_extended_attributes_stay(self):
        try:
            os.setxattr(self.file, "user.note", b"kept\0by hand")
            os.setxattr(self.file, "user.empty", b"")
        except OSError as error:
            self.skipTest(f"no extended attributes here: {error}")
        fix(self.folder)
        self.assertEqual(self.file.read_bytes(), NEW)
        self.assertEqual(os.getxattr(self.file, "user.note"), b"kept\0by hand")
        self.assertEqual(os.getxattr(self.file, "user.empty"), b"")

    def test_access_list_stays(self):
        # Version 2: the owner may do all, user 12345 may read, the group and the mask read, others nothing.
        entries = [(0x01, 7, 0xFFFFFFFF), (0x02, 4, 12345), (0x04, 4, 0xFFFFFFFF), (0x10, 4, 0xFFFFFFFF),
                   (0x20, 0, 0xFFFFFFFF)]
        wanted = (2).to_bytes(4, "little") + b"".join(
            tag.to_bytes(2, "little") + may.to_bytes(2, "little") + who.to_bytes(4, "little") for tag, may, who in entries)
        try:
            os.setxattr(self.file, "system.posix_acl_access", wanted)
        except OSError as error:
            self.skipTest(f"no access lists here: {error}")
        mode = self.file.stat().st_mode
        fix(self.folder)
        self.assertEqual(self.file.read_bytes(), NEW)
        self.assertEqual(os.getxattr(self.file, "system.posix_acl_access"), wanted)
        self.assertEqual(self.file.stat().st_mode, mode)

    def test_hard_links_are_left_alone(self):
        other = self.folder / "other_name.txt"
        os.link(self.file, other)
        (self.folder / "single.py").write_bytes(OLD)
        result = fix(self.folder)
        self.assertEqual(self.file.read_bytes(), OLD)
        self.assertEqual(self.file.stat().st_ino, other.stat().st_ino)
        self.assertIn("train.py: not fixed: it has 2 hard links", result.stderr)
        self.assertEqual((self.folder / "single.py").read_bytes(), NEW)
        self.assertEqual(result.returncode, 1, result.stderr)

    def test_file_size_limit(self):
        """As on a full disk: no bytes can be written."""
        def forbid_writing():
            resource.setrlimit(resource.RLIMIT_FSIZE, (16, 16))
        result = fix(self.folder, preexec_fn=forbid_writing)
        self.assertEqual(result.returncode, 2)
        self.assertIn("train.py: not fixed: cannot write", result.stderr)
        self.assertEqual(self.file.read_bytes(), OLD)
        self.assert_only("train.py")

    def test_full_disk(self):
        disk = self.folder / "disk"
        disk.mkdir()
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=32k", "tmpfs", disk], capture_output=True)
        if mounted.returncode != 0:
            self.skipTest("only root can make a small disk")
        try:
            (disk / "train.py").write_bytes(OLD)
            with open(disk / "ballast", "wb") as ballast:
                try:
                    while True:
                        ballast.write(b"x" * 4096)
                        ballast.flush()
                except OSError:
                    pass
        except OSError:
            pass
        try:
            result = fix(disk)
            self.assertEqual((disk / "train.py").read_bytes(), OLD)
            self.assertEqual(result.returncode, 2, result.stderr)
            self.assertIn("No space left on device", result.stderr)
            self.assertEqual(sorted(path.name for path in disk.iterdir()), ["ballast", "train.py"])
        finally:
            subprocess.run(["umount", disk], check=True)

    def test_interrupted_at_any_moment(self):
        files = [self.folder / f"step_{number:03}.py" for number in range(120)]
        names = {path.name for path in files} | {self.file.name}

        def restore():
            for path in (*files, self.file):
                path.write_bytes(OLD)

        restore()
        start = time.monotonic()
        fix(self.folder)
        whole = time.monotonic() - start
        stopped = 0
        partly = 0
        chance = random.Random(4)
        for number in range(30):
            restore()
            sent = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)[number % 3]
            process = subprocess.Popen([BINARY, "check", "--fix", "."], cwd=self.folder, stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL, env=ENVIRONMENT)
            time.sleep(chance.uniform(0, whole))
            process.send_signal(sent)
            process.wait()
            texts = [path.read_bytes() for path in files]
            self.assertLessEqual(set(texts), {OLD, NEW})
            self.assertEqual({path.name for path in self.folder.iterdir()}, names)
            stopped += process.returncode == -sent
            partly += 0 < texts.count(NEW) < len(texts)
        self.assertGreater(stopped, 0, "every signal came too late")
        print(f"{stopped} of 30 runs were stopped, {partly} of them halfway", file=sys.stderr)

    def test_killed_at_any_moment(self):
        """SIGKILL can leave a temporary file behind, but no file that is neither old nor new."""
        chance = random.Random(5)
        for _ in range(10):
            self.file.write_bytes(OLD)
            process = subprocess.Popen([BINARY, "check", "--fix", "."], cwd=self.folder, stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL, env=ENVIRONMENT)
            time.sleep(chance.uniform(0, 0.05))
            process.kill()
            process.wait()
            self.assertIn(self.file.read_bytes(), (OLD, NEW))

    def test_diff_in_colour(self):
        def diff(*options):
            return subprocess.run([BINARY, "check", "--diff", *options, "train.py"], cwd=self.folder, env=ENVIRONMENT,
                                  capture_output=True, encoding="utf-8").stdout
        plain = diff()
        self.assertNotIn("\x1b", plain)
        coloured = diff("--color", "always")
        self.assertIn("\x1b[31m-x = np.zeros(3, dtype=np.float)\x1b[0m\n", coloured)
        self.assertIn("\x1b[32m+x = np.zeros(3, dtype=float)\x1b[0m\n", coloured)
        self.assertIn("\x1b[36m@@ -1,5 +1,5 @@\x1b[0m\n", coloured)

        self.assertEqual(re.sub("\x1b\\[\\d*m", "", coloured), plain)
        self.assertNotIn("\x1b", diff("--color", "never"))


if __name__ == "__main__":
    BINARY = os.path.abspath(sys.argv.pop(1))
    unittest.main()
