#!/usr/bin/env python3
"""Applies every fix to every fixture of the rules, and to real repositories if asked to.

usage: all_fixes_test.py DEEPPERF_BINARY [UNITTEST_ARGUMENT...]
       all_fixes_test.py DEEPPERF_BINARY --repositories FOLDER... [--most N]

Once with safe fixes and once with all: what CPython could parse before it can parse afterwards, comments are kept, a second
run changes nothing, each finding whose fix was applied is gone, and no rule finds more than before. The second form copies
each FOLDER to a temporary one first; a folder that holds a repository per folder counts as many. --most limits their number.
"""

import argparse
import ast
import collections
import io
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import tokenize
import unittest
import warnings

FIXTURES = pathlib.Path(__file__).resolve().parent.parent / "rules"
MODES = {"safe": ["--fix"], "all": ["--fix", "--unsafe-fixes"]}
MOST_BYTES = 2_000_000  # of a notebook with its pictures; copying more takes time and shows nothing

# A fix of the first rule that makes the second one speak, and why that is right.
NEW_FINDINGS = {
}
# Findings that stay when their fix is made, and why: {code: reason}.
STAYS = {
}


def run(folder, *arguments):
    environment = {**os.environ, "XDG_CACHE_HOME": os.devnull}
    return subprocess.run([BINARY, *arguments], cwd=folder, capture_output=True, env=environment)


def every_rule():
    listed = json.loads(run(".", "rules", "--format", "json").stdout)["rules"]
    return ",".join(rule["code"] for rule in listed)


def check(folder, *options):
    return run(folder, "check", "--select", every_rule(), "--hints", *options, ".")


def report_of(folder):
    result = check(folder, "--format", "json")
    try:
        return json.loads(result.stdout)
    except json.JSONDecodeError:
        raise AssertionError(result.stderr.decode("utf-8", "replace")[-2000:]) from None


def sources_of(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*"))
            if path.suffix in (".py", ".ipynb") and path.is_file() and not path.is_symlink()}


def parses(source):
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(source)
        return True
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False


def comments_of(source):
    try:
        return collections.Counter(token.string for token in tokenize.tokenize(io.BytesIO(source).readline)
                                   if token.type == tokenize.COMMENT)
    except (tokenize.TokenError, SyntaxError, UnicodeDecodeError):
        return collections.Counter()


def is_applied(finding, mode):
    fix = finding.get("fix")
    return fix is not None and (mode == "all" or fix["safe"])


def counts(findings):
    return collections.Counter((finding["path"], finding["code"]) for finding in findings)


def problems_after_fixing(folder, mode, statistics=None):
    """Fixes a folder in place; what is wrong afterwards, a line each."""
    before = sources_of(folder)
    report_before = report_of(folder)
    fixed = check(folder, *MODES[mode], "--format", "json")
    after = sources_of(folder)
    problems = []
    left_alone = fixed.stderr.decode("utf-8", "replace")
    for path, source in before.items():
        if source == after[path]:
            continue
        if path.endswith(".py"):
            if parses(source) and not parses(after[path]):
                problems.append(f"{path}: does not parse any more")
            lost = comments_of(source) - comments_of(after[path])
            if lost and comments_of(after[path]):
                problems.append(f"{path}: lost comments: {list(lost)[:3]}")
        else:
            json.loads(after[path])
    report_after = report_of(folder)
    check(folder, *MODES[mode])
    if sources_of(folder) != after:
        changed = [path for path, source in sources_of(folder).items() if source != after[path]]
        problems.append(f"a second run changes {', '.join(changed[:5])}")
    if len(report_after["errors"]) > len(report_before["errors"]):
        problems.append(f"more errors: {report_after['errors'][:2]}")
    had = counts(report_before["findings"])
    has = counts(report_after["findings"])
    applied = [finding for finding in report_before["findings"] if is_applied(finding, mode)]
    applied_rules = collections.defaultdict(set)
    for finding in applied:
        applied_rules[finding["path"]].add(finding["code"])
    for (path, code), count in counts(applied).items():
        if has[path, code] > had[path, code] - count and code not in STAYS and path not in left_alone:
            problems.append(f"{path}: {code}: {count} of {had[path, code]} had a fix, {has[path, code]} are left")
    for (path, code), count in has.items():
        if count > had[path, code] and not any((rule, code) in NEW_FINDINGS for rule in applied_rules[path]):
            lines = [finding["line"] for finding in report_after["findings"]
                     if (finding["path"], finding["code"]) == (path, code)]
            problems.append(f"{path}: {code}: {count} findings, {had[path, code]} before (lines {lines[:6]}; "
                            f"applied: {sorted(applied_rules[path])})")
    if statistics is not None:
        statistics["fixes"] += len(applied)
        statistics["files"] += sum(source != after[path] for path, source in before.items())
        statistics.update(finding["code"] for finding in applied)
    return problems


class AllFixtures(unittest.TestCase):
    maxDiff = None

    def check_mode(self, mode):
        with tempfile.TemporaryDirectory() as temporary:
            statistics = collections.Counter()
            problems = []
            for cause in sorted(path for path in FIXTURES.iterdir() if path.is_dir() and path.name != "__pycache__"):
                folder = pathlib.Path(temporary) / cause.name
                folder.mkdir()
                for fixture in cause.iterdir():
                    # A project of its own each, as they do not know of each other.
                    if fixture.is_dir() and not fixture.name.endswith((".fixed", ".unsafe", "__pycache__")):
                        shutil.copytree(fixture, folder / fixture.name)
                    elif fixture.suffix in (".py", ".ipynb") and not fixture.stem.endswith((".fixed", ".unsafe")):
                        (folder / fixture.stem).mkdir(exist_ok=True)
                        shutil.copy(fixture, folder / fixture.stem)
                problems += [f"{cause.name}/{problem}" for problem in problems_after_fixing(folder, mode, statistics)]
            self.assertGreater(statistics["fixes"], 40)
            self.assertEqual(problems, [])

    def test_safe_fixes(self):
        self.check_mode("safe")

    def test_all_fixes(self):
        self.check_mode("all")


def copy_sources(repository, target):
    """Python files, notebooks, and the files that say which versions the project needs."""
    for path in repository.rglob("*"):
        is_source = path.suffix in (".py", ".ipynb", ".txt", ".toml", ".cfg", ".yml", ".yaml") or path.name == "Pipfile"
        if is_source and path.is_file() and not path.is_symlink() and path.stat().st_size < MOST_BYTES:
            copy = target / path.relative_to(repository)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, copy)


def try_repositories(folders, most):
    repositories = []
    for folder in folders:
        folder = pathlib.Path(folder)
        is_one = any(folder.glob("*.py")) or (folder / ".git").exists()
        repositories += [folder] if is_one else sorted(path for path in folder.iterdir() if path.is_dir())
    statistics = collections.Counter()
    wrong = 0
    for number, repository in enumerate(repositories[:most], 1):
        print(f"{number}: {repository.name}", file=sys.stderr, flush=True)
        for mode in MODES:
            with tempfile.TemporaryDirectory() as temporary:
                target = pathlib.Path(temporary) / repository.name
                target.mkdir()
                copy_sources(repository, target)
                for problem in problems_after_fixing(target, mode, statistics):
                    wrong += 1
                    print(f"{repository.name} ({mode}): {problem}", flush=True)
    print(f"{len(repositories[:most])} repositories, {wrong} problems; {dict(statistics)}")
    return 1 if wrong else 0


if __name__ == "__main__":
    BINARY = os.path.abspath(sys.argv.pop(1))
    if "--repositories" in sys.argv:
        parser = argparse.ArgumentParser()
        parser.add_argument("--repositories", nargs="+")
        parser.add_argument("--most", type=int)
        options = parser.parse_args()
        sys.exit(try_repositories(options.repositories, options.most))
    unittest.main()
