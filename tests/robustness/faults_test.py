#!/usr/bin/env python3
"""Inputs, files, descriptors and limits that are not as they should be: there is an answer or a clear error, and nothing is lost.

usage: faults_test.py DEEPPERF_BINARY [UNITTEST_ARGUMENT...]
"""

import json
import os
import pathlib
import pty
import random
import resource
import signal
import socket
import stat
import subprocess
import sys
import threading
import time
import unittest

from posts import RECIPE, dump, many, question
from support import Folder, Program, limited, main, memory, notebook, run

FULL = "/dev/full"
BAD = "import torch\nimport numpy as np\nx = np.float(3)\n"  # fixed, it says float(3)


class Inputs(Folder):
    def test_a_written_cell_with_a_very_long_chain(self):
        self.write("a.ipynb", notebook("%%writefile m.py\nimport torch\nx = a" + ".b" * 4000 + "\n"))
        self.write("b.py", BAD)
        result = self.check("--format", "json")
        report = json.loads(result.stdout)
        self.assertEqual(result.returncode, 1)
        self.assertEqual(report["files"], 2)
        self.assertTrue(any("chain" in error["message"] for error in report["errors"]), report["errors"])

    def test_many_written_cells_with_long_chains(self):
        cells = [f"%%writefile m{i}.py\nimport torch\nx = a" + ".b" * 300 + "\n" for i in range(1000)]
        self.write("a.ipynb", notebook(*cells))
        self.write("b.py", BAD)
        result = self.check("--format", "json", before=memory(2 << 30))
        self.assertIn(result.returncode, (0, 1))
        self.assertEqual(json.loads(result.stdout)["files"], 2)

    def test_cells_that_are_appended(self):
        """To one file, and to many: what was written before is not copied again for each of them."""
        cells = [f"%%writefile -a m{i % 2 * i}.py\nx{i} = torch.ones(3)\n" for i in range(20_000)]
        self.write("a.ipynb", notebook("import torch\n", *cells))
        self.assertEqual(self.check("--jobs", "1", before=memory(1 << 30)).returncode, 0)

    def test_blocks_without_statements(self):
        """Every rule's fixture, with nothing left in its loops, or in its functions, …"""
        rules = pathlib.Path(__file__).parent.parent / "rules"
        for word in ("for", "while", "if", "else", "with", "try", "except", "finally", "def", "class", "match", "case", "async"):
            folder = self.folder / word
            for fixture in sorted(rules.glob("*/*.py")):
                lines, depth, is_hollow = [], None, False
                for line in fixture.read_text().splitlines(keepends=True):
                    indent = len(line) - len(line.lstrip())
                    if depth is not None and (not line.strip() or indent > depth):
                        continue
                    depth = indent if line.lstrip().startswith(word) and line.rstrip().endswith(":") else None
                    is_hollow = is_hollow or depth is not None
                    lines.append(line)
                if is_hollow:
                    path = folder / fixture.parent.name / fixture.name
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_text("".join(lines))
            if folder.exists():
                result = self.check("--all", "--format", "json", word)
                self.assert_no_signal(result)
                failures = [e["message"] for e in json.loads(result.stdout)["errors"] if "deepperf failed" in e["message"]]
                self.assertEqual(failures, [], word)

    def test_bases_that_are_many_and_go_round(self):
        ladder = "".join(f"class C{i}({', '.join([f'C{i - 1}'] * 3)}): pass\n" for i in range(1, 25))
        self.write("a.py", "import torch\nclass C0(torch.nn.Module): pass\n" + ladder +
                   "class A(B, B, B): pass\nclass B(A, A, A): pass\nA().x()\nC24().y()\n")
        self.assertEqual(self.check().returncode, 0)

    def test_values_that_double_with_every_line(self):
        """What the interpreter of shapes computes itself must not grow as the program does."""
        makers = {"tuple": ("a = (1, 2)\n", "a = a + a\n"), "text": ("a = 'ab'\n", "a = a + a\n"),
                  "list": ("a = [torch.zeros(2)]\n", "a += a\n"), "extended": ("a = [1]\n", "a.extend(a)\n"),
                  "times": ("a = [1]\n", "a = a * 1000\n"), "formatted": ("a = 'ab'\n", "a = '{0}{0}'.format(a)\n"),
                  "percent": ("a = 'ab'\n", "a = '%s' % a + a\n"), "filled": ("a = 'ab'\n", "a = f'{a}{a}'\n"),
                  "starred": ("a = [1]\n", "a = [*a, *a]\n"), "comprehended": ("a = [1]\n", "a = [x for x in a + a]\n"),
                  "dict": ("a = {'x': 1}\n", "a = {**a, **a, 'k': a}\n"), "pairs": ("a = 1\n", "a = (a, a)\n")}
        for name, (first, line) in makers.items():
            self.write(f"{name}.py", "import torch\n" + first + line * 70 + "x = torch.zeros(a)\ny = torch.einsum(a, x)\n")
        for branch in ("if c:\n    a.append(1)\n", "b = sum(a)\n", "b = a[1:]\n", "b = sorted(a)\n"):
            self.write(f"copied{len(branch)}.py",
                       "import torch\na = [" + "1, " * 30_000 + "]\n" + branch * 3000 + "x = torch.zeros(a)\n")
        for arguments in (["check", "--no-cache", "--all", "."], *(["shapes", f"{name}.py"] for name in makers)):
            result = run(*arguments, cwd=self.folder, before=memory(2 << 30))
            self.assert_no_signal(result, (0, 1))

    def test_very_many_unknown_rules(self):
        """Each of them is compared with the names of all rules, to say what may be meant."""
        words = [f"x{i}" for i in range(80_000)]
        self.write("a.py", "import torch\nx = 1  # deepperf: ignore[" + ",".join(words) + "]\n")
        result = self.check("a.py")
        self.assertEqual(result.returncode, 2)
        self.assertLess(len(result.stderr), 100_000)
        self.assertIn(b"79900 more unknown rules", result.stderr)
        self.write("a.py", "import torch\n# deepperf: ignore[" + "x" * 3_000_000 + "]\n")
        self.assert_no_signal(self.check("a.py"))
        self.write("a.py", "import torch\n")
        self.write("deepperf.toml", "select = [" + ", ".join(f'"{word}"' for word in words) + "]\n")
        result = self.check("a.py")
        self.assertEqual(result.returncode, 2)
        self.assertLess(len(result.stderr), 100_000)

    def test_a_line_of_nul_bytes_costs_little_more_than_itself(self):
        self.write("a.py", b"import torch\n" + bytes(20_000_000))
        result = self.check(before=memory(1 << 30))
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertIn(b"NUL byte", result.stdout)

    def test_wrong_lines_cost_little_more_than_themselves(self):
        for line in (b"? $ ! def def\n" * 400_000, b"x = (" * 1_000_000, b"'" * 5_000_001, b"\xff" * 5_000_000):
            with self.subTest(line=line[:10]):
                self.write("a.py", b"import torch\n" + line)
                for form in ("text", "json", "sarif"):
                    self.assert_no_signal(self.check("--format", form, before=memory(1 << 30)), (1, 2))

    def test_special_files_next_to_the_sources_are_not_read(self):
        self.write("a.py", BAD)
        for name in ("requirements.txt", "setup.cfg", "environment.yml", "Pipfile", ".ignore"):
            (self.folder / name).symlink_to("/dev/zero")
        os.mkfifo(self.folder / ".gitignore")
        os.mkfifo(self.folder / "setup.py")
        os.mkfifo(self.folder / "pyproject.toml")
        os.mkfifo(self.folder / "b.py")
        (self.folder / "c.py").symlink_to("/dev/zero")
        (self.folder / "d.ipynb").symlink_to("/dev/tty")
        self.assertIn(self.check("a.py").returncode, (0, 1))
        self.assertIn(self.check(".").returncode, (0, 1))

    def test_named_special_files_are_refused(self):
        os.mkfifo(self.folder / "fifo.py")
        with socket.socket(socket.AF_UNIX) as listening:
            listening.bind(str(self.folder / "socket.py"))
            for path in ("/dev/zero", "/dev/null", "fifo.py", "socket.py"):
                result = self.check(path)
                self.assertEqual(result.returncode, 2, path)
                self.assertIn(b"not a regular file" if path != "socket.py" else b"socket.py", result.stdout)

    def test_large_files_next_to_the_sources_are_not_read(self):
        self.write("a.py", BAD)
        for name in ("requirements.txt", ".gitignore", "environment.yml", "setup.py", ".ignore", "Pipfile", "conda.yml"):
            with open(self.folder / name, "wb") as file:
                file.truncate(8 << 30)
        self.assertIn(self.check("a.py", before=memory(1 << 30)).returncode, (0, 1))
        for name in ("deepperf.toml", "pyproject.toml"):
            with open(self.folder / name, "wb") as file:
                file.truncate(8 << 30)
            result = self.check("a.py", before=memory(1 << 30))
            self.assertEqual(result.returncode, 2)
            self.assertIn(b"1 MB", result.stderr)
            (self.folder / name).unlink()
        self.write("b.json", b"")
        os.truncate(self.folder / "b.json", 8 << 30)
        self.assertEqual(self.check("--baseline", "b.json", "a.py", before=memory(1 << 30)).returncode, 2)

    def test_a_source_that_is_too_large(self):
        self.write("a.py", BAD)
        self.write("large.py", b"")
        os.truncate(self.folder / "large.py", (1 << 30) + 1)
        result = self.check(".")
        self.assertEqual(result.returncode, 2)
        self.assertIn(b"larger than 1 GiB", result.stdout)
        self.assertIn(b"a.py", result.stdout)

    def test_standard_input_that_never_ends(self):
        if Program.is_sanitized():
            self.skipTest("a sanitizer takes minutes for a gigabyte")
        with open("/dev/zero", "rb") as zeros:
            result = self.check("--stdin-filename", "a.py", "-", stdin=zeros, before=memory(5 << 30))
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertIn(b"larger than 1 GiB", result.stdout)
        zeros = subprocess.Popen(["head", "-c", "1G", "/dev/zero"], stdout=subprocess.PIPE)
        self.assert_no_signal(run("server", stdin=zeros.stdout, before=memory(1 << 30)))
        zeros.stdout.close()
        zeros.wait()

    def test_versions_that_rise_line_by_line(self):
        self.write("a.py", BAD)
        self.write("requirements.txt", "".join(f"torch>=1.{i}\n" for i in range(70_000)))
        self.assertIn(self.check("a.py", before=limited(resource.RLIMIT_CPU, 60)).returncode, (0, 1))

    def test_standard_input_that_is_closed(self):
        for arguments in (["check", "-"], ["study", "select", "-", "--recipe", "dlperf", "-o", "x"]):
            result = run(*arguments, before=lambda: os.close(0), cwd=self.folder)
            self.assertEqual(result.returncode, 2)
            self.assertIn(b"cannot read standard input", result.stderr)

    def test_standard_input_that_is_a_folder(self):
        with open("/dev/null") as null:
            folder = os.open(self.folder, os.O_RDONLY)
            result = run("check", "-", stdin=folder)
            os.close(folder)
        self.assertEqual(result.returncode, 2)

    def test_closed_outputs(self):
        self.write("a.py", BAD)
        for arguments in (["check", "a.py"], ["--help"], ["rules"], ["debug", "tokens", "a.py"]):
            self.assertEqual(run(*arguments, cwd=self.folder, before=lambda: os.close(1)).returncode, 2, arguments)
            self.assert_no_signal(run(*arguments, cwd=self.folder, before=lambda: os.close(2)))
            self.assert_no_signal(run(*arguments, cwd=self.folder, before=lambda: [os.close(i) for i in range(3)]))

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

    def test_a_source_deeper_than_the_path_limit(self):
        parts = [f"{'d' * 200}{i}" for i in range(30)]
        folder = os.open(self.folder, os.O_RDONLY)
        for part in parts:
            os.mkdir(part, dir_fd=folder)
            below = os.open(part, os.O_RDONLY, dir_fd=folder)
            os.close(folder)
            folder = below
        file = os.open("deep.py", os.O_WRONLY | os.O_CREAT, dir_fd=folder)
        os.write(file, BAD.encode())
        os.close(file)
        os.close(folder)
        self.addCleanup(subprocess.run, ["rm", "-rf", self.folder / parts[0]])
        report = json.loads(self.check("--format", "json", ".").stdout)
        self.assertEqual(report["errors"], [])
        self.assertTrue(any(finding["path"].endswith("deep.py") for finding in report["findings"]), report)

    def test_odd_names(self):
        names = [b"a b.py", b"-o.py", b"--fix.py", b"\xff\xfe.py", b"a\nb.py", b"'\"`$(x);.py", b"%s%n.py", b"\x01.py",
                 "größe.py".encode(), b"a:1:2.py", b" .py", b"*.py", b"{0}.py", b"a" * 250 + b".py"]
        for name in names:
            self.write(os.fsdecode(name), BAD)
        for form in ("text", "concise", "json", "jsonl", "sarif", "github", "gitlab", "junit", "markdown"):
            result = self.check("--format", form, "--expand" if form == "text" else "--isolated", ".")
            self.assertEqual(result.returncode, 1, (form, result.stderr))
        report = json.loads(self.check("--format", "json", ".").stdout)
        self.assertEqual(report["files"], len(names))
        self.assertEqual(self.check("--fix", ".").returncode, 0)
        for name in names:
            self.assertNotIn("np.float(", (self.folder / os.fsdecode(name)).read_text())

    def test_fixes_stay_away_from_syntax_errors(self):
        """An argument after a string that is never closed would be text of that string, and be added again and again."""
        self.write("a.py", "import tensorflow as tf\ndata = tf.data.Dataset.range(9).map(\n    lambda s: ''' tf.io.read_file(s)\n)\n"
                           "good = tf.data.Dataset.range(9).map(lambda s: tf.io.read_file(s))\nfor x in good:\n    print(x)\n")
        self.check("--all", "--fix", "--unsafe-fixes")
        once = (self.folder / "a.py").read_text()
        self.check("--all", "--fix", "--unsafe-fixes")
        self.assertEqual((self.folder / "a.py").read_text(), once)
        self.assertEqual(once.splitlines()[2], "    lambda s: ''' tf.io.read_file(s)")

    def test_many_findings_in_one_line(self):
        """The report of each place must not contain the whole line, in any format."""
        line = "l = [" + ", ".join(f"torch.zeros({i}).cuda()" for i in range(3000)) + "]\n"
        self.write("a.py", "import torch\n" + line)
        for name in ("text", "concise", "json", "jsonl", "sarif", "github", "gitlab", "junit", "markdown", "html"):
            result = self.check("--format", name, "--all", "--expand", before=memory(2 << 30))
            self.assert_no_signal(result, (0, 1))
            self.assertLess(len(result.stdout), 12_000_000, name)

    def test_a_baseline_of_many_findings_in_one_line(self):
        """What a fingerprint is made of is worked out once for a statement, and not for each finding in it."""
        for name, text in (("line", "l = [" + ", ".join(f"torch.zeros({i}).cuda()" for i in range(40_000)) + "]\n"),
                           ("lines", "".join(f"x{i} = np.float({i})\n" for i in range(40_000)))):
            self.write("a.py", "import torch\nimport numpy as np\n" + text)
            for option in ("--write-baseline", "--baseline"):
                result = self.check("--all", "--jobs", "1", option, "baseline.json", "a.py", before=limited(resource.RLIMIT_CPU, 60))
                self.assert_no_signal(result, (0,))

    def test_files_that_change_while_they_are_read(self):
        """Emptied, cut, replaced and removed, under a check that also fixes: there is an answer, and nothing fails inside."""
        texts = [BAD * 30, "import torch\nfrom m1 import *\nfor x in loader:\n    print(model(x).item())\n" * 50, "def (\n" * 20, "\0" * 9000]
        paths = [self.write(f"tree/m{i}.py", texts[i % 2]) for i in range(60)]
        is_over = threading.Event()

        def change(seed):
            generator = random.Random(seed)
            while not is_over.is_set():
                path = generator.choice(paths)
                try:
                    match generator.randrange(4):
                        case 0: os.truncate(path, 0)
                        case 1: os.truncate(path, generator.randrange(1, 3000))
                        case 2: path.write_text(generator.choice(texts) * generator.randrange(1, 4))
                        case _: path.unlink()
                except FileNotFoundError:
                    path.write_text(generator.choice(texts))
                time.sleep(0.0005)

        others = [threading.Thread(target=change, args=(seed,)) for seed in (1, 2)]
        for other in others:
            other.start()
        try:
            for options in (["--no-cache"], [], ["--fix", "--unsafe-fixes"], ["--fix"], []) * 2:
                result = run("check", "--all", "--format=json", *options, "tree", cwd=self.folder)
                self.assert_no_signal(result)
                self.assertNotIn(b"deepperf failed", result.stdout + result.stderr)
        finally:
            is_over.set()
            for other in others:
                other.join()
        self.assertEqual([path.name for path in (self.folder / "tree").iterdir() if path.name.startswith(".")], [])


@unittest.skipUnless(os.path.exists(FULL), "there is no /dev/full")
class FullDisk(Folder):
    def test_every_command_reports_it(self):
        self.write("a.py", BAD)
        self.write("posts.xml", many(20))
        self.write("all.toml", RECIPE)
        run("study", "select", "posts.xml", "--recipe", "all.toml", "-o", "s.sqlite", cwd=self.folder)
        for arguments in (["check", "a.py"], ["check", "--format", "json", "a.py"], ["check", "--diff", "a.py"], ["--help"],
                          ["--version"], ["rules"], ["rules", "--format", "json"], ["explain", "DP101"],
                          ["debug", "tokens", "a.py"], ["debug", "ast", "a.py"], ["debug", "model", "a.py"],
                          ["check", "--help"], ["check", "-o", FULL, "a.py"], ["config"], ["config", "--schema"],
                          ["study", "--help"], ["study", "stats", "s.sqlite"], ["study", "keywords", "s.sqlite"],
                          ["study", "select", "posts.xml", "--recipe", "all.toml", "-o", "t.sqlite", "--force"],
                          ["study", "label", "s.sqlite"], []):
            with self.subTest(arguments=arguments), open(FULL, "wb") as full:
                result = run(*arguments, cwd=self.folder, stdout=full)
                self.assertEqual(result.returncode, 2, result.stderr)
                self.assertIn(b"cannot write", result.stderr)

    def test_an_output_file_stays_what_it_was(self):
        self.write("a.py", BAD * 50)
        report = self.write("report.txt", "old")
        result = self.check("-o", "report.txt", "a.py", before=limited(resource.RLIMIT_FSIZE, 0))
        self.assertNotIn(result.returncode, (0, 1))
        self.assertEqual(report.read_text(), "old")
        self.assertEqual(sorted(os.listdir(self.folder)), ["a.py", "report.txt"])

    def test_outputs_on_a_full_disk_stay_what_they_were(self):
        disk = self.small_disk(64)
        source = self.write("a.py", BAD + "".join(f"x{i} = y{i} == np.nan\n" for i in range(2000)))
        self.write("posts.xml", many(300))
        self.write("all.toml", RECIPE)
        for name in ("report.json", "store.sqlite", "table.csv", "baseline.json"):
            (disk / name).write_text("old")
        (disk / "filler").write_bytes(bytes(30 << 10))
        for arguments in (["check", "--format", "json", "-o", disk / "report.json", source],
                          ["check", "--write-baseline", disk / "baseline.json", source],
                          ["study", "select", "posts.xml", "--recipe", "all.toml", "-o", disk / "store.sqlite", "--force"]):
            with self.subTest(arguments=arguments):
                result = run(*arguments, cwd=self.folder)
                self.assertEqual(result.returncode, 2, result.stderr)
                self.assertEqual(sorted(os.listdir(disk)),
                                 ["baseline.json", "filler", "report.json", "store.sqlite", "table.csv"])
        for name in ("report.json", "store.sqlite", "baseline.json"):
            self.assertEqual((disk / name).read_text(), "old")

    def test_a_cache_on_a_full_disk(self):
        disk = self.small_disk(16)
        (disk / "filler").write_bytes(bytes(12 << 10))
        for i in range(200):
            self.write(f"a{i}.py", BAD)
        result = run("check", "--cache-dir", disk / "cache", ".", cwd=self.folder)
        self.assertIn(result.returncode, (0, 1))
        self.assertEqual([path.name for path in disk.rglob("*") if path.is_file()], ["filler"])


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

    def test_a_link_to_nothing_yet_is_written_through(self):
        self.write("a.py", "x = 1\n")
        (self.folder / "sub").mkdir()
        (self.folder / "link.txt").symlink_to("sub/link2.txt")
        (self.folder / "sub/link2.txt").symlink_to("new.txt")
        self.assertEqual(self.check("-o", "link.txt", "a.py").returncode, 0)
        self.assertTrue((self.folder / "link.txt").is_symlink())
        self.assertTrue((self.folder / "sub/link2.txt").is_symlink())
        self.assertIn("No problems", (self.folder / "sub/new.txt").read_text())

    def test_links_in_a_circle(self):
        self.write("a.py", "x = 1\n")
        (self.folder / "one").symlink_to("two")
        (self.folder / "two").symlink_to("one")
        self.write("posts.xml", many(3))
        self.write("all.toml", RECIPE)
        for arguments in (["check", "--no-cache", "-o", "one", "a.py"], ["check", "--no-cache", "--write-baseline", "one", "a.py"],
                          ["study", "select", "posts.xml", "--recipe", "all.toml", "--force", "-o", "one"]):
            with self.subTest(arguments=arguments):
                self.assertEqual(run(*arguments, cwd=self.folder).returncode, 2)
                self.assertTrue((self.folder / "one").is_symlink())
                self.assertEqual(list(self.folder.glob("*.partial*")), [])

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

    def test_devices_stay_devices(self):
        """Those of a private folder, so that nothing of the machine is at risk."""
        null = self.folder / "null"
        try:
            os.mknod(null, 0o666 | stat.S_IFCHR, os.makedev(1, 3))
            null.read_bytes()
        except OSError:
            self.skipTest("only root can make devices")
        self.write("a.py", BAD)
        self.write("posts.xml", many(3))
        self.write("all.toml", RECIPE)
        (self.folder / "link").symlink_to("null")
        self.check("-o", "null", "a.py")
        self.check("-o", "link", "a.py")
        self.check("--write-baseline", "null", "a.py")
        run("study", "select", "posts.xml", "--recipe", "all.toml", "-o", "s.sqlite", cwd=self.folder)
        for arguments in (["label", "s.sqlite", "-o", "null"], ["keywords", "s.sqlite", "-o", "null"],
                          ["stats", "s.sqlite", "-o", "null"], ["report", "s.sqlite", "-o", "null"],
                          ["select", "posts.xml", "--recipe", "all.toml", "-o", "null", "--force"]):
            self.assert_no_signal(run("study", *arguments, cwd=self.folder))
            self.assertTrue(stat.S_ISCHR(null.lstat().st_mode), arguments)
        result = run("study", "select", "posts.xml", "--recipe", "all.toml", "-o", "null", "--force", cwd=self.folder)
        self.assertEqual(result.returncode, 2)

    def test_standard_output_by_name(self):
        self.write("a.py", "x = 1\n")
        log = self.write("log.txt", "before\n")
        for path in ("/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"):
            with open(log, "ab") as file:
                self.assertEqual(self.check("-o", path, "a.py", stdout=file).returncode, 0)
        text = log.read_text()
        self.assertTrue(text.startswith("before\n"))
        self.assertEqual(text.count("No problems"), 3)

    def test_a_store_through_a_link(self):
        self.write("posts.xml", many(3))
        self.write("all.toml", RECIPE)
        (self.folder / "link.sqlite").symlink_to("real.sqlite")
        result = run("study", "select", "posts.xml", "--recipe", "all.toml", "-o", "link.sqlite", cwd=self.folder)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertTrue((self.folder / "link.sqlite").is_symlink())
        self.assertTrue((self.folder / "real.sqlite").read_bytes().startswith(b"SQLite format 3"))

    def test_planted_links_are_not_written_through(self):
        victim = self.write("victim", "mine")
        self.write("posts.xml", many(3))
        self.write("all.toml", RECIPE)
        for planted in ("s.sqlite.partial", "s.sqlite.partial-journal"):
            (self.folder / planted).symlink_to("victim")
            result = run("study", "select", "posts.xml", "--recipe", "all.toml", "-o", "s.sqlite", cwd=self.folder)
            self.assertEqual(victim.read_text(), "mine")
            self.assertEqual(result.returncode, 2, planted)
            (self.folder / planted).unlink(missing_ok=True)

    def test_temporary_names_cannot_be_guessed(self):
        self.write("a.py", BAD)
        names = set()
        for _ in range(3):
            trace = self.folder / "trace"
            if subprocess.run(["strace", "-V"], capture_output=True).returncode != 0:
                self.skipTest("strace is missing")
            subprocess.run(["strace", "-f", "-e", "trace=open,openat,rename", "-o", trace, Program.path, "check", "--no-cache",
                            "-o", "out.txt", "a.py"], cwd=self.folder, capture_output=True)
            opened = [line for line in trace.read_text().splitlines() if ".deepperf-" in line and "O_CREAT" in line]
            self.assertTrue(opened)
            for line in opened:
                self.assertIn("O_EXCL", line)
                names.add(line.split('"')[1])
        self.assertEqual(len(names), 3)

    def test_interrupts_leave_no_temporary_files(self):
        """The program is held where it has written its temporary file: renaming is slow under strace."""
        if subprocess.run(["strace", "-V"], capture_output=True).returncode != 0:
            self.skipTest("strace is missing")
        self.write("a.py", BAD)
        for ending in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with self.subTest(signal=ending):
                process = subprocess.Popen(
                    ["strace", "-f", "-e", "inject=fsync:delay_enter=20000000", "-o", "/dev/null", Program.path, "check",
                     "--no-cache", "-o", "out.txt", "a.py"], cwd=self.folder, stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL)
                child = None
                for _ in range(600):
                    if any(name.startswith(".deepperf-") for name in os.listdir(self.folder)):
                        child = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()[0]
                        break
                    time.sleep(0.05)
                self.assertIsNotNone(child, "no temporary file was seen")
                os.kill(int(child), ending)
                process.wait(60)
                self.assertEqual(sorted(os.listdir(self.folder)), ["a.py"])


class Hostile(Folder):
    RAW = (b"\x1b", b"\x07", b"\x08", "\u202e".encode(), "\u2066".encode(), "\u009b".encode(), "\u0085".encode())
    EVIL = "\x1b]0;t\x07\x1b[31m\u009b1m\u202e\u2066\x08\u0085"

    def assert_clean(self, output, what):
        for raw in self.RAW:
            self.assertNotIn(raw, output, what)

    def on_terminal(self, *arguments):
        """What the program writes when all its outputs are a terminal, less the colours that it uses itself."""
        parent, child = pty.openpty()
        process = subprocess.Popen([Program.path, *arguments], cwd=self.folder, stdout=child, stderr=child,
                                   stdin=subprocess.DEVNULL, env={**os.environ, "NO_COLOR": "1", "TERM": "xterm",
                                                                  "XDG_CACHE_HOME": str(self.folder / "cache")})
        os.close(child)
        output = b""
        while True:
            try:
                some = os.read(parent, 65536)
            except OSError:
                break
            if not some:
                break
            output += some
        process.wait(60)
        os.close(parent)
        # Links to pages of rules (OSC 8) and the progress bar are the program's own.
        for own in (b"\x1b[K", b"\r"):
            output = output.replace(own, b"")
        while (start := output.find(b"\x1b]8;;")) >= 0:
            end = output.find(b"\x1b\\", start)
            output = output[:start] + output[end + 2:]
        return output

    def test_names_and_code_do_not_reach_a_terminal_raw(self):
        name = f"a{self.EVIL}\ndeepperf: fine.py"
        self.write(name, f"import torch\nimport numpy as np\nx = np.float(3)  # {self.EVIL}\n# deepperf: ignore[DP101] {self.EVIL}\ny = torch.ones(3).cuda() # {self.EVIL}\n")
        self.write(f"b{self.EVIL}.py", f"import torch\nx = '{self.EVIL}\n")
        self.write(f"c{self.EVIL}.ipynb", "{" + self.EVIL)
        for form in ("text", "concise", "github", "markdown", "gitlab"):
            self.assert_clean(self.check("--format", form, ".").stdout, form)
        for form in ("text", "concise", "json", "jsonl", "sarif", "junit", "github", "markdown"):
            self.assert_clean(self.on_terminal("check", "--all", "--format", form, "."), form)
        self.assert_clean(self.on_terminal("check", "--diff", "."), "diff")
        for form in ("text", "concise", "json"):
            self.assert_clean(self.on_terminal("check", "--report-unused-suppressions", "--format", form, "."), form)
        self.assert_clean(self.check("--expand", "--verbose", ".").stdout, "expand")
        self.assert_clean(self.check(f"none{self.EVIL}").stdout, "missing")
        self.assert_clean(self.check("--report-unused-suppressions", ".").stdout, "suppressions")
        for what in ("tokens", "ast", "model", "summaries", "pipelines"):
            result = run("debug", what, name, f"b{self.EVIL}.py", cwd=self.folder)
            self.assert_clean(result.stdout + result.stderr, what)
        os.link(self.folder / name, self.folder / "second.txt")
        result = self.check("--fix", ".")
        self.assertIn(b"hard links", result.stderr)
        self.assert_clean(result.stdout + result.stderr, "fix")

    def test_every_command_hides_control_characters(self):
        """In names, in what files hold, and in what was typed: whatever the command, and whether it works or complains."""
        evil = self.EVIL
        source = f"s{evil}.py"
        self.write(source, "import torch\nlayer = torch.nn.Linear(3, 4)\ny = layer(torch.zeros(2, 5))\n"
                           f"z = torch.einsum('{evil}', torch.zeros(2))  # {evil}\n")
        self.write(f"pairs/p{evil}/pp.toml", 'title = "a\\u001b\\u202e"\nweird = 1\n"k\\u001b" = 3\n')
        self.write("pairs/q/pp.toml", 'title = "\\u001b]0;\\u202e"\nid = "q\\u001b"\n')
        self.write("pairs/r/pp.toml", 'title = \x1b\n')
        commands = [["shapes", source], ["shapes", "--format", "json", source], ["shapes", evil], ["shapes", "--entry", evil, source],
                    ["shapes", "--input", evil, source], ["shapes", "--with", evil, source], ["shapes", "-o", f"no/{evil}", source],
                    ["bench", "list", "--folder", "pairs"], ["bench", "list", "--folder", evil], ["bench", "list", evil],
                    ["bench", "list", "--folder", "pairs", "--format", "json"], ["bench", "assess", "--folder", "pairs"],
                    ["bench", "run", "--folder", "pairs", evil], ["bench", "new", evil], ["debug", "why", f"{source}:3"],
                    ["debug", "why", f"{evil}:3"], ["debug", "why", f"{source}:{evil}"], ["debug", "model", evil],
                    ["rules", "--cause", evil], ["rules", "--framework", evil], ["completion", evil], ["server", evil],
                    ["check", "--since", evil, "."], ["check", "-o", f"no/{evil}", "."], ["check", "--statistics", "."],
                    ["check", "--write-baseline", f"no/{evil}", "."], ["check", "--format", evil], ["check", "--jobs", evil],
                    ["check", "--stdin-filename", evil, "-"], ["study", evil], ["study", "train", evil],
                    ["study", "classify", evil], ["study", "report", evil], ["study", "import", evil],
                    ["study", "select", evil, "--recipe", evil, "-o", evil], ["study", "reproduce", "--data", evil]]
        for arguments in commands:
            with self.subTest(arguments=[argument.replace(evil, "EVIL") for argument in arguments]):
                self.assert_clean(self.on_terminal(*arguments), arguments)
                if "json" not in arguments:
                    result = run(*arguments, cwd=self.folder)
                    self.assert_no_signal(result)
                    self.assert_clean(result.stdout + result.stderr, arguments)

    def test_a_name_with_a_newline_makes_no_line(self):
        self.write("a\nforged: line.py", BAD)
        for form in ("text", "concise", "github"):
            output = self.check("--format", form, ".").stdout
            self.assertFalse(any(line.startswith(b"forged") for line in output.splitlines()), form)

    def test_configuration_and_options(self):
        self.write("a.py", BAD)
        self.write("deepperf.toml", f'select = ["{self.EVIL.encode("unicode_escape").decode()}"]\n')
        for arguments in (["check", "a.py"], ["config"], ["check", "--select", self.EVIL, "a.py"],
                          ["check", "--config", f"no{self.EVIL}", "a.py"], [f"--{self.EVIL}"], [self.EVIL],
                          ["explain", self.EVIL], ["check", "--baseline", f"no{self.EVIL}", "a.py"]):
            result = run(*arguments, cwd=self.folder)
            self.assert_clean(result.stdout + result.stderr, arguments)

    def test_posts_and_columns(self):
        title = "how to train " + "".join(c for c in self.EVIL if ord(c) >= 0x20) + " slow model"
        self.write("posts.xml", dump([question(2, title=title, body=title), question(4)]))
        self.write("all.toml", RECIPE)
        result = run("study", "select", "posts.xml", "--recipe", "all.toml", "-o", "s.sqlite", cwd=self.folder)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.write("t.csv", f"id,ti{self.EVIL}tle,title,verb\n1,a{self.EVIL},how to{self.EVIL} train,{self.EVIL}b\n2,b,how to,c\n")
        for arguments in (["stats", "s.sqlite"], ["label", "s.sqlite"], ["keywords", "s.sqlite"],
                          ["agree", "t.csv", "t.csv", "--label", "verb"], ["agree", "t.csv", "t.csv", "--label", "none"],
                          ["label", "t.csv"], ["label", "t.csv", "--text", "none"], ["stats", "t.csv"]):
            self.assert_clean(self.on_terminal("study", *arguments), arguments)
            self.assert_clean(run("study", *arguments, cwd=self.folder).stderr, arguments)

    def test_links_that_leave_the_tree(self):
        outside = self.folder / "outside"
        outside.mkdir()
        secret = outside / "secret.py"
        secret.write_text(BAD)
        tree = self.folder / "tree"
        (tree / "sub").mkdir(parents=True)
        (tree / "a.py").write_text("import torch\n")
        (tree / "link.py").symlink_to(secret)
        (tree / "sub/relative.py").symlink_to("../../outside/secret.py")
        (tree / "folder").symlink_to(outside)
        (tree / "inside.py").symlink_to("sub/real.txt")
        (tree / "sub/real.txt").write_text(BAD)
        report = json.loads(self.check("--format", "json", "tree").stdout)
        self.assertEqual(report["files"], 2)
        self.assertEqual({finding["path"] for finding in report["findings"]}, {"tree/inside.py"})
        self.check("--fix", "tree")
        self.assertIn("np.float(", secret.read_text())
        self.assertNotIn("np.float(", (tree / "sub/real.txt").read_text())
        self.assertEqual(self.check("--fix", "tree/link.py").returncode, 0)
        self.assertNotIn("np.float(", secret.read_text())
        self.assertTrue((tree / "link.py").is_symlink())

    def test_damaged_objects_of_git(self):
        """Cut, emptied, lengthened and with flipped bits: an answer or an error, and no waiting for what never comes."""
        def git(*arguments):
            subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *arguments], cwd=self.folder, check=True, capture_output=True)
        git("init", "-q")
        self.write("a.py", BAD)
        git("add", "a.py")
        git("commit", "-q", "-m", "one")
        self.write("a.py", BAD + BAD)
        self.assertEqual(self.check("--since", "HEAD", ".").returncode, 1)
        generator = random.Random(3)
        objects = [path for path in (self.folder / ".git/objects").rglob("*") if path.is_file()]
        short = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=self.folder, capture_output=True, text=True).stdout.strip()
        for path in objects:
            whole = path.read_bytes()
            path.chmod(0o644)
            for i in range(12):
                at, bytes_ = generator.randrange(len(whole)), bytearray(whole)
                bytes_[at] ^= 1 << generator.randrange(8)
                path.write_bytes([bytes(bytes_), whole[:at], whole[:-1], b"", whole * 2, bytes_[:at]][i % 6])
                for revision in ("HEAD", short):
                    result = self.check("--since", revision, ".", before=limited(resource.RLIMIT_CPU, 30))
                    self.assert_no_signal(result)
            path.write_bytes(whole)
        self.assertEqual(self.check("--since", short, ".").returncode, 1)

    def test_damaged_objects_of_a_submodule(self):
        def git(*arguments, folder="."):
            subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *arguments], cwd=self.folder / folder, check=True, capture_output=True)
        git("init", "-q")
        for folder in ("sub/inner", "sub", "."):
            self.write(f"{folder}/a.py", BAD)
            git("init", "-q", folder=folder)
            git("add", "-A", folder=folder)
            git("commit", "-q", "-m", "one", folder=folder)
        self.assertEqual(self.check("--since", "HEAD", ".").returncode, 0)
        for folder in ("sub", "sub/inner"):
            for path in sorted((self.folder / folder / ".git/objects").rglob("*")):
                if path.is_file():
                    whole = path.read_bytes()
                    path.chmod(0o644)
                    path.write_bytes(whole[:len(whole) // 2])
                    result = self.check("--since", "HEAD", ".", before=limited(resource.RLIMIT_CPU, 30))
                    self.assertEqual(result.returncode, 2, (folder, result.stdout))
                    self.assertIn(b"is damaged", result.stderr)
                    path.write_bytes(whole)

    def test_sheets_for_raters_have_no_formulas(self):
        self.write("t.csv", 'id,title\n1,"=HYPERLINK(""http://x"")"\n2,+1 how to\n3,@x\n4,-1\n5,fine\n')
        self.assertEqual(run("study", "label", "t.csv", "--review", "r", cwd=self.folder).returncode, 0)
        sheet = (self.folder / "r-1.csv").read_text()
        for start in ("=HYPER", "+1 how", "@x", "-1"):
            self.assertNotIn(f",{start}", sheet)
            self.assertNotIn(f',"{start}', sheet)
        self.assertIn("fine", sheet)


class Limits(Folder):
    def setUp(self):
        super().setUp()
        for i in range(30):
            self.write(f"a{i}.py", f"import torch\nfrom a{i - 1} import *\n" + BAD * 20)

    def test_memory(self):
        if Program.is_sanitized():
            self.skipTest("a sanitizer takes more")
        for most in (60, 100, 200, 350, 600, 1200):
            result = self.check("--jobs", "2", before=memory(most << 20))
            self.assert_no_signal(result, (0, 1, 2, 127))  # 127: there is not even room for the libraries
            if result.returncode == 2:
                self.assertIn(b"memory", result.stderr + result.stdout, most)

    def test_so_little_memory_that_nothing_begins(self):
        """Not even the exception that says so finds room."""
        if Program.is_sanitized():
            self.skipTest("a sanitizer takes more")
        for most in range(48, 128, 4):
            for arguments in (["--version"], ["check", "--no-cache", "."], ["study", "stats", "none.csv"]):
                result = run(*arguments, cwd=self.folder, before=memory(most << 20))
                self.assert_no_signal(result, (0, 1, 2, 127))
                if result.returncode == 2:
                    self.assertTrue(result.stderr or b"memory" in result.stdout, most)

    def test_time(self):
        """The limit on processor time ends it like any signal: no temporary file is left."""
        for i in range(300):
            self.write(f"a{i}.py", BAD + "y = np.float(4)\n" * 300)
        result = self.check("--fix", before=lambda: resource.setrlimit(resource.RLIMIT_CPU, (1, 30)))
        self.assert_no_signal(result, (0, 1, 2, -signal.SIGXCPU))
        self.assertEqual([name for name in os.listdir(self.folder) if not name.endswith(".py")], [])

    def test_memory_for_one_large_source(self):
        if Program.is_sanitized():
            self.skipTest("a sanitizer takes more")
        self.write("large.py", "import torch\n" + "x = [torch.zeros(3), {'a': (1, 2)}, f(1)(2)[3]]\n" * 40_000)
        for most in (300, 380, 460):
            result = self.check("--jobs", "1", "--format", "json", before=memory(most << 20))
            self.assert_no_signal(result)

    def test_stack(self):
        self.write("deep.py", "import torch\nx = " + "(" * 3000 + "1" + ")" * 3000 + "\ny = " + "f(" * 180 + ")" * 180 + "\n")
        for most in (256 << 10, 8 << 20):
            self.assert_no_signal(self.check(before=limited(resource.RLIMIT_STACK, most)), (0, 1, 2))

    def test_stack_of_files_that_belong_together(self):
        """Several workers analyze them together, and the thread that starts them is one of them."""
        self.write("deep.py", "import torch\nx = a" + ".b" * 1990 + "\n")
        self.write("wide.py", "import torch\nimport deep\ny = 1" + " + 1" * 1990 + "\n")
        for most in (256 << 10, 8 << 20):
            for jobs in ("1", "2"):
                result = self.check("--jobs", jobs, before=limited(resource.RLIMIT_STACK, most))
                self.assert_no_signal(result, (0, 1, 2))

    def test_descriptors(self):
        for most in (4, 5, 6, 8, 12):
            result = self.check(before=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (most, most)))
            self.assert_no_signal(result, (0, 1, 2, 127))

    def test_threads(self):
        if os.geteuid() == 0:
            self.skipTest("root has no such limit")
        self.assert_no_signal(self.check("--jobs", "8", before=lambda: resource.setrlimit(resource.RLIMIT_NPROC, (1, 1))))

    def test_size_of_files(self):
        result = self.check("--fix", before=limited(resource.RLIMIT_FSIZE, 10))
        self.assert_no_signal(result)
        self.assertEqual([name for name in os.listdir(self.folder) if not name.endswith(".py")], [])

    def test_concurrent_runs(self):
        """Twelve at once, with one cache, while half of them fix: all say the same, nothing is torn, nothing is left."""
        for i in range(30):
            self.write(f"a{i}.py", BAD)
        cache = self.folder / "cache"
        processes = [subprocess.Popen([Program.path, "check", "--cache-dir", cache, *(["--fix"] if i % 2 else []), "."],
                                      cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE) for i in range(12)]
        for process in processes:
            process.communicate(timeout=300)
            self.assertIn(process.returncode, (0, 1, 2))
        for i in range(30):
            self.assertIn((self.folder / f"a{i}.py").read_text(), ("import torch\nimport numpy as np\nx = float(3)\n",
                                                                     "import torch\nx = float(3)\n"))
        left = [path.name for path in self.folder.rglob("*") if path.is_file() and path.suffix not in (".py", ".cache")]
        self.assertEqual(left, [])


if __name__ == "__main__":
    main(sys.argv)
