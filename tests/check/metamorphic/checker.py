"""Runs the checker on many programs at once."""

import json
import os
import pathlib
import subprocess
import tempfile
from dataclasses import dataclass


@dataclass(frozen=True, order=True)
class Found:
    """What must stay the same. Lines are those of the original program."""
    path: str
    line: int
    code: str
    severity: str

    def __str__(self):
        place = f"{self.path}:{self.line}" if self.line else f"{self.path}: added code"
        return f"{place} {self.code} {self.severity}"


class Checker:
    def __init__(self, binary):
        self.binary = str(pathlib.Path(binary).resolve())

    def run(self, paths, folder, jobs=2):
        """The parsed output, for paths relative to a folder."""
        result = subprocess.run([self.binary, "check", "--hints", "--format", "json", "--jobs", str(jobs), *paths],
                                env={**os.environ, "XDG_CACHE_HOME": os.devnull},
                                cwd=folder, capture_output=True, text=True, timeout=600)
        if result.returncode not in (0, 1):
            raise AssertionError(f"exit status {result.returncode}\n{result.stderr[-2000:]}")
        return json.loads(result.stdout)

    def check(self, variants):
        """For each key of {key: (program, variant or None)} the set of findings, at the lines of the original."""
        found = {}
        for batch in batches(variants):
            found.update(self.check_batch(batch))
        return found

    def check_batch(self, batch):
        with tempfile.TemporaryDirectory(prefix="metamorphic") as name:
            folder = pathlib.Path(name)
            keys = {}
            for number, (key, (program, variant)) in enumerate(batch.items()):
                keys[f"p{number:04}"] = key
                write_program(folder / f"p{number:04}", program, variant)
            result = self.run(["."], folder)
        found = {key: set() for key in batch}
        for finding in result["findings"]:
            top, path = finding["path"].removeprefix("./").split("/", 1)
            program, variant = batch[keys[top]]
            found[keys[top]].add(at_original_line(finding, path, variant))
        for error in result["errors"]:
            top, path = error["path"].removeprefix("./").split("/", 1)
            found[keys[top]].add(Found(path, 0, "syntax error", "error"))
        return found


def at_original_line(finding, path, variant):
    line = finding["line"]
    if variant and path in variant.sources:
        path, line = variant.original_line(path, line, finding["column"])
    elif finding.get("cell") is not None:
        path = f"{path}[{finding['cell']}]"
    return Found(path, line, finding["code"], "hint" if finding["confidence"] == "medium" else "warning")


def write_program(folder, program, variant=None):
    for path, source in (variant or program).sources.items():
        write(folder / path, source.text.encode())
    for path, content in program.others.items():
        write(folder / path, content)


def write(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def batches(variants):
    """An absolute import means the nearest file whose path ends in its parts, so programs must not be checked together if
    one has a file that another may import."""
    open_batches = []
    for key, (program, variant) in variants.items():
        for batch in open_batches:
            if program.imports.isdisjoint(batch["modules"]) and program.modules.isdisjoint(batch["imports"]):
                break
        else:
            batch = {"modules": set(), "imports": set(), "programs": {}}
            open_batches.append(batch)
        batch["programs"][key] = (program, variant)
        batch["modules"] |= program.modules
        batch["imports"] |= program.imports
    return [batch["programs"] for batch in open_batches]
