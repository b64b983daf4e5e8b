#!/usr/bin/env python3
"""Folders of src/ depend on each other in one direction: what a folder's library links is what it may include.

The linker does not notice a header that is included against that direction as long as it holds no code, so the includes
are read here.

usage: includes_test.py SOURCE_FOLDER
"""

import pathlib
import re
import sys

# docs/architecture.md, section Folders.
BELOW = {
    "base": (),
    "python": ("base",),
    "project": ("base",),
    "frameworks": ("base",),
    "model": ("base", "python", "frameworks"),
    "shapes": ("base", "python", "project", "frameworks", "model"),
    "rules": ("base", "python", "project", "frameworks", "model", "shapes"),
    "check": ("base", "python", "project", "frameworks", "model", "shapes", "rules"),
    "fix": ("base", "python", "project", "frameworks", "model", "rules", "check"),
    "report": ("base", "python", "project", "frameworks", "model", "rules", "check", "fix", "evidence"),
    "config": ("base", "python", "project", "frameworks", "model", "rules", "check"),
    "server": ("base", "python", "project", "frameworks", "model", "rules", "check", "report", "fix"),
    "study": ("base",),
    "evidence": ("base",),
    "bench": ("base", "python", "project", "frameworks", "model", "rules", "check", "evidence"),
    "cli": ("base", "python", "project", "frameworks", "model", "rules", "check", "report", "fix", "config", "server", "study",
            "evidence", "bench", "shapes"),
}
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)


def main():
    source = pathlib.Path(sys.argv[1])
    mistakes = []
    count = 0
    folders = {entry.name for entry in source.iterdir() if entry.is_dir()}
    mistakes += [f"src/{name} is not listed in {sys.argv[0]}" for name in sorted(folders - BELOW.keys())]
    for path in sorted(path for path in source.rglob("*") if path.suffix in (".h", ".cpp")):
        folder = path.relative_to(source).parts[0]
        for included in INCLUDE.findall(path.read_text()):
            count += 1
            target = included.split("/")[0]
            if "/" not in included:
                mistakes.append(f"{path}: \"{included}\" should be written from src/ on")
            elif target != folder and target not in BELOW.get(folder, ()):
                mistakes.append(f"{path}: src/{folder} must not include \"{included}\"")
    if count < 100:
        mistakes.append(f"only {count} includes were found in {source}")
    if mistakes:
        sys.exit("\n".join(mistakes))
    print(f"{count} includes follow the direction of the folders")


if __name__ == "__main__":
    main()
