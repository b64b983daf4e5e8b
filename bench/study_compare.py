"""The second half of bench/study: the same selection with Python's iterparse, peak memory, and the ratios.

usage: study_compare.py DEEPPERF FOLDER        with FOLDER/Posts.xml, part.xml and hyperfine's times.json
"""

import json
import os
import resource
import sqlite3
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree


def select(path):
    """The recipe liu, as one would write it by hand; gives back what the store would hold."""
    funnel = [0, 0, 0, 0, 0]
    posts, waiting = {}, {}
    for _, row in ElementTree.iterparse(path):
        if row.tag != "row":
            continue
        kind = row.get("PostTypeId")
        if kind == "1":
            funnel[0] += 1
            tags = row.get("Tags", "")
            if row.get("CreationDate") < "2021-09-06" and ("tensorflow" in tags or "pytorch" in tags or "theano" in tags):
                funnel[1] += 1
                if "how to" in row.get("Title", "").lower():
                    funnel[2] += 1
                    if row.get("AcceptedAnswerId"):
                        funnel[3] += 1
                        if not row.get("ClosedDate"):
                            funnel[4] += 1
                            posts[row.get("Id")] = dict(row.attrib)
                            waiting[row.get("AcceptedAnswerId")] = row.get("Id")
        elif kind == "2" and row.get("Id") in waiting:
            posts[waiting[row.get("Id")]]["accepted"] = row.get("CreationDate")
        row.clear()
    return funnel, posts


def selected(binary, dump, folder, *more):
    output = os.path.join(folder, "check.sqlite")
    run = subprocess.run([binary, "study", "select", dump, "--recipe", "liu", "-o", output, "--force", "--format", "json",
                          *more], stdout=subprocess.PIPE, check=True)
    result = json.loads(run.stdout)
    with sqlite3.connect(output) as database:
        times = dict(database.execute("SELECT id, accepted FROM posts"))
    return [result["questions"]] + [step["questions"] for step in result["funnel"]], times


def main():
    binary, folder = sys.argv[1:]
    dump, part = (os.path.join(folder, name) for name in ("Posts.xml", "part.xml"))
    with open(os.path.join(folder, "times.json")) as file:
        results = {result["command"]: result for result in json.load(file)["results"]}
    size = os.path.getsize(dump)
    print(f"{'command':<20}{'best s':>10}{'median s':>10}{'GB/s':>8}{'CPU s':>8}")
    for name, result in results.items():
        print(f"{name:<20}{result['min']:>10.3f}{result['median']:>10.3f}{size / result['min'] / 1e9:>8.2f}"
              f"{result['user'] + result['system']:>8.2f}")
    one, two, search = (result["min"] for result in results.values())

    selected(binary, dump, folder)
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    start = time.perf_counter()
    funnel, posts = select(part)
    python = time.perf_counter() - start
    scaled = python * size / os.path.getsize(part)
    print(f"{'Python iterparse':<20}{scaled:>10.1f}  measured on {os.path.getsize(part) / 1e6:.0f} MB: {python:.1f} s")

    ours, times = selected(binary, part, folder)
    same = ours == funnel and times == {int(number): post.get("accepted") for number, post in posts.items()}
    print(f"\nsame selection as Python's on that part: {'yes' if same else 'NO'} ({funnel})")
    print(f"time next to ripgrep's:    {two / search:.2f}x (2 jobs), {one / search:.2f}x (1 job)")
    print(f"faster than iterparse:     {scaled / two:.0f}x (2 jobs), {scaled / one:.0f}x (1 job)")
    print(f"scaling from 1 to 2 jobs:  {one / two:.2f}x")
    print(f"peak memory:               {peak:.0f} MB for {size / 1e6:.0f} MB")
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
