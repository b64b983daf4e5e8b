#!/usr/bin/env python3
"""The pairs in benchmark/: their descriptions are right, a few of them run and agree, and `bench assess` counts them.

usage: pairs_test.py DEEPPERF_BINARY PROJECT_FOLDER

Nothing is timed. Where no Python has PyTorch, the pairs are not run.
"""

import json
import os
import pathlib
import subprocess
import sys
import unittest

BINARY = os.path.abspath(sys.argv.pop(1))
ROOT = pathlib.Path(sys.argv.pop(1)).resolve()
FEW = ("numpy-append", "torch-accuracy-loop", "torch-eval-with-grad", "torch-loss-list", "torch-loader-batch-of-one")


def bench(*arguments):
    result = subprocess.run([BINARY, "bench", *arguments, "--folder", str(ROOT / "benchmark"), "--format", "json"],
                            capture_output=True, encoding="utf-8", timeout=600)
    if result.returncode != 0:
        raise AssertionError(result.stdout + result.stderr)
    return json.loads(result.stdout)


class Pairs(unittest.TestCase):
    def test_descriptions(self):
        pairs = bench("list")["pairs"]  # fails if one of them is wrong
        self.assertEqual(sum(1 for pair in pairs if pair["id"][0].isdigit()), 58)
        for pair in pairs:
            if pair["static"] and pair["documented"]:
                self.assertTrue(pair["rules"], f"{pair['id']} names no rule")

    def test_a_few_run_and_agree(self):
        for pair in bench("run", "--quick", *FEW)["pairs"]:
            self.assertIn(pair["status"], ("ran", "not runnable here"), f"{pair['id']}: {pair['reason']}")
            if pair["status"] == "not runnable here":
                print(f"{pair['id']} was not run: {pair['reason']}")

    def test_assessment(self):
        found = bench("assess")
        pairs = found["pairs"]
        counted = [pair for pair in pairs if pair["in_scope"]]
        self.assertEqual(found["all"]["pairs"], len(pairs))
        self.assertEqual(found["all"]["in_scope"], len(counted))
        self.assertEqual(found["all"]["found"], sum(pair["found"] for pair in counted))
        for grouping in ("sets", "root_causes", "introducing_stages", "exposing_stages"):
            self.assertEqual(sum(row["pairs"] for row in found[grouping]), len(pairs))
        alarms = [pair["id"] for pair in pairs if pair["false_alarm"]]
        self.assertEqual(alarms, [], "rules report what is fixed")


if __name__ == "__main__":
    unittest.main()
