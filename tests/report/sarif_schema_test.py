#!/usr/bin/env python3
"""Validates SARIF reports against the schema of SARIF 2.1.0.

usage: sarif_schema_test.py DEEPPERF_BINARY BUILD_FOLDER
Skips (exit code 77) where npm cannot install the validator.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE.parent))
import npm_packages  # noqa: E402: its folder is known only now

BINARY = os.path.abspath(sys.argv[1])
SLOW = b"import tensorflow as tf\nds = tf.data.Dataset.list_files('*').map(lambda p: tf.io.read_file(p))\n"


def fail(message):
    print(message, file=sys.stderr)
    sys.exit(1)


def report(file, *arguments, cwd):
    """Writes a report, and returns it as Python sees it."""
    done = subprocess.run([BINARY, "check", "--no-cache", "--format", "sarif", "-o", file, *arguments], cwd=cwd,
                          capture_output=True, text=True)
    if done.stderr and done.returncode not in (0, 1, 2):
        fail(done.stderr)
    return json.loads(pathlib.Path(file).read_text(encoding="utf-8"))["runs"][0]


def validates(folder, *files):
    done = subprocess.run(["node", str(HERE / "npm" / "validate_sarif.js"), str(folder), *map(str, files)],
                          capture_output=True, text=True)
    return done.returncode == 0, done.stdout + done.stderr


def main():
    try:
        installed = npm_packages.install(HERE / "npm", sys.argv[2], "npm-report-tests")
    except npm_packages.Missing as reason:
        print(f"skipped: {reason}")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as holder:
        folder = pathlib.Path(holder)
        odd = folder / "odd"
        odd.mkdir()
        (odd / "empty").mkdir()
        (odd / "a b%#?:\u00e4\n\x01.py").write_bytes(SLOW)
        with open(os.fsencode(odd) + b"/not\xffutf8.py", "wb") as file:
            file.write(SLOW)
        (odd / "broken.py").write_text("x = (1 2\n")
        (odd / "gone.py").symlink_to("nowhere")
        (odd / "empty" / "a.py").write_text("x = 1\n")

        examples = report(folder / "examples.sarif", "--hints", "examples", cwd=ROOT)
        fixtures = report(folder / "fixtures.sarif", "--hints", "tests/rules", cwd=ROOT)
        strange = report(folder / "odd.sarif", "--hints", ".", "gone.py", cwd=odd)
        clean = report(folder / "clean.sarif", "empty", cwd=odd)
        ok, errors = validates(installed, *sorted(folder.glob("*.sarif")))
        if not ok:
            fail(errors)

        # What was validated must have had everything in it.
        for part in ("codeFlows", "fixes"):
            if not any(part in result for result in fixtures["results"]):
                fail(f"no result has {part}")
        if not any("cell" in result["locations"][0].get("properties", {}) for result in examples["results"]):
            fail("no result is in a notebook")
        if len(fixtures["tool"]["driver"]["rules"]) < 100:
            fail("only few rules were reported")
        ids = {notification["descriptor"]["id"]
               for notification in strange["invocations"][0]["toolExecutionNotifications"]}
        if ids != {"syntax-error", "unreadable-file"} or strange["invocations"][0]["executionSuccessful"]:
            fail(f"notifications are {ids}")
        uris = {result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for result in strange["results"]}
        if not {"a%20b%25%23%3F%3A%C3%A4%0A%01.py", "not%FFutf8.py"} <= uris:
            fail(f"paths are {uris}")
        if clean["results"] or not clean["invocations"][0]["executionSuccessful"]:
            fail("nothing is wrong with the empty folder")

        # The validator sees what is wrong.
        wrong = json.loads((folder / "examples.sarif").read_text())
        wrong["runs"][0]["results"][0]["level"] = "advice"
        (folder / "wrong.sarif").write_text(json.dumps(wrong))
        if validates(installed, folder / "wrong.sarif")[0]:
            fail("a wrong level was not noticed")
        print(f"{len(fixtures['results']) + len(examples['results'])} results of "
              f"{len(fixtures['tool']['driver']['rules'])} rules are valid")


main()
