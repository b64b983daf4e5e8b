#!/usr/bin/env python3
"""Makes pages of `deepperf shapes --format html` and uses them in a real Chromium, as browser/drive_shapes.mjs says.

usage: shapes_browser_test.py DEEPPERF_BINARY FOLDER [SCREENSHOTS]
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

MODEL = """import torch
from torch import nn


class Bottleneck(nn.Module):
    def __init__(self, inplanes, planes, stride=1):
        super().__init__()
        self.conv1 = nn.Conv2d(inplanes, planes, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(planes)
        self.conv2 = nn.Conv2d(planes, planes, 3, stride, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(planes)
        self.conv3 = nn.Conv2d(planes, planes * 4, 1, bias=False)
        self.bn3 = nn.BatchNorm2d(planes * 4)
        self.relu = nn.ReLU(inplace=True)
        self.down = None
        if stride != 1 or inplanes != planes * 4:
            self.down = nn.Sequential(nn.Conv2d(inplanes, planes * 4, 1, stride, bias=False), nn.BatchNorm2d(planes * 4))

    def forward(self, x):
        identity = x if self.down is None else self.down(x)
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.relu(self.bn2(self.conv2(out)))
        return self.relu(self.bn3(self.conv3(out)) + identity)


def stage(inplanes, planes, count, stride):
    blocks = [Bottleneck(inplanes, planes, stride)]
    blocks += [Bottleneck(planes * 4, planes) for _ in range(count - 1)]
    return nn.Sequential(*blocks)


class ResNet(nn.Module):
    def __init__(self, classes=1000):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(), nn.MaxPool2d(3, 2, 1))
        self.layer1 = stage(64, 64, 3, 1)
        self.layer2 = stage(256, 128, 4, 2)
        self.layer3 = stage(512, 256, 6, 2)
        self.layer4 = stage(1024, 512, 3, 2)
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.fc = nn.Linear(2048, classes)

    def forward(self, x):
        x = self.layer4(self.layer3(self.layer2(self.layer1(self.stem(x)))))
        return self.fc(self.pool(x).flatten(1))


class Small(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 2)

    def forward(self, x):
        return self.fc(x)
"""

WRONG = """import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3)
        self.fc = nn.Linear(100, 10)

    def forward(self, x):
        x = self.conv(x).flatten(1)
        return self.fc(x)


print("</script><script>alert(1)</script>", Net()(torch.rand(2, 3, 8, 8)))
"""


def page(source, folder, name):
    (folder / f"{name}.py").write_text(source)
    out = folder / f"{name}.html"
    result = subprocess.run([BINARY, "shapes", "--format", "html", "-o", out, f"{name}.py"], cwd=folder, capture_output=True, text=True)
    if "this build has no page for shapes" in result.stderr:
        skip(result.stderr.strip())
    if result.returncode not in (0, 1):
        sys.exit(f"deepperf shapes ended with {result.returncode}: {result.stderr}")
    return out


def main():
    browser = find_browser()
    with tempfile.TemporaryDirectory() as holder:
        folder = pathlib.Path(holder)
        pages = [page(MODEL, folder, "model"), page(WRONG, folder, "wrong"),
                 page("import torch\n\nprint(torch.__version__)\n", folder, "empty")]
        install_packages(FOLDER)
        shutil.copy(BROWSER / "drive_shapes.mjs", FOLDER / "drive_shapes.mjs")
        result = subprocess.run(["node", FOLDER / "drive_shapes.mjs", browser, *pages, *sys.argv[3:4]])
        sys.exit(result.returncode)


if __name__ == "__main__":
    main()
