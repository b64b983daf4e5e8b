#!/usr/bin/env python3
"""Builds every package with one command, installs each in a clean place, checks a project with it, and removes it without a trace.

usage: packages_test.py SOURCE_FOLDER [FOLDER_WITH_PACKAGES]
Skips (exit code 77) where the static program cannot be linked: no Debian, or no network for the sources of libraries.
"""

import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest
import zipfile

ROOT = pathlib.Path(sys.argv[1]).resolve()
SLOW = "import tensorflow as tf\nds = tf.data.Dataset.list_files('*').map(lambda p: tf.io.read_file(p))\n"
PLAIN = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/nonexistent", "LC_ALL": "C.UTF-8"}


def run(*command, **options):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, **options)


def files_below(folder):
    return {str(path.relative_to(folder)) for path in pathlib.Path(folder).rglob("*")}


class Packages(unittest.TestCase):
    packages = pathlib.Path()

    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name).resolve()
        self.project = self.folder / "project"
        self.project.mkdir()
        (self.project / "slow.py").write_text(SLOW)

    def find(self, pattern):
        found = list(self.packages.glob(pattern))
        self.assertEqual(len(found), 1, pattern)
        return found[0]

    def assert_checks(self, *command, **options):
        """The program works: it has a version and a commit, finds the problem, and knows its rules' pages."""
        options = {"cwd": self.project, "env": PLAIN, **options}
        version = run(*command, "--version", **options)
        self.assertRegex(version.stdout, r"^deepperf \d+\.\d+\.\d+( \([0-9a-f]{7,}\+?\))?\n$", version.stderr)
        checked = run(*command, "check", "--no-cache", "--format", "concise", ".", **options)
        self.assertEqual(checked.returncode, 1, checked.stderr)
        self.assertRegex(checked.stdout, r"slow\.py:2:\d+: .*DP101")
        self.assertIn("num_parallel_calls", run(*command, "explain", "DP101", **options).stdout)

    def test_program_needs_nothing(self):
        """No shared library, no interpreter and no symbol version of a C library: any kernel of the architecture will do."""
        with tarfile.open(self.find("*.tar.xz")) as archive:
            name = next(name for name in archive.getnames() if name.endswith("bin/deepperf"))
            binary = self.folder / "deepperf"
            binary.write_bytes(archive.extractfile(name).read())
        headers = run("readelf", "--wide", "--program-headers", "--dynamic", "--version-info", binary).stdout
        self.assertNotRegex(headers, r"INTERP|NEEDED|GLIBC")

    def test_tarball(self):
        with tarfile.open(self.find("*.tar.xz")) as archive:
            archive.extractall(self.folder / "opt", filter="data") if sys.version_info >= (3, 12) else archive.extractall(self.folder / "opt")
        (home,) = (self.folder / "opt").iterdir()
        self.assert_checks(home / "bin" / "deepperf")
        for part in ("share/man/man1/deepperf.1", "share/doc/deepperf/LICENSE", "share/bash-completion/completions/deepperf"):
            self.assertTrue((home / part).is_file(), part)
        if os.geteuid() == 0:  # nothing but the program and the project: no /lib, no /etc, no /proc
            root = self.folder / "root"
            root.mkdir()
            shutil.copy(home / "bin" / "deepperf", root / "deepperf")
            shutil.copytree(self.project, root / "project")
            self.assert_checks("chroot", root, "/deepperf", cwd="/")

    def test_deb(self):
        package = self.find("*.deb")
        self.assertRegex(run("dpkg-deb", "--info", package).stdout, r"(?s) Package: deepperf\n.* Version: \d")
        if os.geteuid() != 0:
            self.skipTest("dpkg installs only as root")
        root = self.folder / "root"
        for part in ("var/lib/dpkg/info", "var/lib/dpkg/updates", "var/lib/dpkg/triggers", "var/log"):
            (root / part).mkdir(parents=True)
        (root / "var/lib/dpkg/status").touch()
        (root / "project").mkdir()
        before = files_below(root)
        dpkg = ("dpkg", f"--root={root}", "--force-script-chrootless", f"--log={self.folder}/log")
        installed = run(*dpkg, "--install", package)
        self.assertEqual(installed.returncode, 0, installed.stderr)
        self.assertEqual(run("dpkg-query", f"--admindir={root}/var/lib/dpkg", "-W", "-f=${Status}", "deepperf").stdout, "install ok installed")
        verified = run(*dpkg, "--verify", "deepperf")
        self.assertEqual((verified.returncode, verified.stdout), (0, ""))
        shutil.copy(self.project / "slow.py", root / "project")
        self.assert_checks("chroot", root, "/usr/bin/deepperf", cwd="/")
        page = run("man", "--warnings", "-l", root / "usr/share/man/man1/deepperf.1.gz", env={**PLAIN, "MANWIDTH": "80", "MANPAGER": "cat"})
        if shutil.which("man") and page.returncode == 0:
            self.assertIn("--min-severity", page.stdout.replace("\u2010", "-"))
            self.assertEqual(page.stderr, "")
        (root / "project/slow.py").unlink()
        removed = run(*dpkg, "--purge", "deepperf")
        self.assertEqual(removed.returncode, 0, removed.stderr)
        left = {name for name in files_below(root) - before if not name.startswith("var/lib/dpkg/")}
        self.assertEqual(left, set())
        self.assertFalse(list((root / "var/lib/dpkg/info").glob("deepperf*")))

    def test_wheel(self):
        wheel = self.find("*.whl")
        tags = wheel.stem.split("-", 2)[2]
        machine = platform.machine()
        self.assertEqual(tags, f"py3-none-manylinux_2_17_{machine}.manylinux2014_{machine}.musllinux_1_1_{machine}")
        with zipfile.ZipFile(wheel) as archive:
            self.assertIsNone(archive.testzip())
            described = archive.read(next(name for name in archive.namelist() if name.endswith("/WHEEL"))).decode()
        self.assertEqual(sorted(re.findall(r"Tag: py3-none-(\S+)", described)), sorted(tags.split("-")[2].split(".")))
        made = run(sys.executable, "-m", "venv", self.folder / "venv")
        if made.returncode != 0:
            self.skipTest("this Python cannot make virtual environments (python3-venv)")
        python = self.folder / "venv/bin/python"
        before = {name for name in files_below(self.folder / "venv") if "__pycache__" not in name}
        installed = run(python, "-m", "pip", "install", "--no-index", "--disable-pip-version-check", wheel)
        self.assertEqual(installed.returncode, 0, installed.stderr)
        self.assert_checks("deepperf", env={**PLAIN, "PATH": f"{self.folder}/venv/bin:/usr/bin:/bin"})
        self.assert_checks(python, "-m", "deepperf")
        removed = run(python, "-m", "pip", "uninstall", "--yes", "--disable-pip-version-check", "deepperf")
        self.assertEqual(removed.returncode, 0, removed.stderr)
        after = {name for name in files_below(self.folder / "venv") if "__pycache__" not in name}
        self.assertEqual(after, before)

    def test_npm(self):
        package = self.find("*.tgz")
        if not shutil.which("npm"):
            self.skipTest("there is no npm")
        prefix = self.folder / "prefix"
        prefix.mkdir()
        environment = {**os.environ, "npm_config_cache": str(self.folder / "cache"), "npm_config_update_notifier": "false"}
        installed = run("npm", "install", "--global", "--offline", "--no-audit", "--no-fund", "--prefix", prefix, package, env=environment)
        self.assertEqual(installed.returncode, 0, installed.stderr)
        self.assert_checks(prefix / "bin/deepperf")
        removed = run("npm", "uninstall", "--global", "--offline", "--prefix", prefix, "deepperf", env=environment)
        self.assertEqual(removed.returncode, 0, removed.stderr)
        left = {name for name in files_below(prefix) if not (prefix / name).is_dir() and not name.endswith(".package-lock.json")}
        self.assertEqual(left, set())

    def test_same_bytes_again(self):
        """The same program gives the same packages, whenever they are made."""
        again = self.folder / "again"
        made = run(sys.executable, ROOT / "packaging/make.py", ROOT / "build/release/deepperf_portable", again, "npm", "wheel")
        self.assertEqual(made.returncode, 0, made.stderr)
        for path in again.iterdir():
            self.assertEqual(path.read_bytes(), (self.packages / path.name).read_bytes(), path.name)


def main():
    if not shutil.which("apt-get") or not shutil.which("dpkg-deb"):
        print("skipped: packages are made on Debian")
        sys.exit(77)
    if len(sys.argv) > 2:
        Packages.packages = pathlib.Path(sys.argv[2])
        unittest.main(argv=sys.argv[:1])
    with tempfile.TemporaryDirectory() as folder:
        Packages.packages = pathlib.Path(folder)
        made = run(ROOT / "tools/package", "--output", folder)
        if made.returncode != 0:
            if "static libraries" in made.stderr and "failed" in made.stderr:
                print(f"skipped: {made.stderr}")
                sys.exit(77)
            sys.exit(made.stderr)
        print(made.stdout)
        unittest.main(argv=sys.argv[:1])


main()
