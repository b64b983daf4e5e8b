import bisect
import functools
import random

import numpy as np
import torch
import torchaudio
from torch.utils.data import Dataset


def read_array(path):
    return np.load(path)


@functools.lru_cache(maxsize=8)
def read_cached(path):
    return np.load(path)


class Index:
    def __init__(self, paths, ends):
        self.paths, self.ends = paths, ends

    def locate(self, i):
        k = bisect.bisect_right(self.ends, i)
        return self.paths[k], i - (self.ends[k - 1] if k else 0)


class Base(Dataset):
    def __init__(self, paths, ends, length):
        self.index = Index(paths, ends)
        self.paths, self.ends, self.length = paths, ends, length
        self.last = (None, None)

    def __len__(self):
        return self.ends[-1]


class ByHelper(Base):
    def window(self, i):
        path, start = self.index.locate(i)
        series = read_array(path)  # expect: DP480
        return np.array(series[start : start + self.length], dtype=np.float32)

    def __getitem__(self, i):
        return torch.from_numpy(self.window(i))


class Rows(Base):
    def __getitem__(self, i):
        shard, row = divmod(i, 1000)
        block = torch.load(self.paths[shard], weights_only=True)  # expect: DP480
        return block[row]


class Sound(Base):
    def __getitem__(self, i):
        path, start = self.index.locate(i)
        wave, rate = torchaudio.load(path)  # expect: DP480
        return wave[:, start : start + self.length]


class Mapped(Base):
    def __getitem__(self, i):
        path, start = self.index.locate(i)
        series = np.load(path, mmap_mode="r")
        return torch.from_numpy(np.array(series[start : start + self.length]))


class Cached(Base):
    def __getitem__(self, i):
        path, start = self.index.locate(i)
        series = read_cached(path)
        return torch.from_numpy(np.array(series[start : start + self.length]))


class Kept(Base):
    def __getitem__(self, i):
        path, start = self.index.locate(i)
        if self.last[0] != path:
            series = np.load(path)
            self.last = (path, series)
        return torch.from_numpy(self.last[1][start : start + self.length])


class Crop(Base):
    def __getitem__(self, i):
        clip = np.load(self.paths[i])
        start = random.randint(0, len(clip) - self.length)
        return torch.from_numpy(clip[start : start + self.length])


class Whole(Base):
    def __getitem__(self, i):
        table = np.load(self.paths[i])
        return torch.from_numpy(table[:, : self.length])


class Both(Base):
    def __getitem__(self, i):
        path, start = self.index.locate(i)
        series = np.load(path)
        scale = series.mean()
        return torch.from_numpy(series[start : start + self.length] / scale)
