import torch

from .ffi import describe


def add(a: torch.Tensor, b: torch.Tensor):
    return _CAPI_Add(a, b)  # expect: DP892


describe("pack.other")
