# Names that functions say they bind.
import torch

calls = 0


def compile_step():
    global step
    step = torch.compile(step)  # expect: DP892


def compile_known():
    global known
    known = torch.compile(known)


def known(x):
    return x


def count():
    global calls
    calls = calls + 1


def set_first():
    global table
    table = []


def extend():
    global table
    table = table + [1]


def count_in_place():
    global total
    total += 1
