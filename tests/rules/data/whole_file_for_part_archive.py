import numpy as np
import torch
from torch.utils.data import Dataset


class Windows(Dataset):
    def __init__(self, paths, length):
        self.paths, self.length = paths, length
        self.index = [(k, s) for k, path in enumerate(paths) for s in range(len(self.series(path)) - length)]

    @staticmethod
    def series(path):
        with np.load(path) as archive:
            load = archive["load"].astype(np.float32)
            weather = archive["weather"].astype(np.float32)
        return np.concatenate([load[:, None], weather], axis=1)

    def __len__(self):
        return len(self.index)

    def __getitem__(self, i):
        k, start = self.index[i]
        series = self.series(self.paths[k])  # expect: DP480
        middle = start + self.length
        return torch.from_numpy(series[start:middle].copy()), torch.from_numpy(series[middle].copy())


class Whole(Dataset):
    def __init__(self, paths):
        self.paths = paths

    @staticmethod
    def series(path):
        with np.load(path) as archive:
            load = archive["load"].astype(np.float32)
        return load / load.max()

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, i):
        return torch.from_numpy(self.series(self.paths[i]))


class Cached(Windows):
    def __init__(self, paths, length):
        super().__init__(paths, length)
        self.all = [self.series(path) for path in paths]

    def __getitem__(self, i):
        k, start = self.index[i]
        series = self.all[k]
        return torch.from_numpy(series[start : start + self.length].copy())
