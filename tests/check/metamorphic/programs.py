"""The programs that are transformed: fixtures, examples, inputs/, and a sample of what is installed."""

import ast
import hashlib
import pathlib
import re
import sysconfig
from functools import cached_property

from .source import Source

ROOT = pathlib.Path(__file__).resolve().parents[3]
FRAMEWORK_IMPORT = re.compile(r"^\s*(?:import|from)\s+(?:torch|tensorflow|keras|jax|numpy)\b", re.MULTILINE)
SAMPLE_FILES = 30
SAMPLE_LARGEST = 40_000  # characters; a few large files would take all of the time


class Program:
    """`sources` are its Python files by path; `others` are files that the checker reads as well, as bytes."""

    def __init__(self, name, sources, others=()):
        self.name = name
        self.sources = sources
        self.others = dict(others)

    @cached_property
    def parsed(self):
        return [source for source in self.sources.values() if source.tree]

    @cached_property
    def modules(self):
        """The last parts of all module names that its files have."""
        return {part for path in self.sources for part in path.removesuffix(".py").split("/")}

    @cached_property
    def imports(self):
        """All parts of all names that it imports from anywhere."""
        nodes = [node for source in self.parsed for node in ast.walk(source.tree)]
        names = [node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)]
        names += [alias.name for node in nodes if isinstance(node, (ast.Import, ast.ImportFrom)) for alias in node.names]
        return {part for name in names for part in name.split(".")}


def read_program(name, path):
    """A file, or a folder with everything in it."""
    files = [path] if path.is_file() else sorted(file for file in path.rglob("*") if file.is_file())
    sources, others = {}, {}
    for file in files:
        relative = file.name if path.is_file() else file.relative_to(path).as_posix()
        if file.suffix == ".py":
            text = file.read_text(encoding="utf-8")  # with universal newlines
            sources[relative] = Source(relative, text if text.endswith("\n") else text + "\n")
        elif "__pycache__" not in file.parts:
            others[relative] = file.read_bytes()
    return Program(name, sources, others)


def fixtures():
    rules = ROOT / "tests" / "rules"
    paths = sorted(path for cause in rules.iterdir() if cause.is_dir() for path in cause.iterdir()
                   if path.name != "__pycache__" and not path.name.endswith((".fixed.py", ".unsafe.py", ".fixed"))
                   and (path.is_dir() or path.suffix == ".py"))
    return [read_program(path.relative_to(rules).as_posix(), path) for path in paths]


def examples():
    return [read_program(f"examples/{path.name}", path) for path in sorted((ROOT / "examples").iterdir())
            if path.suffix in (".py", ".ipynb")]


def inputs():
    """Programs that were written for this test, because fixtures have few branches and helpers."""
    folder = pathlib.Path(__file__).resolve().parent / "inputs"
    return [read_program(f"inputs/{path.name}", path) for path in sorted(folder.glob("*.py"))]


def installed():
    """A sample of the machine's own files that import a framework; the same one in every run. Empty on most machines."""
    folders = {pathlib.Path(sysconfig.get_path("purelib")), pathlib.Path("/usr/lib/python3/dist-packages")}
    return sample("installed", [folder for folder in folders if folder.is_dir()])


def sample(name, folders, files=SAMPLE_FILES):
    """Every chosen file is a program of its own."""
    found = {}
    for folder in folders:
        for file in folder.rglob("*.py"):
            if file.is_file() and uses_framework(file):
                found.setdefault(file.relative_to(folder).as_posix(), file)
    chosen = sorted(found, key=lambda relative: hashlib.sha256(relative.encode()).digest())[:files]
    return [read_program(f"{name}/{relative}", found[relative]) for relative in sorted(chosen)]


def uses_framework(file):
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return False
    return len(text) <= SAMPLE_LARGEST and FRAMEWORK_IMPORT.search(text) is not None
