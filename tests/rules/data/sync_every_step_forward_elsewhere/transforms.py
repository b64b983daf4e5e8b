import torch


def spline(x: torch.Tensor, left: float, right: float):
    if torch.min(x) < left or torch.max(x) > right:
        raise ValueError("out of range")
    return x * 2


def harmless(x: torch.Tensor):
    return x * 2
