"""Installs npm packages for tests: what package.json and package-lock.json of a folder name."""

import fcntl
import os
import pathlib
import shutil
import subprocess

FILES = ("package.json", "package-lock.json")


class Missing(Exception):
    """Why there are none."""


def install(described_in, build_folder, name):
    """The folder of that name below the build folder, in which node_modules is. Installs once; again when a package has changed."""
    described_in = pathlib.Path(described_in)
    if not shutil.which("npm") or not shutil.which("node"):
        raise Missing("there is no npm")
    folder = pathlib.Path(build_folder) / name
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / ".lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # tests may run at the same time
        done = folder / ".installed"
        wanted = b"".join((described_in / file).read_bytes() for file in FILES)
        if done.exists() and done.read_bytes() == wanted:
            return folder
        done.unlink(missing_ok=True)
        for file in FILES:
            shutil.copy(described_in / file, folder / file)
        try:
            subprocess.run(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"], cwd=folder, check=True,
                           capture_output=True, text=True, env={**os.environ, "npm_config_update_notifier": "false"})
        except subprocess.CalledProcessError as error:
            lines = [line for line in error.stderr.splitlines() if "error" in line]
            raise Missing("npm could not install packages: " + (lines[0] if lines else "no reason given")) from None
        done.write_bytes(wanted)
        return folder
