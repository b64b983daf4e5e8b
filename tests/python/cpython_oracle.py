#!/usr/bin/env python3
"""Compares deepperf's trees with CPython's own, on every Python file that can be found.

usage: cpython_oracle.py DEEPPERF_BINARY [--attributes] [--limit-mb N] [--jobs N] [DIR...]

The oracle is Python 3.11: later versions print other fields and give other places to what is in f-strings.
"""

import argparse
import ast
import gc
import hashlib
import multiprocessing
import os
import re
import subprocess
import sys
import sysconfig
import tempfile
import warnings

SHOWN_DIFFERENCES = 5
CONTEXT = 80


# ---- ast.dump, fast --------------------------------------------------------------------------------------------------
#
# ast.dump would take most of the time here. The same text comes three times as fast from one function per class of
# node, made from the class's signature, which CPython keeps in its docstring:
#     FunctionDef(identifier name, arguments args, stmt* body, expr* decorator_list, expr? returns, ...)

SIMPLE_TYPES = {"identifier", "string", "int", "constant"}


def signature(cls):
    """The fields of a node class as (type, quantifier, name)."""
    inside = re.fullmatch(r"\w+\((.*)\)", " ".join(cls.__doc__.split())) if cls.__doc__ else None
    fields = re.findall(r"(\w+)([*?]?) (\w+)", inside.group(1)) if inside else []
    assert [name for _, _, name in fields] == list(cls._fields), cls
    return fields


def make_dumper(attributes):
    """A function from a tree to what ast.dump(tree, include_attributes=attributes) gives."""
    dumpers = {}
    lines = []
    classes = [cls for cls in vars(ast).values() if isinstance(cls, type) and issubclass(cls, ast.AST)]
    # Those without a signature are abstract (expr) or deprecated (Num); no parser makes them.
    classes = [cls for cls in classes
               if cls.__doc__ and re.fullmatch(cls.__name__ + r"(\(.*\))?", cls.__doc__, re.DOTALL)]
    for cls in classes:
        constant, optional = [], []
        for kind, quantifier, name in signature(cls):
            value = f"n.{name}"
            simple = kind in SIMPLE_TYPES
            if quantifier == "*":
                if simple:
                    text = f"{{{value}!r}}"
                elif name in ("keys", "kw_defaults"):  # the only lists with None in them
                    text = "[{', '.join(['None' if x is None else D[x.__class__](x) for x in %s])}]" % value
                else:
                    text = "[{', '.join([D[x.__class__](x) for x in %s])}]" % value
                constant.append(f"{name}={text}")
            elif quantifier == "?":
                shown = f"{{{value}!r}}" if simple else f"{{D[{value}.__class__]({value})}}"
                constant.append(None)
                optional.append((len(constant) - 1, name, shown))
            else:
                shown = f"{{{value}!r}}" if simple else f"{{D[{value}.__class__]({value})}}"
                constant.append(f"{name}={shown}")
        if attributes and cls._attributes:
            constant += [f"{name}={{n.{name}}}" for name in ("lineno", "col_offset", "end_lineno", "end_col_offset")]
        function = "d_" + cls.__name__
        lines.append(f"def {function}(n):")
        if not optional:
            lines.append(f'    return f"""{cls.__name__}({", ".join(constant)})"""')
        else:
            # Optional fields carry their comma with them; which side it is on depends on where the first sure field is.
            sure = next((i for i, text in enumerate(constant) if text is not None), len(constant))
            for index, name, shown in optional:
                before, after = (", ", "") if index > sure else ("", ", ")
                lines.append(f'    {name}_ = "" if n.{name} is None else f"""{before}{name}={shown}{after}"""')
            text = ""
            for index, part in enumerate(constant):
                if part is None:
                    name = next(name for i, name, _ in optional if i == index)
                    text += f"{{{name}_}}"
                else:
                    text += (", " if index > sure else "") + part
            if sure == len(constant):  # all fields are optional and no attributes follow: one comma too many at the end
                lines.append(f'    return f"""{cls.__name__}({{f{text!r}[:-2]}})"""')
            else:
                lines.append(f'    return f"""{cls.__name__}({text})"""')
        lines.append(f"D[{cls.__name__}] = {function}")
    namespace = {"D": dumpers, **{cls.__name__: cls for cls in classes}}
    exec("\n".join(lines), namespace)
    # Those without fields and places, of which there is one in every Name, need no function at all.
    for cls in classes:
        if not cls._fields and not (attributes and cls._attributes):
            dumpers[cls] = (lambda text: lambda n: text)(cls.__name__ + "()")
    return lambda tree: dumpers[tree.__class__](tree)


def self_test(paths):
    """Checks that the fast dumper is ast.dump, on a few files."""
    dump_places, dump_plain = make_dumper(True), make_dumper(False)
    for path in [__file__, *paths]:
        tree = parse(path)
        if tree is None:
            continue
        for fast, attributes in ((dump_places, True), (dump_plain, False)):
            if fast(tree) != ast.dump(tree, include_attributes=attributes):
                sys.exit(f"self-test: the fast dump of {path} is not ast.dump's")


# ---- Files -----------------------------------------------------------------------------------------------------------


def default_directories():
    found = [sysconfig.get_paths()["stdlib"]]
    found += [path for path in sys.path if os.path.basename(path) in ("dist-packages", "site-packages")]
    return found


def python_files(directories):
    """All .py files with their sizes, each once, in an order that mixes folders but never changes."""
    found = {}
    for directory in directories:
        for folder, _, names in os.walk(directory):
            for name in names:
                path = os.path.join(folder, name)
                if name.endswith(".py") and os.path.isfile(path) and "\n" not in path:
                    found[os.path.realpath(path)] = os.path.getsize(path)
        if os.path.isfile(directory):
            found[os.path.realpath(directory)] = os.path.getsize(directory)
    return sorted(found.items(), key=lambda item: hashlib.md5(os.fsencode(item[0])).digest())


def parse(path):
    """CPython's tree, or None if it rejects the file."""
    try:
        with open(path, "rb") as file:
            return ast.parse(file.read())
    except (SyntaxError, ValueError, RecursionError, MemoryError, OSError):
        return None


# ---- Comparing -------------------------------------------------------------------------------------------------------


class Deepperf:
    """deepperf's dumps of a list of files, one after the other. Continues after a file that it crashes on."""

    def __init__(self, binary, paths, attributes):
        self.command = [binary, "debug", "ast", "--format=cpython", "--stdin-list"]
        self.command += ["--attributes"] if attributes else []
        self.paths = paths
        self.next = 0
        self.process = None

    def start(self):
        # A file and not a pipe, so that neither side ever waits for the other to read.
        with tempfile.TemporaryFile() as list_file:
            list_file.write(b"".join(os.fsencode(path) + b"\n" for path in self.paths[self.next:]))
            list_file.seek(0)
            self.process = subprocess.Popen(self.command, stdin=list_file, stdout=subprocess.PIPE)

    def dump(self):
        """The next file's text; None if the process ended instead of printing it."""
        if self.process is None:
            self.start()
        line = self.process.stdout.readline()
        self.next += 1
        if line.endswith(b"\n"):
            return line[:-1]
        self.close()
        return None

    def close(self):
        if self.process is not None:
            self.process.stdout.close()
            self.process.wait()
            self.process = None


def first_difference(ours, theirs):
    low, high = 0, min(len(ours), len(theirs))
    while low < high:  # the longest common prefix, by halving
        middle = (low + high + 1) // 2
        if ours[:middle] == theirs[:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def describe(what, ours, theirs):
    if ours is None:
        return f"{what}: deepperf ended without printing it"
    if not ours:
        return f"{what}: deepperf could not load it"
    at = first_difference(ours, theirs)
    start = max(0, at - CONTEXT)
    return "\n".join((
        f"{what}: first difference at {at}",
        "  ours:    " + ours[start:at + CONTEXT].decode("utf-8", "replace"),
        "  CPython: " + theirs[start:at + CONTEXT].decode("utf-8", "replace"),
    ))


def compare(job):
    """Compares a worker's files; gives (compared files, their bytes, rejected files, [(path, difference)])."""
    binary, files, attributes_only = job
    warnings.simplefilter("ignore")
    gc.disable()  # trees have no cycles
    paths = [path for path, _ in files]
    ways = [("plain", make_dumper(False), Deepperf(binary, paths, False))]
    ways.append(("with places", make_dumper(True), Deepperf(binary, paths, True)))
    if attributes_only:
        del ways[0]
    compared = size = rejected = 0
    differences = []
    for path, file_size in files:
        tree = parse(path)
        difference = None
        accepted = tree is not None
        for name, dump, deepperf in ways:
            ours = deepperf.dump()
            if tree is None:
                continue
            try:
                theirs = dump(tree).encode("utf-8", "surrogatepass")
            except (ValueError, RecursionError):  # an int with too many digits, a tree that is too deep
                accepted = False
                continue
            if ours != theirs and difference is None:
                difference = describe(name, ours, theirs)
        if not accepted:
            rejected += 1
            continue
        compared += 1
        size += file_size
        if difference is not None:
            differences.append((path, difference))
    for _, _, deepperf in ways:
        deepperf.close()
    return compared, size, rejected, differences


def share(files, workers):
    """The files in as many lists of about the same size in bytes."""
    shares = [[] for _ in range(workers)]
    sizes = [0] * workers
    for path, size in sorted(files, key=lambda item: -item[1]):
        smallest = sizes.index(min(sizes))
        shares[smallest].append((path, size))
        sizes[smallest] += size + 500
    return [part for part in shares if part]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("binary", metavar="DEEPPERF_BINARY")
    parser.add_argument("directories", metavar="DIR", nargs="*", help="default: the standard library and all packages")
    parser.add_argument("--attributes", action="store_true", help="only compare the text with places")
    parser.add_argument("--limit-mb", type=float, help="stop after so many megabytes")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    if sys.version_info[:2] != (3, 11):
        print(f"skipped: the trees are those of Python 3.11, and this is {sys.version.split()[0]}")
        sys.exit(77)
    warnings.simplefilter("ignore")

    files = python_files(options.directories or default_directories())
    if options.limit_mb is not None:
        total, chosen = 0, []
        for path, size in files:
            if total + size <= options.limit_mb * 1e6:
                total += size
                chosen.append((path, size))
        files = chosen
    if not files:
        sys.exit("no Python files found")
    self_test([path for path, size in files[:200] if 2000 < size < 50_000][:15])

    jobs = [(options.binary, part, options.attributes) for part in share(files, max(1, options.jobs))]
    with multiprocessing.Pool(len(jobs)) as pool:
        results = pool.map(compare, jobs, chunksize=1)

    differences = [difference for result in results for difference in result[3]]
    for path, difference in differences[:SHOWN_DIFFERENCES]:
        print(f"{path}: {difference}\n")
    compared, size, rejected = (sum(result[i] for result in results) for i in range(3))
    print(f"compared {compared} files ({size / 1e6:.1f} MB), {len(differences)} differ, "
          f"{rejected} not accepted by CPython")
    sys.exit(1 if differences else 0)


if __name__ == "__main__":
    main()
