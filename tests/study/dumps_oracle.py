#!/usr/bin/env python3
"""Compares `deepperf study select` on real dumps with the same selection made with Python's XML parser.

usage: dumps_oracle.py DEEPPERF_BINARY

The dumps are in DEEPPERF_STUDY_DATA/posts, or ../shared/data/posts next to the project; without them the test is skipped.
"""

import gzip
import json
import os
import pathlib
import re
import sqlite3
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

BINARY = os.path.abspath(sys.argv[1])
ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA = pathlib.Path(os.environ.get("DEEPPERF_STUDY_DATA", ROOT.parent / "shared" / "data")) / "posts"


def tags_of(row):
    return re.findall(r"[^<>|]+", row.get("Tags", ""))


# A recipe, and the same as functions; each step sees what the one before let through.
RECIPES = {
    "everything": ("", []),
    "how-to": ("""
        [[step]]
        name = "tagged"
        tags = ["neural-networks", "stable-diffusion", "c#", "deep-learning"]
        [[step]]
        name = "how"
        title_words = ["how"]
        [[step]]
        name = "answered"
        accepted = true
        [[step]]
        name = "open"
        closed = false
        """, [
        lambda row: {"neural-networks", "stable-diffusion", "c#", "deep-learning"} & set(tags_of(row)),
        lambda row: re.search(r"(?<![a-z0-9_])how(?![a-z0-9_])", row.get("Title", "").lower()),
        lambda row: "AcceptedAnswerId" in row,
        lambda row: "ClosedDate" not in row,
    ]),
    "numbers": ("""
        [[step]]
        name = "early"
        before = 2016-09-01
        [[step]]
        name = "liked"
        min_score = 3
        min_views = 100
        tags_contain = ["net"]
        """, [
        lambda row: row["CreationDate"] < "2016-09-01",
        lambda row: int(row["Score"]) >= 3 and int(row["ViewCount"]) >= 100 and any("net" in tag for tag in tags_of(row)),
    ]),
}


def expected(path, steps):
    counts = {"questions": 0, "answers": 0, "others": 0}
    funnel = [0] * len(steps)
    posts, times = {}, {}
    for _, element in ElementTree.iterparse(path):
        if element.tag != "row":
            continue
        row = dict(element.attrib)
        kind = {"1": "questions", "2": "answers"}.get(row["PostTypeId"], "others")
        counts[kind] += 1
        if kind == "answers":
            times[int(row["Id"])] = row["CreationDate"]
        if kind != "questions":
            continue
        passed = 0
        while passed < len(steps) and steps[passed](row):
            funnel[passed] += 1
            passed += 1
        if passed == len(steps):
            posts[int(row["Id"])] = row
    stored = {}
    for number, row in posts.items():
        accepted = int(row["AcceptedAnswerId"]) if "AcceptedAnswerId" in row else None
        optional = {name: int(row[name]) if name in row else None for name in ("ViewCount", "AnswerCount", "FavoriteCount")}
        stored[number] = (row["Title"], row["Body"], tags_of(row), row["CreationDate"], int(row["Score"]),
                          optional["ViewCount"], optional["AnswerCount"], optional["FavoriteCount"], accepted,
                          times.get(accepted), row.get("ClosedDate"))
    return counts, funnel, stored


def selected(dump, recipe, folder):
    output = folder / "out.sqlite"
    run = subprocess.run([BINARY, "study", "select", dump, "--recipe", recipe, "-o", output, "--force", "--format", "json"],
                         capture_output=True, text=True)
    if run.returncode != 0:
        sys.exit(f"{dump}: {run.stderr}")
    result = json.loads(run.stdout)
    stored = {}
    with sqlite3.connect(output) as database:
        for number, title, body, tags, *rest in database.execute("SELECT * FROM posts"):
            stored[number] = (title, body, [tag for tag in tags.split("|") if tag], *rest)
    counts = {kind: result[kind] for kind in ("questions", "answers", "others")}
    return counts, [step["questions"] for step in result["funnel"]], stored


def main():
    dumps = sorted(DATA.glob("*.xml"))
    if not dumps:
        print(f"skipped: there are no dumps in {DATA}; DEEPPERF_STUDY_DATA names the folder above posts/")
        return 77
    checked = 0
    with tempfile.TemporaryDirectory() as holder:
        folder = pathlib.Path(holder)
        for dump in dumps:
            text = dump.read_text(encoding="utf-8-sig")
            # The same in the form of later dumps: Tags="|a|b|".
            later = folder / "later.xml"
            later.write_text(re.sub(r'Tags="([^"]*)"', lambda match: 'Tags="%s"' % match[1].replace(
                "&gt;&lt;", "|").replace("&lt;", "|").replace("&gt;", "|"), text), encoding="utf-8")
            packed = folder / "dump.xml.gz"
            packed.write_bytes(gzip.compress(dump.read_bytes()))
            for name, (recipe_text, steps) in RECIPES.items():
                recipe = folder / f"{name}.toml"
                recipe.write_text(recipe_text)
                wanted = expected(dump, steps)
                for form in (dump, later, packed):
                    got = selected(form, recipe, folder)
                    if got != wanted:
                        print(f"{form}, recipe {name}:\n  wanted {wanted[:2]}, {len(wanted[2])} posts\n"
                              f"  got    {got[:2]}, {len(got[2])} posts")
                        for number in sorted(set(wanted[2]) | set(got[2])):
                            if wanted[2].get(number) != got[2].get(number):
                                print(f"  first difference in post {number}: {wanted[2].get(number)} {got[2].get(number)}")
                                break
                        return 1
                    checked += 1
                print(f"{dump.name}, {name}: {wanted[0]}, funnel {wanted[1]}, {len(wanted[2])} posts equal in every field")
    print(f"{checked} selections equal")
    return 0


if __name__ == "__main__":
    sys.exit(main())
