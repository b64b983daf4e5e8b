import math

import torch
from torch import nn


def halved(size):
    return nn.Linear(64 / 2, 10)  # expect: DP611


def padded(kernel=3):
    return nn.Conv2d(3, 8, kernel, padding=(kernel - 1) / 2)  # expect: DP611


class Net(nn.Module):
    def __init__(self, size, heads):
        super().__init__()
        self.head_size = size / heads
        self.project = nn.Linear(size, self.head_size)  # expect: DP611
        self.state = nn.LSTM(size, size // 2)
        self.dropout = nn.Dropout(1 / heads)
        self.scale = math.sqrt(size)
        self.even = nn.Linear(size, int(size / heads))


def viewed(x):
    return torch.randn(4, 8).view(4, 8 / 2, 2)  # expect: DP603


def made(size):
    return torch.zeros(size / 2, 3)  # expect: DP603


def silent(x, options):
    nn.Linear(64 // 2, 10)
    nn.Linear(int(64 / 2), 10)
    nn.Linear(round(0.5 * 64), 10)
    nn.Conv2d(3, 8, 3, padding="same")
    torch.zeros(8 // 2, 3)
    torch.randn(4, 8).view(4, int(8 / 2), 2)
    torch.full((2, 3), 0.5)
    nn.Upsample(scale_factor=0.5)
    return nn.Linear(*options)


Net(64, 4)
