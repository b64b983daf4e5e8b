import torch
from torch import nn


def lengths_to_mask(lengths: torch.Tensor, size: int):
    steps = torch.arange(size).to(lengths.device)  # expect: DP401
    return steps[None] < lengths[:, None]


def padded(x: torch.Tensor):
    return torch.cat([x, torch.zeros(1, 3).type_as(x)])  # expect: DP401


def moved(n: int, device):
    return torch.zeros(n).to(device)  # hint: DP401


class Mask:
    def __init__(self, size: int, device):
        self.mask = torch.triu(torch.ones(size, size, dtype=torch.bool), diagonal=1).to(device)  # expect: DP401


class Attention(nn.Module):
    def forward(self, x: torch.Tensor, mask=None):
        if mask is None:
            mask = Mask(x.shape[1], device=x.device)
        return x.masked_fill(mask.mask, 0.0)


class Kept(nn.Module):
    def __init__(self):
        super().__init__()
        self.mask = None

    def forward(self, x: torch.Tensor):
        if self.mask is None:
            self.mask = torch.ones(3, 3).to(x.device)  # hint: DP401
        return x * self.mask


def noisy(x: torch.Tensor, sizes, options):
    noise = torch.randn(*x.shape).to(x.device)  # expect: DP401
    more = torch.zeros(2, *x.shape[1:]).to(x.device)  # expect: DP401
    other = torch.randn(*sizes).to(x.device)
    return x + noise + more + other + torch.ones(3, **options).to(x.device)
