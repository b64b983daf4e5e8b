# All pairs under a name, and in batches.
import torch
from torch import nn


def nearest(x, codes):
    diff = x.unsqueeze(1) - codes.unsqueeze(0)
    return diff.pow(2).sum(-1).argmin(dim=1)  # expect: DP168


class Quantizer(nn.Module):
    def __init__(self, n, width):
        super().__init__()
        self.codes = nn.Embedding(n, width)
        self.centers = nn.Parameter(torch.randn(n, width))

    def forward(self, x: torch.Tensor):
        squares = (x[:, None] - self.codes.weight[None]) ** 2
        distances = squares.sum(-1)  # expect: DP168
        return distances, nearest(x, self.codes.weight)

    def soft(self, x: torch.Tensor):
        return torch.softmax(-torch.norm(x[:, None, :] - self.centers[None, :, :], dim=2), dim=-1)  # expect: DP168


def in_batches(a: torch.Tensor, b: torch.Tensor, k: int):
    distances = torch.sum(torch.abs(a[:, :, None] - b[:, None]), dim=-1)  # expect: DP168
    return distances.topk(k, largest=False).indices


# ---- Silent


def directions(a: torch.Tensor, b: torch.Tensor):
    diff = a.unsqueeze(1) - b.unsqueeze(0)
    return diff, diff.pow(2).sum(-1)


def over_rows(a: torch.Tensor, b: torch.Tensor):
    return (a.unsqueeze(1) - b.unsqueeze(0)).pow(2).sum(0)


def over_pairs(a: torch.Tensor, b: torch.Tensor):
    return (a[:, :, None] - b[:, None]).pow(2).sum(2)


def same_place(a: torch.Tensor, b: torch.Tensor):
    diff = a.unsqueeze(1) - b.unsqueeze(1)
    return diff.pow(2).sum(-1)
