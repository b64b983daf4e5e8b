"""An npm package whose command is the program itself."""

import json

from archive import tar
from contents import SUMMARY, compressed

MACHINES = {"x86_64": "x64", "aarch64": "arm64"}


def build(contents, folder):
    machine = MACHINES.get(contents.machine, contents.machine)
    manifest = {
        "name": "deepperf", "version": contents.version, "description": SUMMARY, "license": "MIT",
        "bin": {"deepperf": "bin/deepperf"}, "man": ["man/deepperf.1"], "os": ["linux"], "cpu": [machine],
        "files": ["bin", "man", "LICENSE", "LICENSES-OF-LIBRARIES", "README.md"],
        "keywords": ["deep-learning", "linter", "performance", "pytorch", "tensorflow", "keras", "jax"],
    }
    files = {
        "package.json": (json.dumps(manifest, indent=2).encode() + b"\n", 0o644),
        "bin/deepperf": (contents.binary, 0o755),
        "man/deepperf.1": (contents.manual, 0o644),
        "LICENSE": (contents.license, 0o644),
        "LICENSES-OF-LIBRARIES": (contents.libraries, 0o644),
        "README.md": (contents.readme, 0o644),
    }
    path = folder / f"deepperf-{contents.version}-linux-{machine}.tgz"
    path.write_bytes(compressed(tar(files, contents.time, "package/")))
    return path
