import numpy as np
import torch
from torch import nn

counts = torch.randint(0, 10, (4, 3))


def noise():
    return torch.randn_like(counts)  # expect: DP607


def uniform():
    return torch.rand(3, dtype=torch.long)  # expect: DP607


def deviation():
    return counts.std()  # expect: DP607


def length():
    return counts.norm()  # expect: DP607


def condition():
    return torch.where(torch.ones(3), torch.ones(3), torch.zeros(3))  # expect: DP607


def selected():
    return torch.masked_select(torch.ones(4, 3), counts)  # expect: DP607


def index():
    return torch.zeros(4, 3).scatter(1, counts.int(), 1.0)  # expect: DP607


def of_grad(model):
    return np.array(nn.Linear(3, 2)(torch.ones(4, 3)))  # expect: DP609


def state_of_another_batch():
    cell = nn.LSTMCell(16, 8)
    return cell(torch.randn(4, 16), (torch.zeros(3, 8), torch.zeros(3, 8)))  # expect: DP601


def odd_features():
    return nn.GLU()(torch.zeros(4, 7))  # expect: DP601


def silent(given, kind):
    torch.randn_like(counts, dtype=torch.float32)
    torch.rand(3, dtype=torch.float64)
    torch.rand(3, dtype=kind)
    counts.float().std()
    counts.double().norm()
    np.std(counts.numpy())
    torch.where(counts > 3, 1.0, 0.0)
    torch.where(given, 1.0, 0.0)
    torch.masked_select(counts, counts > 2)
    nn.GRUCell(16, 8)(torch.randn(4, 16), torch.zeros(4, 8))
    nn.LSTMCell(16, 8)(torch.randn(4, 16))
    nn.GLU(dim=0)(torch.zeros(4, 7))
    return np.array(torch.ones(4, 3))
