import random

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


class Masked(Dataset):
    def __init__(self, features, seed=1234):
        self.features = features
        self.rng = np.random.default_rng(seed)  # expect: DP408
        self.order = random.Random(seed)
        self.order.shuffle(self.features)

    def __len__(self):
        return len(self.features)

    def mask(self, x):
        x[: int(self.rng.integers(0, 10))] = 0
        return x

    def __getitem__(self, i):
        return self.mask(torch.tensor(self.features[i]))


class Fresh(Dataset):
    def __init__(self, features):
        self.features = features

    def __len__(self):
        return len(self.features)

    def __getitem__(self, i):
        self.rng = np.random.default_rng(i)
        return torch.tensor(self.features[i]) + self.rng.normal()


def loaders(features):
    a = DataLoader(Masked(features), 32, num_workers=8, persistent_workers=True)
    b = DataLoader(Fresh(features), 32, num_workers=8, persistent_workers=True)
    return a, b
