"""Runs programs of benchmark pairs and reports what they cost.

usage: driver.py REPORTS

Each line of standard input is a request, in JSON: "script", the program; "knobs", constants of its module to replace;
"folder", where to run; "memory", bytes that it may have; "values", whether to report what `result` holds. The program runs
in a fork of this process, which has imported the frameworks before: that takes seconds, and is not what is measured. REPORTS
is the descriptor for answers, lines of three kinds:

  P <pid>      the process that runs the program, which is also its process group
  R <json>     the report: "wall", "cpu" (with finished child processes), "peak" and "base" (resident memory in bytes),
               "children" (the largest child process), "result"; or "error". There is none if the process did not get there.
  E <status>   the process has ended, as waitpid() reports it

The program runs as __main__. What stands before the line `# measured from here` at its top level is not measured; without
such a line, everything up to the last import at the top level is not.
"""

import ast
import base64
import errno
import gc
import json
import os
import re
import resource
import signal
import sys
import time
import traceback
import types

MOST_VALUES = 200000  # of one array; of a larger one every n-th value is reported
MOST_DEPTH = 40
MOST_ITEMS = 20000
MARK = re.compile(r"#\s*measured from here\s*$", re.IGNORECASE)


class Unfit(Exception):
    """The program is not what a pair needs."""


def replace_knobs(tree, knobs):
    left = dict(knobs)
    for statement in tree.body:
        if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
            target = statement.targets[0]
        elif isinstance(statement, ast.AnnAssign) and statement.value is not None:
            target = statement.target
        else:
            continue
        if isinstance(target, ast.Name) and target.id in left:
            value = ast.parse(repr(left.pop(target.id)), mode="eval").body
            for node in ast.walk(value):
                ast.copy_location(node, statement.value)
            statement.value = value
    if left:
        raise Unfit("has no constant " + ", ".join(sorted(left)) + " at its top level")


def is_import(statement):
    if isinstance(statement, (ast.Import, ast.ImportFrom)):
        return True
    if isinstance(statement, ast.Try):  # try: import x; except ImportError: x = None
        return any(is_import(inner) for inner in statement.body)
    return False


def first_measured(tree, text):
    """Index of the first statement that is measured."""
    for number, line in enumerate(text.splitlines(), 1):
        if MARK.match(line):
            return sum(1 for statement in tree.body if first_line(statement) <= number)
    return max((i + 1 for i, statement in enumerate(tree.body) if is_import(statement)), default=0)


def first_line(statement):
    decorators = getattr(statement, "decorator_list", [])
    return min([statement.lineno] + [decorator.lineno for decorator in decorators])


def part(tree, statements):
    module = ast.parse("")
    module.body = statements
    return module


def memory(name):
    """A line of /proc/self/status, in bytes."""
    with open("/proc/self/status") as status:
        for line in status:
            if line.startswith(name + ":"):
                return int(line.split()[1]) * 1024
    return 0


def forget_peak():
    try:
        with open("/proc/self/clear_refs", "w") as refs:
            refs.write("5")
    except OSError:
        pass  # the peak then includes that of the imports


def cpu_seconds():
    total = 0.0
    for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN):
        usage = resource.getrusage(who)
        total += usage.ru_utime + usage.ru_stime
    return total


# ---- What was computed, in a form that can be compared -------------------------------------------------------------------


def array_of(value):
    """(shape, flat list of floats) of a tensor or an array; None of anything else."""
    for method in ("detach", "resolve_conj", "resolve_neg", "cpu"):  # torch
        if hasattr(value, method):
            value = getattr(value, method)()
    if getattr(value, "is_sparse", False) is True:
        value = value.to_dense()
    if type(value).__module__.split(".")[0] == "torch" and hasattr(value, "tolist"):
        import torch
        if value.is_complex():
            value = torch.view_as_real(value)
        value = value.to(torch.float64)
        return list(value.shape), value.reshape(-1).tolist() if value.numel() <= MOST_VALUES else value.numpy().ravel()
    if hasattr(value, "numpy") and callable(value.numpy):  # TensorFlow
        value = value.numpy()
    if hasattr(value, "dtype") and hasattr(value, "tolist") and hasattr(value, "shape"):  # NumPy
        import numpy
        value = numpy.asarray(value)
        if value.dtype.kind == "c":
            value = numpy.stack([value.real, value.imag], -1)
        if value.dtype.kind in "biuf":
            return list(value.shape), value.astype("float64").ravel()
    return None


def encode_array(shape, values):
    import array
    count = len(values)
    step = 1 + (count - 1) // MOST_VALUES if count else 1
    data = array.array("d", values[::step])
    if sys.byteorder == "big":
        data.byteswap()
    return {"shape": shape, "step": step, "data": base64.b64encode(data.tobytes()).decode()}


def canonical(value, depth=0):
    """A tree of arrays, texts, lists and dicts. A number is an array without dimensions."""
    if depth > MOST_DEPTH:
        raise Unfit("nests `result` too deeply to compare it")
    if value is None or isinstance(value, (str, bytes)):
        return {"text": repr(value)}
    if isinstance(value, (bool, int, float)):
        try:
            return {"array": ([], [float(value)])}
        except OverflowError:
            return {"text": repr(value)}
    if isinstance(value, complex):
        return {"array": ([2], [value.real, value.imag])}
    found = array_of(value)
    if found is not None:
        return {"array": found}
    if hasattr(value, "state_dict"):
        value = value.state_dict()
    if isinstance(value, dict):
        check_size(value)
        items = sorted(((repr(key), item) for key, item in value.items()), key=lambda pair: pair[0])
        return {"dict": [[key, canonical(item, depth + 1)] for key, item in items]}
    if isinstance(value, (set, frozenset)):
        return canonical(sorted(value, key=repr), depth + 1)
    if isinstance(value, (list, tuple, range)) or type(value).__name__ in ("deque", "array"):
        check_size(value)
        return joined([canonical(item, depth + 1) for item in value])
    if hasattr(value, "tolist"):  # NumPy's strings and objects
        return canonical(value.tolist(), depth + 1)
    raise Unfit("leaves %s in `result`, which cannot be compared" % type(value).__name__)


def check_size(value):
    if len(value) > 50 * MOST_ITEMS:
        raise Unfit("leaves %d items in `result`; a sum or an array would do" % len(value))


def joined(items):
    """A list of arrays of one shape is one array, so that a list of numbers can be compared with a tensor."""
    shapes = [item["array"][0] if "array" in item else None for item in items]
    if items and shapes[0] is not None and all(shape == shapes[0] for shape in shapes):
        flat = []
        for item in items:
            flat.extend(item["array"][1])
        return {"array": ([len(items)] + shapes[0], flat)}
    if len(items) > MOST_ITEMS:
        raise Unfit("leaves %d items in `result`; a sum or an array would do" % len(items))
    return {"list": items}


def encoded(node):
    if "array" in node:
        return encode_array(*node["array"])
    if "list" in node:
        return {"list": [encoded(item) for item in node["list"]]}
    if "dict" in node:
        return {"dict": [[key, encoded(item)] for key, item in node["dict"]]}
    return node


# ---- Running -----------------------------------------------------------------------------------------------------------------


def run(request):
    script = request["script"]
    with open(script, encoding="utf-8") as file:
        text = file.read()
    tree = ast.parse(text, script)
    replace_knobs(tree, request["knobs"])
    start = first_measured(tree, text)
    if start >= len(tree.body):
        raise Unfit("has nothing to measure: no statement follows its imports")
    before = compile(part(tree, tree.body[:start]), script, "exec")
    measured = compile(part(tree, tree.body[start:]), script, "exec")

    module = types.ModuleType("__main__")
    module.__file__ = script
    sys.modules["__main__"] = module
    sys.argv = [script]
    sys.path[0] = os.path.dirname(script)
    exec(before, module.__dict__)
    base = memory("VmRSS")
    forget_peak()
    cpu = cpu_seconds()
    wall = time.perf_counter()
    try:
        exec(measured, module.__dict__)
    except SystemExit as end:
        if end.code not in (None, 0):
            raise
    wall = time.perf_counter() - wall
    report = {
        "wall": wall,
        "cpu": cpu_seconds() - cpu,
        "peak": memory("VmHWM"),
        "base": base,
        "children": resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024,
    }
    if request["values"]:
        if "result" not in module.__dict__:
            raise Unfit("sets no variable `result` at its top level")
        report["result"] = encoded(canonical(module.__dict__["result"]))
    return report


def error_of(failure, script):
    lines = "".join(traceback.format_exception_only(type(failure), failure)).strip().splitlines() or [type(failure).__name__]
    message = lines[-1 if isinstance(failure, SyntaxError) else 0]  # a syntax error quotes the source first
    line = 0
    if isinstance(failure, SyntaxError) and failure.filename == script:
        line = failure.lineno or 0
    for frame, number in traceback.walk_tb(failure.__traceback__):
        if frame.f_code.co_filename == script:
            line = number
    is_refused = isinstance(failure, OSError) and failure.errno == errno.ENOMEM
    out_of_memory = isinstance(failure, MemoryError) or is_refused or "can't allocate memory" in str(failure)
    if isinstance(failure, Unfit):
        return {"kind": "unfit", "message": str(failure), "line": 0}
    is_missing = isinstance(failure, ImportError) and type(failure).__name__ == "ModuleNotFoundError"
    kind = "memory" if out_of_memory else "missing" if is_missing else "exception"
    return {"kind": kind, "message": message[:500], "line": line}


def imported_modules(script):
    """Names of modules that a program imports at its top level and that are not its neighbours."""
    try:
        with open(script, encoding="utf-8") as file:
            tree = ast.parse(file.read(), script)
    except (OSError, SyntaxError, ValueError):
        return []  # the run will say so
    names = []
    for statement in tree.body:
        if isinstance(statement, ast.Import):
            names += [alias.name for alias in statement.names]
        elif isinstance(statement, ast.ImportFrom) and statement.level == 0 and statement.module:
            names.append(statement.module)
    neighbours = os.listdir(os.path.dirname(script))
    return [name for name in names if name.split(".")[0] not in {os.path.splitext(path)[0] for path in neighbours}]


def preload(script, known):
    new = [name for name in imported_modules(script) if name not in known]
    for name in new:
        known.add(name)
        try:
            __import__(name)
        except Exception:
            pass  # the run will say so
    if new:
        gc.freeze()


def end_with_parent():
    try:
        import ctypes
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
    except (ImportError, OSError, AttributeError):
        pass


def limit_memory(most):
    """Not before libraries are imported: some hang or abort where they are refused memory for their threads."""
    hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
    resource.setrlimit(resource.RLIMIT_DATA, (hard if most is None else most, hard))


def run_forked(request, reports):
    """The child's life; it does not return."""
    os.setpgid(0, 0)
    end_with_parent()
    main_process = os.getpid()
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    try:
        os.chdir(request["folder"])
        needed = memory("VmData")
        if needed > request["memory"]:
            report = {"error": {"kind": "import memory", "message": "", "line": 0, "bytes": needed}}
        else:
            limit_memory(request["memory"])
            report = run(request)
    except BaseException as failure:  # also SystemExit and KeyboardInterrupt
        limit_memory(None)  # what is reported needs some
        report = {"error": error_of(failure, request["script"])}
    if os.getpid() == main_process:  # not a child that the program forked, and that came here
        with os.fdopen(os.dup(reports), "w") as out:
            out.write("R " + json.dumps(report) + "\n")
        sys.stdout.flush()
        sys.stderr.flush()
    os._exit(0)  # threads that the program left running end with it


def main():
    reports = int(sys.argv[1])
    os.set_inheritable(reports, False)
    known = set()
    while True:
        line = sys.stdin.readline()
        if not line:
            break
        request = json.loads(line)
        preload(request["script"], known)
        child = os.fork()
        if child == 0:
            run_forked(request, reports)
        try:
            os.setpgid(child, child)  # whoever is first
        except OSError:
            pass
        os.write(reports, b"P %d\n" % child)
        status = os.waitpid(child, 0)[1]
        try:
            os.killpg(child, signal.SIGKILL)  # processes that it left running
        except OSError:
            pass
        os.write(reports, b"E %d\n" % status)


main()
