#!/usr/bin/env python3
"""What the program asks the system for: it runs nothing of what it reads, opens no connection, and writes only where it is told to.

strace notes every call that starts a program, opens a connection or changes a file, of all threads and children. The
repository that is checked would leave traces if anything of it were run: modules, configuration, hooks and settings of
git, notebooks.

usage: confined_test.py DEEPPERF_BINARY [UNITTEST_ARGUMENT...]
"""

import json
import os
import re
import subprocess
import sys
import unittest

from posts import RECIPE, many
from support import Folder, Program, main

CALLS = ("execve,execveat,fork,vfork,socket,socketpair,connect,bind,listen,accept,accept4,sendto,sendmsg,ptrace,"
         "open,openat,openat2,creat,mkdir,mkdirat,rename,renameat,renameat2,unlink,unlinkat,rmdir,link,linkat,symlink,"
         "symlinkat,truncate,ftruncate,chmod,fchmod,fchmodat,chown,fchown,lchown,fchownat,utimensat,mknod,mknodat,"
         "setxattr,lsetxattr,fsetxattr,mount,bpf,kill,tkill")
OPENS = re.compile(r'\b(?:open|openat|openat2|creat)\((?:(AT_FDCWD|\d+)<([^>]*)>, )?"((?:[^"\\]|\\.)*)", ([A-Z_|]+)')
PATHS = re.compile(r'(?:(?:AT_FDCWD|\d+)<([^>]*)>, )?"((?:[^"\\]|\\.)*)"')
CHANGES = re.compile(r'\b(mkdir|mkdirat|rename|renameat|renameat2|unlink|unlinkat|rmdir|link|linkat|symlink|symlinkat|truncate|'
                     r'chmod|fchmodat|chown|lchown|fchownat|utimensat|mknod|mknodat|setxattr|lsetxattr)\((.*)\)\s+= 0')
PROOF = "import pathlib\npathlib.Path('/tmp/deepperf-ran').touch()\n"


@unittest.skipIf(subprocess.run("command -v strace", shell=True, capture_output=True).returncode != 0, "strace is missing")
class Confined(Folder):
    def setUp(self):
        super().setUp()
        self.assertFalse(os.path.exists("/tmp/deepperf-ran"), "left by an earlier run")
        tree = "import torch\nimport numpy as np\nimport helper\nx = np.float(3)\ny = torch.ones(3).cuda()\n"
        self.write("tree/a.py", tree + PROOF)
        for name in ("helper.py", "setup.py", "conftest.py", "sitecustomize.py", "__init__.py", "deepperf.py"):
            self.write(f"tree/{name}", "import torch\n" + PROOF)
        self.write("tree/n.ipynb", json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [
            {"cell_type": "code", "metadata": {}, "outputs": [], "source": "!touch /tmp/deepperf-ran\n%run a.py\nimport torch"}]}))
        self.write("tree/requirements.txt", "torch>=1.0\n-e .\n")
        self.write("tree/pyproject.toml", "[tool.deepperf]\nignore = []\n")
        subprocess.run(["git", "init", "-q", self.folder / "tree"], check=True)
        hook = self.write("tree/.git/hooks/post-checkout", "#!/bin/sh\ntouch /tmp/deepperf-ran\n")
        hook.chmod(0o755)
        with open(self.folder / "tree/.git/config", "a") as file:
            file.write("[core]\n\tfsmonitor = touch /tmp/deepperf-ran\n\tpager = touch /tmp/deepperf-ran\n"
                       "[diff]\n\texternal = touch /tmp/deepperf-ran\n")
        git = ["git", "-c", "core.fsmonitor=false", "-c", "user.name=a", "-c", "user.email=a", "-C", self.folder / "tree"]
        subprocess.run([*git, "add", "."], check=True)
        subprocess.run([*git, "commit", "-q", "-m", "x"], check=True)
        with open(self.folder / "tree/a.py", "a") as file:
            file.write("z = np.int(3)\n")
        self.write("posts.xml", many(50))
        self.write("all.toml", RECIPE)

    def traced(self, *arguments, text=b""):
        trace = self.folder.parent / (self.folder.name + ".trace")
        self.addCleanup(lambda: trace.unlink(missing_ok=True))
        result = subprocess.run(["strace", "-f", "-qq", "-y", "-s", "4096", "-e", f"trace={CALLS}", "-e", "signal=none", "-o", trace,
                                 Program.path, *arguments], cwd=self.folder, input=text, capture_output=True, timeout=300,
                                env={**os.environ, "XDG_CACHE_HOME": str(self.folder / "cache")})
        self.assertIn(result.returncode, (0, 1), result.stderr)
        lines = trace.read_text(errors="replace").splitlines()
        self.assertTrue(lines)
        return [re.sub(r"^\d+\s+", "", line) for line in lines]

    def assert_confined(self, arguments, may_write, text=b""):
        """`may_write`: beginnings of paths, seen from the folder."""
        lines = self.traced(*arguments, text=text)
        allowed = tuple([str(self.folder / "cache"), "/dev/null", "/dev/tty", *(str(self.folder / path) for path in may_write)])
        programs = [line for line in lines if re.match(r"(execve|execveat)\(", line)]
        self.assertEqual(len(programs), 1, programs)  # strace starts the program itself
        for line in lines:
            self.assertNotRegex(line, r"^(socket|socketpair|connect|bind|listen|accept|accept4|sendto|sendmsg|ptrace|fork|vfork|"
                                      r"mount|bpf|kill)\(")
            if (opened := OPENS.search(line)) and "= -1" not in line and re.search(r"O_WRONLY|O_RDWR|O_CREAT|O_TRUNC", opened[4]):
                path = os.path.join(self.folder, opened[2] or "", opened[3])
                self.assertTrue(path.startswith(allowed) or is_temporary(path), line)
            elif (changed := CHANGES.search(line)):
                for folder, name in PATHS.findall(changed[2]):
                    path = os.path.join(self.folder, folder, name)
                    self.assertTrue(path.startswith(allowed) or is_temporary(path) or
                                    (changed[1].startswith("mkdir") and str(self.folder).startswith(path)), line)
        self.assertFalse(os.path.exists("/tmp/deepperf-ran"), "something of the repository was run")

    def test_check(self):
        self.assert_confined(["check", "--all", "tree"], [])
        self.assert_confined(["check", "--no-cache", "--format", "sarif", "-o", "report.json", "tree"], ["report.json"])
        self.assert_confined(["check", "--since", "HEAD", "tree"], [])
        self.assert_confined(["check", "--write-baseline", "baseline.json", "tree"], ["baseline.json"])
        self.assert_confined(["check", "--diff", "tree"], [])
        self.assert_confined(["check", "--format", "html", "-o", "report.html", "tree"], ["report.html"])

    def test_fix_writes_to_checked_files_only(self):
        self.assert_confined(["check", "--fix", "--unsafe-fixes", "tree"], ["tree/a.py"])

    def test_other_commands(self):
        for arguments in (["rules"], ["explain", "DP101"], ["config"], ["debug", "model", "tree/a.py"],
                          ["debug", "why", "tree/a.py:4"]):
            self.assert_confined(arguments, [])

    def test_server(self):
        messages = [{"id": 1, "method": "initialize", "params": {"rootUri": (self.folder / "tree").as_uri(), "capabilities": {}}},
                    {"method": "initialized", "params": {}},
                    {"method": "textDocument/didOpen", "params": {"textDocument": {
                        "uri": (self.folder / "tree/a.py").as_uri(), "languageId": "python", "version": 1,
                        "text": "import numpy as np\nx = np.float(3)\n" + PROOF}}},
                    {"id": 2, "method": "textDocument/diagnostic",
                     "params": {"textDocument": {"uri": (self.folder / "tree/a.py").as_uri()}}},
                    {"id": 3, "method": "shutdown"}, {"method": "exit"}]
        text = b""
        for message in messages:
            body = json.dumps({"jsonrpc": "2.0", **message}).encode()
            text += b"Content-Length: %d\r\n\r\n%s" % (len(body), body)
        self.assert_confined(["server"], [], text=text)

    def test_study(self):
        store = ["s.sqlite"]
        self.assert_confined(["study", "select", "posts.xml", "--recipe", "all.toml", "-o", "s.sqlite"], store)
        self.assert_confined(["study", "stats", "s.sqlite"], [])
        self.assert_confined(["study", "label", "s.sqlite", "-o", "l.csv"], ["l.csv"])
        self.assert_confined(["study", "keywords", "s.sqlite"], [])
        self.assert_confined(["study", "report", "s.sqlite", "-o", "r.html"], ["r.html"])


def is_temporary(path):
    """Renamed to what was asked for, or gone."""
    return re.search(r"(^|/)\.deepperf-[0-9a-f]{16}$", path) is not None


if __name__ == "__main__":
    main(sys.argv)
