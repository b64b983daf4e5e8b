#!/usr/bin/env python3
"""Completions in the shells themselves, and the manual page as man reads it.

usage: completion_test.py DEEPPERF_BINARY
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

BINARY = os.path.abspath(sys.argv.pop(1))


def run(*command, **options):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, **options)


def printed(*arguments):
    done = run(BINARY, *arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout


def options_of(*command):
    return set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", "".join(
        line for line in printed(*command, "--help").splitlines(True) if re.match(r"\s+-", line))))


class Completion(unittest.TestCase):
    def script(self, shell, name):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        path = pathlib.Path(holder.name, name)
        path.write_text(printed("completion", shell))
        return path

    def bash(self, *words):
        script = self.script("bash", "deepperf")
        done = run("bash", "-c", 'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _deepperf; printf "%s\\n" "${COMPREPLY[@]}"',
                   "bash", script, "deepperf", *words)
        self.assertEqual(done.stderr, "")
        return set(done.stdout.split())

    def test_bash(self):
        self.assertLessEqual({"check", "explain", "server", "study"}, self.bash(""))
        self.assertEqual(self.bash("ch"), {"check"})
        self.assertLessEqual(options_of("check"), self.bash("check", "--"))
        self.assertLessEqual({"text", "sarif", "html"}, self.bash("check", "src", "--format", ""))
        self.assertEqual(self.bash("explain", "DP10"), {code for code in self.codes() if code.startswith("DP10")})
        self.assertIn("tokens", self.bash("debug", ""))
        self.assertIn("--with", self.bash("debug", "why", "--w"))
        self.assertEqual(self.bash("check", "--config", "x"), set())  # names of files, by bash itself
        self.assertEqual(self.bash("completion", ""), {"bash", "zsh", "fish"})

    @staticmethod
    def codes():
        rules = json.loads(printed("rules", "--format", "json"))
        return {rule["code"] for rule in (rules if isinstance(rules, list) else rules["rules"])}

    @unittest.skipUnless(shutil.which("fish"), "there is no fish")
    def test_fish(self):
        script = self.script("fish", "deepperf.fish")

        def complete(line):
            done = run("fish", "--no-config", "-c", f"source {script}; complete -C {line!r}")
            self.assertEqual(done.stderr, "")
            return {found.split("\t")[0] for found in done.stdout.splitlines()}

        self.assertLessEqual({"check", "explain"}, complete("deepperf "))
        self.assertLessEqual(options_of("check"), complete("deepperf check --"))
        self.assertLessEqual({"text", "sarif"}, complete("deepperf check --format "))
        self.assertIn("tokens", complete("deepperf debug "))
        self.assertIn("--with", complete("deepperf debug why --w"))
        self.assertIn("DP101", complete("deepperf explain DP1"))

    @unittest.skipUnless(shutil.which("zsh"), "there is no zsh")
    def test_zsh(self):
        """Reads the script, and what it hands to zsh's own functions."""
        script = self.script("zsh", "_deepperf")
        self.assertEqual(run("zsh", "-n", script).stderr, "")

        def given(function):
            stubs = 'compdef() {}; _arguments() { print -rl -- "$@"; state=command }; _describe() { print -rl -- $commands }'
            done = run("zsh", "-f", "-c", f'{stubs}; source "$1"; {function}', "zsh", script)
            self.assertEqual(done.stderr, "")
            return done.stdout

        self.assertRegex(given("_deepperf"), r"(?m)^check:")
        for option in options_of("check"):
            self.assertRegex(given("_deepperf_check"), rf"(?m)^{option}\[")
        self.assertRegex(given("_deepperf_check"), r"(?m)^--format\[.*:\(text .*sarif")
        self.assertRegex(given("_deepperf_check"), r"(?m)^\*:PATH:_files$")
        self.assertRegex(given("_deepperf_explain"), r"(?m)^\*:RULE:\(DP101 ")
        self.assertRegex(given("_deepperf_debug_why"), r"(?m)^--with\[.*:PATH:_files$")


class Manual(unittest.TestCase):
    def test_every_option_is_there(self):
        page = printed("manual").replace("\\-", "-")
        for command in (["check"], ["explain"], ["rules"], ["server"], ["debug", "why"]):
            for option in options_of(*command) - {"--help"}:
                self.assertIn(option, page, command)

    @unittest.skipUnless(shutil.which("man"), "there is no man")
    def test_man_reads_it(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "deepperf.1")
            path.write_text(printed("manual"))
            done = run("man", "--warnings", "-l", path, env={**os.environ, "MANWIDTH": "100", "MANPAGER": "cat", "LC_ALL": "C.UTF-8"})
        if done.returncode != 0 and "groff" in done.stderr:
            self.skipTest("man has no formatter here")
        self.assertEqual(done.stderr, "")
        self.assertIn("deepperf - find what makes deep-learning code slow", re.sub(".\b", "", done.stdout).replace("\u2010", "-"))


if __name__ == "__main__":
    unittest.main()
