import random

import torch
from torch.utils.data import DataLoader, IterableDataset, get_worker_info


class Lines(IterableDataset):
    def __init__(self, paths):
        self.paths = paths

    def __iter__(self):
        for path in self.paths:
            with open(path) as file:
                for line in file:
                    yield torch.tensor([float(x) for x in line.split()])


class Longer(Lines):
    def __init__(self, paths, window):
        super().__init__(paths)
        self.window = window


class Divided(IterableDataset):
    def __init__(self, paths):
        self.paths = paths

    def __iter__(self):
        info = get_worker_info()
        mine = self.paths if info is None else self.paths[info.id :: info.num_workers]
        for path in mine:
            with open(path) as file:
                yield from file


class Noise(IterableDataset):
    def __iter__(self):
        while True:
            yield torch.tensor([random.random()])


def loaders(paths, workers):
    a = DataLoader(Lines(paths), batch_size=32, num_workers=4)  # expect: DP427
    b = DataLoader(Longer(paths, 8), 32, num_workers=8, persistent_workers=True)  # expect: DP427
    c = DataLoader(Divided(paths), 32, num_workers=8, persistent_workers=True)
    d = DataLoader(Noise(), 32, num_workers=8, persistent_workers=True)
    e = DataLoader(Lines(paths), 32, num_workers=1, persistent_workers=True)
    f = DataLoader(Lines(paths), 32, num_workers=workers, persistent_workers=True)
    return a, b, c, d, e, f
