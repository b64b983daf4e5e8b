import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


def crop(sample):
    start = np.random.randint(0, 10)
    return sample[start : start + 100]


class Cropped(Dataset):
    def __init__(self, samples):
        self.samples = samples

    def __len__(self):
        return len(self.samples)

    def __getitem__(self, index):
        return crop(self.samples[index])


class Plain(Cropped):
    def __getitem__(self, index):
        return self.samples[index] + torch.rand(3)


def by_number(worker_id):
    np.random.seed(worker_id)  # expect: DP481


def by_sum(worker_id):
    np.random.seed(1234 + int(worker_id))  # hint: DP481


def by_torch(worker_id):
    np.random.seed((torch.initial_seed() + worker_id) % 2**32)


def kept(worker_id):
    np.random.seed(worker_id)


def for_evaluation(worker_id):
    np.random.seed(worker_id)


class Data:
    def __init__(self, samples, seed):
        self.samples = samples
        self.seed = seed

    def train(self):
        init = lambda worker: np.random.seed(self.seed + worker)  # expect: DP481
        return DataLoader(Cropped(self.samples), batch_size=8, shuffle=True, num_workers=4, worker_init_fn=init)


def loaders(samples):
    data = Cropped(samples)
    return [
        DataLoader(data, batch_size=8, shuffle=True, num_workers=4, worker_init_fn=by_number),
        DataLoader(Plain(samples), batch_size=8, shuffle=True, num_workers=4, worker_init_fn=by_sum),
        DataLoader(data, batch_size=8, shuffle=True, num_workers=4, worker_init_fn=by_torch),
        DataLoader(data, batch_size=8, shuffle=True, num_workers=4, worker_init_fn=kept, persistent_workers=True),
        DataLoader(data, batch_size=8, num_workers=4, worker_init_fn=for_evaluation),
    ]
