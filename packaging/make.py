"""Makes packages of a program that is there: make.py BINARY FOLDER [deb|tarball|wheel|npm…]"""

import importlib
import pathlib
import sys

from contents import gather

KINDS = ("deb", "tarball", "wheel", "npm")


def main():
    if len(sys.argv) < 3 or not set(sys.argv[3:]) <= set(KINDS):
        sys.exit(__doc__)
    binary, folder, *kinds = sys.argv[1:]
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    contents = gather(pathlib.Path(binary).resolve())
    for kind in kinds or KINDS:
        path = importlib.import_module(kind).build(contents, folder)
        print(f"{path}  {path.stat().st_size / 1e6:.1f} MB")


main()
