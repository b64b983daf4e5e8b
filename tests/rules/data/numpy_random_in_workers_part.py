import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


class Augment:
    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)  # expect: DP408

    def __call__(self, wave):
        return wave * self.rng.uniform(0.5, 1.5)


class FromTorch:
    def __call__(self, wave):
        return wave * float(torch.rand(()) + 0.5)


class Shuffled:
    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)

    def order(self, count):
        return self.rng.permutation(count)


class Waves(Dataset):
    def __init__(self, waves, train):
        self.waves = waves
        self.augment = Augment(17) if train else None

    def __len__(self):
        return len(self.waves)

    def __getitem__(self, i):
        wave = np.array(self.waves[i])
        if self.augment is not None:
            wave = self.augment(wave)
        return torch.from_numpy(wave)


class Plain(Dataset):
    def __init__(self, waves):
        self.shuffled = Shuffled(17)
        self.order = self.shuffled.order(len(waves))
        self.waves = waves
        self.augment = FromTorch()

    def __len__(self):
        return len(self.waves)

    def __getitem__(self, i):
        return torch.from_numpy(self.augment(np.array(self.waves[self.order[i]])))


def loaders(waves):
    return (
        DataLoader(Waves(waves, True), 32, shuffle=True, num_workers=8, pin_memory=True, persistent_workers=True),
        DataLoader(Plain(waves), 32, shuffle=True, num_workers=8, pin_memory=True, persistent_workers=True),
    )
