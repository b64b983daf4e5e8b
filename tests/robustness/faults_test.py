#!/usr/bin/env python3
"""Inputs, files and descriptors that are not as they should be: there is an answer or a clear error, and nothing is lost.

usage: faults_test.py DEEPPERF_BINARY [UNITTEST_ARGUMENT...]
"""

import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import threading
import unittest

BINARY = ""
FULL = "/dev/full"


def run(*arguments, cwd=None, before=None, stdout=subprocess.PIPE):
    """Runs the program; `before` happens in its process, before it starts."""
    return subprocess.run([BINARY, *arguments], cwd=cwd, stdout=stdout, stderr=subprocess.PIPE, timeout=300, preexec_fn=before)


def memory(most):
    """Under a sanitizer, which reserves terabytes of addresses, there is no such limit."""
    if "asan" in BINARY or "tsan" in BINARY:
        return None
    return lambda: resource.setrlimit(resource.RLIMIT_AS, (most, most))


def notebook(*sources):
    cells = [{"cell_type": "code", "metadata": {}, "outputs": [], "source": source} for source in sources]
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells})


class Folder(unittest.TestCase):
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


class Inputs(Folder):
    def test_a_written_cell_with_a_very_long_chain(self):
        self.write("a.ipynb", notebook("%%writefile m.py\nimport torch\nx = a" + ".b" * 4000 + "\n"))
        self.write("b.py", "import torch\nx = torch.ones(3).cuda()\n")
        result = self.check("--format", "json")
        report = json.loads(result.stdout)
        self.assertEqual(result.returncode, 1)
        self.assertEqual(report["files"], 2)
        self.assertTrue(any("chain" in error["message"] for error in report["errors"]), report["errors"])

    def test_cells_that_are_appended(self):
        cells = [f"%%writefile -a m.py\nx{i} = torch.ones(3)\n" for i in range(4000)]
        self.write("a.ipynb", notebook("import torch\n", *cells))
        self.assertEqual(self.check(before=memory(2 << 30)).returncode, 0)

    def test_bases_that_are_many_and_go_round(self):
        ladder = "".join(f"class C{i}({', '.join([f'C{i - 1}'] * 3)}): pass\n" for i in range(1, 25))
        self.write("a.py", "import torch\nclass C0(torch.nn.Module): pass\n" + ladder +
                   "class A(B, B, B): pass\nclass B(A, A, A): pass\nA().x()\nC24().y()\n")
        self.assertEqual(self.check().returncode, 0)

    def test_a_line_of_nul_bytes_costs_little_more_than_itself(self):
        self.write("a.py", b"import torch\n" + bytes(20_000_000))
        result = self.check(before=memory(1 << 30))
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertIn(b"NUL byte", result.stdout)

    def test_special_files_next_to_the_sources_are_not_read(self):
        self.write("a.py", "import torch\n")
        (self.folder / "requirements.txt").symlink_to("/dev/zero")
        os.mkfifo(self.folder / ".gitignore")
        os.mkfifo(self.folder / "setup.py")
        os.mkfifo(self.folder / "pyproject.toml")
        self.assertIn(self.check("a.py").returncode, (0, 2))

    def test_standard_input_that_is_closed(self):
        result = run("check", "-", before=lambda: os.close(0))
        self.assertEqual(result.returncode, 2)
        self.assertIn(b"cannot read standard input", result.stderr)

    def test_nothing_to_check_is_an_error(self):
        self.write("empty/readme.txt", "")
        result = self.check("empty")
        self.assertEqual(result.returncode, 2)
        self.assertIn(b"nothing was checked: there are no .py", result.stderr)
        self.write(".gitignore", "hidden/\n")
        self.write("hidden/a.py", "x = 1\n")
        subprocess.run(["git", "init", "-q", self.folder], check=True)
        result = self.check(".")
        self.assertEqual(result.returncode, 2)
        self.assertIn(b"--no-ignore", result.stderr)


@unittest.skipUnless(os.path.exists(FULL), "there is no /dev/full")
class FullDisk(Folder):
    def test_every_command_reports_it(self):
        self.write("a.py", "import torch\nx = torch.ones(3).cuda()\n")
        for arguments in (["check", "a.py"], ["check", "--format", "json", "a.py"], ["--help"], ["--version"], ["rules"],
                          ["explain", "DP101"], ["debug", "tokens", "a.py"], ["check", "--help"], ["check", "-o", FULL, "a.py"]):
            with self.subTest(arguments=arguments), open(FULL, "wb") as full:
                result = run(*arguments, cwd=self.folder, stdout=full)
                self.assertEqual(result.returncode, 2)
                self.assertIn(b"cannot write", result.stderr)

    def test_an_output_file_stays_what_it_was(self):
        self.write("a.py", "import torch\nx = torch.ones(3).cuda()\n" * 50)
        report = self.write("report.txt", "old")
        result = self.check("-o", "report.txt", "a.py",
                            before=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0)))
        self.assertNotIn(result.returncode, (0, 1))
        self.assertEqual(report.read_text(), "old")
        self.assertEqual(sorted(os.listdir(self.folder)), ["a.py", "report.txt"])


class Outputs(Folder):
    def test_a_link_is_written_through(self):
        self.write("a.py", "x = 1\n")
        target = self.write("target.txt", "old")
        target.chmod(0o640)
        (self.folder / "link.txt").symlink_to("target.txt")
        self.assertEqual(self.check("-o", "link.txt", "a.py").returncode, 0)
        self.assertTrue((self.folder / "link.txt").is_symlink())
        self.assertIn("No problems", target.read_text())
        self.assertEqual(target.stat().st_mode & 0o777, 0o640)

    def test_a_fifo_is_written_to_and_stays(self):
        self.write("a.py", "x = 1\n")
        fifo = self.folder / "fifo"
        os.mkfifo(fifo)
        read = []
        reader = threading.Thread(target=lambda: read.append(fifo.read_bytes()), daemon=True)
        reader.start()
        self.assertEqual(self.check("-o", "fifo", "a.py").returncode, 0)
        reader.join(60)
        self.assertIn(b"No problems", read[0])
        self.assertTrue(fifo.is_fifo())

    def test_names_and_code_do_not_reach_a_terminal_raw(self):
        self.write("a\x1b]0;t\x07\n\u202e.py", "import torch\nx = torch.ones(3).cuda()  # \x1b[31m \u009b1m \u202e\n")
        for form in ("text", "concise"):
            output = self.check("--format", form, ".").stdout
            for raw in (b"\x1b", b"\x07", "\u202e".encode(), "\u009b".encode()):
                self.assertNotIn(raw, output)


if __name__ == "__main__":
    BINARY = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main()
