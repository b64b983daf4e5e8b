"""What the tests of robustness share."""

import json
import os
import pathlib
import resource
import subprocess
import tempfile
import unittest

TIMEOUT = 300  # seconds, for a program that hangs; nothing here comes near


class Program:
    """The program under test; its path is set by main()."""
    path = ""

    @classmethod
    def is_sanitized(cls):
        """A sanitizer reserves terabytes of addresses, so that limits on memory mean nothing."""
        return "asan" in cls.path or "tsan" in cls.path


def run(*arguments, cwd=None, before=None, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, env=None, text=None):
    """Runs the program; `before` happens in its process, before it starts."""
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, "XDG_CACHE_HOME": cache, **(env or {})}
        more = {"input": text} if text is not None else {"stdin": stdin}
        return subprocess.run([Program.path, *map(str, arguments)], cwd=cwd, stdout=stdout, stderr=subprocess.PIPE,
                              timeout=TIMEOUT, preexec_fn=before, env=environment, **more)


def limited(kind, most):
    return lambda: resource.setrlimit(kind, (most, most))


def memory(most):
    return None if Program.is_sanitized() else limited(resource.RLIMIT_AS, most)


def notebook(*sources):
    cells = [{"cell_type": "code", "metadata": {}, "outputs": [], "source": source} for source in sources]
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells})


class Folder(unittest.TestCase):
    """A test with a folder of its own."""

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def write(self, name, content):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def check(self, *arguments, **options):
        return run("check", "--no-cache", *arguments, cwd=self.folder, **options)

    def assert_no_signal(self, result, statuses=(0, 1, 2)):
        self.assertIn(result.returncode, statuses, result.stderr[-2000:])

    def small_disk(self, size):
        """A folder on a disk of that many kilobytes; without the right to make one the test is skipped."""
        disk = self.folder / "disk"
        disk.mkdir()
        if subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}k", "tmpfs", disk],
                          capture_output=True).returncode != 0:
            self.skipTest("only root can make a small disk")
        self.addCleanup(subprocess.run, ["umount", "-l", disk], check=True)
        return disk


def main(arguments):
    """The first argument is the program."""
    Program.path = str(pathlib.Path(arguments.pop(1)).resolve())
    unittest.main()
