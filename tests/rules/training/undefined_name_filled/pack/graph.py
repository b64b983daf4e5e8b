import torch

from .ffi import init_api


def add(a: torch.Tensor, b: torch.Tensor):
    return _CAPI_Add(a, b)


init_api("pack.graph")
