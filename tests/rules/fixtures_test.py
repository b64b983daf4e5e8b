#!/usr/bin/env python3
"""Runs every rule on every fixture, and on the examples in the documentation.

usage: fixtures_test.py DEEPPERF_BINARY [UNITTEST_ARGUMENT...]
       fixtures_test.py DEEPPERF_BINARY --update [FIXTURE...]

tests/rules/<cause>/<rule>.py is the fixture of src/rules/<cause>/<rule>.cpp; a folder of that name holds fixtures of several
files. A line ending in `# expect: DP101` must be reported by that rule, one ending in `# hint: DP101` as a hint, and every
other line must not be reported by any rule; a line with `# syntax error` is meant to have one.

<rule>.expected holds the findings in full: spans, messages, notes and help lines. --update writes what is reported now, so
that `git diff` shows it for review; a FIXTURE is a path, or a name such as api/sequential_map.

<rule>.fixed.py is what --fix makes of <rule>.py, <rule>.unsafe.py what --fix --unsafe-fixes does.
"""

import difflib
import functools
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import golden

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
SOURCES = ROOT / "src" / "rules"
TWINS = {".fixed": ["--fix"], ".unsafe": ["--fix", "--unsafe-fixes"]}

# Findings that are reported today though they are wrong, and why: {(file, line, code): reason}. Their lines have
# no mark for them. Once one is no longer reported, the test asks to remove it here.
KNOWN_WRONG = {
    ("api/eager_left_on.py", 10, "DP136"):
        "DP112 reports the same call for the same reason: one problem, two findings",
    ("api/sequential_map_few_read.py", 90, "DP103"):
        "each call of fit starts its own iterator and reads one element, so there is nothing to prefetch meanwhile",
    ("model/graph_object_in_loop.py", 20, "DP115"):
        "DP203 reports the same call for the same reason: one problem, two findings",
    ("model/graph_op_in_loop_entered_graph.py", 29, "DP202"):
        "each iteration has another graph, and a session belongs to one graph",
    ("model/graph_op_in_loop_turns.py", 13, "DP823"):
        "what is fetched uses no variable, and the caller that passes the session can have initialized them",
    ("model/numpy_in_function.py", 36, "DP208"):
        "the line runs only if tf.executing_eagerly(), which is never true while the function is traced",
}


def run(*arguments, cwd=None):
    without_cache = {**os.environ, "XDG_CACHE_HOME": os.devnull}
    result = subprocess.run([BINARY, *arguments], cwd=cwd, capture_output=True, encoding="utf-8", timeout=300,
                            env=without_cache)
    if result.returncode == 2:
        raise AssertionError(result.stdout + result.stderr)
    return result.stdout


@functools.cache
def rules():
    """All rules, as `deepperf rules` lists them."""
    return json.loads(run("rules", "--format", "json"))["rules"]


def check(folder, *options):
    """Checks a folder with every rule. Selecting each by its code also enables those that are off by default."""
    everything = ",".join(rule["code"] for rule in rules())
    return run("check", "--select", everything, *options, ".", cwd=folder)


def findings_by_folder(folder):
    """Checks a folder of projects in one run: {project's folder: (findings, errors)}, with paths relative to that folder."""
    report = json.loads(check(folder, "--hints", "--format", "json"))
    by_folder = {project.name: ([], []) for project in folder.iterdir()}
    for index, kind in enumerate(("findings", "errors")):
        for item in report[kind]:
            project = pathlib.PurePath(item["path"]).parts[0]
            for with_path in (item, *item.get("notes", [])):
                with_path["path"] = str(pathlib.PurePath(with_path["path"]).relative_to(project))
            by_folder[project][index].append(item)
    return by_folder


class Fixture:
    """A Python file, a notebook, or a folder of them."""

    def __init__(self, path):
        self.path = path
        self.name = f"{path.parent.name}/{path.name}"
        self.golden = path.with_suffix(".expected")

    def files(self, folder=None):
        """Its Python files and notebooks; those of a copy, if the folder that holds it is given."""
        path = folder / self.path.name if folder else self.path
        return [path] if path.is_file() else sorted(file for file in path.rglob("*") if file.suffix in (".py", ".ipynb"))

    def copy_to(self, folder):
        folder.mkdir(parents=True)
        (shutil.copytree if self.path.is_dir() else shutil.copy)(self.path, folder / self.path.name)

    def lines(self):
        """Every line: its file, cell, number and text."""
        for file in self.files():
            for cell, lines in golden.lines_of(file).items():
                for number, line in enumerate(lines, 1):
                    yield str(file.relative_to(self.path.parent)), cell, number, line

    def marks(self):
        """What the marks in its lines say must be reported."""
        return {(file, cell, number, code, kind)
                for file, cell, number, line in self.lines()
                for kind, codes in re.findall(r"#\s*(expect|hint):\s*((?:DP\d+[,\s]*)+)", line)
                for code in re.findall(r"DP\d+", codes)}

    def syntax_errors(self):
        return {(file, cell, number) for file, cell, number, line in self.lines() if "# syntax error" in line}

    def twin(self, ending):
        """Where what becomes of it by --fix is written down."""
        return self.path.with_name(self.path.stem + ending + self.path.suffix)


def all_fixtures():
    causes = sorted(path for path in HERE.iterdir() if path.is_dir() and path.name != "__pycache__")
    paths = sorted(path for cause in causes for path in cause.iterdir()
                   if path.name != "__pycache__" and (path.is_dir() or path.suffix in (".py", ".ipynb")))
    is_twin = re.compile("|".join(re.escape(ending) + r"(\.|$)" for ending in TWINS))
    return [Fixture(path) for path in paths if not is_twin.search(path.name)]


@functools.cache
def reported():
    """What is reported on each fixture: {fixture's name: (findings, errors)}.

    All fixtures are checked in one run, because starting the program for each takes longer than everything else. They do not
    see each other: an import never resolves to a file in another top-level folder. The run is elsewhere because findings in a
    folder called tests are only hints."""
    with tempfile.TemporaryDirectory(prefix="fixtures") as folder:
        folder = pathlib.Path(folder)
        fixtures = {f"{index}_{fixture.path.stem}": fixture for index, fixture in enumerate(all_fixtures())}
        for project, fixture in fixtures.items():
            fixture.copy_to(folder / project)
        return {fixtures[project].name: found for project, found in findings_by_folder(folder).items()}


def golden_text(fixture):
    """The golden file as it should be now."""
    findings, _ = reported()[fixture.name]
    return golden.render(findings, {str(file.relative_to(fixture.path.parent)): golden.lines_of(file)
                                    for file in fixture.files()})


def written_golden(fixture):
    return fixture.golden.read_text(encoding="utf-8") if fixture.golden.exists() else ""


def stray_goldens():
    """Golden files whose fixture is gone."""
    return sorted(set(HERE.rglob("*.expected")) - {fixture.golden for fixture in all_fixtures()})


def known_key(fixture, finding):
    """The key of a finding in KNOWN_WRONG."""
    return f"{fixture.path.parent.name}/{finding['path']}", finding["line"], finding["code"]


def listed(marks):
    """Marks as lines, for a readable difference."""
    ordered = sorted(marks, key=lambda mark: (mark[0], mark[1] or 0, *mark[2:]))
    return [f"{file}:{f'cell {cell}:' if cell else ''}{number}: {code} {severity}"
            for file, cell, number, code, severity in ordered]


class Fixtures(unittest.TestCase):
    maxDiff = None

    def assert_same_text(self, path, written, now, advice=""):
        """Unlike assertEqual it shows only the lines around a difference."""
        name = str(path.relative_to(ROOT))
        difference = difflib.unified_diff(written.split("\n"), now.split("\n"), name, name + " (now)", lineterm="")
        if written != now:
            self.fail("\n".join(["", *difference, advice]))

    def test_marks(self):
        self.assertGreater(len(all_fixtures()), 2)
        for fixture in all_fixtures():
            with self.subTest(fixture=fixture.name):
                findings, errors = reported()[fixture.name]
                found = {(finding["path"], finding["cell"], finding["line"], finding["code"],
                          "hint" if finding["confidence"] == "medium" else "expect")
                         for finding in findings if known_key(fixture, finding) not in KNOWN_WRONG}
                self.assertEqual(listed(found), listed(fixture.marks()), "reported, and what the marks say")
                self.assertEqual({(error["path"], error.get("cell"), error["line"]) for error in errors},
                                 fixture.syntax_errors())

    def test_known_wrong_findings_are_still_reported(self):
        found = {known_key(fixture, finding) for fixture in all_fixtures() for finding in reported()[fixture.name][0]}
        self.assertEqual(sorted(KNOWN_WRONG.keys() - found), [], "no longer reported: remove them from KNOWN_WRONG")

    def test_goldens(self):
        for fixture in all_fixtures():
            with self.subTest(fixture=fixture.name):
                self.assert_same_text(fixture.golden, written_golden(fixture), golden_text(fixture),
                                      f"to accept: tests/rules/fixtures_test.py BINARY --update {fixture.name}")

    def test_every_golden_has_a_fixture(self):
        self.assertEqual(stray_goldens(), [])

    def test_goldens_have_different_names(self):
        goldens = [fixture.golden for fixture in all_fixtures()]
        self.assertEqual(sorted(goldens), sorted(set(goldens)), "a file and a folder share a name")

    def test_fixes(self):
        for ending, options in TWINS.items():
            with tempfile.TemporaryDirectory(prefix="fixtures") as folder:
                folder = pathlib.Path(folder)
                copies = {fixture: folder / f"{index}_{fixture.path.stem}" for index, fixture in enumerate(all_fixtures())
                          if fixture.twin(ending).exists()}
                for fixture, copy in copies.items():
                    fixture.copy_to(copy)
                for what in ("--fix", "a second --fix"):
                    check(folder, *options)
                    for fixture, copy in copies.items():
                        with self.subTest(fixture=fixture.name, after=what):
                            self.assert_is_twin(fixture, copy, fixture.twin(ending))

    def assert_is_twin(self, fixture, copy, twin):
        """The twin of a folder holds only the files that --fix changes."""
        for original, changed in zip(fixture.files(), fixture.files(copy), strict=True):
            wanted = twin if twin.is_file() else twin / original.relative_to(fixture.path)
            wanted = wanted if wanted.exists() else original
            self.assert_same_text(wanted, wanted.read_text(encoding="utf-8"), changed.read_text(encoding="utf-8"))

    def test_every_fix_has_a_fixture(self):
        for source in sorted(SOURCES.glob("*/*.cpp")):
            rule = next(rule for rule in rules() if rule["name"].replace("-", "_") == source.stem)
            if rule["fix"] != "none":
                ending = ".fixed.py" if rule["fix"] == "safe" else ".unsafe.py"
                fixture = HERE / source.parent.name / (source.stem + ending)
                self.assertTrue(fixture.exists() or fixture.with_suffix("").is_dir(), source)

    def test_every_fixture_has_a_rule(self):
        """Its name is that of a rule of the same cause, perhaps with a suffix."""
        for fixture in all_fixtures():
            names = [source.stem for source in SOURCES.glob(f"{fixture.path.parent.name}/*.cpp")]
            self.assertTrue(any(fixture.path.stem.startswith(name) for name in names), fixture.name)

    def test_every_rule_has_a_fixture(self):
        for source in sorted(SOURCES.glob("*/*.cpp")):
            fixture = HERE / source.parent.name / source.stem
            self.assertTrue(fixture.is_dir() or fixture.with_suffix(".py").exists(), source)


def examples(code):
    """The examples on a rule's page: (Bad or Good, Python code). Another test compares the pages with the program's text."""
    page, = (ROOT / "docs" / "rules").glob(f"{code}-*.md")
    return re.findall(r"## (Bad|Good)\n+```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)


def write_example(code, folder):
    folder.mkdir()
    (folder / "example.py").write_text(code, encoding="utf-8")
    for name, text in re.findall(r"^# ([\w.]+): (.*)$", code, re.MULTILINE):  # "# requirements.txt: torch<2"
        (folder / name).write_text(text, encoding="utf-8")


class Documentation(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory(prefix="examples") as folder:
            for rule in rules():
                for kind, code in examples(rule["code"]):
                    write_example(code, pathlib.Path(folder) / f"{rule['code']}_{kind}")
            cls.found = findings_by_folder(pathlib.Path(folder))

    def test_every_page_has_two_examples(self):
        for rule in rules():
            self.assertEqual([kind for kind, _ in examples(rule["code"])], ["Bad", "Good"], rule["code"])

    def test_the_bad_example_is_reported(self):
        for rule in rules():
            findings, errors = self.found[f"{rule['code']}_Bad"]
            self.assertIn(rule["code"], {finding["code"] for finding in findings})
            self.assertEqual(errors, [], rule["code"])

    def test_no_rule_reports_a_good_example(self):
        for rule in rules():
            with self.subTest(rule=rule["code"]):
                findings, errors = self.found[f"{rule['code']}_Good"]
                self.assertEqual([f"{finding['line']}: {finding['code']} {finding['message']}" for finding in findings], [])
                self.assertEqual(errors, [])


def named(fixture, argument):
    """Whether a fixture is meant: by its path, or by its name with or without the folder and the ending."""
    stem = fixture.name.removesuffix(fixture.path.suffix)
    return argument in (fixture.name, stem, fixture.path.name, fixture.path.stem) or \
        pathlib.Path(argument).resolve() in (fixture.path, fixture.golden)


def update(arguments):
    unknown = [argument for argument in arguments if not any(named(fixture, argument) for fixture in all_fixtures())]
    if unknown:
        sys.exit(f"fixtures_test.py: no such fixture: {', '.join(unknown)}")
    updated = 0
    for fixture in all_fixtures():
        if not arguments or any(named(fixture, argument) for argument in arguments):
            updated += write_golden(fixture)
    for stray in [] if arguments else stray_goldens():
        stray.unlink()
        print(f"{stray.relative_to(HERE)}: removed, as it has no fixture")
        updated += 1
    print(f"{updated} golden file{'' if updated == 1 else 's'} changed; look at `git diff {HERE.relative_to(ROOT)}`")


def write_golden(fixture):
    """Whether it had to be written."""
    before, after = written_golden(fixture), golden_text(fixture)
    if before == after:
        return False
    fixture.golden.write_text(after, encoding="utf-8")
    print(f"{fixture.golden.relative_to(HERE)}: {golden.changes(before, after) or 'written'}")
    return True


def main():
    global BINARY
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    BINARY = os.path.abspath(sys.argv.pop(1))
    if sys.argv[1:2] == ["--update"]:
        update(sys.argv[2:])
    else:
        unittest.main()


if __name__ == "__main__":
    main()
