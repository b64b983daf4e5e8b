#!/usr/bin/env python3
"""Runs the programs of this folder with the torch of this machine (Debian: python3-torch, python3-torchvision).

usage: verify_programs.py [--write] [PART_OF_A_NAME...]

Each program of crash/ must stop with the error that its first line quotes, on the line that is marked; its corrected twin and
the programs of good/ must run. --write puts what torch says into the first line. Exit code 77 if there is no torch.

Data sets are replaced by random images of their size. Where a program needs a GPU, the device "meta" stands in for it.
"""

import os
import sys
import tempfile
import traceback
import warnings

import programs

LONGEST = 200


def stand_in_datasets():
    try:
        import torchvision.datasets as datasets
    except ImportError:
        return
    def make(size, classes):
        def dataset(root=None, train=True, transform=None, target_transform=None, download=False, split=None):
            return datasets.FakeData(40, size, classes, transform, target_transform)
        return dataset
    datasets.MNIST = datasets.FashionMNIST = datasets.KMNIST = make((1, 28, 28), 10)
    datasets.CIFAR10 = datasets.SVHN = make((3, 32, 32), 10)
    datasets.CIFAR100 = make((3, 32, 32), 100)


def stand_in_gpu():
    import torch
    real_device = torch.device

    def name(value):
        if isinstance(value, int):
            return "meta"
        return "meta" if isinstance(value, str) and value.startswith("cuda") else value

    class Device:
        def __new__(cls, value, index=None):
            return real_device(name(value))

    torch.cuda.is_available = lambda: True
    torch.device = Device

    def patch(owner, method):
        original = getattr(owner, method)
        def to(self, *args, **kwargs):
            return original(self, *(name(a) if isinstance(a, str) else a for a in args),
                            **{key: name(value) for key, value in kwargs.items()})
        setattr(owner, method, to)

    for owner in (torch.Tensor, torch.nn.Module):
        patch(owner, "to")
        owner.cuda = lambda self, device=None, non_blocking=False: self.to("meta")
    cpu = torch.Tensor.cpu
    torch.Tensor.cpu = lambda self: torch.zeros(self.shape, dtype=self.dtype) if self.is_meta else cpu(self)
    for maker in ("zeros", "ones", "randn", "rand", "randint", "full", "arange", "tensor", "empty", "eye", "linspace"):
        original = getattr(torch, maker)
        def make(*args, _original=original, **kwargs):
            if "device" in kwargs:
                kwargs["device"] = name(kwargs["device"])
            return _original(*args, **kwargs)
        setattr(torch, maker, make)


def first_line(error):
    text = str(error).strip().split("\n")[0]
    return f"{type(error).__name__}: {text}"[:LONGEST].rstrip()


def execute(text, gpu):
    """(what was raised, its line) of a program, or (warning, line), or (None, None)."""
    if gpu:
        stand_in_gpu()
    path = "/program.py"
    code = compile(text, path, "exec")
    module = type(sys)("__main__")
    sys.modules["__main__"] = module
    sys.argv = ["program.py"]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            exec(code, module.__dict__)
        except SystemExit:
            pass
        except BaseException as error:
            frames = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == path]
            return first_line(error), frames[-1] if frames else 0
    for warning in caught:
        if "target size" in str(warning.message):
            return f"UserWarning: {str(warning.message)}"[:LONGEST].rstrip(), None
    return None, None


def in_child(text, gpu):
    """The same in a child process, so that no program sees what another one changed."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        with open(os.devnull, "w") as nowhere, tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            sys.stdout = sys.stderr = nowhere
            answer = execute(text, gpu)
            os.write(writer, repr(answer).encode())
            os.chdir("/")
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        answer = pipe.read().decode()
    os.waitpid(child, 0)
    return eval(answer) if answer else ("the process died", 0)


def write_quote(program, error):
    lines = program.text.split("\n")
    if program.quote is not None:
        lines = lines[1:]
    program.path.write_text("\n".join([programs.QUOTE + error, *lines]), encoding="utf-8")


def verify_crash(program, write):
    problems = []
    if len(program.expected) != 1:
        return [f"{len(program.expected)} lines are marked `# expect:`, not 1"]
    if program.not_verified:
        return []
    error, line = in_child(program.text, program.needs_gpu)
    if program.no_error:
        if error is not None and not error.startswith("UserWarning"):
            problems.append(f"stops, though it is said not to: {error}")
        error = error or "no error"
        line = None
    elif error is None:
        return ["runs without an error"]
    if write and error != program.quote:
        write_quote(program, error)
        shift = 0 if program.quote is not None else 1
    elif error != program.quote:
        problems.append(f"quotes  {program.quote}\n    torch says {error}")
        shift = 0
    else:
        shift = 0
    if line is not None and line != program.expected[0][1]:
        problems.append(f"stops at line {line + shift}, and line {program.expected[0][1] + shift} is marked: {error}")
    error, line = in_child(program.fixed, program.needs_gpu)
    if error is not None:
        problems.append(f"the corrected program stops at its line {line}: {error}")
    return problems


def verify_good(program, write):
    if program.text.startswith("# needs torch 2"):
        return []  # and this is 1.13
    error, line = in_child(program.text, False)
    return [f"stops at line {line}: {error}"] if error is not None else []


def main():
    arguments = sys.argv[1:]
    write = "--write" in arguments
    wanted = [argument for argument in arguments if argument != "--write"]
    try:
        import torch
    except ImportError:
        print("skipped: there is no torch here")
        sys.exit(77)
    if not torch.__version__.startswith("1.13"):
        print(f"skipped: errors are quoted from torch 1.13, and this is {torch.__version__}")
        sys.exit(77)
    torch.set_num_threads(1)
    stand_in_datasets()
    failed = count = 0
    for verify, found in ((verify_crash, programs.crashing()), (verify_good, programs.good())):
        for program in found:
            if wanted and not any(part in program.name for part in wanted):
                continue
            count += 1
            problems = verify(program, write)
            failed += bool(problems)
            for problem in problems:
                print(f"{program.name}: {problem}")
    print(f"{count} programs, {failed} not as they say")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
