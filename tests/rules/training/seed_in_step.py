import random

import numpy as np
import torch
import torch.nn.functional as F
from torch.utils.data import Dataset

SEED = 7


def in_loop(model: torch.nn.Module, loader, optimizer: torch.optim.Optimizer):
    for x, y in loader:
        torch.manual_seed(SEED)  # expect: DP927
        optimizer.zero_grad()
        F.mse_loss(model(x + torch.randn_like(x)), y).backward()
        optimizer.step()


def noise(x):
    np.random.seed(0)  # expect: DP927
    return x + torch.randn_like(x)


def in_helper(model: torch.nn.Module, loader, optimizer: torch.optim.Optimizer):
    for x, y in loader:
        optimizer.zero_grad()
        F.mse_loss(model(noise(x)), y).backward()
        optimizer.step()


class Rolled(Dataset):
    def __init__(self, x):
        self.x = x

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        random.seed(42)  # expect: DP927
        return self.x[i].roll(random.randint(0, 10))


class Varied(Rolled):
    def __getitem__(self, i):
        random.seed(i)
        return self.x[i].roll(random.randint(0, 10))


def before(model: torch.nn.Module, loader, optimizer: torch.optim.Optimizer):
    torch.manual_seed(SEED)
    for step, (x, y) in enumerate(loader):
        torch.manual_seed(step)
        optimizer.zero_grad()
        F.mse_loss(model(x + torch.randn_like(x)), y).backward()
        optimizer.step()


class Noise:
    def __init__(self, seed=None):
        np.random.seed(seed) if seed else None

    def __call__(self, sample):
        return sample + np.random.randn(*sample.shape)  # hint: DP408


class Noisy(torch.utils.data.Dataset):
    def __getitem__(self, index):
        return Noise(seed=3)(self.samples[index])
