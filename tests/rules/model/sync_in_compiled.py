import torch
import torch.nn as nn


@torch.compile
def fires(x: torch.Tensor):
    print(x)  # expect: DP235
    scale = x.max().item()  # expect: DP235
    if x.sum() > 0:  # expect: DP235
        x = x / scale
    while torch.any(x > 3):  # expect: DP235
        x = x / 2
    return x, float(x.mean())  # expect: DP235


@torch.compile
def without_types(a, b):
    if b.sum() < 0:  # expect: DP235
        b = -b
    return a.abs().max().item() * b  # expect: DP235


@torch.compile(mode="reduce-overhead")
def with_options(x: torch.Tensor):
    return helper(x)


def helper(x: torch.Tensor):
    return x.sum().tolist()  # expect: DP235


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)

    def forward(self, x):
        out = self.layer(x)
        if out.max() > 10:  # expect: DP235
            out = out / 10
        if self.training:
            out = out * 2
        if x is not None and x.shape[0] > 1:
            out = out + 1
        if torch.compiler.is_compiling() and out.max() > 3:
            print("compiling")
        return out


net = torch.compile(Net())


@torch.compile
def silent(x: torch.Tensor, flag, n, debug=False):
    if flag:
        x = x + 1
    if n > 3 or x.dim() == 2 or x.shape[0] == 1:
        x = x + 2
    if debug:
        print(x)
    assert x.dim() == 2, print(x)
    y = float(n)
    return torch.where(x > 0, x, -x) * y


@torch.compiler.disable
def kept_out(x: torch.Tensor):
    return x.item()


def not_compiled(x: torch.Tensor):
    print(x)
    if x.sum() > 0:
        return x.item()
    return helper_of_both(x)


def helper_of_both(x: torch.Tensor):
    return x.item()


@torch.compile
def drops(x, p):
    if torch.rand(1).item() < p:  # expect: DP235
        return x * 0
    return x


@torch.compile
def normalized(x: torch.Tensor, normalize: bool = True):
    total = x.sum()
    if not normalize:
        return total
    if total == 0:  # hint: DP235
        return total
    return total / x.abs().sum()
