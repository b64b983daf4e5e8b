import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


def jitter(points, rng):
    return points + 0.01 * rng.standard_normal(points.shape)


class Points(Dataset):
    def __init__(self, files, seed=7):
        self.files = files
        self.generator = np.random.default_rng(seed)  # expect: DP408

    def __len__(self):
        return len(self.files)

    def __getitem__(self, i):
        return torch.from_numpy(jitter(np.load(self.files[i]), self.generator))


class Seeded(Points):
    def __init__(self, files):
        super().__init__(files)
        self.source = np.random.default_rng(3)

    def __getitem__(self, i):
        return torch.from_numpy(jitter(np.load(self.files[i]), self.source))


def seed_worker(worker):
    pass


def loaders(files):
    common = dict(batch_size=64, num_workers=8, pin_memory=True, persistent_workers=True)
    seeded = dict(common, worker_init_fn=seed_worker)
    return DataLoader(Points(files), shuffle=True, **common), DataLoader(Points(files), **common), DataLoader(Seeded(files), **seeded)
