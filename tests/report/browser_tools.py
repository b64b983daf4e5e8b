"""What the tests share that use a page in a real Chromium."""

import pathlib
import shutil
import subprocess
import sys

BROWSER = pathlib.Path(__file__).parent / "browser"


def skip(reason):
    print("skipped:", reason)
    sys.exit(77)


def find_browser():
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if path := shutil.which(name):
            return path
    skip("there is no Chromium to open the page with")


def install_packages(folder):
    """playwright-core and axe-core, into a folder that keeps them."""
    lock = (BROWSER / "package-lock.json").read_bytes()
    stamp = folder / "node_modules" / ".installed"
    if stamp.exists() and stamp.read_bytes() == lock:
        return
    if not shutil.which("npm") or not shutil.which("node"):
        skip("there is no npm to install playwright-core with")
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("package.json", "package-lock.json"):
        shutil.copy(BROWSER / name, folder / name)
    result = subprocess.run(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error",
                             "--fetch-retries=1", "--fetch-timeout=60000"], cwd=folder, capture_output=True, text=True)
    if result.returncode != 0:
        skip(f"npm cannot install playwright-core and axe-core: {result.stderr.strip()[-300:]}")
    stamp.write_bytes(lock)
