import contextlib
import sys

import torch
from torch import nn


def store_attr():
    values = dict(sys._getframe(1).f_locals)
    me = values.pop("self")
    for name, value in values.items():
        if not name.startswith("__"):
            setattr(me, name, value)


@contextlib.contextmanager
def expect_fail():
    try:
        yield
    except Exception:
        return
    raise AssertionError("nothing failed")


class Smoothed(nn.Module):
    def __init__(self, eps=0.1, reduction="mean"):
        super().__init__()
        store_attr()

    def forward(self, x):
        return x * (1 - self.eps) if self.reduction == "mean" else x


assert Smoothed()(torch.rand(4)).shape == (4,)
with expect_fail():
    nn.CrossEntropyLoss()(torch.rand(32, 5, 10), torch.randint(0, 10, (32, 5)))
