#!/usr/bin/env python3
"""Opens a report in a real Chromium, light and dark, wide and narrow, and checks the layout.

usage: report_browser_test.py DEEPPERF_BINARY
Skips (exit code 77) where there is no Chromium.
"""

import csv
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib

BINARY = os.path.abspath(sys.argv[1])

# Added to a copy of the page: writes what is wrong with the layout into the title, which --dump-dom shows.
CHECK = """
<script>
const wrong = [];
for (const svg of document.querySelectorAll("svg")) {
  const box = svg.getBoundingClientRect();
  if (box.width < 200 || box.height < 20) wrong.push("tiny chart: " + svg.getAttribute("aria-label"));
  for (const text of svg.querySelectorAll("text")) {
    const t = text.getBoundingClientRect();
    if (t.left < box.left - 1 || t.right > box.right + 1 || t.top < box.top - 1 || t.bottom > box.bottom + 1)
      wrong.push("outside of its chart: " + text.textContent);
  }
  const plain = [...svg.querySelectorAll("text:not([transform])")];
  for (let i = 0; i < plain.length; ++i)
    for (let j = i + 1; j < plain.length; ++j) {
      const a = plain[i].getBoundingClientRect(), b = plain[j].getBoundingClientRect();
      if (a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 3 && b.top < a.bottom - 3)
        wrong.push("overlap: " + plain[i].textContent + " / " + plain[j].textContent);
    }
}
if (document.documentElement.scrollWidth > window.innerWidth + 1) wrong.push("the page is wider than the window");
document.title = "CHECKED " + document.querySelectorAll("svg").length + " charts; wrong: " + wrong.join("; ");
</script>
"""


def fail(message):
    print(message, file=sys.stderr)
    sys.exit(1)


def find_browser():
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if path := shutil.which(name):
            return path
    print("skipped: there is no Chromium to open the report with")
    sys.exit(77)


def browse(browser, profile, page, *options):
    command = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
               f"--user-data-dir={profile}", "--host-resolver-rules=MAP * ~NOTFOUND", *options, page.as_uri()]
    result = subprocess.run(command, capture_output=True, text=True, timeout=300)
    if result.returncode != 0:
        print("skipped: Chromium cannot run here:", result.stderr.strip().splitlines()[-1:])
        sys.exit(77)
    return result.stdout


def mean_brightness(path):
    """Of an 8-bit PNG as Chromium writes it, from its uncompressed lines; filters are undone."""
    data = path.read_bytes()
    width, height, depth, color = struct.unpack(">IIBB", data[16:26])
    channels = {2: 3, 6: 4}[color]
    assert depth == 8
    at, packed = 8, b""
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        packed += data[at + 8:at + 8 + size] if kind == b"IDAT" else b""
        at += size + 12
    raw = zlib.decompress(packed)
    stride = width * channels
    before = bytearray(stride)
    total = 0
    for row in range(height):
        filtering = raw[row * (stride + 1)]
        line = bytearray(raw[row * (stride + 1) + 1:(row + 1) * (stride + 1)])
        for i in range(stride):
            left = line[i - channels] if i >= channels else 0
            up = before[i]
            corner = before[i - channels] if i >= channels else 0
            if filtering == 1:
                line[i] = (line[i] + left) & 255
            elif filtering == 2:
                line[i] = (line[i] + up) & 255
            elif filtering == 3:
                line[i] = (line[i] + (left + up) // 2) & 255
            elif filtering == 4:
                guess = left + up - corner
                pick = min((abs(guess - left), 0, left), (abs(guess - up), 1, up), (abs(guess - corner), 2, corner))[2]
                line[i] = (line[i] + pick) & 255
        total += sum(line[0::channels])
        before = line
    return total / (width * height)


def make_posts(path):
    symptoms = ["Time: slow execution time", "Memory: out of memory", "Processor: not using GPU <script>", "Unknown"]
    causes = ["API: inefficient API usage", "Data: inefficient data transmission", "Model: confusion with computation graph"]
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "title", "tags", "created", "accepted", "score", "views", "symptom", "root_cause"])
        for i in range(300):
            accepted = f"20{15 + i % 6}-03-0{1 + i % 9}T12:00:00.000" if i % 3 else ""
            writer.writerow([i, f"Post {i}", ["|keras|", "|pytorch|python|", "|tensorflow|"][i % 3],
                             f"20{15 + i % 6}-03-01T00:00:00.000", accepted, i % 17 - 3, (i * i) % 9000, symptoms[i * i % 4],
                             causes[i % 3]])


def main():
    browser = find_browser()
    with tempfile.TemporaryDirectory() as holder:
        folder = pathlib.Path(holder)
        make_posts(folder / "posts.csv")
        page = folder / "report.html"
        subprocess.run([BINARY, "study", "report", folder / "posts.csv", "-o", page, "--tables", folder / "tables"],
                       check=True, capture_output=True)
        html = page.read_text()
        if re.search(r"(src|href)\s*=|url\(|@import|https?://", html):
            fail("the page refers to something outside of it")
        if "<script" in html:
            fail("a label became a tag")
        if not (folder / "tables/tables.md").exists() or len(list((folder / "tables").glob("*.csv"))) < 4:
            fail("the tables are not there as CSV and Markdown")
        checked = folder / "checked.html"
        checked.write_text(re.sub(r"<meta http-equiv.*?>", "", html).replace("</body>", CHECK + "</body>"))
        for size in ("1100,900", "420,900"):
            dom = browse(browser, folder / "profile", checked, f"--window-size={size}", "--dump-dom")
            title = re.search(r"<title>(CHECKED (\d+) charts; wrong: (.*?))</title>", dom, re.S)
            if not title or int(title.group(2)) < 6 or title.group(3).strip():
                fail(f"at {size}: {title.group(1) if title else 'the page did not load'}")
        bright = {}
        for name, options in (("light", ["--blink-settings=preferredColorScheme=1"]),
                              ("dark", ["--blink-settings=preferredColorScheme=0"])):
            shot = folder / f"{name}.png"
            browse(browser, folder / "profile", page, f"--screenshot={shot}", "--window-size=500,700", *options)
            bright[name] = mean_brightness(shot)
        if not bright["light"] > 200 or not bright["dark"] < 80:
            fail(f"light and dark do not look like it: {bright}")
    print("the report is laid out well, light and dark, wide and narrow")


main()
