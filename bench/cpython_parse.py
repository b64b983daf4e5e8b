"""CPython's side of bench/frontend.

Started by frontend_bench with a file that lists paths, each ended by a NUL byte. Loads them all, finds out which ones
CPython accepts, says so as "FILES BYTES REFUSED VERSION", and from then on answers every line it reads with the seconds
that ast.parse took over those it accepts: a file that is refused at its first line must not count as parsed. The garbage
collector is on, as it is wherever people call ast.parse.
"""

import ast
import platform
import sys
import time
import warnings

warnings.simplefilter("ignore")
sys.setrecursionlimit(100_000)


def accepted(source):
    try:
        ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def load(path):
    with open(path, "rb") as file:
        return file.read()


def main():
    paths = load(sys.argv[1]).split(b"\0")[:-1]
    everything = [load(path) for path in paths]
    sources = [source for source in everything if accepted(source)]
    refused = len(everything) - len(sources)
    print(len(sources), sum(map(len, sources)), refused, platform.python_version(), flush=True)
    for _ in sys.stdin:
        start = time.perf_counter()
        for source in sources:
            ast.parse(source)
        print(time.perf_counter() - start, flush=True)


if __name__ == "__main__":
    main()
