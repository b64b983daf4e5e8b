#!/usr/bin/env python3
"""Makes HTML reports and uses them in a real Chromium, as browser/drive.mjs says.

usage: html_browser_test.py DEEPPERF_BINARY FOLDER [SCREENSHOTS]
playwright-core and axe-core are installed into FOLDER. Skips (exit code 77) where Chromium, npm or these packages are
missing, or where the program was built without the page. SCREENSHOTS is a folder to keep pictures in.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from browser_tools import BROWSER, find_browser, install_packages, skip

BINARY = os.path.abspath(sys.argv[1])
FOLDER = pathlib.Path(sys.argv[2]).absolute()

TRAINING = """import torch
from torch import nn

model = nn.Sequential(nn.Linear(4, 2), nn.Softmax(dim=1)).cuda()
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


def step(batch, target):
    optimizer.zero_grad()
    loss = criterion(model(batch.cuda()), target.cuda())
    loss.backward()
    optimizer.step()
    print(loss.item(), loss.item())
    return loss


def train(loader):
    total = 0
    for batch, target in loader:
        total += step(batch, target)
    return total
"""

PIPELINE = """import tensorflow as tf


def parse(record):
    return tf.io.decode_jpeg(tf.io.read_file(record))


def files(pattern):
    return tf.data.Dataset.list_files(pattern).map(parse).batch(32)
"""

MARKUP = """import torch

label = "</script><script>alert(2)</script>"; noise = torch.ones(3).cuda()  # <!-- <b>not bold</b>
"""


def report(project, page):
    result = subprocess.run([BINARY, "check", "--no-cache", "--all", "--format", "html", "-o", page, "."], cwd=project,
                            capture_output=True, text=True)
    if result.returncode == 2 and "this build has no HTML report" in result.stderr:
        skip(result.stderr.strip())
    if result.returncode not in (0, 1):
        sys.exit(f"the check ended with {result.returncode}: {result.stderr}")


def main():
    browser = find_browser()
    with tempfile.TemporaryDirectory() as holder:
        folder = pathlib.Path(holder)
        project = folder / "project"
        (project / "data").mkdir(parents=True)
        (project / "models").mkdir()
        (project / "models/train.py").write_text(TRAINING)
        (project / "data/pipeline.py").write_text(PIPELINE)
        (project / "data/<img src=x onerror=alert(1)>.py").write_text(MARKUP)
        (project / "broken.py").write_text("def f(:\n")
        report(project, folder / "report.html")
        large = folder / "large"
        for index in range(100):
            path = large / f"part{index // 20}/group{index // 5}/file{index}.py"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("import torch\n\n" + "".join(
                f"noise{i} = torch.ones({i}).cuda()\n" for i in range(30)) + "".join(
                f"batch{i} = torch.zeros({i}).cuda()\n" for i in range(30)))
        report(large, folder / "large.html")
        (folder / "empty").mkdir()
        (folder / "empty/broken.py").write_text("def f(:\n")
        report(folder / "empty", folder / "empty.html")
        size = (folder / "large.html").stat().st_size
        install_packages(FOLDER)
        shutil.copy(BROWSER / "drive.mjs", FOLDER / "drive.mjs")
        print(f"the large report has {size / 1e6:.1f} MB", flush=True)
        result = subprocess.run(["node", FOLDER / "drive.mjs", browser, folder / "report.html", folder / "large.html",
                                 folder / "empty.html", *sys.argv[3:4]])
        sys.exit(result.returncode)


if __name__ == "__main__":
    main()
