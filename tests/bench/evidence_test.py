#!/usr/bin/env python3
"""benchmark/evidence.json is complete: each pair that can run was measured, and each rule about time or memory has either a
measurement or a reason why not. docs/measurements.md is what tools/make_measurements writes.

usage: evidence_test.py DEEPPERF_BINARY PROJECT_FOLDER
"""

import importlib.machinery
import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import tomllib
import unittest

BINARY = os.path.abspath(sys.argv.pop(1))
ROOT = pathlib.Path(sys.argv.pop(1)).resolve()
FEWEST_RULES = 40
ELSEWHERE = {"tensorflow", "keras", "jax"}  # not packaged for Debian, where evidence is recorded

loader = importlib.machinery.SourceFileLoader("make_measurements", str(ROOT / "tools" / "make_measurements"))
sys.dont_write_bytecode = True
make_measurements = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
loader.exec_module(make_measurements)


def run(*arguments):
    return json.loads(subprocess.run([BINARY, *arguments, "--format", "json"], capture_output=True, encoding="utf-8",
                                     check=True, timeout=300).stdout)


class Evidence(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.evidence = json.loads((ROOT / "benchmark" / "evidence.json").read_text())["measurements"]
        cls.reasons = tomllib.loads((ROOT / "benchmark" / "unmeasured.toml").read_text())
        cls.pairs = run("bench", "list", "--folder", str(ROOT / "benchmark"))["pairs"]
        cls.rules = run("rules")["rules"]

    def test_pairs_that_can_run_are_measured(self):
        measured = {one["pair"] for one in self.evidence}
        missing = [pair["id"] for pair in self.pairs
                   if pair["runnable"] and not ELSEWHERE & set(pair["libraries"]) and pair["id"] not in measured]
        self.assertEqual(missing, [], "record them: bench/record")

    def test_measurements_are_of_the_pairs_as_they_are(self):
        pairs = {pair["id"]: pair for pair in self.pairs}
        for one in self.evidence:
            pair = pairs[one["pair"]]
            self.assertEqual((one["measure"], one["rules"]), (pair["measure"], pair["rules"]), f"record {one['pair']} again")
            knobs = tomllib.loads((ROOT / "benchmark" / one["pair"] / "pp.toml").read_text()).get("knobs", {})
            self.assertEqual(one["knobs"], knobs, f"record {one['pair']} again")
            self.assertEqual(one["shown"], one["low"] > 1.2, one["pair"])
            self.assertGreaterEqual(one["rounds"], 7)

    def test_rules_have_evidence_or_a_reason(self):
        shown = {code for one in self.evidence if one["shown"] for code in one["rules"]}
        self.assertGreaterEqual(len(shown), FEWEST_RULES)
        _, unknown = make_measurements.unmeasured(self.rules, self.evidence, self.reasons)
        self.assertEqual(unknown, [], "write a pair, or say why there is none in benchmark/unmeasured.toml")

    def test_reasons_are_about_rules_without_evidence(self):
        codes = [code for entry in self.reasons["rules"] for code in entry["codes"]]
        self.assertEqual(sorted(codes), sorted(set(codes)), "listed twice")
        self.assertEqual(set(codes) - {rule["code"] for rule in self.rules}, set(), "there are no such rules")
        self.assertEqual(set(codes) & {code for one in self.evidence for code in one["rules"]}, set(), "they are measured")

    def test_page(self):
        self.assertEqual((ROOT / "docs" / "measurements.md").read_text(), make_measurements.page(BINARY),
                         "run tools/make_measurements")


if __name__ == "__main__":
    unittest.main()
