import random

import numpy as np
import torch
from torch import nn
from torch.utils.data import Dataset


def shifted(x):
    rng = np.random.default_rng(0)  # hint: DP927
    return x + rng.normal()


class Noisy(Dataset):
    def __init__(self, x):
        self.x = x
        self.rng = np.random.default_rng(0)
        self.generator = torch.Generator().manual_seed(0)

    def __len__(self):
        return len(self.x)

    def __getitem__(self, index):
        generator = torch.Generator().manual_seed(1)  # hint: DP927
        return shifted(self.x[index]) + torch.randn(3, generator=generator)


class Right(Noisy):
    def __getitem__(self, index):
        own = np.random.default_rng(index)
        drawn = random.Random(index).random()
        return self.x[index] + own.normal() + drawn + torch.randn(3, generator=self.generator)


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.layer = nn.Linear(3, 3)

    def forward(self, x, seed):
        torch.manual_seed(0)  # hint: DP927
        torch.manual_seed(seed)
        return self.layer(x + torch.randn_like(x))
