#!/usr/bin/env python3
"""The checker must give the same answers for programs that mean the same.

usage: metamorphic_test.py BINARY [--sample FOLDER]
       metamorphic_test.py BINARY --program FILE_OR_FOLDER [--transformation NAME]

Every transformation in metamorphic/transformations.py keeps the meaning of a program: it swaps the branches of an `if`, gives a
value a name, moves a function to another file. Code, severity and line of every finding must stay the same for all fixtures,
examples, metamorphic/inputs, and a sample of the installed packages that use a framework. Differences that are right in
principle are listed with their reason in metamorphic_exceptions.txt, and an exception that no longer differs is an error.

--program shows the differences of one program, and the smallest edit that is needed for each. --sample adds files of a folder
of real code to the inputs.
"""

import argparse
import difflib
import fnmatch
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
from dataclasses import dataclass

from metamorphic import programs
from metamorphic.checker import Checker, Found, at_original_line, write_program
from metamorphic.edits import combine
from metamorphic.source import Source
from metamorphic.transformations import TRANSFORMATIONS

HERE = pathlib.Path(__file__).resolve().parent
SHOWN_DIFFERENCES = 20
SHOWN_LINES = 100


@dataclass(frozen=True)
class Difference:
    program: str
    transformation: str
    finding: Found
    change: str  # "lost" or "new"

    def __str__(self):
        return f"{self.program}: {self.change}: {self.finding}"


def differences(name, transformation, before, after):
    return [Difference(name, transformation, finding, change)
            for change, findings in (("lost", before - after), ("new", after - before)) for finding in sorted(findings)]


# ---- exceptions ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Exemption:
    transformation: str
    program: str  # a glob
    code: str
    reason: str

    def covers(self, difference):
        return self.transformation == difference.transformation and self.code == difference.finding.code \
            and fnmatch.fnmatch(difference.program, self.program)


def read_exceptions(paths=(HERE / "metamorphic_exceptions.txt", HERE / "metamorphic_open.txt")):
    lines = [line.strip() for path in paths for line in path.read_text(encoding="utf-8").splitlines()]
    return [Exemption(*line.split(maxsplit=3)) for line in lines if line and not line.startswith("#")]


# ---- the test --------------------------------------------------------------------------------------------------------


class Metamorphic(unittest.TestCase):
    checker = None
    sample_folder = None

    @classmethod
    def setUpClass(cls):
        installed = programs.installed()
        if not installed:
            print("metamorphic_test: no installed package uses a framework; only fixtures and examples are checked")
        cls.programs = [*programs.fixtures(), *programs.examples(), *programs.inputs(), *installed]
        if cls.sample_folder:
            cls.programs += programs.sample("sample", [cls.sample_folder])
        cls.before = cls.checker.check({program.name: (program, None) for program in cls.programs})
        cls.exceptions = read_exceptions()

    def test_inputs_have_findings(self):
        self.assertGreater(sum(map(bool, self.before.values())), len(self.programs) // 2)

    def test_exceptions_name_what_exists(self):
        for exception in self.exceptions:
            self.assertIn(exception.transformation, {*TRANSFORMATIONS, "alone"})
            self.assertTrue(any(fnmatch.fnmatch(program.name, exception.program) for program in self.programs), exception)

    def assert_only_exceptions(self, transformation, found):
        """Fails on differences that no exception covers, and on exceptions that cover none."""
        exceptions = [exception for exception in self.exceptions if exception.transformation == transformation]
        unlisted = [difference for difference in found if not any(item.covers(difference) for item in exceptions)]
        stale = [item for item in exceptions if not any(item.covers(difference) for difference in found)]
        lines = [str(difference) for difference in unlisted[:SHOWN_DIFFERENCES]]
        if len(unlisted) > SHOWN_DIFFERENCES:
            lines.append(f"... and {len(unlisted) - SHOWN_DIFFERENCES} more")
        lines += [f"exception that no longer differs: {item.program} {item.code}" for item in stale]
        if lines:
            how = f"--program FILE --transformation {transformation} shows how"
            self.fail("\n".join([f"{transformation} changes findings ({how}):", *lines]))

    def check_transformation(self, name):
        variants = {}
        for program in self.programs:
            variant = combine(program, TRANSFORMATIONS[name](program))
            if variant:
                self.assert_parses(program, name, variant)
                variants[program.name] = (program, variant)
        self.assertGreater(len(variants), 0, "applies to no input")
        after = self.checker.check(variants)
        self.assert_only_exceptions(name, [difference for program in variants
                                           for difference in differences(program, name, self.before[program], after[program])])

    def assert_parses(self, program, name, variant):
        broken = [path for path, source in variant.sources.items()
                  if source.tree is None and (path not in program.sources or program.sources[path].tree)]
        self.assertEqual(broken, [], f"{name} breaks {program.name}")

    def test_alone(self):
        """A program alone, and together with all others."""
        found = []
        with tempfile.TemporaryDirectory(prefix="metamorphic") as folder:
            for number, program in enumerate(self.programs):
                alone = pathlib.Path(folder) / f"q{number:04}"
                write_program(alone, program)
                result = self.checker.run(["."], alone, jobs=1)
                after = {at_original_line(finding, finding["path"].removeprefix("./"), None) for finding in result["findings"]}
                after |= {Found(error["path"].removeprefix("./"), 0, "syntax error", "error") for error in result["errors"]}
                found += differences(program.name, "alone", self.before[program.name], after)
        self.assert_only_exceptions("alone", found)

    def test_number_of_threads_and_order_of_files(self):
        with tempfile.TemporaryDirectory(prefix="metamorphic") as name:
            folder = pathlib.Path(name)
            for number, program in enumerate(self.programs):
                write_program(folder / f"p{number:04}", program)
            paths = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*")
                           if path.suffix in (".py", ".ipynb"))
            expected = self.checker.run(paths, folder, jobs=1)
            for jobs, order in ((2, paths), (4, paths), (1, paths[::-1]), (2, paths[::-1]), (2, paths[1::2] + paths[::2])):
                with self.subTest(jobs=jobs, first=order[0]):
                    result = self.checker.run(order, folder, jobs)
                    self.assertEqual(sorted(map(str, result["findings"])), sorted(map(str, expected["findings"])))


def add_test(name):
    setattr(Metamorphic, f"test_{name}", lambda self: self.check_transformation(name))


for transformation in TRANSFORMATIONS:
    add_test(transformation)


class Meaning(unittest.TestCase):
    """The transformations themselves: a program that prints what it does must print the same afterwards."""

    @classmethod
    def setUpClass(cls):
        cls.program = programs.read_program("behaviour", HERE / "metamorphic" / "behaviour.py")
        cls.expected = cls.output(None)

    @classmethod
    def output(cls, variant):
        with tempfile.TemporaryDirectory(prefix="metamorphic") as folder:
            write_program(pathlib.Path(folder), cls.program, variant)
            return subprocess.run([sys.executable, "behaviour.py"], cwd=folder, capture_output=True, text=True, check=True,
                                  timeout=60).stdout

    def test_each_transformation(self):
        self.assertGreater(self.expected.count("\n"), 10)
        for name, transformation in TRANSFORMATIONS.items():
            with self.subTest(transformation=name):
                variant = combine(self.program, transformation(self.program))
                self.assertIsNotNone(variant, "does not apply")
                self.assertEqual(self.output(variant), self.expected)

    def test_each_line_is_found_again(self):
        """Every line carries its number; wherever a transformation puts it, it must map back to that number."""
        path = "behaviour.py"
        lines = self.program.sources[path].text.splitlines()
        numbered = "".join(f"{line}  # line {number}\n" for number, line in enumerate(lines, 1))
        program = programs.Program("numbered", {path: Source(path, numbered)})
        for name, transformation in TRANSFORMATIONS.items():
            variant = combine(program, transformation(program))
            for new_path, source in variant.sources.items():
                for number, text in enumerate(source.text.splitlines(), 1):
                    for original in re.findall("# line ([0-9]+)", text)[:1]:
                        with self.subTest(transformation=name, line=text):
                            column = len(text) - len(text.lstrip()) + 1
                            self.assertEqual(variant.original_line(new_path, number, column), (path, int(original)))


# ---- one program, for people -----------------------------------------------------------------------------------------


def show(checker, path, names):
    program = programs.read_program(path.name, path)
    before = checker.check({"before": (program, None)})["before"]
    print(f"{path}: {len(before)} findings")
    for finding in sorted(before):
        print(f"  {finding}")
    any_difference = False
    for name in names:
        any_difference |= show_transformation(checker, program, before, name)
    return any_difference


def show_transformation(checker, program, before, name):
    sites = TRANSFORMATIONS[name](program)
    variant = combine(program, sites)
    if variant is None:
        print(f"\n{name}: does not apply")
        return False
    after = checker.check({"after": (program, variant)})["after"]
    if after == before:
        print(f"\n{name}: no difference ({len(sites)} places)")
        return False
    print(f"\n{name}: different")
    # One place that makes a difference alone says more than all of them together.
    alone = {number: (program, combine(program, [site])) for number, site in enumerate(sites)}
    results = checker.check(alone)
    explained = set()
    for number, result in results.items():
        changes = {(change.change, change.finding) for change in differences("", name, before, result)}
        if changes - explained:
            explained |= changes
            show_difference(program, alone[number][1], before, result, name)
    missing = {(change.change, change.finding) for change in differences("", name, before, after)} - explained
    if missing:
        print("  only if applied in several places:")
        show_difference(program, variant, before, after, name)
    return True


def show_difference(program, variant, before, after, name):
    changes = differences(program.name, name, before, after)
    for change in changes:
        print(f"  {change.change}: {change.finding}")
    lines = [line for path, source in variant.sources.items() for line in difflib.unified_diff(
        program.sources[path].text.splitlines() if path in program.sources else [], source.text.splitlines(),
        path, path, n=2, lineterm="")]
    for line in lines[:SHOWN_LINES]:
        print(f"    {line}")
    if len(lines) > SHOWN_LINES:
        print(f"    ... and {len(lines) - SHOWN_LINES} more lines; the whole program is in {write_variant(program, variant)}")
    print()


def write_variant(program, variant):
    folder = pathlib.Path(tempfile.mkdtemp(prefix="metamorphic"))
    write_program(folder, program, variant)
    return folder


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("--program", type=pathlib.Path)
    parser.add_argument("--transformation", choices=TRANSFORMATIONS)
    parser.add_argument("--sample", type=pathlib.Path)
    options, rest = parser.parse_known_args()
    checker = Checker(options.binary)
    if options.program:
        names = [options.transformation] if options.transformation else list(TRANSFORMATIONS)
        sys.exit(show(checker, options.program, names))
    Metamorphic.checker = checker
    Metamorphic.sample_folder = options.sample
    unittest.main(argv=[sys.argv[0], *rest])


if __name__ == "__main__":
    main()
