#!/usr/bin/env python3
"""Reports the same check in every format, reads each with a parser of Python's own, and compares what they say.

usage: formats_test.py DEEPPERF_BINARY [FOLDER…]
The folders are checked as well, each as a repository of its own.
"""

import collections
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import urllib.parse
import xml.etree.ElementTree

BINARY = os.path.abspath(sys.argv.pop(1))
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FOLDERS = [pathlib.Path(path).resolve() for path in sys.argv[1:]]
del sys.argv[1:]

CI_VARIABLES = ("GITHUB_WORKSPACE", "GITHUB_SERVER_URL", "GITHUB_REPOSITORY", "GITHUB_SHA", "CI_PROJECT_DIR",
                "CI_PROJECT_URL", "CI_COMMIT_SHA")
SLOW = "import tensorflow as tf\nds = tf.data.Dataset.list_files('*').map(lambda p: tf.io.read_file(p))\n"
WITH_STATISTICS = {"text", "concise", "json", "jsonl", "markdown"}
WITHOUT_STATISTICS = {"sarif", "github", "gitlab", "junit"}


def run(*arguments, cwd, env=None):
    environment = {key: value for key, value in os.environ.items() if key not in CI_VARIABLES}
    return subprocess.run([BINARY, "check", "--no-cache", *arguments], cwd=cwd, capture_output=True,
                          env={**environment, **(env or {})})


def report(name, *arguments, cwd, env=None):
    """What a format prints. It must be UTF-8."""
    return run("--format", name, *arguments, cwd=cwd, env=env).stdout.decode("utf-8")


def severities_of_concise(text):
    found = collections.Counter()
    for line in text.splitlines():
        match = re.match(r".*?: DP\d+ (error|warning|advice|note): ", line)
        found[match[1] if match else "problem"] += 1
    return found


def unescape_command(text):
    return re.sub("%(25|0A|0D|3A|2C)", lambda match: chr(int(match[1], 16)), text)


class Formats(unittest.TestCase):
    def compare(self, cwd, *arguments):
        """All formats list the same findings and problems. Returns the report in JSON."""
        whole = json.loads(report("json", *arguments, cwd=cwd))
        findings, problems = whole["findings"], whole["errors"]
        severities = collections.Counter(finding["severity"] for finding in findings)
        counts = whole["counts"]
        self.assertEqual([counts[key] for key in ("errors", "warnings", "advice", "notes")],
                         [severities[key] for key in ("error", "warning", "advice", "note")])
        self.check_jsonl(whole, report("jsonl", *arguments, cwd=cwd))
        self.check_sarif(whole, json.loads(report("sarif", *arguments, cwd=cwd)))
        self.check_gitlab(whole, json.loads(report("gitlab", *arguments, cwd=cwd)))
        self.check_junit(whole, severities, report("junit", *arguments, cwd=cwd))
        self.check_github(whole, report("github", *arguments, cwd=cwd))
        self.check_markdown(whole, report("markdown", *arguments, cwd=cwd))
        concise = severities_of_concise(report("concise", *arguments, cwd=cwd))
        more = sum("more syntax error" in problem["message"] for problem in problems)
        self.assertEqual(concise, severities + collections.Counter(problem=len(problems) - more))
        return whole

    def check_jsonl(self, whole, text):
        lines = [json.loads(line) for line in text.split("\n")[:-1]]
        types = [line.pop("type") for line in lines]
        findings, problems = len(whole["findings"]), len(whole["errors"])
        self.assertEqual(types, ["finding"] * findings + ["error"] * problems + ["summary"])
        self.assertEqual(lines[:findings], whole["findings"])
        self.assertEqual(lines[findings:-1], whole["errors"])
        self.assertEqual(lines[-1], {key: whole[key] for key in ("version", "files", "counts")})

    def check_sarif(self, whole, log):
        levels = {"error": "error", "warning": "warning", "advice": "note", "note": "note"}
        run_ = log["runs"][0]
        rules = run_["tool"]["driver"]["rules"]
        self.assertEqual([rule["id"] for rule in rules], sorted({finding["code"] for finding in whole["findings"]}))
        self.assertEqual(len(run_["results"]), len(whole["findings"]))
        for finding, result in zip(whole["findings"], run_["results"]):
            self.assertEqual(result["ruleId"], finding["code"])
            self.assertEqual(rules[result["ruleIndex"]]["id"], finding["code"])
            self.assertEqual(result["level"], levels[finding["severity"]])
            location = result["locations"][0]
            region = location["physicalLocation"]["region"]
            self.assertEqual([region[key] for key in ("startLine", "startColumn", "endLine", "endColumn")],
                             [finding[key] for key in ("line", "column", "end_line", "end_column")])
            self.assertEqual(location.get("properties", {}).get("cell"), finding["cell"])
            steps = result["codeFlows"][0]["threadFlows"][0]["locations"] if finding["notes"] else []
            self.assertEqual(len(steps), len(finding["notes"]) + 1 if finding["notes"] else 0)
            has_fix = bool(finding["fix"] and finding["fix"]["edits"] and finding["cell"] is None)
            self.assertEqual("fixes" in result, has_fix)
        notifications = run_["invocations"][0].get("toolExecutionNotifications", [])
        self.assertEqual(len(notifications), len(whole["errors"]))

    def check_gitlab(self, whole, issues):
        self.assertEqual(len(issues), len(whole["findings"]) + len(whole["errors"]))
        self.assertEqual(len({issue["fingerprint"] for issue in issues}), len(issues))
        self.assertLessEqual({issue["severity"] for issue in issues},
                             {"info", "minor", "major", "critical", "blocker"})
        for issue in issues:
            self.assertGreater(issue["location"]["lines"]["begin"], 0)
            self.assertFalse(issue["location"]["path"].startswith("./"))

    def check_junit(self, whole, severities, text):
        suite = xml.etree.ElementTree.fromstring(text.encode("utf-8")).find("testsuite")
        cases = suite.findall("testcase")
        found = {outcome: len(suite.findall(f"testcase/{outcome}")) for outcome in ("failure", "error", "skipped")}
        self.assertEqual(found, {"failure": severities["error"] + severities["warning"],
                                 "error": len(whole["errors"]), "skipped": severities["advice"] + severities["note"]})
        self.assertEqual([int(suite.get(key)) for key in ("tests", "failures", "errors", "skipped")],
                         [len(cases), found["failure"], found["error"], found["skipped"]])
        self.assertEqual(len(cases), sum(found.values()) or 1)

    def check_github(self, whole, text):
        commands = {"error": "error", "warning": "warning", "advice": "notice", "note": "notice"}
        lines = text.split("\n")[:-1]
        self.assertTrue(lines.pop().startswith("deepperf: "))
        found = collections.Counter()
        for line in lines:
            command, properties, message = re.fullmatch(r"::(\w+) ([^:]*)::(.*)", line).groups()
            values = dict(value.split("=", 1) for value in properties.split(","))
            # The message names the place, too, in the words of the concise format.
            if unescape_command(values["file"]).isprintable() and "\N{REPLACEMENT CHARACTER}" not in values["file"]:
                place = unescape_command(values["file"]) + (f":{values['line']}:" if "line" in values else ":")
                self.assertTrue(unescape_command(message).startswith(place), line)
            found[command] += 1
        expected = collections.Counter(commands[finding["severity"]] for finding in whole["findings"])
        self.assertEqual(found, expected + collections.Counter(error=len(whole["errors"])))

    def check_markdown(self, whole, text):
        self.assertLessEqual(len(text), 60000)
        rows = re.findall(r"^\| (error|warning|advice|note) \| .* \|$", text, re.MULTILINE)
        left = sum(int(count) for count in re.findall(r"^… and (\d+) more", text, re.MULTILINE))
        self.assertEqual(len(rows) + left, len(whole["findings"]) + len(whole["errors"]))

    def test_examples(self):
        whole = self.compare(ROOT, "examples")
        self.assertTrue(whole["findings"])
        self.assertTrue(whole["errors"])
        whole = self.compare(ROOT, "--hints", "examples")
        self.assertEqual(whole["counts"]["hidden"]["advice"] + whole["counts"]["hidden"]["notes"], 0)

    def test_fixtures_of_all_rules(self):
        self.compare(ROOT, "--hints", "tests/rules")
        self.compare(ROOT / "tests", "rules")

    def test_folders_on_the_command_line(self):
        for folder in FOLDERS:
            for arguments in ((), ("--hints",)):
                with self.subTest(folder=folder, arguments=arguments):
                    whole = self.compare(folder, *arguments, ".")
                    print(folder.name, *arguments, len(whole["findings"]), "findings", whole["counts"])


class Folder(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name).resolve()


class Details(Folder):
    compare = Formats.compare
    for name in ("jsonl", "sarif", "gitlab", "junit", "github", "markdown"):
        locals()[f"check_{name}"] = getattr(Formats, f"check_{name}")

    def test_nothing_found(self):
        (self.folder / "a.py").write_text("x = 1\n")
        self.assertEqual(self.compare(self.folder, ".")["findings"], [])

    def test_odd_names_and_bytes(self):
        for name in (b"plain.py", b"a b,c:d%0A.py", b"<&>\"'|`*.py", b"new\nline\x1b[31m.py", b"\xff\xfe.py",
                     "ä\u2028\u0085.py".encode()):
            with open(os.fsencode(self.folder) + b"/" + name, "wb") as file:
                file.write(SLOW.encode())
            with open(os.fsencode(self.folder) + b"/broken_" + name, "wb") as file:
                file.write(b"x = (1 \xff\x01\n")
        whole = self.compare(self.folder, ".")
        self.assertEqual(len(whole["findings"]), 6)
        for name in WITH_STATISTICS | WITHOUT_STATISTICS:
            text = report(name, ".", cwd=self.folder)
            self.assertIsNone(re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028]", text), name)

    def test_statistics_work_or_are_refused(self):
        (self.folder / "a.py").write_text(SLOW)
        for name in WITH_STATISTICS:
            done = run("--format", name, "--statistics", ".", cwd=self.folder)
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn(b"DP101", done.stdout)
        for name in WITHOUT_STATISTICS:
            done = run("--format", name, "--statistics", ".", cwd=self.folder)
            self.assertEqual((done.returncode, done.stdout), (2, b""))
            self.assertIn(f"--format {name} ", done.stderr.decode())
            self.assertIn("text, concise, json", done.stderr.decode())

    def test_paths_are_relative_to_the_checkout(self):
        below = self.folder / "ml"
        below.mkdir()
        (below / "a.py").write_text(SLOW)
        github = {"GITHUB_WORKSPACE": str(self.folder), "GITHUB_SERVER_URL": "https://example.org",
                  "GITHUB_REPOSITORY": "o/r", "GITHUB_SHA": "1a2b"}
        gitlab = {"CI_PROJECT_DIR": str(self.folder), "CI_PROJECT_URL": "https://example.org/o/r",
                  "CI_COMMIT_SHA": "1a2b"}
        for path in (".", "./a.py", "../ml", str(below)):
            self.assertIn(" file=ml/a.py,line=2,", report("github", path, cwd=below, env=github))
            self.assertIn("](https://example.org/o/r/blob/1a2b/ml/a.py#L2)",
                          report("markdown", path, cwd=below, env=github))
            self.assertIn("](https://example.org/o/r/-/blob/1a2b/ml/a.py#L2)",
                          report("markdown", path, cwd=below, env=gitlab))
            issues = json.loads(report("gitlab", path, cwd=below, env=gitlab))
            self.assertEqual({issue["location"]["path"] for issue in issues}, {"ml/a.py"})
            log = json.loads(report("sarif", path, cwd=below))["runs"][0]
            artifact = log["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]
            base = log["originalUriBaseIds"][artifact["uriBaseId"]]["uri"]
            self.assertEqual(urllib.parse.unquote(base + artifact["uri"]), f"file://{below}/a.py")
        # Somebody else's checkout has nothing to do with it.
        other = {**github, "GITHUB_WORKSPACE": "/nowhere"}
        self.assertIn("](a.py#L2)", report("markdown", ".", cwd=below, env=other))

    def test_fixes_in_sarif_are_what_fix_does(self):
        file = self.folder / "a.py"
        file.write_text("# ä 🙂\n" + SLOW)
        log = json.loads(report("sarif", "a.py", cwd=self.folder))
        lines = file.read_text().split("\n")
        for result in log["runs"][0]["results"]:
            for fix in result.get("fixes", ()):
                for replacement in fix["artifactChanges"][0]["replacements"]:
                    region = replacement["deletedRegion"]
                    self.assertEqual(region["startLine"], region["endLine"])
                    line = lines[region["startLine"] - 1]
                    lines[region["startLine"] - 1] = (line[:region["startColumn"] - 1]
                                                      + replacement.get("insertedContent", {}).get("text", "")
                                                      + line[region["endColumn"] - 1:])
        run("--fix", "a.py", cwd=self.folder)
        self.assertNotEqual(file.read_text(), "# ä 🙂\n" + SLOW)
        self.assertEqual("\n".join(lines), file.read_text())

    def test_fingerprints_stay_when_lines_move(self):
        def prints(name):
            return [list(result["partialFingerprints"].values())
                    for result in json.loads(report("sarif", name, cwd=self.folder))["runs"][0]["results"]]

        (self.folder / "a.py").write_text(SLOW)
        (self.folder / "b.py").write_text("# one\n\n# two\n" + SLOW)
        self.assertTrue(prints("a.py"))
        self.assertEqual(prints("a.py"), prints("b.py"))


if __name__ == "__main__":
    unittest.main()
