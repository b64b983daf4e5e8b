#!/usr/bin/env python3
"""Runs the study's commands, other than select, as a user does, on synthetic posts.

usage: study_test.py DEEPPERF_BINARY
"""

import csv
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

BINARY = os.path.abspath(sys.argv.pop(1))

KINDS = [("How to bake bread", "baking"), ("Which oven for a cake", "baking"), ("How to saw a board", "wood"),
         ("Which glue for pine", "wood"), ("Why does the boat leak", "boats"), ("How to tie a sail", "boats")]


def run(*arguments, cwd=None):
    return subprocess.run([BINARY, "study", *map(str, arguments)], cwd=cwd, capture_output=True, text=True, timeout=300)


class Study(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)
        self.posts = self.folder / "posts.csv"
        rows = [[i, f"{KINDS[i % 6][0]} {i}", KINDS[i % 6][1], 2015 + i % 3, 10 * i, i] for i in range(90)]
        with open(self.posts, "w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["id", "title", "topic", "year", "views", "score"])
            writer.writerows(rows)

    def ok(self, *arguments):
        result = run(*arguments, cwd=self.folder)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stderr, "")
        return result.stdout

    def fails(self, text, *arguments):
        result = run(*arguments, cwd=self.folder)
        self.assertEqual(result.returncode, 2, (arguments, result.stdout))
        self.assertIn(text, result.stderr)
        self.assertLessEqual(len(result.stderr.strip().splitlines()), 2, result.stderr)  # the second: See … --help

    def write(self, name, text):
        path = self.folder / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    def test_train_and_classify(self):
        said = self.ok("train", "posts.csv", "--label", "topic", "-o", "topic.model")
        self.assertIn("90 posts of posts.csv", said)
        self.write("new.csv", "title\nHow to bake a cake\nWhat\n")
        rows = list(csv.DictReader(self.ok("classify", "topic.model", "new.csv").splitlines()))
        self.assertEqual(rows[0]["predicted topic"], "baking")
        self.assertGreater(float(rows[0]["probability"]), 0.5)
        unsure = list(csv.DictReader(self.ok("classify", "topic.model", "new.csv", "--threshold", "0.9").splitlines()))
        self.assertEqual(unsure[1]["predicted topic"], "")
        self.assertIn("don't know", self.ok("classify", "topic.model", "new.csv", "-o", "out.csv"))
        self.fails("no column 'title'", "classify", "topic.model", self.write("x.csv", "a\n1\n"))
        self.fails("new.csv is none", "classify", "topic.model", "new.csv", "--store-as", "topic")

    def test_evaluate_is_the_same_each_time(self):
        arguments = ("evaluate", "posts.csv", "--label", "topic", "--splits", "3")
        self.assertEqual(self.ok(*arguments), self.ok(*arguments))
        self.assertIn("macro F1", self.ok("evaluate", "posts.csv", "--label", "topic", "--folds", "3", "--method",
                                          "keywords", "--format", "markdown"))

    def test_stats_and_agreement(self):
        self.assertIn("Pearson r", self.ok("stats", "posts.csv"))
        self.assertIn("baking", self.ok("stats", "posts.csv", "--by", "topic"))
        self.assertIn("chi-square", self.ok("stats", "posts.csv", "--cross", "topic,year"))
        self.write("raters.csv", "a,b\nx,x\nx,y\ny,y\ny,y\n")
        self.assertIn("0.500", self.ok("agree", "raters.csv", "--pair", "a,b"))
        self.write("twice.csv", "id,a\n1,x\n1,x\n")
        self.fails("twice.csv has the id '1' twice", "agree", "twice.csv", "posts.csv", "--label", "a")

    def test_review_by_two(self):
        said = self.ok("label", "posts.csv", "--review", "sheet")
        self.assertIn("sheet-1.csv", said)
        self.fails("already exists", "label", "posts.csv", "--review", "sheet")
        for name, phase in (("sheet-1.csv", "D"), ("sheet-2.csv", "M")):
            with open(self.folder / name, newline="") as file:
                rows = list(csv.DictReader(file))
            self.assertEqual(len(rows), 90)
            for i, row in enumerate(rows):
                row["phase"] = "T" if i % 2 else phase
            with open(self.folder / name, "w", newline="") as file:
                writer = csv.DictWriter(file, rows[0].keys())
                writer.writeheader()
                writer.writerows(rows)
        said = self.ok("agree", "sheet-1.csv", "sheet-2.csv", "--label", "phase", "--merge", "merged.csv")
        self.assertIn("45", said)
        with open(self.folder / "merged.csv", newline="") as file:
            merged = list(csv.DictReader(file))
        self.assertEqual((merged[0]["phase agreed"], merged[0]["phase to decide"]), ("", "D | M"))
        self.assertEqual(merged[1]["phase agreed"], "T")

    def test_bad_inputs(self):
        self.fails("is empty", "stats", self.write("empty.csv", ""))
        self.fails("has no rows", "stats", self.write("header.csv", "title,topic\n"))
        self.fails("no column 'kind'; it has: id, title", "evaluate", "posts.csv", "--label", "kind")
        self.fails("all rows have the same", "train", self.write("one.csv", "title,topic\na,x\nb,x\n"), "--label", "topic",
                   "-o", "m")
        self.fails("is empty in every row", "train", self.write("none.csv", "title,topic\na,\nb,\n"), "--label", "topic",
                   "-o", "m")
        self.fails("too few", "evaluate", self.write("two.csv", "title,topic\na,x\nb,y\n"), "--label", "topic")
        self.fails("is not a model", "classify", "posts.csv", "posts.csv")
        self.fails("not.sqlite", "stats", self.write("not.sqlite", "this is text\n"))
        self.fails("never closed", "keywords", self.write("quote.csv", 'title\n"a\n'))
        self.fails("nowhere.csv", "keywords", "nowhere.csv")
        self.fails("neither", "reproduce", "--data", self.folder)
        self.fails("two columns", "stats", "posts.csv", "--cross", "topic")
        self.fails("no column was named", "keywords", "posts.csv", "--text", ",")
        for name in ("train", "label", "keywords", "stats"):
            self.assertEqual(run(name, "--help").returncode, 0)

    def test_strange_texts(self):
        self.write("huge.csv", "title,topic\n" + "x" * 3_000_000 + ",a\n" + "y " * 500_000 + ",b\n" + "how to z,a\n,b\n" * 9)
        self.ok("train", "huge.csv", "--label", "topic", "-o", "huge.model")
        self.ok("label", "huge.csv", "-o", "labels.csv")

    def test_files_that_are_no_tables(self):
        for text, message in ((b"title\nok\ncaf\xe9\n", "x.csv:3: not UTF-8"),
                              ("title\nok\n".encode("utf-16"), "is UTF-16"),
                              (b"title\n\x00\n", "zero bytes"),
                              (b"PK\x03\x04", "export it as CSV"),
                              (b"<?xml version='1.0'?><posts/>", "study select"),
                              (b"title,topic\na,b\na,b,c\n", "x.csv:3: 3 cells, where there are 2 columns"),
                              (b"1,How to\n2,How to\n", "has no known column")):
            self.fails(message, "stats", self.write("x.csv", text))
        self.ok("stats", self.write("short.csv", "title,topic,\na\nb,c,,\n"))

    def test_damaged_models(self):
        self.ok("train", "posts.csv", "--label", "topic", "-o", "m")
        whole = (self.folder / "m").read_bytes()
        self.fails("damaged", "classify", self.write("cut", whole[:-1]), "posts.csv")
        self.fails("damaged", "classify", self.write("changed", whole[:-9] + b"ABCDEFGHI"), "posts.csv")


if __name__ == "__main__":
    unittest.main()
