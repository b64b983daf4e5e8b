import torch


def check(x: torch.Tensor, y: torch.Tensor):
    assert (x.shape == y.shape, "shapes differ")  # expect: DP894
    assert (x.dim() == 2 and y.dim() == 2, f"{x.dim()} dimensions")  # expect: DP894
    assert x.shape == y.shape, "shapes differ"
    assert (x.shape == y.shape), "shapes differ"
    assert x.shape == (2, 3)
    assert (
        x.device == y.device
    ), "devices differ"
