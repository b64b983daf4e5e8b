#!/usr/bin/env python3
"""The server and the protocol library of VS Code: pull diagnostics, hover, inlay hints, notebooks, cancellation, restart.

usage: npm_client_test.py DEEPPERF_BINARY BUILD_FOLDER
Skips (exit code 77) where npm cannot install the library.
"""

import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import npm_packages  # noqa: E402: its folder is known only now

SLOW = "import tensorflow as tf\n\nds = tf.data.Dataset.list_files('*').map(lambda p: tf.io.read_file(p))\n"


def main():
    binary, build = (os.path.abspath(path) for path in sys.argv[1:3])
    try:
        installed = npm_packages.install(HERE / "npm", build, "npm-server-tests")
    except npm_packages.Missing as reason:
        print(f"skipped: {reason}")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        project = pathlib.Path(folder, "project")
        project.mkdir()
        (project / "slow.py").write_text(SLOW)
        for number in range(40):  # so that the first check takes a moment
            (project / f"part{number}.py").write_text(f"import torch\n\n\ndef f{number}(x):\n    return torch.relu(x)\n" * 50)
        sys.exit(subprocess.run(["node", HERE / "npm" / "client.js", installed, binary, project.resolve()], timeout=600).returncode)


main()
