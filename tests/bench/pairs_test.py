#!/usr/bin/env python3
"""The pairs in benchmark/: their descriptions are right, some of them run and agree, and `bench assess` counts them.

usage: pairs_test.py DEEPPERF_BINARY PROJECT_FOLDER

Nothing is timed. Where no Python has PyTorch, the pairs cannot run; ./test installs it.
"""

import json
import os
import pathlib
import subprocess
import sys
import unittest

BINARY = os.path.abspath(sys.argv.pop(1))
ROOT = pathlib.Path(sys.argv.pop(1)).resolve()
# What shows in time, memory and growth; loops, loaders, workers, files, compiled models, several processes.
FEW = ("numpy-append", "numpy-einsum-order", "torch-accuracy-loop", "torch-archive-opened-per-item", "torch-broadcast-distance",
       "torch-checkpoint-every-step", "torch-eval-with-grad", "torch-hook-in-step", "torch-jit-per-call", "torch-loader-batch-of-one",
       "torch-loader-no-workers", "torch-loss-history", "torch-loss-list", "torch-rnn-cell-loop", "torch-stream-not-sharded",
       "torch-workers-restarted")
# Of the study's problems in scope, and of the others.
LEAST_OF_STUDY = 0.85
LEAST_OF_OTHERS = 55 / 60


def bench(*arguments):
    result = subprocess.run([BINARY, "bench", *arguments, "--folder", str(ROOT / "benchmark"), "--format", "json"],
                            capture_output=True, encoding="utf-8", timeout=900)
    if result.returncode != 0:
        raise AssertionError(result.stdout + result.stderr)
    return json.loads(result.stdout)


def has_torch():
    for python in ("python3", "/usr/bin/python3"):
        try:
            if subprocess.run([python, "-c", "import torch"], capture_output=True, timeout=300).returncode == 0:
                return True
        except OSError:
            pass
    return False


class Pairs(unittest.TestCase):
    def test_descriptions(self):
        pairs = bench("list")["pairs"]  # fails if one of them is wrong
        self.assertEqual(sum(1 for pair in pairs if pair["id"][0].isdigit()), 58)
        self.assertGreaterEqual(sum(1 for pair in pairs if pair["id"].startswith("torch-")), 60)
        for pair in pairs:
            if pair["static"] and pair["documented"]:
                self.assertTrue(pair["rules"], f"{pair['id']} names no rule")

    def test_some_run_and_agree(self):
        report = bench("run", "--quick", *FEW)
        self.assertEqual([pair["id"] for pair in report["pairs"]], sorted(FEW))
        if not has_torch():
            self.assertEqual({pair["status"] for pair in report["pairs"]} - {"ran"}, {"not runnable here"})
            self.skipTest("no Python here has PyTorch")
        for pair in report["pairs"]:
            self.assertEqual(pair["status"], "ran", f"{pair['id']}: {pair['reason']}")

    def test_what_cannot_run_is_not_a_pass(self):
        study = [pair["id"] for pair in bench("list")["pairs"] if not pair["documented"]][:3]
        for pair in bench("run", "--quick", *study)["pairs"]:
            self.assertEqual(pair["status"], "not runnable here")
            self.assertTrue(pair["reason"])

    def test_assessment(self):
        found = bench("assess")
        pairs = found["pairs"]
        counted = [pair for pair in pairs if pair["in_scope"]]
        self.assertEqual(found["all"]["pairs"], len(pairs))
        self.assertEqual(found["all"]["in_scope"], len(counted))
        self.assertEqual(found["all"]["found"], sum(pair["found"] for pair in counted))
        self.assertEqual(found["all"]["missed"], len(counted) - found["all"]["found"])
        for grouping in ("sets", "root_causes", "introducing_stages", "exposing_stages"):
            for count in ("pairs", "in_scope", "found", "missed", "false_alarms"):
                self.assertEqual(sum(row[count] for row in found[grouping]), found["all"][count], f"{count} of {grouping}")
        alarms = [pair["id"] for pair in pairs if pair["false_alarm"]]
        self.assertEqual(alarms, [], "rules report what is fixed")
        self.assertEqual([pair["id"] for pair in counted if pair["found_by_place"]], [], "their pp.toml names no rules")
        for is_study, least in ((True, LEAST_OF_STUDY), (False, LEAST_OF_OTHERS)):
            those = [pair for pair in counted if pair["id"][0].isdigit() == is_study]
            missed = [pair["id"] for pair in those if not pair["found"]]
            self.assertGreaterEqual(1 - len(missed) / len(those), least, f"missed: {missed}")


if __name__ == "__main__":
    unittest.main()
